import { version } from '../../../package.json';
import { defined } from '../../contract/defined.ts';
import { pointerText } from '../../contract/json-pointer.ts';
import type { Contract } from '../../contract/types.ts';
import { countLevels } from '../../diff/levels.ts';
import type { Change, FoundChange, Level } from '../../diff/types.ts';
import { plural } from '../../text/plural.ts';
import { visible } from '../../text/visible.ts';
import { changedText, countNames, renamedTools } from '../count.ts';
import { type Group, groupChanges, someTools } from '../group.ts';
import { placeText } from '../place.ts';
import type { Format, FormatContext } from '../types.ts';
import { contractTable, singleContract } from './contract.ts';
import { html, htmlLines, words } from './escape.ts';
import { pageHead, section } from './head.ts';
import { STYLE } from './style.ts';

/** Up to this number of changed tools, all are open at first; with more, all are closed to give an overview. */
const MOST_OPEN = 6;
/** How many tools get their contracts side by side: a browser must be able to show the page. */
const MOST_TABLES = 300;
const MOST_NAMES = 200;

const MEANINGS: Record<Level, string> = {
  breaking: 'some call that was valid is invalid now',
  unclassified: 'no rule knows it; treated like breaking',
  silent: 'accepted, and partly ignored or meant otherwise',
  semantic: 'only words or hints changed',
  compatible: 'what was valid still is, and means the same',
};

const badge = (level: Level, text: string = level): string => `<span class="badge ${level}">${text}</span>`;

const countsOf = (changes: readonly Change[]) => Object.entries(countLevels(changes)) as [Level, number][];

const badges = (changes: readonly Change[]): string =>
  countsOf(changes)
    .map(([level, count]) => badge(level, `${count} ${level}`))
    .join(' ');

const item = (change: FoundChange, target?: string): string => {
  const place = placeText(change, (one) => `<code>${html(one)}</code>`);
  const path = html(pointerText(change.path), 500);
  const linked = target === undefined ? path : `<a href="#${target}">${path}</a>`;
  return `<li><span>${badge(change.level)}</span><span class="what">${place}${words(change.message)}</span><span class="path">${[linked, html(change.rule)].filter(Boolean).join(' · ')}</span></li>`;
};

const list = (items: readonly string[]): string => `<ul class="changes">\n${items.join('\n')}\n</ul>`;

interface ToolChanges {
  name: string;
  changes: FoundChange[];
  before?: Contract;
  after?: Contract;
}

/** Each changed tool with both contracts, the worst first. A renamed one is listed under its new name. */
const changedTools = (changes: readonly FoundChange[], { before, after }: FormatContext): ToolChanges[] => {
  const had = new Map(before.tools.map((tool) => [tool.name, tool]));
  const has = new Map(after.tools.map((tool) => [tool.name, tool]));
  const renames = renamedTools(changes, before.tools, after.tools);
  const from = new Map([...renames].map(([old, now]) => [now, old]));
  const original = new Map<FoundChange, FoundChange>();
  const moved = changes.map((change) => {
    const copy = { ...change, tool: renames.get(change.tool) ?? change.tool };
    original.set(copy, change);
    return copy;
  });
  return groupChanges(moved, Number.POSITIVE_INFINITY).map((group) => {
    const name = group.tools[0] as string;
    const old = from.get(name) ?? name;
    return {
      name,
      changes: group.changes.map((change) => original.get(change) as FoundChange),
      ...defined({ before: had.get(old), after: has.get(name) }),
    };
  });
};

const toolCard = ({ name, changes, before, after }: ToolChanges, index: number, open: boolean): string => {
  const id = `tool-${index}`;
  const title = before && before.name !== name ? `${html(before.name)} → ${html(name)}` : html(name);
  const [old, now] = index < MOST_TABLES ? [before, after] : [];
  const both = old && now && contractTable(old, now, changes, id);
  const items = changes.map((change, nth) => item(change, both?.targets[nth]));
  const contracts = both?.table ?? (old ? singleContract(old, 'old') : now ? singleContract(now, 'new') : '');
  return `
<article class="card"><details${open ? ' open' : ''}><summary><h3>${title}</h3> ${badges(changes)}</summary>
<div class="inside" id="${id}" tabindex="-1">${list(items)}${contracts}</div></details></article>`;
};

