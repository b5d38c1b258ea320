import { allLines, type DiffLine, nearChanges } from '../lock/line-diff.ts';
import { withoutPasswords } from '../servers/secrets.ts';
import { visible } from '../text/visible.ts';

/** In names of secret values: settings can hold API keys, and a preview may end up in a build log. */
const SECRET = '(?:key|token|secret|passw|auth|credential|cookie)';
const VALUE = String.raw`"(?:[^"\\]|\\.)+"`;
/** A member of an object with such a name. */
const MEMBER = new RegExp(String.raw`("[^"]*${SECRET}[^"]*"\s*:\s*)${VALUE}`, 'gi');
/** An argument with such a name: together with its value, before it, and at the end of the line before it. */
const FLAG = String.raw`"--?[\w-]*${SECRET}[\w-]*`;
const FLAG_WITH = new RegExp(`(${FLAG}=)[^"]*"`, 'gi');
const FLAG_BEFORE = new RegExp(String.raw`(${FLAG}"\s*,\s*)${VALUE}`, 'gi');
const FLAG_AT_END = new RegExp(String.raw`${FLAG}"\s*,\s*$`, 'i');

const withoutSecrets = (text: string, before = ''): string =>
  withoutPasswords(FLAG_AT_END.test(before) ? text.replace(new RegExp(VALUE), '"…"') : text)
    .replace(MEMBER, '$1"…"')
    .replace(FLAG_WITH, '$1…"')
    .replace(FLAG_BEFORE, '$1"…"');

/** A line of a user's file, with everything invisible spelled out, except for the tabs that indent it. */
const printable = (line: string): string =>
  line
    .split('\t')
    .map((part) => visible(part, { max: Number.POSITIVE_INFINITY }))
    .join('\t');

const linesOf = (text: string): string[] => {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

/** What changes in a text, line by line with `context` lines around it and without secrets; empty if nothing does. */
export const diffText = (before: string, after: string, context = 3): string[] => {
  const all = allLines(linesOf(before), linesOf(after));
  return nearChanges(all, context).map((at) => {
    if (at === null) return '…';
    const { sign, text } = all[at] as DiffLine;
    return sign + printable(withoutSecrets(text, all[at - 1]?.text));
  });
};

/** Lines of `diffText`, indented, with added and removed ones in colour. */
export const paintDiff = (lines: readonly string[], colour: boolean): string =>
  lines
    .map((line) => {
      const code = line.startsWith('+') ? 32 : line.startsWith('-') ? 31 : undefined;
      return colour && code ? `\u001b[${code}m    ${line}\u001b[39m` : `    ${line}`;
    })
    .join('\n');
