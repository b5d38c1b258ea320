import { labelOf } from '../../contract/label.ts';
import { plural } from '../../text/plural.ts';
import { visible } from '../../text/visible.ts';
import { LEVELS, type LintFinding } from '../types.ts';

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
  const groups = new Map<string, LintFinding[]>();
  for (const finding of findings) {
    const { rule, level, path, message, server, place } = finding;
    const key = JSON.stringify([rule, level, path, message, server, place]);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
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