const sharedCard = (group: Group): string =>
  `<article class="card"><div class="inside"><h3>${countNames(group.tools)}</h3> <span class="quiet">${html(someTools(group, visible))}</span>${list(group.changes.map((change) => item(change)))}</div></article>`;

const levelTiles = (changes: readonly Change[]): string =>
  countsOf(changes)
    .map(
      ([level, count]) =>
        `<li class="${level}"><b>${count}</b>${level}<span class="quiet">${MEANINGS[level]}</span></li>`,
    )
    .join('');

const unchangedLine = (changed: readonly ToolChanges[], after: readonly Contract[]): string => {
  const names = new Set(changed.map(({ name }) => name));
  const rest = after.filter(({ name }) => !names.has(name));
  if (rest.length === 0) return '';
  const shown = rest.slice(0, MOST_NAMES).map(({ name }) => html(name));
  const more = rest.length > shown.length ? ` and ${rest.length - shown.length} more` : '';
  return `<p><b>${plural(rest.length, 'tool')} unchanged:</b> <span class="quiet">${shown.join(', ')}${more}</span></p>`;
};

const ignoredList = ({ ignored }: FormatContext): string => {
  const items = ignored.map(
    ({ tool, message, level, rule, path, reason }) =>
      `<li><span>${badge(level)}</span><span class="what">${html(tool)}: ${words(message)}<br>Ignored: ${html(reason, 500)}</span><span class="path">${html([pointerText(path), rule].filter(Boolean).join(' · '))}</span></li>`,
  );
  return items.length === 0
    ? ''
    : `<details><summary>${plural(items.length, 'change')} ignored</summary>${list(items)}</details>`;
};

/** A self-contained HTML page: every changed tool with its contracts side by side. */
export const htmlPage: Format = (changes, context) => {
  const tools = changedTools(changes, context);
  const open = tools.length <= MOST_OPEN;
  const shared = groupChanges(changes).filter((group) => group.tools.length > 1);
  const overview = tools
    .map(({ name, changes: own }, index) => `<li><a href="#tool-${index}">${html(name)}</a> ${badges(own)}</li>`)
    .join('\n');
  const names = `<code>${html(context.before.file)}</code> → <code>${html(context.after.file)}</code>`;
  const title =
    changes.length === 0 ? 'No changes of tool contracts' : `${plural(changes.length, 'change')} of tool contracts`;
  return `${pageHead(title, STYLE)}
<body>
<a class="skip" href="#tools">To the changed tools</a>
<header>
<h1>${title}</h1>
<p>${names} <span class="quiet">· ${changedText(changes, context.before.tools, context.after.tools)}</span></p>
${context.warnings.map((warning) => `<p class="note" role="note">${htmlLines(warning)}</p>`).join('\n')}
<ul class="levels">${levelTiles(changes)}</ul>
</header>
<main>
${open && tools.length > 1 ? `<nav aria-labelledby="overview"><h2 id="overview">Changed tools</h2><ul class="tools">\n${overview}\n</ul></nav>` : ''}
${section('shared', 'The same in many tools', shared.map(sharedCard).join('\n'))}
${section('tools', open ? 'Tool by tool' : 'Changed tools', tools.map((tool, index) => toolCard(tool, index, open)).join('\n'))}
</main>
<footer>
${unchangedLine(tools, context.after.tools)}
${ignoredList(context)}
<p class="quiet">Made by konnichiwagwan ${version}. What means nothing (order of keys and lists of names, $schema) is left out.</p>
</footer>
</body>
</html>`;
};
