import { plural } from '../text/plural.ts';
import { type Bucket, bucketsOf, fill } from './days.ts';
import type { Role } from './summary.ts';

const ROLES: readonly Role[] = ['legacy', 'twin', 'other'];
const MOST_BARS = 92;

const WIDTH = 960;
const HEIGHT = 240;
const LEFT = 48;
const BOTTOM = 24;
const TOP = 12;

const rounded = (value: number): string => String(Math.round(value * 100) / 100);

/** A round number at or above the highest one, for readable labels of the axis. */
const ceiling = (most: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  const steps = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((step) => Math.round(step * power * 10) / 10);
  return steps.find((step) => step >= most && Number.isInteger(step)) ?? 10 * power;
};

const spanOf = ({ from, to }: Bucket): string => (from === to ? from : `${from} to ${to}`);

/** The numbers of each stacked bar, for the chart and its table. `size`: days per bar. */
export interface Bars {
  size: number;
  bars: { span: string; from: string; counts: Record<Role, number>; total: number }[];
}

/** The bars for calls by day and role, from day to day (`YYYY-MM-DD`). */
export const barsOf = (from: string, to: string, days: Record<Role, ReadonlyMap<string, number>>): Bars => {
  const { size, buckets } = bucketsOf(from, to, MOST_BARS);
  const filled = ROLES.map((role) => fill(buckets, days[role]));
  const bars = buckets.map((bucket, index) => {
    const [legacy = 0, twin = 0, other = 0] = filled.map((calls) => calls[index] ?? 0);
    return { span: spanOf(bucket), from: bucket.from, counts: { legacy, twin, other }, total: legacy + twin + other };
  });
  return { size, bars };
};

/** Legacy calls are also hatched, because many people, and printers, do not show colours. */
const HATCH =
  '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0V6"/></pattern></defs>';

/** Calls over time as stacked bars, in SVG. Only numbers and days go into it, so nothing has to be escaped. */
export const chart = ({ size, bars }: Bars): string => {
  const top = ceiling(Math.max(1, ...bars.map(({ total }) => total)));
  const [plotWidth, plotHeight] = [WIDTH - LEFT, HEIGHT - BOTTOM - TOP];
  const step = plotWidth / Math.max(1, bars.length);
  const barWidth = Math.max(1, Math.min(48, step * 0.8));
  const y = (value: number): number => TOP + plotHeight - (value / top) * plotHeight;
  const ticks = [...new Set([0, Math.round(top / 2), top])];
  const grid = ticks.map(
    (value) =>
      `<line x1="${LEFT}" x2="${WIDTH}" y1="${rounded(y(value))}" y2="${rounded(y(value))}"/><text x="${LEFT - 8}" y="${rounded(y(value) + 4)}" text-anchor="end">${value.toLocaleString('en-US')}</text>`,
  );
  // The year is left out of labels if all is within about a year.
  const shown = bars.length * size > 300 ? 0 : 5;
  const every = Math.max(1, Math.ceil(bars.length / 10));
  const drawn = bars.map(({ span, from, counts, total }, index) => {
    const x = LEFT + index * step + (step - barWidth) / 2;
    const called = ROLES.filter((role) => counts[role] > 0);
    let under = 0;
    const parts = called.map((role) => {
      const [low, high] = [y(under), y(under + counts[role])];
      under += counts[role];
      const place = `x="${rounded(x)}" y="${rounded(high)}" width="${rounded(barWidth)}" height="${rounded(low - high)}"`;
      const hatch = role === 'legacy' ? `<rect ${place} fill="url(#hatch)"/>` : '';
      return `<rect class="${role}-bar" ${place}/>${hatch}`;
    });
    const label =
      index % every === 0
        ? `<text x="${rounded(LEFT + (index + 0.5) * step)}" y="${HEIGHT - 6}" text-anchor="middle">${from.slice(shown)}</text>`
        : '';
    const title = `<title>${span}: ${called.map((role) => `${counts[role]} ${role}`).join(', ')}</title>`;
    return total === 0 ? label : `<g>${title}${parts.join('')}</g>${label}`;
  });
  const sums = ROLES.map((role) => [role, bars.reduce((sum, { counts }) => sum + counts[role], 0)] as const);
  const most = bars.reduce((a, b) => (b.total > a.total ? b : a), bars[0] ?? { span: '', total: 0 });
  const described = `${sums.map(([role, sum]) => `${sum} ${role}`).join(', ')}. Most in ${most.span}: ${plural(most.total, 'call')}.`;
  return `<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="chart-title chart-text">
<title id="chart-title">Calls per ${size === 1 ? 'day' : `${size} days`}</title><desc id="chart-text">${described}</desc>
${HATCH}
${grid.join('\n')}
${drawn.filter(Boolean).join('\n')}
</svg>`;
};

/** A small chart for a row of a table, which also shows the numbers. */
export const smallChart = (from: string, to: string, days: ReadonlyMap<string, number>, role: Role): string => {
  const { buckets } = bucketsOf(from, to, 60);
  const filled = fill(buckets, days);
  const most = Math.max(1, ...filled);
  const [width, height] = [160, 24];
  const step = width / filled.length;
  const bars = filled.flatMap((calls, index) => {
    if (calls === 0) return [];
    const tall = Math.max(2, (calls / most) * height);
    return [
      `<rect class="${role}-bar" x="${rounded(index * step)}" y="${rounded(height - tall)}" width="${rounded(Math.min(12, Math.max(1, step * 0.8)))}" height="${rounded(tall)}"/>`,
    ];
  });
  return `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" aria-hidden="true">${bars.join('')}</svg>`;
};

/** The legend: what the colours mean. */
export const key = (): string =>
  `<ul class="key">${ROLES.map((role) => {
    const hatch = role === 'legacy' ? '<rect width="14" height="14" fill="url(#hatch)"/>' : '';
    const meaning = { legacy: 'legacy: has a raw twin', twin: 'raw twin', other: 'other tools' }[role];
    return `<li><svg width="14" height="14" aria-hidden="true"><rect class="${role}-bar" width="14" height="14"/>${hatch}</svg>${meaning}</li>`;
  }).join('')}</ul>`;
