import { present } from '../contract/defined.ts';
import type { Paint } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { plainName } from '../text/quote.ts';
import { bucketsOf, dayOf, fill } from './days.ts';
import { answerOf, type UsageReport } from './report.ts';
import type { Retirement } from './retire.ts';
import type { Role, Summary, ToolUse, TwinPair } from './summary.ts';

export interface TextLook {
  paint: Paint;
  columns: number;
  /** Whether it is for a terminal: then with sparklines. Otherwise a program may read it. */
  terminal: boolean;
}

const MOST_SESSIONS = 10;
const MOST_TOOLS = 200;
/** On terminals with fewer columns, each tool gets several lines. */
const NARROW = 64;
/** On terminals with this many columns, there is room for longer names and for the last day. */
const WIDE = 100;
const STYLE: Record<Role, 'yellow' | 'green' | undefined> = { legacy: 'yellow', twin: 'green', other: undefined };

export const number = (value: number): string => value.toLocaleString('en-US');

/** `1 call`, `12,345 calls`. */
export const count = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;

/** Breaks a text into lines between words. `first` and `rest` are the indentations of the first and of further lines. */
export const wrap = (text: string, columns: number, first = '', rest = '  '): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? first + word : `${line} ${word}`;
    if (line !== '' && longer.length > columns) {
      lines.push(line);
      line = rest + word;
    } else line = longer;
  }
  return [...lines, line];
};

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** One character for each number, scaled to the highest; a dot for 0, to distinguish no call from one call. */
export const sparkline = (numbers: readonly number[]): string => {
  const most = Math.max(0, ...numbers);
  return numbers
    .map((number) => (number === 0 ? '·' : BARS[Math.min(7, Math.floor((number / most) * 7.999))]))
    .join('');
};

const painted = (paint: Paint, role: Role, text: string): string => {
  const style = STYLE[role];
  return style === undefined ? text : paint(style, text);
};

const toolLines = ({ summary, from, to }: UsageReport, { paint, columns, terminal }: TextLook): string[] => {
  const tools = summary.tools.slice(0, MOST_TOOLS);
  const more = summary.tools.length - tools.length;
  const narrow = terminal && columns < NARROW;
  const withLast = !terminal || columns >= WIDE;
  const width = Math.min(withLast ? 40 : 22, Math.max(...tools.map(({ tool }) => tool.length)));
  // Columns for name, role, two numbers, last day, and the spaces between them.
  const taken = narrow ? 4 : 2 + width + 1 + 6 + 1 + 7 + 1 + 8 + 2 + (withLast ? 12 : 0);
  const { size, buckets } = bucketsOf(from, to, Math.max(8, Math.min(60, columns - taken)));
  const spark = (days: ToolUse['days'], role: Role) => painted(paint, role, sparkline(fill(buckets, days)));

  const row = ({ tool, role, calls, sessions, last, days }: ToolUse): string[] => {
    const name = painted(paint, role, tool);
    if (narrow) {
      const kind = role === 'other' ? '' : ` (${role})`;
      return [
        `  ${name}${kind}`,
        `    ${plural(calls, 'call')}, ${plural(sessions, 'session')}`,
        `    ${spark(days, role)}`,
      ];
    }
    const rest = present([
      (role === 'other' ? '' : role).padEnd(6),
      number(calls).padStart(7),
      number(sessions).padStart(8),
      withLast && ` ${dayOf(last)}`,
      terminal && ` ${spark(days, role)}`,
    ]).join(' ');
    // A long name goes above its numbers instead of being cut.
    return tool.length > width
      ? [`  ${name}`, `  ${' '.repeat(width)} ${rest}`]
      : [`  ${name}${' '.repeat(width - tool.length)} ${rest}`];
  };
  const per = size === 1 ? 'per day' : `per ${size} days`;
  const calls = `${'calls'.padStart(width + 17)} sessions`;
  const head = present([calls, withLast && 'last      ', terminal && per])
    .join('  ')
    .trimEnd();
  const servers = [...new Set(tools.map(({ server }) => server))];
  return [
    ...(narrow ? wrap(`Bars: calls ${per}, each tool on its own scale`, columns) : [head]).map((line) =>
      paint('grey', line),
    ),
    ...servers.flatMap((server) => [
      paint('bold', plainName(server)),
      ...tools.filter((tool) => tool.server === server).flatMap(row),
    ]),
    ...(more > 0 ? [`and ${more} more tools: --server or --tool shows fewer`] : []),
  ];
};

/** Calls per day, instead of sparklines: for programs and for people without a terminal. */
const dayLines = ({ days }: Summary): string[] => {
  const hasPairs = days.legacy.size + days.twin.size > 0;
  const all = [...new Set(Object.values(days).flatMap((counts) => [...counts.keys()]))].sort();
  const part = (role: Role, day: string) => {
    const calls = days[role].get(day) ?? 0;
    return calls === 0 ? [] : [hasPairs ? `${number(calls)} ${role}` : plural(calls, 'call')];
  };
  return [
    'Calls per day',
    ...all.map(
      (day) => `  ${day}  ${(['legacy', 'twin', 'other'] as const).flatMap((role) => part(role, day)).join(', ')}`,
    ),
  ];
};

