import { labelOf } from '../../contract/label.ts';
import { plural } from '../../text/plural.ts';
import { visible } from '../../text/visible.ts';
import { LEVELS, type LintFinding } from '../types.ts';

/** From so many tools on, what is the same is said once. */
const MANY = 3;

/** A finding, and all the tools of which it was found. */
export interface FindingGroup {
  first: LintFinding;
  tools: string[];
}

/** The name of a tool, behind that of its server where several were asked; empty for a list as a whole. */
export const nameOf = ({ server, tool }: Pick<LintFinding, 'server' | 'tool'>): string =>
  server === undefined ? tool : labelOf(server, tool === '' ? undefined : tool);

/** Findings in their order; what is the same in many tools comes once. */
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

/** Whom a finding is about, in a few words. */
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

/** Where a finding stands in a file of its own, as editors read it. */
export const placeText = ({ place }: LintFinding): string =>
  place === undefined ? '' : `${visible(place.file, { max: 300 })}:${place.line}:${place.column}`;
