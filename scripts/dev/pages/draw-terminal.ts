// Draws coloured terminal output (standard input) as an SVG picture (standard output), for the README.
import { readFileSync } from 'node:fs';

const COLOURS: Record<string, string> = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 34: '#79c0ff', 90: '#8b949e' };
const [WIDTH, LINE, CHAR] = [100, 20, 8.43];

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[char] ?? char);

/** Lines of pieces of text, each with its style. Long lines are broken. */
const toLines = (text: string): { text: string; style: string }[][] => {
  let style = '';
  return text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const rows: { text: string; style: string }[][] = [[]];
      let column = 0;
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it is the escaped sequence that is looked for
      for (const piece of line.split(/(\u001b\[\d+m)/)) {
        const code = /\[(\d+)m/.exec(piece)?.[1];
        if (code !== undefined) {
          style = code === '0' ? '' : code === '1' ? 'font-weight="bold"' : `fill="${COLOURS[code] ?? '#e6edf3'}"`;
          continue;
        }
        for (const word of piece.split(/(?<= )/)) {
          if (column + word.trimEnd().length > WIDTH) {
            rows.push([{ text: ' '.repeat(29), style: '' }]);
            column = 29;
          }
          rows.at(-1)?.push({ text: word, style });
          column += word.length;
        }
      }
      return rows;
    });
};

const lines = toLines(readFileSync(0, 'utf8'));
const height = lines.length * LINE + 40;
const body = lines.map((pieces, row) => {
  const spans = pieces.map(({ text, style }) => `<tspan ${style}>${escaped(text)}</tspan>`).join('');
  return `<text x="20" y="${34 + row * LINE}" xml:space="preserve">${spans}</text>`;
});
process.stdout.write(
  `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.round(WIDTH * CHAR + 40)}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">\n` +
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n${body.join('\n')}\n</svg>\n`,
);
