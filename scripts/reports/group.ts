import { groupBy } from '../contract/group-by.ts';
import { type FoundChange, LEVELS } from '../diff/types.ts';

/** Changes to be shown under one heading: those of one tool, or those that several tools have in common. */
export interface Group {
  tools: string[];
  changes: FoundChange[];
}

/** From this number of tools on, the same change is shown once. */
const MANY = 3;

const keyOf = ({ rule, level, path, message, before, after }: FoundChange): string =>
  JSON.stringify([rule, level, path, message, before, after]);

/** How many changes there are of each level, the worst first: for comparing groups. */
const weight = ({ changes }: Group): number[] =>
  LEVELS.map((level) => changes.filter((change) => change.level === level).length);

const worstFirst = (a: { weight: number[] }, b: { weight: number[] }): number => {
  const worst = ({ weight }: { weight: number[] }) => weight.findIndex((count) => count > 0);
  if (worst(a) !== worst(b)) return worst(a) - worst(b);
  const at = a.weight.findIndex((count, index) => count !== b.weight[index]);
  return at < 0 ? 0 : (b.weight[at] as number) - (a.weight[at] as number);
};

/** Groups changes by tool, the worst tool first. Changes that many tools share (a shared definition) become one group. */
export const groupChanges = (changes: readonly FoundChange[], many = MANY): Group[] => {
  const alike = groupBy(changes, keyOf);
  const groups = new Map<string, Group>();
  const add = (tools: string[], change: FoundChange): void => {
    const key = JSON.stringify(tools);
    const group = groups.get(key);
    if (group) group.changes.push(change);
    else groups.set(key, { tools, changes: [change] });
  };
  for (const same of alike.values()) {
    const tools = [...new Set(same.map(({ tool }) => tool))];
    if (tools.length >= many) add(tools, same[0] as FoundChange);
    else for (const change of same) add([change.tool], change);
  }
  return [...groups.values()]
    .map((group) => ({ group, weight: weight(group) }))
    .sort(worstFirst)
    .map(({ group }) => group);
};

/** The first few names of a group, and how many more there are; more names if tools came or went: then the names matter. */
export const someTools = <T extends string>({ tools, changes }: Group, show: (name: string) => T): T => {
  const most = changes.every(({ path }) => path === '') ? 20 : MANY;
  const names = tools.slice(0, most).map((name) => show(name));
  const more = tools.length > most ? ` and ${tools.length - most} more` : '';
  return `${names.join(', ')}${more}` as T;
};
