import type { Contract } from '../contract/types.ts';
import type { FoundChange } from '../diff/types.ts';
import { plural } from '../text/plural.ts';

/** Prompts and resources are compared in the form of tools, under such names. */
const OTHERS = [
  ['prompt', /^prompt /],
  ['resource', /^resource /],
] as const;

const isTool = (name: string): boolean => OTHERS.every(([, pattern]) => !pattern.test(name));

/** How many these are, each kind by its own word: `2 tools and 1 prompt`. */
export const countNames = (names: readonly string[]): string => {
  const tools = names.filter(isTool).length;
  const counts = OTHERS.map(([word, pattern]) => [names.filter((name) => pattern.test(name)).length, word] as const);
  return [[tools, 'tool'] as const, ...counts]
    .filter(([count]) => count > 0)
    .map(([count, word]) => plural(count, word))
    .join(' and ');
};

/** The new names of tools that were renamed, by the old ones. */
export const renamedTools = (
  changes: readonly FoundChange[],
  before: readonly Contract[],
  after: readonly Contract[],
): Map<string, string> => {
  const namesOf = (tools: readonly Contract[]) => new Set(tools.map(({ name }) => name));
  const [had, has] = [namesOf(before), namesOf(after)];
  return new Map(
    changes.flatMap(({ tool, path, renamedTo }): [string, string][] =>
      path === '' && renamedTo !== undefined && had.has(tool) && has.has(renamedTo) && !has.has(tool)
        ? [[tool, renamedTo]]
        : [],
    ),
  );
};

/** How many of all tools changed, counted the same way in every report: a renamed tool is one, prompts are separate. */
export const changedText = (
  changes: readonly FoundChange[],
  before: readonly Contract[],
  after: readonly Contract[],
): string => {
  const renames = renamedTools(changes, before, after);
  const changed = [...new Set(changes.map(({ tool }) => renames.get(tool) ?? tool))];
  const total = new Set([...before, ...after].map(({ name }) => name)).size - renames.size;
  const others = countNames(changed.filter((name) => !isTool(name)));
  return `${changed.filter(isTool).length} of ${plural(total, 'tool')}${others === '' ? '' : ` and ${others}`} changed`;
};
