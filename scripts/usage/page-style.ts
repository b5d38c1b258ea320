import { STYLE } from '../reports/html/style.ts';

/** The CSS of all pages, and of the chart. */
export const USAGE_STYLE = `${STYLE}
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
