import { version } from '../../../package.json';
import { html as safe } from '../../reports/html/escape.ts';
import { pagePolicy } from '../../reports/html/head.ts';
import { aboutOf, countText, type FindingGroup, groupSame } from './group.ts';
import type { LintFormat } from './types.ts';

const MOST_ROWS = 5_000;

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid #8886;overflow-wrap:anywhere}
.error{color:light-dark(#a40e26,#ff8080)}.warning{color:light-dark(#7a4d00,#ffc266)}.note{color:light-dark(#0a5ea8,#80c0ff)}code{font-size:.9em}`;

const code = (text: string): string => `<code>${safe(text, 300)}</code>`;

const row = (group: FindingGroup): string => {
  const { level, message, rule } = group.first;
  return `<tr><td><b class="${level}">${level}</b></td><td>${aboutOf(group, code)}</td><td>${safe(message, 2_000)}</td><td>${code(rule)}</td></tr>`;
};

const list = (title: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `<h2>${title}</h2>\n<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>`;

/** A self-contained HTML page. */
export const page: LintFormat = (findings, { what, waived, warnings }) => {
  const groups = groupSame(findings);
  const rows = groups.slice(0, MOST_ROWS).map(row);
  const left = groups.length - rows.length;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${pagePolicy(STYLE)}">
<title>MCP tool lint: ${countText(findings)}</title><style>${STYLE}</style></head><body>
<h1>MCP tool lint: ${countText(findings)}</h1>
<p>${code(what)}</p>
${rows.length === 0 ? '' : `<table><thead><tr><th>Level</th><th>Where</th><th>What</th><th>Rule</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`}
${left > 0 ? `<p>… and ${left} more.</p>` : ''}
${list(
  'Waived',
  waived
    .slice(0, MOST_ROWS)
    .map(({ rule, tool, reason, until }) => `${code(rule)} of ${code(tool)}, until ${until}: ${safe(reason, 500)}`),
)}
${list(
  'Not checked',
  warnings.slice(0, MOST_ROWS).map((warning) => safe(warning, 1_000)),
)}
<footer><p>konnichiwagwan ${version}</p></footer></body></html>`;
};
