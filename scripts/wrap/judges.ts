import type { Handoff } from '../state/handoff.ts';
import type { HotSwap } from './hot-swap.ts';
import type { JudgeSettings } from './judge-served.ts';
import type { HeldCall, Verdict } from './types.ts';

/**
 * What judges the calls of one server. It is loaded with the first call that needs it.
 * @param hotSwap gives tools whose contract broke new names, where that is wanted
 */
export const judgesOf = (settings: JudgeSettings, hotSwap: HotSwap | undefined) => {
  /** People approve tools, not the new names that we give them. */
  const underOwnName = (call: HeldCall): HeldCall => ({ ...call, name: hotSwap?.ownName(call.name) ?? call.name });
  return {
    judge: async (call: HeldCall): Promise<Verdict> => {
      const { judgeFailed, judgeServed, withNewName } = await import('./judging.ts');
      try {
        const verdict = judgeServed(call, settings);
        if (hotSwap === undefined) return verdict;
        const delivered = (calls: number): void => {
          verdict.delivered?.(calls);
          hotSwap.stopped(call, verdict, calls);
        };
        return { ...withNewName(verdict, hotSwap.nameFor(call, verdict)), delivered };
      } catch (error) {
        return judgeFailed(call, settings, false, error);
      }
    },
    approve: async (call: HeldCall, lockfile: string): Promise<Verdict> => {
      const { approveServed, judgeFailed } = await import('./judging.ts');
      try {
        return approveServed(underOwnName(call), lockfile, settings);
      } catch (error) {
        return judgeFailed(call, settings, true, error);
      }
    },
    fits: async (call: HeldCall): Promise<Verdict> => (await import('./judging.ts')).fitTyped(call, settings),
    unapproved: async (call: HeldCall, mode: Handoff['mode']): Promise<Verdict | undefined> =>
      (await import('./judging.ts')).stopUnapproved(underOwnName(call), mode, settings),
  };
};
