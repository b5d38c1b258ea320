import { namesIn } from '../../contract/json-pointer.ts';
import { meaningOf } from '../../contract/meaning.ts';
import type { Contract, Json, JsonObject } from '../../contract/types.ts';
import type { FoundChange } from '../../diff/types.ts';
import { compareWords, type Piece } from '../../text/words.ts';
import { type AlignedRow, align } from './align.ts';
import { html, htmlLines } from './escape.ts';

/** Deeper nesting is indented only this far. */
const DEEPEST = 14;

/** The part of a contract that is shown: its meaning, and those `extra` fields that a change is about. */
const shownOf = (contract: Contract, changes: readonly FoundChange[]): Json => {
  const about = Object.entries(contract.extra ?? {}).filter(([key]) =>
    changes.some(({ path }) => namesIn(path).includes(key)),
  );
  const entries = Object.entries({ ...meaningOf(contract), ...Object.fromEntries(about) });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as JsonObject;
};

/** JSON text in which an escaped line feed is shown and also breaks the line. */
const broken = (text: string): string => text.replace(/\\(.)/g, (pair, char) => (char === 'n' ? `${pair}\n` : pair));

const marked = (pieces: readonly Piece[]): string =>
  pieces.map(({ text, changed }) => (changed ? `<mark>${htmlLines(text)}</mark>` : htmlLines(text))).join('');

const cell = (kind: string, sign: string, spoken: string, depth: number, content: string): string =>
  `<td class="${kind} i${Math.min(depth, DEEPEST)}"><span class="sign" aria-hidden="true">${sign}</span><span class="sr">${spoken}</span>${content}</td>`;

const NOTHING = '<td class="none"></td>';

/** Lines that only one side has; folded if there are many. */
const alone = (text: string): string => {
  const first = text.slice(0, text.indexOf('\n') + 1 || undefined).trimEnd();
  const count = text.split('\n').length;
  const content = htmlLines(broken(text));
  return count <= 12
    ? content
    : `<details><summary><code>${html(first)}</code> … ${count} lines</summary>${content}</details>`;
};

const renderRow = ({ depth, before, after, unchanged, folded }: AlignedRow, id: string | undefined): string => {
  const start = id === undefined ? '<tr>' : `<tr id="${id}" tabindex="-1">`;
  const level = Math.min(depth, DEEPEST);
  if (folded) {
    const content = htmlLines(broken(before as string));
    return `${start}<td colspan="2" class="fold i${level}"><details><summary><code>${html(unchanged?.first ?? '')}</code> … ${unchanged?.lines} unchanged lines</summary><pre>${content}</pre></details></td></tr>`;
  }
  if (before !== undefined && before === after) {
    const content = htmlLines(broken(before));
    return `${start}<td class="i${level}">${content}</td><td class="i${level}">${content}</td></tr>`;
  }
  if (before === undefined) return `${start}${NOTHING}${cell('new', '+', 'added: ', depth, alone(after ?? ''))}</tr>`;
  if (after === undefined) return `${start}${cell('old', '−', 'removed: ', depth, alone(before))}${NOTHING}</tr>`;
  const [old, now] = compareWords(broken(before), broken(after));
  return `${start}${cell('old', '−', 'before: ', depth, marked(old))}${cell('new', '+', 'after: ', depth, marked(now))}</tr>`;
};

/** The index of the row for a path: its own, or that of the nearest place around it. */
const rowOf = (path: string, rows: ReadonlyMap<string, number>): number | undefined => {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const row = rows.get(at);
    if (row !== undefined) return row;
  }
  return undefined;
};

/**
 * Both contracts of a tool side by side, as HTML; and for each change the id of its row, to link to.
 * @param prefix for ids of rows
 */
export const contractTable = (
  before: Contract,
  after: Contract,
  changes: readonly FoundChange[],
  prefix: string,
): { table: string; targets: (string | undefined)[] } => {
  const renames = new Map(
    changes.flatMap(({ path, renamedTo }): [string, string][] => (renamedTo === undefined ? [] : [[path, renamedTo]])),
  );
  const rows = align(shownOf(before, changes), shownOf(after, changes), renames);
  const places = new Map<string, number>();
  for (const [index, { path }] of rows.entries()) if (path !== '' && !places.has(path)) places.set(path, index);
  const found = changes.map(({ path }) => rowOf(path, places));
  const wanted = new Set(found);
  const idOf = (index: number) => `${prefix}-r${index}`;
  const body = rows.map((row, index) => renderRow(row, wanted.has(index) ? idOf(index) : undefined));
  return {
    table: `<div class="scroll" tabindex="0" role="region" aria-label="Both contracts of ${html(after.name)}"><table class="contract"><caption class="sr">Contract of ${html(after.name)} before and after</caption><thead><tr><th scope="col">Before</th><th scope="col">After</th></tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>`,
    targets: found.map((index) => (index === undefined ? undefined : idOf(index))),
  };
};

/** The contract of a tool that was removed (`old`) or added (`new`), as HTML. */
export const singleContract = (contract: Contract, kind: 'old' | 'new'): string => {
  const text = JSON.stringify(shownOf(contract, []), null, 2);
  return `<details><summary>The ${kind === 'old' ? 'last' : 'new'} contract</summary><pre class="${kind}">${htmlLines(text)}</pre></details>`;
};
