import { version } from '../../package.json';
import { html } from '../reports/html/escape.ts';
import { columns, pageHead, section } from '../reports/html/head.ts';
import { STYLE } from '../reports/html/style.ts';
import { plural } from '../text/plural.ts';
import { type Bars, barsOf, chart, key, smallChart } from './chart.ts';
import { dayOf } from './days.ts';
import { answerOf, type UsageReport } from './report.ts';
import type { Retirement } from './retire.ts';
import type { Role, Summary } from './summary.ts';
import { count, find, lookedText, number, usedText } from './text.ts';

/** The CSS of all pages, and of the chart. */
const USAGE_STYLE = `${STYLE}
:root{--legacy:#c2410c;--twin:#1b6e35;--other:#8a94a3}
@media (prefers-color-scheme:dark){:root{--legacy:#ff9d5c;--twin:#7fd69a;--other:#7b8696}}
header{padding-bottom:.5rem}
figure{margin:1rem 0 0}
figcaption{font-size:.9rem;color:var(--quiet)}
svg{display:block}
.chart{width:100%;height:auto;min-width:44rem;background:var(--card)}
.chart text{font:12px system-ui,-apple-system,"Segoe UI",sans-serif;fill:var(--quiet)}
.chart line{stroke:var(--line)}
.legacy-bar{fill:var(--legacy)}.twin-bar{fill:var(--twin)}.other-bar{fill:var(--other)}
.hatch{stroke:var(--card);stroke-width:2}
.key{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:.75rem 0 0;padding:0}
.key li{display:flex;align-items:center;gap:.4rem}
.usage{width:100%;border-collapse:collapse;font-size:.9rem}
.usage th,.usage td{text-align:left;padding:.35rem .75rem;border-top:1px solid var(--line);vertical-align:middle}
.usage thead th{background:var(--soft);border-top:0;white-space:nowrap}
.usage tbody th{font-weight:400;overflow-wrap:anywhere;min-width:10rem}
.usage .n{text-align:right;font-variant-numeric:tabular-nums}
.usage td{white-space:nowrap}.usage td.w{white-space:normal;overflow-wrap:anywhere;min-width:12rem}
.badge.legacy{--tone:var(--legacy)}.badge.twin{--tone:var(--twin)}
.answer{border:1px solid var(--tone);border-left-width:6px;border-radius:8px;padding:.5rem 1rem;margin:1rem 0}
.answer ul{margin:.25rem 0;padding-left:1.25rem}
.answer.yes{--tone:var(--compatible)}.answer.no{--tone:var(--breaking)}.answer.not-enough-data{--tone:var(--silent)}
.answer h2{margin:.25rem 0;color:var(--tone)}
details>.scroll{margin-top:.75rem}
`;

const MOST_TOOLS = 500;
const MOST_SESSIONS = 200;

const badge = (role: Role): string => (role === 'other' ? '' : ` <span class="badge ${role}">${role}</span>`);

