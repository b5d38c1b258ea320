// What changed in a source, for a session that starts. Most sessions find a known answer, and never load this.
import { bumpAloneLine, bumpLine } from '../baseline/drift-line.ts';
import type { SourceBaseline } from '../baseline/sessions.ts';
import { defined } from '../contract/defined.ts';
import type { Contract } from '../contract/types.ts';
import { diffLists, ofReadable } from '../diff/diff-lists.ts';
import { diffOffered } from '../diff/offered.ts';
import { ofContract } from '../diff/table.ts';
import { splitUpgrade, upgradeNote } from '../diff/upgrade.ts';
import type { Live } from '../sources/live.ts';
import type { SourceDrift } from './start.ts';

/** How long the tools of one source may be compared for the greeting, in ms. */
const BUDGET = 250;

/**
 * What changed between two answers of a source; undefined if nothing is worth a line.
 * @param bumped the kind of source whose new version is worth a message; undefined if the version does not count
 */
export const driftBetween = (
  before: SourceBaseline,
  live: Live,
  bumped: 'gateway' | 'server' | undefined,
): Pick<SourceDrift, 'changes' | 'bumped' | 'upgrade'> | undefined => {
  const found = ofReadable(ofContract(diffOffered(before, live, BUDGET)), before.tools, live.tools);
  // Resources come and go like files: they would be in every greeting, so only `probe` reports them.
  const changes = found.filter(({ tool, offer }) => offer === undefined || !/^resource (?!template )/.test(tool));
  if (changes.length > 0) {
    const { upgrade, others } = splitUpgrade(changes, live.tools.length);
    const note = upgrade.length > 0 ? upgradeNote(before, live, upgrade) : undefined;
    const line = bumped && bumpLine(bumped, before, live.schemaVersion);
    return { changes: others, ...defined({ bumped: line, upgrade: note }) };
  }
  if (found.length > 0 || bumped === undefined) return undefined;
  return { changes: [], bumped: bumpAloneLine(bumped, before, live.schemaVersion) };
};

/** Contracts that changed since the same client listed them: it may go on showing the old ones after a `/clear`. */
export const carriedOn = (earlier: SourceBaseline, now: Contract[]): Contract[] => {
  const names = new Set(diffLists(earlier.tools, now).map((change) => change.tool));
  const older = new Map([...earlier.tools, ...(earlier.carried ?? [])].map((tool) => [tool.name, tool]));
  const carried = new Set((earlier.carried ?? []).map((tool) => tool.name));
  return [...older.values()].filter((tool) => names.has(tool.name) || carried.has(tool.name));
};
