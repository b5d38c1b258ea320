import { unpainted } from './paint.ts';

// Where a line is longer than the terminal is wide, a terminal breaks it in the middle of a word.

/** A command that people copy stays in one piece, together with an arrow before it. */
const COMMAND =
  /(?:→ )?(?:(?:\b(?:konnichiwagwan|kwg)|\bnode (?:'[^']+cli\.cjs'|\S+cli\.cjs)) [a-z][a-z-]*(?: --?\w[\w-]*(?: [^\s-]\S*)?)*(?: -- .*)?|\/mcp reconnect \S+|\bclaude (?:mcp|plugin) .*|\bexport [A-Z]+=.*)/g;
/** Stands for a space of a command while lines are broken. */
const KEPT = '\u0000';
/** Lines of a file, and of a difference between two. */
const OF_A_FILE = /^\s*[+-]\s|^\s*["{}[\]│|]/;
/** The first column of an indented line: what follows the break is indented as far. */
const LABEL = /^ +\S+ {2,}(?=\S)|^ */;

const folded = (line: string, columns: number): string => {
  const plain = unpainted(line);
  if (plain.length <= columns || OF_A_FILE.test(plain)) return line;
  const label = LABEL.exec(plain)?.[0] ?? '';
  const indent = ' '.repeat(/\S/.test(label) ? label.length : label.length + 2);
  if (indent.length > columns / 2) return line;
  // Each word with the spaces before it. The first column stays with the word after it.
  const words = line.replace(COMMAND, (command) => command.replaceAll(' ', KEPT)).split(/(?<=\S)(?= +\S)/);
  const lines: string[] = [];
  let now = '';
  for (const word of words) {
    const isFirst = now === '' || unpainted(now).length < label.length;
    if (isFirst || unpainted(now + word).length <= columns) now += word;
    else {
      lines.push(now);
      now = indent + word.trimStart();
    }
  }
  return [...lines, now].join('\n').replaceAll(KEPT, ' ');
};

/** A text for a terminal of so many columns, its lines broken between words. Commands and lines of files stay as they are. */
export const fold = (text: string, columns: number): string =>
  Number.isFinite(columns)
    ? text
        .split('\n')
        .map((line) => folded(line, columns))
        .join('\n')
    : text;
