import { groupBy } from '../../contract/group-by.ts';
import { labelOf } from '../../contract/label.ts';
import type { Spot } from '../../reports/locate.ts';
import { plural } from '../../text/plural.ts';
import { visible } from '../../text/visible.ts';
import { type FilePlace, LEVELS, type LintFinding } from '../types.ts';

/** From this number of tools on, the same finding is shown once. */
const MANY = 3;

/** A finding, and all tools that have it. */
export interface FindingGroup {
  first: LintFinding;
  tools: string[];
}

/** The name of a tool, with its server's before it if several were asked; empty for a list as a whole. */
export const nameOf = ({ server, tool }: Pick<LintFinding, 'server' | 'tool'>): string =>
  server === undefined ? tool : labelOf(server, tool === '' ? undefined : tool);

/** Groups findings, in order; the same one in many tools becomes one group. */
export const groupSame = (findings: readonly LintFinding[]): FindingGroup[] => {
  const groups = groupBy(findings, ({ rule, level, path, message, server, place }) =>
    JSON.stringify([rule, level, path, message, server, place]),
  );
  return [...groups.values()].flatMap((same): FindingGroup[] =>
    same.length < MANY
      ? same.map((first) => ({ first, tools: [nameOf(first)] }))
      : [{ first: same[0] as LintFinding, tools: same.map(nameOf) }],
  );
};

/** The tools that a finding is about, as a short text. */
export const who = (
  { tools }: FindingGroup,
  show: (name: string) => string = (name) => visible(name, { max: 200 }),
): string => {
  const [first = ''] = tools;
  if (tools.length === 1) return first === '' ? 'the list' : show(first);
  const rest = tools.length > MANY ? ` and ${tools.length - MANY} more` : '';
  return `${tools.length} tools (${tools.slice(0, MANY).map(show).join(', ')}${rest})`;
};

/** `2 errors, 1 note`, or `nothing found`. */
export const countText = (findings: readonly LintFinding[]): string => {
  const counts = LEVELS.map((level) => [level, findings.filter((one) => one.level === level).length] as const);
  const said = counts.filter(([, count]) => count > 0).map(([level, count]) => plural(count, level));
  return said.length > 0 ? said.join(', ') : 'nothing found';
};

/** The place of a finding about a file, as `file:line:column`; empty for any other. */
export const placeText = ({ place }: LintFinding): string =>
  place === undefined ? '' : `${visible(place.file, { max: 300 })}:${place.line}:${place.column}`;

/** What a finding is about: its place in a file, the tools, or both. @param show for names; places are safe to be shown */
export const aboutOf = (group: FindingGroup, show?: (name: string) => string): string => {
  const place = placeText(group.first);
  const isOfFile = place !== '' && group.first.tool === '';
  return [...(place === '' ? [] : [show ? show(place) : place]), ...(isOfFile ? [] : [who(group, show)])].join(' ');
};

/** The place of the version, which is at the top of an answer, outside of all tools. */
const versionSpot = (source: string | undefined): Spot => {
  const at = source?.search(/"schema_?[vV]ersion"\s*:/) ?? -1;
  if (source === undefined || at < 0) return { line: 1, column: 1 };
  const before = source.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
};

/** The place of a finding: in its own file, or in the tool list. */
export const spotIn = (
  finding: LintFinding,
  uri: string,
  source: string | undefined,
  spotOf: (tool: string, path: string) => Spot,
  toUri: (file: string) => string,
): FilePlace => {
  const { place, path } = finding;
  if (place !== undefined) return { ...place, file: toUri(place.file) };
  return { file: uri, ...(path === '/schema_version' ? versionSpot(source) : spotOf(nameOf(finding), path)) };
};
