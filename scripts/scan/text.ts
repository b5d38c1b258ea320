import { present } from '../contract/defined.ts';
import { LEVEL_STYLES } from '../reports/changes.ts';
import { plainMessage } from '../reports/place.ts';
import type { Paint } from '../text/paint.ts';
import { plainName } from '../text/quote.ts';
import { dayOf } from '../usage/days.ts';
import { count, number } from '../usage/text.ts';
import { NEXT, type ScanReport } from './report.ts';

const MOST_SERVERS = 10;
const MOST_TOOLS = 20;
const MOST_CHANGES = 3;

/** What happened to the calls by an outdated contract, in words; empty if there were none. */
export const outcome = ({ outdated, failed, used }: { outdated: number; failed: number; used: number }): string =>
  outdated === 0
    ? ''
    : present([
        count(outdated, 'outdated call'),
        failed > 0 && `${number(failed)} failed`,
        used > 0 && `${number(used)} used what had changed`,
      ]).join(', ');

const daysOf = (first: number, last: number): string =>
  dayOf(first) === dayOf(last) ? dayOf(first) : `${dayOf(first)} to ${dayOf(last)}`;

/** The first line: what was read. */
export const scope = ({ conversations, calls, tools, first, last }: ScanReport): string =>
  `${count(calls, 'MCP call')} in ${count(conversations, 'conversation')} with ${count(tools, 'tool')}${
    first === undefined || last === undefined ? '' : `, ${daysOf(first, last)}`
  }`;

/** The sentence that says it all. */
export const verdict = (report: ScanReport): string => {
  const { changes, outdated, failed, used, stopped } = report;
  // Stopped calls are reported below: their contracts had changed.
  if (changes.length === 0)
    return stopped > 0
      ? 'No call went out by an outdated contract, as far as the transcripts tell.'
      : 'No contract changed under a conversation, as far as the transcripts tell.';
  const tools = new Set(changes.map(({ server, tool }) => `${server}/${tool}`)).size;
  const changed = `The contracts of ${count(tools, 'tool')} changed ${count(changes.length, 'time')} while conversations went on.`;
  if (outdated === 0) return `${changed} No call is known to have gone out by an outdated one.`;
  return `${changed} ${count(outdated, 'call')} went out by a contract that was outdated: ${number(failed)} failed, and ${number(used)} used what had changed.`;
};

/** What the guard stopped, and what is unknown, each in a sentence. */
export const doubts = ({ unknown, unsure, stopped }: ScanReport): string[] =>
  present([
    stopped > 0 && `${count(stopped, 'call')} did not go out: konnichiwagwan stopped ${stopped === 1 ? 'it' : 'them'}.`,
    unsure > 0 &&
      `Of ${count(unsure, 'call')} the transcripts do not tell: the contract changed at some time around ${unsure === 1 ? 'it' : 'them'}.`,
    unknown > 0 && `Of ${count(unknown, 'call')} the transcripts do not tell what the model had been shown.`,
  ]);

export const scanText = (report: ScanReport, paint: Paint): string => {
  const { servers, changes } = report;
  const width = Math.max(0, ...servers.slice(0, MOST_SERVERS).map(({ server }) => plainName(server).length));
  const more = (all: number, most: number, noun: string) =>
    all > most ? [`  and ${count(all - most, `more ${noun}`)}: --json, or --format html`] : [];
  return [
    scope(report),
    paint(report.outdated > 0 ? 'yellow' : 'bold', verdict(report)),
    ...(servers.length === 0 ? [] : ['', paint('bold', 'Servers that drift most')]),
    ...servers.slice(0, MOST_SERVERS).map((one) => {
      const levels = Object.entries(one.levels).map(([level, times]) => `${number(times)} ${level}`);
      return `  ${plainName(one.server).padEnd(width)}  ${count(one.changes, 'change')} of ${count(one.tools, 'tool')} (${levels.join(', ')}), ${count(one.outdated, 'outdated call')}`;
    }),
    ...more(servers.length, MOST_SERVERS, 'server'),
    ...(changes.length === 0 ? [] : ['', paint('bold', 'What changed')]),
    ...changes
      .slice(0, MOST_TOOLS)
      .flatMap((change) =>
        present([
          `  ${dayOf(change.at)}  ${paint('bold', `${plainName(change.server)}/${plainName(change.tool)}`)}${change.outdated > 0 ? `  ${outcome(change)}` : ''}`,
          ...change.changes
            .slice(0, MOST_CHANGES)
            .map((one) => `    ${paint(LEVEL_STYLES[one.level], one.level)}  ${plainMessage(one)}`),
          change.changes.length > MOST_CHANGES && `    and ${change.changes.length - MOST_CHANGES} more`,
        ]),
      ),
    ...more(changes.length, MOST_TOOLS, 'change'),
    ...(doubts(report).length > 0 ? ['', ...doubts(report)] : []),
    ...(report.isGuarded ? [] : ['', NEXT]),
  ].join('\n');
};
