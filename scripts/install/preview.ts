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

type PreviewLine = { sign: ' ' | '-' | '+'; line: string };

const linesOf = (text: string): string[] => {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

/** The fewest edits from one list of lines to the other. */
const compare = (before: string[], after: string[]): PreviewLine[] => {
  let head = 0;
  while (head < Math.min(before.length, after.length) && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(before.length, after.length) - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const a = before.slice(head, before.length - tail);
  const b = after.slice(head, after.length - tail);
  // common[i][j]: how many lines a[i…] and b[j…] share. Only the changed middle of a settings file: small.
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      (common[i] as Uint32Array)[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const middle: PreviewLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      middle.push({ sign: ' ', line: a[i++] as string });
      j += 1;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      middle.push({ sign: '-', line: a[i++] as string });
    } else middle.push({ sign: '+', line: b[j++] as string });
  }
  const same = (line: string): PreviewLine => ({ sign: ' ', line });
  return [...before.slice(0, head).map(same), ...middle, ...before.slice(before.length - tail).map(same)];
};

/** What changes in a text, line by line with `context` lines around it and without secrets; empty if nothing does. */
export const diffText = (before: string, after: string, context = 3): string[] => {
  const edits = compare(linesOf(before), linesOf(after));
  const near = edits.map((_, index) =>
    edits.slice(Math.max(0, index - context), index + context + 1).some((edit) => edit.sign !== ' '),
  );
  if (!near.includes(true)) return [];
  return edits.flatMap(({ sign, line }, index) => {
    if (near[index]) return [sign + printable(withoutSecrets(line, edits[index - 1]?.line))];
    return index === 0 || near[index - 1] ? ['…'] : [];
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
