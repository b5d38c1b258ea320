const indents = Array.from({ length: 15 }, (_, depth) => `.i${depth}{padding-left:${depth * 1.1 + 1.4}em}`).join('');

/** All CSS of the page. There are no style attributes, so that the page's policy can name it by its hash. */
export const STYLE = `
:root{color-scheme:light dark;--page:#fff;--card:#fff;--soft:#f5f6f8;--line:#d8dce2;--text:#1b1f26;--quiet:#59616e;--link:#0757b8;
--old:#fdecea;--old-mark:#f9c2bc;--new:#e6f6ea;--new-mark:#a9e0b7;
--breaking:#b3261e;--silent:#8f4e00;--semantic:#1a5fb4;--compatible:#1b6e35}
@media (prefers-color-scheme:dark){:root{--page:#111418;--card:#171b21;--soft:#1e232b;--line:#343b46;--text:#e4e8ee;--quiet:#a0a9b7;--link:#7db7ff;
--old:#3a1d1d;--old-mark:#7d2f2c;--new:#14301d;--new-mark:#236b3a;
--breaking:#ff8a80;--silent:#ffb861;--semantic:#8ab8ff;--compatible:#7fd69a}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main,header,footer{max-width:86rem;margin:0 auto;padding:0 1.5rem}
header{padding-top:2rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.2rem;margin:2rem 0 .75rem}
h3{display:inline;font-size:1rem;margin:0;overflow-wrap:anywhere}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
code{background:var(--soft);border-radius:4px;padding:0 .15em}.contract code,.fold code{background:none;padding:0}
code,pre,.contract,.path{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.quiet{color:var(--quiet)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--card);padding:.5rem 1rem}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.levels{display:flex;flex-wrap:wrap;gap:.75rem;list-style:none;margin:1.25rem 0 0;padding:0}
.levels li{flex:1 1 11rem;background:var(--card);border:1px solid var(--line);border-top:4px solid var(--tone);border-radius:8px;padding:.6rem .9rem}
.levels b{display:block;font-size:1.5rem;line-height:1.2}
.levels .quiet{font-size:.85rem;display:block}
.breaking,.unclassified{--tone:var(--breaking)}.silent{--tone:var(--silent)}.semantic{--tone:var(--semantic)}.compatible{--tone:var(--compatible)}
.badge{display:inline-block;border:1px solid var(--tone);color:var(--tone);border-radius:999px;padding:0 .6em;font-size:.8rem;line-height:1.5;font-weight:600;white-space:nowrap}
.tools{columns:21rem;column-gap:2rem;list-style:none;margin:0;padding:0}
.tools li{break-inside:avoid;padding:.2rem 0;overflow-wrap:anywhere}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;margin:0 0 .6rem}
.card>details>summary{padding:.6rem 1rem}.card>details>summary:hover{background:var(--soft)}
.card>details[open]>summary{border-bottom:1px solid var(--line)}
.inside:focus{outline:none}.card .inside{padding:.75rem 1rem 1rem}
summary{cursor:pointer}
.changes{list-style:none;margin:0;padding:0}.changes+*{margin-top:1rem}
.changes li{display:grid;grid-template-columns:8.2rem 1fr;gap:.1rem .75rem;padding:.4rem 0;border-top:1px solid var(--line)}
.changes li:first-child{border-top:0}
.changes .what{overflow-wrap:anywhere}
.changes .path{grid-column:2;font-size:.8rem;color:var(--quiet);overflow-wrap:anywhere}
.note{border-left:4px solid var(--silent);background:var(--soft);padding:.5rem 1rem;margin:1rem 0}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:6px}
.contract{width:100%;min-width:44rem;border-collapse:collapse;table-layout:fixed;font-size:.8rem;line-height:1.55}
.contract th{text-align:left;background:var(--soft);padding:.35rem .75rem;font-family:system-ui,sans-serif}
.contract th+th,.contract td+td{border-left:1px solid var(--line)}
.contract td{vertical-align:top;white-space:pre-wrap;overflow-wrap:anywhere;padding-top:0;padding-bottom:0;padding-right:.6em;position:relative}
${indents}
.contract tbody tr:first-child td{padding-top:.4rem}.contract tbody tr:last-child td{padding-bottom:.4rem}
.contract tr:target{outline:2px solid var(--link);outline-offset:-2px}
.sign{position:absolute;left:.45em;font-weight:700}
td.old,pre.old{background:var(--old)}td.new,pre.new{background:var(--new)}td.none{background:var(--soft)}
td.old .sign{color:var(--breaking)}td.new .sign{color:var(--compatible)}
mark{color:inherit;border-radius:2px}.old mark{background:var(--old-mark);text-decoration:line-through;text-decoration-thickness:1px}.new mark{background:var(--new-mark)}
.fold{color:var(--quiet);background:var(--soft)}
.fold pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem 0;color:var(--text);font:inherit}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.8rem}
pre.old,pre.new{padding:.75rem;border-radius:6px;margin:.5rem 0 0}
footer{padding-top:1rem;padding-bottom:3rem}
footer p{overflow-wrap:anywhere}
@media (max-width:40rem){.changes li{grid-template-columns:1fr}.changes .path{grid-column:1}}
@media print{body{font-size:11px}main,header,footer{max-width:none;padding:0}.skip{display:none}.levels b{font-size:1.1rem}.scroll{overflow:visible}.contract{min-width:0;font-size:8px}
.card,.levels li{border-color:#999}.card>details::details-content{content-visibility:visible;display:block;height:auto}tr,.changes li{break-inside:avoid}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}a{color:inherit;text-decoration:none}}
`;