const table = (caption: string, head: string, rows: readonly string[]): string =>
  `<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="usage"><caption class="sr">${caption}</caption><thead><tr>${head}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;

const more = (count: number, most: number, noun: 'tool' | 'pair' | 'session'): string =>
  count > most ? `<p class="quiet">and ${plural(count - most, noun)} more</p>` : '';

const tools = ({ summary, from, to }: UsageReport): string =>
  section(
    'tools',
    'Tools',
    table(
      'Calls of each tool',
      columns('Tool', '#Calls', '#Sessions', 'First', 'Last', 'Over time, each on its own scale'),
      summary.tools
        .slice(0, MOST_TOOLS)
        .map(
          ({ server, tool, role, calls, sessions, first, last, days }) =>
            `<tr><th scope="row"><span class="quiet">${html(server, 300)}/</span><code>${html(tool, 300)}</code>${badge(role)}</th><td class="n">${number(calls)}</td><td class="n">${number(sessions)}</td><td>${dayOf(first)}</td><td>${dayOf(last)}</td><td>${smallChart(from, to, days, role)}</td></tr>`,
        ),
    ) + more(summary.tools.length, MOST_TOOLS, 'tool'),
  );

const pairs = (summary: Summary): string => {
  if (summary.pairs.length === 0) return '';
  const cells = (server: string, tool: string): string => {
    const used = find(summary, server, tool);
    return `<td class="n">${number(used?.calls ?? 0)}</td><td class="n">${number(used?.sessions ?? 0)}</td><td>${used ? dayOf(used.last) : 'never'}</td>`;
  };
  const rows = summary.pairs.map(({ server, legacy, twin }) => {
    const [old, now] = [legacy, twin].map((tool) => find(summary, server, tool)?.calls ?? 0) as [number, number];
    const share = old + now === 0 ? '' : `${Math.floor((now / (old + now)) * 100)} %`;
    return `<tr><th scope="row"><span class="quiet">${html(server, 300)}/</span><code>${html(legacy, 300)}</code></th>${cells(server, legacy)}${cells(server, twin)}<td class="n">${share}</td></tr>`;
  });
  return section(
    'pairs',
    'Legacy and twin',
    table(
      'Each legacy tool and its raw twin',
      columns(
        ...['Legacy tool', '#Calls', '#Sessions', 'Last'],
        ...['#Twin calls', '#Twin sessions', 'Twin last', '#Share of the twin'],
      ),
      rows.slice(0, MOST_TOOLS),
    ) + more(rows.length, MOST_TOOLS, 'pair'),
  );
};

const sessions = ({ legacySessions, legacyCount }: Summary): string =>
  legacySessions.length === 0
    ? ''
    : section(
        'sessions',
        'Sessions that called a legacy tool',
        table(
          'Sessions that called a legacy tool, the newest first',
          columns('Last call', 'Session', 'Legacy tools and calls'),
          legacySessions.slice(0, MOST_SESSIONS).map(({ session, machine, last, tools }) => {
            const named = tools
              .slice(0, 50)
              .map(
                ({ server, tool, calls }) => `${html(server, 300)}/<code>${html(tool, 300)}</code> ${number(calls)}`,
              );
            return `<tr><td>${dayOf(last)}</td><td>${machine === undefined ? '' : `${html(machine, 300)} `}<code>${html(session)}</code></td><td class="w">${named.join(', ')}</td></tr>`;
          }),
        ) + more(legacyCount, MOST_SESSIONS, 'session'),
      );

const numbers = ({ bars, size }: Bars): string =>
  `<details><summary>The numbers of the chart</summary>${table(
    `Calls per ${size === 1 ? 'day' : `${size} days`}`,
    columns('Days', '#Legacy', '#Twin', '#Other', '#All'),
    bars
      .filter(({ total }) => total > 0)
      .map(
        ({ span, counts, total }) =>
          `<tr><th scope="row">${span}</th><td class="n">${number(counts.legacy)}</td><td class="n">${number(counts.twin)}</td><td class="n">${number(counts.other)}</td><td class="n">${number(total)}</td></tr>`,
      ),
  )}</details>`;

const overTime = (report: UsageReport): string => {
  const bars = barsOf(report.from, report.to, report.summary.days);
  const per = bars.size === 1 ? 'day' : `${bars.size} days`;
  return section(
    'time',
    `Calls per ${per}`,
    `<figure><div class="scroll" tabindex="0" role="region" aria-label="Chart">${chart(bars)}</div>${key()}<figcaption>Days are UTC days, ${report.from} to ${report.to}.</figcaption></figure>${numbers(bars)}`,
  );
};

const answer = (found: Retirement | undefined, scope: string): string => {
  if (found === undefined) return '';
  const { tool, twin, server, legacy, twinUse } = found;
  const used = (name: string, use: Retirement['legacy']) => `<code>${html(name, 300)}</code>: ${usedText(use)}`;
  const items = [
    ...found.because.map((reason) => html(reason)),
    `Last sessions that used ${html(server, 300)}: ${lookedText(found)}`,
    used(tool, legacy),
    used(twin, twinUse),
    scope,
  ];
  return `<div class="answer ${found.answer}"><h2>${html(answerOf(found))}</h2><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul></div>`;
};

/** A self-contained HTML page: the chart, and all its numbers as tables. */
export const usagePage = (report: UsageReport): string => {
  const { summary, from, to, sources, gaps, filter, retirement, scope } = report;
  const title = count(summary.calls, 'MCP tool call');
  const of = filter === undefined ? '' : ` of <code>${html(filter, 300)}</code>`;
  return `${pageHead(`${title}, ${from} to ${to}`, USAGE_STYLE)}
<body>
<a class="skip" href="#content">To the numbers</a>
<header>
<h1>${title}${of}</h1>
<p>${from} to ${to} <span class="quiet">· ${plural(summary.tools.length, 'tool')} in ${plural(summary.sessions, 'session')} · from ${html(sources)}</span></p>
${gaps.map((gap) => `<p class="note" role="note">${html(gap)}: the numbers may be too low</p>`).join('\n')}
${answer(retirement, scope)}
</header>
<main id="content" tabindex="-1">
${summary.calls === 0 ? '<p>No call is recorded.</p>' : [overTime(report), tools(report), pairs(summary), sessions(summary)].join('\n')}
</main>
<footer>
<p class="quiet">Made by konnichiwagwan ${version}. Names and counts only. ${scope}</p>
</footer>
</body>
</html>`;
};
