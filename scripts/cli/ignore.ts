import { defined } from '../contract/defined.ts';
import { isObject } from '../contract/types.ts';
import type { FoundChange } from '../diff/types.ts';
import { quoteText } from '../text/quote.ts';

/** Which changes a report leaves out, and why. The guard never reads this. */
export interface Ignore {
  rule: string;
  tool?: string;
  /** JSON Pointer into the contract, which includes everything below it. */
  path?: string;
  reason: string;
}

const isPointer = (path: string): boolean => path === '' || path.startsWith('/');

/** Parses `RULE`, `RULE:PATH`, `RULE@TOOL` or `RULE@TOOL:PATH`; a text says what is wrong with anything else. */
export const parseIgnore = (text: string, rules: ReadonlySet<string>): Ignore | string => {
  const [, rule = '', tool, path] = /^([^@:]*)(?:@(.+?))?(?::(\/.*))?$/su.exec(text) ?? [];
  if (rule === '') return `${quoteText(text, 100)} is not RULE[@TOOL][:PATH], where PATH is a JSON Pointer`;
  if (!rules.has(rule)) return `there is no rule ${quoteText(rule, 100)}`;
  return { rule, ...defined({ tool, path }), reason: `--ignore ${text}` };
};

const FIELDS = new Set(['rule', 'tool', 'path', 'reason']);

const wrongWith = (entry: unknown, rules: ReadonlySet<string>): string | undefined => {
  if (!isObject(entry)) return 'is not an object';
  const { rule, tool = 'any', path = '', reason } = entry;
  // A misspelt field, if skipped, would make the entry ignore too much.
  const unknown = Object.keys(entry).find((key) => !FIELDS.has(key));
  if (unknown !== undefined) return `has a field ${quoteText(unknown, 60)} that is not known`;
  if (typeof rule !== 'string') return 'has no rule';
  if (!rules.has(rule)) return `names a rule that is not known: ${quoteText(rule, 60)}`;
  if (typeof tool !== 'string') return 'has a tool that is not a text';
  if (typeof path !== 'string' || !isPointer(path)) return 'has a path that is not a JSON Pointer';
  if (typeof reason !== 'string' || reason.trim() === '') return 'gives no reason';
  return undefined;
};

/** The valid entries of the project's file, and a warning for each other one. */
export const readIgnores = (
  entries: readonly unknown[],
  rules: ReadonlySet<string>,
): { ignores: Ignore[]; warnings: string[] } => {
  const ignores: Ignore[] = [];
  const warnings: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const wrong = wrongWith(entry, rules);
    if (wrong === undefined) ignores.push(entry as Ignore);
    else warnings.push(`.claude/konnichiwagwan.json: ignore[${index}] ${wrong}; it is not applied`);
  }
  return { ignores, warnings };
};

/** The first entry that applies to a change; undefined if none does. */
export const ignoreFor = (change: FoundChange, ignores: readonly Ignore[]): Ignore | undefined =>
  ignores.find(
    ({ rule, tool, path }) =>
      rule === change.rule &&
      (tool === undefined || tool === change.tool) &&
      (path === undefined || change.path === path || change.path.startsWith(`${path}/`)),
  );
