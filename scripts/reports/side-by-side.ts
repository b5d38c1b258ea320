import type { Change } from '../diff/types.ts';
import type { Paint } from '../text/paint.ts';
import type { Shown } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { compareWords, type Piece } from '../text/words.ts';

/** Narrower columns than this are harder to read than lines below each other. */
const NARROWEST = 32;
const MOST_LINES = 6;
/** How many words are compared: more than fit on these lines. */
const MOST_WORDS = 300;

/** Below these, there are neither marks nor wide characters: most texts hold none. */
const UNUSUAL = /[\u0300-\u{10FFFF}]/u;

/** How many columns of a terminal a text takes: combining marks take none, wide characters two. */
export const widthOf = (text: string): number => {
  if (!UNUSUAL.test(text)) return text.length;
  let width = 0;
  for (const char of text) {
    // Skips letters that are neither marks nor wide characters: testing every letter for both would cost too much.
    if (char < '\u0300') {
      width += 1;
      continue;
    }
    if (/\p{M}/u.test(char)) continue;
    width +=
      /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u.test(
        char,
      )
        ? 2
        : 1;
  }
  return width;
};

const isText = (value: unknown): boolean => typeof value === 'string';

const shown = (value: unknown): string =>
  visible(isText(value) ? (value as string) : (JSON.stringify(value) ?? 'none'), { max: 20_000 });

/** A value on one line: a line feed is shown as a sign. */
const flat = (value: unknown): string =>
  value === undefined ? 'none' : isText(value) ? shown((value as string).replace(/\s*\n\s*/g, ' ⏎ ')) : shown(value);

/** Whether the message already shows the whole value. */
const isSaid = (value: unknown, message: string): boolean => value === undefined || message.includes(shown(value));

interface MeasuredLine {
  text: string;
  width: number;
}

/** The parts of a word, one a line, if `left` columns are left on the first. A space is not carried to the next line. */
const broken = (word: string, left: number, width: number): string[] => {
  const isSpace = /^\s/.test(word);
  let rest = widthOf(word);
  if (rest <= left) return [word];
  if (rest <= width) return isSpace ? [] : ['', word];
  const parts = [];
  let [part, room] = ['', left];
  for (const char of word) {
    const its = widthOf(char);
    if (its > room) {
      parts.push(part);
      if (isSpace && rest <= width) return parts;
      [part, room] = ['', width];
    }
    part += char;
    room -= its;
    rest -= its;
  }
  return [...parts, part];
};

/** Breaks pieces into lines of at most `width` columns, with changed ones painted; breaks words that are too long. */
const wrap = (pieces: readonly Piece[], width: number, paint: (text: string) => string): MeasuredLine[] => {
  let line: MeasuredLine = { text: '', width: 0 };
  const lines = [line];
  const words = pieces.flatMap(({ text, changed }) =>
    (text.match(/\s+|\S+/g) ?? []).map((word) => ({ word, changed })),
  );
  for (const { word, changed } of words) {
    // More lines are not shown.
    if (lines.length > MOST_LINES) break;
    for (const [index, part] of broken(word, width - line.width, width).entries()) {
      if (index > 0) {
        line = { text: '', width: 0 };
        lines.push(line);
      }
      if (part === '') continue;
      line.text += changed ? paint(part) : part;
      line.width += widthOf(part);
    }
  }
  if (lines.length <= MOST_LINES) return lines;
  const last = lines[MOST_LINES - 1] as MeasuredLine;
  return [
    ...lines.slice(0, MOST_LINES - 1),
    last.width < width ? { text: `${last.text}…`, width: last.width + 1 } : { text: '…', width: 1 },
  ];
};

/** Whether old and new values are worth showing below a message: not if it shows both, or if something came or went. */
export const leavesOpen = ({ before, after, message, rule }: Change): boolean =>
  typeof before !== 'boolean' &&
  !(isSaid(before, message) && isSaid(after, message)) &&
  (rule === 'unclassified' || (before !== undefined && after !== undefined));

/** Old and new value side by side if `columns` leaves room for that; else one below the other. */
export const sideBySide = ({ before, after }: Change, paint: Paint, columns: number): Shown[] => {
  const [oldPieces, newPieces] = compareWords(flat(before), flat(after), MOST_WORDS);
  const red = (text: string) => paint('red', text);
  const green = (text: string) => paint('green', text);
  const half = Math.floor((columns - 3) / 2) - 2;
  if (half < NARROWEST) {
    const whole = Math.max(20, columns - 2);
    const lines = (sign: string, all: MeasuredLine[]) => all.map(({ text }) => `${sign} ${text}`.trimEnd() as Shown);
    return [...lines(red('-'), wrap(oldPieces, whole, red)), ...lines(green('+'), wrap(newPieces, whole, green))];
  }
  const [left, right] = [wrap(oldPieces, half, red), wrap(newPieces, half, green)];
  const widest = Math.max(...left.map(({ width }) => width));
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const [l, r] = [left[index], right[index]];
    // Every line begins with a sign: a server's text must not, since CI systems read commands at the start of log lines.
    const old = `${l ? red('-') : ' '} ${l?.text ?? ''}${' '.repeat(widest - (l?.width ?? 0))}`;
    return `${old} ${paint('grey', '│')} ${r ? `${green('+')} ${r.text}` : ''}`.trimEnd() as Shown;
  });
};
