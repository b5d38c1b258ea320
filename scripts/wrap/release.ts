// What a server released since the host was given its tools: one line for the person, where no call is touched, too.
import { readToolList } from '../contract/read.ts';
import { diffLists } from '../diff/diff.ts';
import { ofContract } from '../diff/table.ts';
import { splitUpgrade } from '../diff/upgrade.ts';
import { toolsLine } from '../reports/release.ts';
import { quoteName } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';

/** How long two lists may be compared, in ms; what is not compared by then counts as changed. */
const BUDGET = 250;

/** The line for a person; undefined if nothing changed that a person would want to know. */
export const releaseLine = (
  server: string | undefined,
  given: readonly unknown[],
  listed: readonly unknown[],
): Shown | undefined => {
  const name = server ?? 'the wrapped server';
  try {
    const [before, after] = [readToolList({ tools: given as never }), readToolList({ tools: listed as never })];
    const found = ofContract(diffLists(before.tools, after.tools, BUDGET));
    const { others } = splitUpgrade(found, after.tools.length);
    return others.length === 0 ? undefined : toolsLine(name, others);
  } catch {
    return say`konnichiwagwan: since this session started, the tools of ${quoteName(name)} changed, and cannot all be read.`;
  }
};
