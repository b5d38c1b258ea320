// Tells the person in one line what a server released since the host was given its tools, even if no call is affected.
import { diffLists } from '../diff/diff-lists.ts';
import { ofContract } from '../diff/table.ts';
import { splitUpgrade } from '../diff/upgrade.ts';
import { toolsLine } from '../reports/release.ts';
import type { Shown } from '../text/shown.ts';
import { type JudgeSettings, readTools } from './judge-served.ts';
import { policyOf } from './policy.ts';

/** How long two lists may be compared, in ms; what is not compared by then counts as changed. */
const BUDGET = 250;

/** The line for a person; undefined if nothing changed that a person would want to know. */
export const releaseLine = (
  judging: JudgeSettings,
  given: readonly unknown[],
  listed: readonly unknown[],
): Shown | undefined => {
  const name = judging.name ?? 'the wrapped server';
  const after = readTools(listed);
  const found = ofContract(diffLists(readTools(given), after, BUDGET));
  const { others } = splitUpgrade(found, after.length);
  return others.length === 0 ? undefined : toolsLine(name, others, policyOf(judging).policy.mode);
};
