import { outcome } from '../baseline/drift-line.ts';
import type { FoundChange } from '../diff/types.ts';
import type { Mode } from '../judge/judge.ts';
import { quoteName, quoteNames } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';

/**
 * What a server released during a conversation, in one line for the user: which tools changed, came and went.
 * @param mode in which its calls are judged
 */
export const toolsLine = (name: string, changes: readonly FoundChange[], mode: Mode): Shown => {
  const came = new Set(changes.flatMap(({ rule, tool }) => (rule === 'tool-added' ? [tool] : [])));
  const went = new Set(changes.flatMap(({ rule, tool }) => (rule === 'tool-removed' ? [tool] : [])));
  const others = new Set(changes.map(({ tool }) => tool).filter((tool) => !came.has(tool) && !went.has(tool)));
  const parts = [
    ['changed', others],
    ['new', came],
    ['gone', went],
  ] as const;
  const shown = parts.flatMap(([what, tools]) => (tools.size > 0 ? [say`${what}: ${quoteNames([...tools])}`] : []));
  const isBroken = others.size + went.size > 0;
  const next = isBroken
    ? say` ${outcome(mode, say`A call that relies on what changed`, say`stopped, or asked about first`)}`
    : '';
  return say`konnichiwagwan: since this session started, the tools of ${quoteName(name)} changed (${joined(shown, '; ')}).${next}`;
};
