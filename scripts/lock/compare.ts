import { canonical, sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { meaningHash } from '../contract/meaning.ts';
import { sameJson } from '../contract/same.ts';
import { type Contract, isObject, type Json, type JsonObject } from '../contract/types.ts';
import { diffContract } from '../diff/diff.ts';
import { diffLists } from '../diff/diff-lists.ts';
import { ofContract, REWRITTEN } from '../diff/table.ts';
import type { FoundChange, Level } from '../diff/types.ts';
import { type Shown, say } from '../text/shown.ts';
import { bare, fieldsOf } from './seal.ts';
import type { Pins } from './types.ts';

/** URLs of known dialects. Anything else under `$schema` is text that the model reads. */
const DIALECT = /^https?:\/\/json-schema\.org\/(?:schema|draft-0\d\/schema|draft\/20\d\d-\d\d\/schema)#?$/;

const oddDialects = (value: Json): string[] => {
  if (Array.isArray(value)) return value.flatMap(oddDialects);
  if (!isObject(value)) return [];
  return Object.entries(value as JsonObject).flatMap(([key, member]) =>
    key === '$schema' && !(typeof member === 'string' && DIALECT.test(member))
      ? [canonical(member)]
      : oddDialects(member),
  );
};

/**
 * Equal for two contracts that differ only in noise. Stricter than a diff, which asks what calls are valid: words in a
 * definition that nothing refers to break no call, but the model reads them.
 */
export const noiseFree = (contract: Contract): string =>
  sha256(canonical([meaningHash(contract), ...oddDialects(fieldsOf(contract)).sort()]));

/** Whether two contracts differ only in noise. */
export const isSame = (before: Contract, after: Contract): boolean => noiseFree(before) === noiseFree(after);

/** A change of which the model may read every word. */
export const plainChange = (
  tool: string,
  rule: string,
  level: Level,
  message: Shown,
  more: Partial<FoundChange> = {},
): FoundChange => ({ tool, path: '', rule, level, message, brief: message, ...more });

/** The change for contracts that differ although the diff finds nothing. */
const rewritten = (before: Contract, after: Contract): FoundChange => {
  const message = say`written in another way: no call is concerned, but the model may read other words`;
  const [was, is] = [before, after].map((one) => fieldsOf(one).inputSchema);
  return plainChange(after.name, REWRITTEN.id, 'semantic', message, {
    path: '/inputSchema',
    ...defined({ before: was, after: is }),
  });
};

/**
 * The words of a contract that the model reads. A person approved exactly these, so clearer ones count as a change, too.
 */
const READ: ReadonlySet<string> = new Set([
  'tool-description-changed',
  'tool-hint-changed',
  'input-property-words-changed',
  'input-property-default-changed',
]);

const forPins = (changes: readonly FoundChange[]): FoundChange[] =>
  changes.map((change) =>
    change.level === 'compatible' && READ.has(change.rule) ? { ...change, level: 'semantic' } : change,
  );

/** What changed between a pinned contract and another one; empty only if they differ in nothing but noise. */
export const changesBetween = (pinned: Contract, live: Contract): FoundChange[] => {
  // Most are equal to the letter: that check is ten times as fast as comparing meanings.
  if (sameJson(fieldsOf(pinned), fieldsOf(live)) || isSame(pinned, live)) return [];
  const found = forPins(ofContract(diffContract(bare(pinned), bare(live))));
  return found.length > 0 ? found : [rewritten(pinned, live)];
};

/** What changed in one tool, which may be new (`pinned` is undefined) or gone (`live` is undefined). */
export const changesOfTool = (pinned: Contract | undefined, live: Contract | undefined): FoundChange[] => {
  if (pinned !== undefined && live !== undefined) return changesBetween(pinned, live);
  if (live !== undefined)
    return [plainChange(live.name, 'tool-added', 'compatible', say`the tool is new`, { after: fieldsOf(live) })];
  if (pinned === undefined) return [];
  return [plainChange(pinned.name, 'tool-removed', 'breaking', say`the tool is gone`, { before: fieldsOf(pinned) })];
};

/** What changed in a server's tools, including tools that were renamed, split or merged. */
export const changesOfServer = (pins: Pins, tools: readonly Contract[]): FoundChange[] => {
  const pinned = [...pins.values()].map(({ contract }) => contract);
  const found = forPins(ofContract(diffLists(pinned, tools.map(bare))));
  const told = new Set(found.map(({ tool }) => tool));
  const untold = tools.flatMap((tool) => {
    const pin = pins.get(tool.name);
    return pin === undefined || told.has(tool.name) ? [] : changesBetween(pin.contract, tool);
  });
  return [...found, ...untold];
};
