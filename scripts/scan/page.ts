import { version } from '../../package.json';
import { html, words } from '../reports/html/escape.ts';
import { columns, pageHead, section } from '../reports/html/head.ts';
import { STYLE } from '../reports/html/style.ts';
import { plainMessage } from '../reports/place.ts';
import { dayOf } from '../usage/days.ts';
import { count, number } from '../usage/text.ts';
import { NEXT, type ScanReport } from './report.ts';
import { doubts, outcome, scope, verdict } from './text.ts';

const MOST_ROWS = 40;
const MOST_CHANGES = 500;
const DAY = 86_400_000;

const PAGE_STYLE = `${STYLE}
svg{display:block}
.time{width:100%;height:auto;min-width:52rem;background:var(--card);border:1px solid var(--line);border-radius:8px}
.time text{font:12px system-ui,-apple-system,"Segoe UI",sans-serif;fill:var(--text)}
.time .axis{fill:var(--quiet)}
.time line{stroke:var(--line)}
.time .between{fill:var(--tone);opacity:.18}
.time .change{fill:var(--tone);stroke:var(--card)}
.time .calls{fill:none;stroke:var(--tone);stroke-width:1.5;opacity:.85}
.key{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;list-style:none;margin:.75rem 0 0;padding:0;font-size:.9rem;color:var(--quiet)}
.drift{width:100%;border-collapse:collapse;font-size:.9rem}
.drift th,.drift td{text-align:left;padding:.35rem .75rem;border-top:1px solid var(--line);vertical-align:top;overflow-wrap:break-word}
.drift thead th{background:var(--soft);border-top:0}
.drift tbody th{font-weight:400;min-width:12rem}
.drift li{min-width:16rem}
.drift .n{text-align:right;font-variant-numeric:tabular-nums}
.drift ul{margin:0;padding-left:1.1rem}
.scroll{overflow-x:auto}
.next{font-size:1.1rem;border:1px solid var(--line);border-left:6px solid var(--compatible);border-radius:8px;padding:.75rem 1rem}
`;

const WIDTH = 1100;
const LEFT = 300;
const RIGHT = 24;
const TOP = 28;
const ROW = 26;

const rounded = (value: number): string => String(Math.round(value * 10) / 10);

/** A row for each tool: when its contract changed, and on which days calls went out by the old one. */
const timeline = ({ changes }: ScanReport): string => {
  const names = [...new Set(changes.map(({ server, tool }) => `${server}/${tool}`))];
  const rows = names.slice(0, MOST_ROWS);
  const days = changes.flatMap(({ days: own }) => Object.keys(own));
  const times = [...changes.flatMap(({ since, at }) => [since, at]), ...days.map((day) => Date.parse(day))];
  // No spread: there may be more values than a call can take arguments.
  const [from, to] = times.reduce(
    ([low, high], time) => [Math.min(low, time), Math.max(high, time)],
    [Number.POSITIVE_INFINITY, 0],
  ) as [number, number];
  const span = Math.max(DAY, to - from);
  const x = (time: number): number => LEFT + ((time - from) / span) * (WIDTH - LEFT - RIGHT);
  const height = TOP + rows.length * ROW + 12;
  // One tick per day: two with the same date would be next to each other.
  const ticks = Array.from({ length: 6 }, (_, nth) => from + (span * nth) / 5).filter(
    (time, nth, all) => nth === 0 || dayOf(time) !== dayOf(all[nth - 1] as number),
  );
  const most = changes.reduce((top, { days: own }) => Math.max(top, ...Object.values(own)), 1);
  const grid = ticks.map(
    (time, nth) =>
      `<line x1="${rounded(x(time))}" x2="${rounded(x(time))}" y1="${TOP - 6}" y2="${height}"/><text class="axis" x="${rounded(x(time))}" y="16" text-anchor="${nth === 0 ? 'start' : nth === ticks.length - 1 && ticks.length > 1 ? 'end' : 'middle'}">${dayOf(time)}</text>`,
  );
  const lines = rows.map((name, nth) => {
    const y = TOP + nth * ROW + ROW / 2;
    const own = changes.filter(({ server, tool }) => `${server}/${tool}` === name);
    const marks = own.map((change) => {
      const calls = Object.entries(change.days).map(
        ([day, made]) =>
          `<circle class="calls" cx="${rounded(x(Math.max(change.at, Math.min(to, Date.parse(day) + DAY / 2))))}" cy="${rounded(y)}" r="${rounded(5 + 6 * Math.sqrt(made / most))}"><title>${day}: ${count(made, 'call')} by the old contract</title></circle>`,
      );
      const [start, end] = [x(change.since), x(change.at)];
      const what = [`${dayOf(change.at)}: ${change.worst}`, outcome(change)].filter(Boolean).join(', ');
      return `<g class="${change.worst}"><rect class="between" x="${rounded(start)}" y="${rounded(y - 6)}" width="${rounded(Math.max(1, end - start))}" height="12"/>${calls.join('')}<circle class="change" cx="${rounded(end)}" cy="${rounded(y)}" r="5"><title>${html(what)}</title></circle></g>`;
    });
    const label = name.length > 42 ? `…${name.slice(-41)}` : name;
    return `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${rounded(y)}" y2="${rounded(y)}"/><text x="${LEFT - 12}" y="${rounded(y + 4)}" text-anchor="end">${html(label, 60)}</text>${marks.join('')}`;
  });
  const more =
    names.length > rows.length
      ? `<p class="quiet">and ${count(names.length - rows.length, 'more tool')}, in the list below</p>`
      : '';
  return section(
    'time',
    'When',
    `<figure><div class="scroll" tabindex="0" role="region" aria-label="Timeline"><svg class="time" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="When contracts changed, and when calls went out by old ones; the list below has the same">${grid.join('')}${lines.join('')}</svg></div>
<ul class="key"><li>● first seen with the new contract</li><li>▬ between the last look at the old one and that</li><li>○ calls by the old contract on that day; larger, more of them</li></ul></figure>${more}`,
  );
};