/** The use of one tool; undefined if it was not called. */
export const find = ({ tools }: Summary, server: string, tool: string): ToolUse | undefined =>
  tools.find((one) => one.server === server && one.tool === tool);

const pairText = (summary: Summary, { server, legacy, twin }: TwinPair): string => {
  const [old, now] = [find(summary, server, legacy), find(summary, server, twin)];
  const all = (old?.calls ?? 0) + (now?.calls ?? 0);
  const name = `${plainName(server)}/${legacy}`;
  return old === undefined
    ? `${name}: not called, its twin ${plural(all, 'time')}; usage --retire ${legacy} --sessions 20 tells whether it can go`
    : `${name}: ${number(old.calls)} of ${number(all)} calls are legacy (${Math.ceil((old.calls / all) * 100)} %), last ${dayOf(old.last)}`;
};

const pairLines = (summary: Summary, { paint, columns }: TextLook): string[] => {
  const lines = summary.pairs.flatMap((pair) => wrap(pairText(summary, pair), columns, '  ', '    '));
  return lines.length === 0 ? [] : ['', paint('bold', 'Legacy against twin'), ...lines];
};

const sessionLines = ({ legacySessions, legacyCount }: Summary, { paint, columns }: TextLook): string[] => {
  if (legacyCount === 0) return [];
  const more = legacyCount - MOST_SESSIONS;
  return [
    '',
    paint('bold', `${plural(legacyCount, 'session')} that called a legacy tool`),
    ...legacySessions.slice(0, MOST_SESSIONS).flatMap(({ session, machine, last, tools }) => {
      const named = tools.map(({ server, tool, calls }) => `${plainName(server)}/${tool} ${calls}`);
      return wrap(
        `${dayOf(last)} ${machine === undefined ? '' : `${plainName(machine)} `}${session} ${named.join(', ')}`,
        columns,
        '  ',
        '    ',
      );
    }),
    ...(more > 0 ? [`  and ${more} older`] : []),
  ];
};

/** How often a tool was called in the examined sessions, and when last. */
export const usedText = ({ calls, sessions, last }: Retirement['legacy']): string =>
  last === undefined
    ? 'never called'
    : `${plural(calls, 'call')} in ${plural(sessions, 'session')} of these; last called ${dayOf(last)}`;

/** How many sessions were examined, and from when to when. */
export const lookedText = ({ from, to, found, wanted }: Retirement): string =>
  from === undefined || to === undefined ? 'none' : `${found} of ${wanted}, ${dayOf(from)} to ${dayOf(to)}`;

/** The sources of the sessions, and how many calls were examined. */
const restsText = ({ restsOn }: Retirement): string =>
  `This rests on the guard's log of ${plural(restsOn.logged, 'session')}${restsOn.transcripts > 0 ? `, the transcripts of ${restsOn.transcripts} more,` : ''} and ${plural(restsOn.calls, 'call')} of MCP tools since then`;

const retirementLines = (found: Retirement, scope: string, { paint, columns }: TextLook): string[] => {
  const { answer, server, tool, twin, legacy, twinUse, because, restsOn } = found;
  const sign = { yes: '✅', no: '❌', 'not-enough-data': '⚠️' }[answer];
  const style = ({ yes: 'green', no: 'red', 'not-enough-data': 'yellow' } as const)[answer];
  return [
    ...wrap(`${sign} ${answerOf(found)}.`, columns, '', '   ').map((line) => paint(style, line)),
    ...[
      ...because.map((reason) => `${reason}.`),
      `Last sessions that used ${plainName(server)}: ${lookedText(found)}`,
      `${tool}: ${usedText(legacy)}`,
      `${twin}: ${usedText(twinUse)}${twinUse.calls > 0 ? `, ${restsOn.twinSent} of them sent` : ''}`,
      restsText(found),
      scope,
    ].flatMap((line) => wrap(line, columns, '  ', '    ')),
  ];
};

/** The report as text. */
export const usageText = (report: UsageReport, look: TextLook): string => {
  const { summary, from, to, sources, filter, retirement, scope } = report;
  if (retirement) return retirementLines(retirement, scope, look).join('\n');
  const { paint, columns, terminal } = look;
  const span = `${from} to ${to}, days in UTC`;
  const of = filter === undefined ? '' : ` of ${plainName(filter)}`;
  if (summary.calls === 0)
    return wrap(`No call${of} is recorded from ${from} to ${to} (UTC) in ${sources}.`, columns).join('\n');
  return [
    ...wrap(`MCP tool calls${of}, ${span}`, columns).map((line) => paint('bold', line)),
    ...wrap(
      `${number(summary.calls)} calls of ${plural(summary.tools.length, 'tool')} in ${plural(summary.sessions, 'session')}, stopped ones included; from ${sources}`,
      columns,
    ),
    '',
    ...toolLines(report, look),
    ...(terminal ? [] : ['', ...dayLines(summary)]),
    ...pairLines(summary, look),
    ...sessionLines(summary, look),
  ].join('\n');
};
