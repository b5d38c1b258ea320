// How costs grow, as one picture for the documentation: the time of a call or a command against a count of something.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fs } from 'zx';
import { changedTools, realChanges } from './diff-rows.ts';
import { type BenchCase, clean, dist, folder, median, REAL, run } from './run.ts';
import { unchangedWith } from './servers.ts';
import { withGateway } from './session.ts';

const FILE = 'docs/costs.svg';
const ROUNDS = Number(process.env.ROUNDS ?? 20);

/** One panel: a cost in ms against a count. `at`: what is measured for each count, and what ends it. */
interface Panel {
  title: string;
  axis: string;
  counts: number[];
  at: (count: number) => Promise<{ one: Omit<BenchCase, 'name'>; end: () => void }>;
}

const silent = (output: string): boolean => output === '';

const ofGateway = async (name: string, tools: number, megabytes: number) => {
  const made = await withGateway(name, tools, megabytes, 60_000);
  return { one: made.call('get_profile', { user_id: 'u_42' }, silent), end: (): void => void made.gateway.close() };
};

const diffOf = async (count: number) => {
  const files = changedTools(count, realChanges()).map((tools, index) => {
    const path = join(folder, `plot-${count}-${index}.json`);
    writeFileSync(path, JSON.stringify({ tools }));
    return path;
  });
  const args = [join(dist, 'cli.cjs'), 'diff', ...files];
  return { one: { command: process.execPath, args, env: clean, input: '', expect: () => true }, end: (): void => {} };
};

const PANELS: Panel[] = [
  {
    title: 'An unchanged call, by the tools of its gateway',
    axis: 'tools',
    counts: [10, 100, 1_000, 10_000],
    at: (count) => ofGateway(`plot-tools-${count}`, count, 1),
  },
  {
    title: 'An unchanged call, by the length of the transcript',
    axis: 'MB',
    counts: [1, 10, 100],
    at: (count) => ofGateway(`plot-transcript-${count}`, 10, count),
  },
  {
    title: 'An unchanged call, by the servers of 50 tools each',
    axis: 'servers',
    counts: [1, 5, 20],
    at: unchangedWith,
  },
  {
    title: 'diff, by the tools that changed',
    axis: 'changed tools',
    counts: [10, 100, 1_000],
    at: diffOf,
  },
];

/** What is drawn of a panel. */
export interface Curve {
  title: string;
  axis: string;
  unit: string;
  /** What the dashed line is. */
  beside: string;
  /** A count, what it cost, and what the dashed line is at. */
  points: [number, number, number][];
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [510, 250, 66, 130, 34, 40];

/** The lowest number that is 1, 2 or 5 times a power of ten and not less than `most`. */
const ceiling = (most: number): number => {
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((step) => step * power >= most) ?? 10) * power;
};

/** One panel in SVG; counts on a logarithmic axis, the cost on one that begins at 0, and beside it a dashed line. */
const draw = ({ title, axis, unit, beside, points }: Curve): string => {
  const top = ceiling(Math.max(...points.flatMap(([, cost, other]) => [cost, other])) * 1.1);
  const counts = points.map(([count]) => count);
  const [least, most] = [Math.min(...counts), Math.max(...counts)].map(Math.log10) as [number, number];
  const x = (count: number): number =>
    Math.round(LEFT + ((Math.log10(count) - least) / (most - least)) * (WIDTH - LEFT - RIGHT));
  const y = (cost: number): number => Math.round(HEIGHT - BOTTOM - (cost / top) * (HEIGHT - BOTTOM - TOP));
  const text = (at: [number, number], words: string, more = ''): string =>
    `<text x="${at[0]}" y="${at[1]}"${more}>${words}</text>`;
  const line = (which: 1 | 2): string => `M${points.map((point) => `${x(point[0])} ${y(point[which])}`).join('L')}`;
  const [, cost, other] = points.at(-1) as Curve['points'][0];
  return [
    text([LEFT, 18], title, ' font-weight="bold"'),
    ...[0, top / 2, top].flatMap((at) => [
      `<path d="M${LEFT} ${y(at)}H${WIDTH - RIGHT}" stroke="#ddd"/>`,
      text([LEFT - 6, y(at) + 4], `${at.toLocaleString('en')} ${unit}`, ' text-anchor="end"'),
    ]),
    ...counts.map((count) =>
      text([x(count), HEIGHT - BOTTOM + 17], count.toLocaleString('en'), ' text-anchor="middle"'),
    ),
    text([Math.round((LEFT + WIDTH - RIGHT) / 2), HEIGHT - 6], axis, ' text-anchor="middle" fill="#666"'),
    `<path d="${line(2)}" stroke="#888" stroke-dasharray="4 4" fill="none"/>`,
    `<path d="${line(1)}" stroke="#0969da" stroke-width="2" fill="none"/>`,
    ...points.map(([count, one]) => `<circle cx="${x(count)}" cy="${y(one)}" r="3.5" fill="#0969da"/>`),
    // One label beside the other, even if the two lines end at about the same height.
    text([WIDTH - RIGHT + 8, y(cost) + (cost < other ? 14 : -6)], `${cost.toFixed(0)} ${unit}`, ' fill="#0969da"'),
    text([WIDTH - RIGHT + 8, y(other) + 4], `${other.toFixed(0)} ${unit}, ${beside}`, ' fill="#666"'),
  ].join('\n');
};

/** Writes curves as one picture. @param label what it shows, for those who do not see it */
export const writePlots = (file: string, label: string, curves: readonly Curve[]): void => {
  const place = (index: number): string => `translate(${(index % 2) * WIDTH} ${Math.floor(index / 2) * HEIGHT})`;
  const [width, height] = [2 * WIDTH, Math.ceil(curves.length / 2) * HEIGHT];
  const panels = curves.map((one, index) => `<g transform="${place(index)}">\n${draw(one)}\n</g>`);
  fs.writeFileSync(
    file,
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}" font-family="system-ui, sans-serif" font-size="12">
<rect width="${width}" height="${height}" fill="#fff"/>
${panels.join('\n')}
</svg>
`,
  );
  console.log(`\nwrote ${file}`);
};

const BARE: BenchCase = {
  name: '',
  command: process.execPath,
  args: ['-e', ''],
  env: clean,
  input: '',
  expect: silent,
};

/** Measures how costs grow, prints the numbers, and writes the picture. */
export const plots = async (): Promise<void> => {
  const measured: Curve[] = [];
  for (const panel of PANELS) {
    if (panel.at === diffOf && !fs.existsSync(REAL)) continue;
    const points: Curve['points'] = [];
    for (const count of panel.counts) {
      const { one, end } = await panel.at(count);
      // The first runs are not measured: they leave the files that later ones use.
      for (const _look of [1, 2]) await run({ ...one, name: '' });
      const [times, bare]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        times.push((await run({ ...one, name: '' })).ms);
        bare.push((await run(BARE)).ms);
      }
      end();
      points.push([count, median(times), median(bare)]);
    }
    console.log(
      `${panel.title}: ${points.map(([count, ms, bare]) => `${count} ${panel.axis} ${ms.toFixed(1)} ms (${(ms / bare).toFixed(2)} × bare Node)`).join(', ')}`,
    );
    measured.push({ title: panel.title, axis: panel.axis, unit: 'ms', beside: 'bare Node', points });
  }
  writePlots(
    FILE,
    'How costs grow: an unchanged call by tools, transcript and servers, and diff by changed tools',
    measured,
  );
};
