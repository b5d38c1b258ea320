import { pointerText } from '../contract/json-pointer.ts';
import { worstOf } from '../diff/levels.ts';
import type { FoundChange, Level } from '../diff/types.ts';
import { plural } from '../text/plural.ts';
import { readable, visible } from '../text/visible.ts';
import { countShown } from './changes.ts';
import { changedText, countNames } from './count.ts';
import { markdownText } from './escape.ts';
import { type Group, groupChanges, someTools } from './group.ts';
import { placeText } from './place.ts';
import type { Format } from './types.ts';

/** Longest report, in UTF-16 units: a comment on GitHub holds 65,536. */
const LONGEST = 60_000;
const LONGEST_VALUE = 1_500;
/** How many tools are shown unfolded, so that the comment stays short. */
const OPEN = 5;

const MARKS: Record<Level, string> = {
  breaking: '🔴',
  unclassified: '🔴',
  silent: '🟠',
  semantic: '🔵',
  compatible: '🟢',
};

/**
 * Text from a server as code, in which Markdown, HTML, mentions, references and links have no effect. Usually a code span,
 * which is easy to read in the source. If text could break out of that (in a table a pipe ends the cell, even in code), all
 * special characters become entities.
 */
const code = (text: string, max = 300): string => {
  const safe = visible(text, { max });
  if (/\S/.test(safe) && !/[`|\\]/.test(safe)) return `\`${safe}\``;
  return `<code>${markdownText(safe)}</code>`;
};

/** A rule's message: our own words, with quoted names and texts as code. Any other message becomes code as a whole. */
const message = (text: string): string => {
  const parts = visible(text, { max: 1_000 }).split(/(`[^`]*`|"(?:[^"\\]|\\.)*")/);
  const plain = parts.filter((_, index) => index % 2 === 0);
  if (plain.some((part) => /[^\p{L}\p{N}\s.,;:()→…'/+=-]|www\.|\/\/|:\//u.test(part))) return code(text, 1_000);
  return parts
    .map((part, index) => (index % 2 === 0 ? part : code(part.startsWith('`') ? part.slice(1, -1) : part)))
    .join('');
};

/** A code block whose fence is longer than any in the text, so that the text cannot end it. */
const fenced = (text: string, language: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
};

const signed = (sign: string, value: unknown): string =>
  value === undefined
    ? ''
    : readable(value, LONGEST_VALUE)
        .split('\n')
        .map((line) => `${sign} ${line}`)
        .join('\n');

const row = (change: FoundChange): string => {
  const what = `${placeText(change, code)}${message(change.message)}`;
  return `| ${MARKS[change.level]} ${change.level} | ${what} | ${code(change.rule)} |`;
};

const details = (change: FoundChange): string[] => {
  const values = [signed('-', change.before), signed('+', change.after)].filter(Boolean);
  if (values.length === 0) return [];
  return [`${code(pointerText(change.path) || '/')} (${change.level})`, '', fenced(values.join('\n'), 'diff'), ''];
};

const section = (group: Group, open: boolean): string => {
  const names = someTools(group, (name) => code(name));
  const values = group.changes.flatMap(details);
  const table = ['| Level | Change | Rule |', '| --- | --- | --- |', ...group.changes.map(row), ''];
  const title = group.tools.length > 1 ? `${countNames(group.tools)}: ${names}` : names;
  const folded =
    values.length === 0 ? [] : ['<details><summary>Old and new</summary>', '', ...values, '</details>', ''];
  if (open) return [`#### ${title}`, '', ...table, ...folded].join('\n');
  // Not every renderer reads Markdown inside of a summary; all read HTML.
  const summary = `${MARKS[worstOf(group.changes).level ?? 'unclassified']} ${plural(group.changes.length, 'change')}`;
  return [
    `#### ${title}`,
    '',
    `<details><summary>${summary}</summary>`,
    '',
    ...table,
    ...folded,
    '</details>',
    '',
  ].join('\n');
};

/** A comment for pull requests. */
export const markdown: Format = (changes, { before, after, ignored, milder, warnings }) => {
  const parts = [
    `### MCP tool contracts: ${countShown(changes, milder)}\n`,
    `${code(before.file)} → ${code(after.file)}: ${changedText(changes, before.tools, after.tools)}${
      ignored.length > 0 ? `, ${plural(ignored.length, 'change')} ignored` : ''
    }.\n`,
    ...warnings.map((warning) => `⚠ ${code(warning)}\n`),
  ];
  let length = parts.join('\n').length;
  const groups = groupChanges(changes);
  for (const [index, group] of groups.entries()) {
    const text = section(group, index < OPEN);
    if (length + text.length > LONGEST) {
      parts.push(`… and ${plural(groups.length - index, 'more group')} of changes: too long for one comment.\n`);
      break;
    }
    length += text.length + 1;
    parts.push(text);
  }
  return parts.join('\n').trimEnd();
};
