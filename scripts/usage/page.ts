import { version } from '../../package.json';
import { html } from '../reports/html/escape.ts';
import { pageHead } from '../reports/html/head.ts';
import { plural } from '../text/plural.ts';
import { type Bars, barsOf, chart, key, smallChart } from './chart.ts';
import { dayOf } from './days.ts';
import { USAGE_STYLE } from './page-style.ts';
import { answerOf, type UsageReport } from './report.ts';
import type { Retirement } from './retire.ts';
import type { Role, Summary } from './summary.ts';
import { usedText } from './text.ts';

const MOST_TOOLS = 500;
const MOST_SESSIONS = 200;

const number = (value: number): string => value.toLocaleString('en-US');

const badge = (role: Role): string => (role === 'other' ? '' : ` <span class="badge ${role}">${role}</span>`);

const table = (caption: string, head: readonly string[], rows: readonly string[]): string =>
  `<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="usage"><caption class="sr">${caption}</caption><thead><tr>${head.join('')}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;

const column = (name: string, kind = ''): string => `<th scope="col"${kind && ` class="${kind}"`}>${name}</th>`;

const more = (count: number, most: number, noun: 'tool' | 'pair' | 'session'): string =>
  count > most ? `<p class="quiet">and ${plural(count - most, noun)} more</p>` : '';

const section = (id: string, title: string, content: string): string =>
  `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;

const tools = ({ summary, from, to }: UsageReport): string =>
  section(
    'tools',
    'Tools',
    table(
      'Calls of each tool',
      [
        column('Tool'),
        column('Calls', 'n'),
        column('Sessions', 'n'),
        column('First'),
        column('Last'),
        column('Over time, each on its own scale'),
      ],
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
  const find = (server: string, tool: string) =>
    summary.tools.find((one) => one.server === server && one.tool === tool);
  const cells = (server: string, tool: string): string => {
    const used = find(server, tool);
    return `<td class="n">${number(used?.calls ?? 0)}</td><td class="n">${number(used?.sessions ?? 0)}</td><td>${used ? dayOf(used.last) : 'never'}</td>`;
  };
  const rows = summary.pairs.map(({ server, legacy, twin }) => {
    const [old, now] = [find(server, legacy)?.calls ?? 0, find(server, twin)?.calls ?? 0];
    const share = old + now === 0 ? '' : `${Math.floor((now / (old + now)) * 100)} %`;
    return `<tr><th scope="row"><span class="quiet">${html(server, 300)}/</span><code>${html(legacy, 300)}</code></th>${cells(server, legacy)}${cells(server, twin)}<td class="n">${share}</td></tr>`;
  });
  return section(
    'pairs',
    'Legacy and twin',
    table(
      'Each legacy tool and its raw twin',
      [
        column('Legacy tool'),
        column('Calls', 'n'),
        column('Sessions', 'n'),
        column('Last'),
        column('Twin calls', 'n'),
        column('Twin sessions', 'n'),
        column('Twin last'),
        column('Share of the twin', 'n'),
      ],
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
          [column('Last call'), column('Session'), column('Legacy tools and calls')],
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
    [column('Days'), column('Legacy', 'n'), column('Twin', 'n'), column('Other', 'n'), column('All', 'n')],
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

const day = (at: number | undefined): string => (at === undefined ? 'never' : dayOf(at));

const answer = (found: Retirement | undefined, scope: string): string => {
  if (found === undefined) return '';
  const { tool, twin, server, legacy, twinUse, wanted } = found;
  const looked =
    found.from === undefined ? 'none' : `${found.found} of ${wanted}, ${day(found.from)} to ${day(found.to)}`;
  const used = (name: string, use: Retirement['legacy']) => `<code>${html(name, 300)}</code>: ${usedText(use)}`;
  const items = [
    ...found.because.map((reason) => html(reason)),
    `Last sessions that used ${html(server, 300)}: ${looked}`,
    used(tool, legacy),
    used(twin, twinUse),
    scope,
  ];
  return `<div class="answer ${found.answer}"><h2>${html(answerOf(found))}</h2><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul></div>`;
};

/** A self-contained HTML page: the chart, and all its numbers as tables. */
export const usagePage = (report: UsageReport): string => {
  const { summary, from, to, sources, gaps, filter, retirement, scope } = report;
  const title = `${plural(summary.calls, 'MCP tool call').replace(/^\d+/, number(summary.calls))}`;
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
