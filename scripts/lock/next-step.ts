import { present } from '../contract/defined.ts';
import { labelOf } from '../contract/label.ts';
import { quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';
import type { RefusedTool } from './approved-since.ts';
import { pendingOf } from './pending.ts';
import type { ApprovalRules } from './rules.ts';
import { commandFor } from './suggest-command.ts';
import type { Lock } from './types.ts';
import type { Verified } from './verify.ts';

/** What `--since` compares with, if it has pins, and what was refused since. */
export interface Since {
  revision: string;
  /** The command that brings its pins back. */
  restore: string;
  refused: readonly RefusedTool[];
}

const backTo = ({ revision, restore, refused }: Since, approve: string): string[] =>
  present([
    '',
    `Some of this is as pinned, and approve asks about nothing there. Approve it from the pins of ${quoteText(revision, 60)} on; what was approved since is asked about again:`,
    `  ${restore}`,
    `  ${approve}`,
    refused.length > 0 &&
      `Then refuse again: ${refused.map(({ server, tool }) => visible(labelOf(server, tool), { max: 200 })).join(', ')}`,
  ]);

/**
 * What a person can run about servers that differ. Where `approve` would find nothing to ask, because the pin fits and only
 * the way to it is not on record, it can start from an older pin.
 */
export const nextStep = (
  differing: readonly Verified[],
  lock: Lock,
  rules: ApprovalRules,
  since: Since | undefined,
  spawn: boolean,
): string[] => {
  const asked = differing.filter(
    ({ server, live }) => pendingOf(server, lock.get(server) ?? new Map(), live, rules).length > 0,
  );
  const more = spawn ? ' --spawn' : '';
  if (since && asked.length < differing.length) return backTo(since, `konnichiwagwan approve${more}`);
  const [first, second] = asked;
  if (first === undefined) return [];
  const command = second === undefined ? commandFor('approve', first.server) : 'konnichiwagwan approve';
  return ['', `To look at each change and approve it, run: ${command}${more}`];
};