const table = (head: string, rows: readonly string[]): string =>
  `<div class="scroll"><table class="drift"><thead><tr>${head}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;

const numbers = (...values: number[]): string => values.map((value) => `<td class="n">${number(value)}</td>`).join('');

const badge = (level: string, text = level): string => `<span class="badge ${level}">${text}</span>`;

const servers = ({ servers: all }: ScanReport): string => {
  const rows = all.slice(0, MOST_ROWS).map(({ server, changes, tools, levels, outdated }) => {
    const worst = Object.entries(levels).map(([level, times]) => badge(level, `${number(times)} ${level}`));
    return `<tr><th scope="row">${html(server, 300)}</th>${numbers(changes, tools)}<td>${worst.join(' ')}</td>${numbers(outdated)}</tr>`;
  });
  const head = columns('Server', '#Changes', '#Tools', 'Worst levels', '#Outdated calls');
  return section('servers', 'Servers that drift most', table(head, rows));
};

/** How many changes of one contract are listed. */
const MOST_LISTED = 12;

const list = ({ changes: all }: ScanReport): string => {
  const rows = all.slice(0, MOST_CHANGES).map(({ at, server, tool, changes, outdated, failed, used }) => {
    const items = changes.slice(0, MOST_LISTED).map((one) => `${badge(one.level)} ${words(plainMessage(one))}`);
    const more = changes.length - items.length;
    const told = more > 0 ? [...items, `and ${count(more, 'more change')}`] : items;
    return `<tr><td>${dayOf(at)}</td><th scope="row"><span class="quiet">${html(server, 300)}/</span><code>${html(tool, 300)}</code></th><td><ul>${told.map((item) => `<li>${item}</li>`).join('')}</ul></td>${numbers(outdated, failed, used)}</tr>`;
  });
  const more = all.length - rows.length;
  const head = columns('First seen', 'Tool', 'Change', '#Outdated calls', '#Failed', '#Used it');
  const rest = more > 0 ? `<p class="quiet">and ${count(more, 'more change')}</p>` : '';
  return section('changes', 'What changed', table(head, rows) + rest);
};

/** A self-contained HTML page: a timeline, and all of it as tables. */
export const scanPage = (report: ScanReport): string => `${pageHead('What changed under your MCP calls', PAGE_STYLE)}
<body>
<a class="skip" href="#content">To the numbers</a>
<header>
<h1>${html(verdict(report))}</h1>
<p class="quiet">${html(scope(report))}</p>
${report.gaps.map((gap) => `<p class="note" role="note">${html(gap)}: the numbers may be too low</p>`).join('\n')}
</header>
<main id="content" tabindex="-1">
${report.changes.length === 0 ? '' : [timeline(report), servers(report), list(report)].join('\n')}
${doubts(report)
  .map((doubt) => `<p class="quiet">${html(doubt)}</p>`)
  .join('\n')}
${report.isGuarded ? '' : `<p class="next">${html(NEXT)}</p>`}
</main>
<footer>
<p class="quiet">Made by konnichiwagwan ${version}, from transcripts on this machine. Nothing was sent anywhere.</p>
</footer>
</body>
</html>`;
