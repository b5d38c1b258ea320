import { worstOf } from '../diff/levels.ts';
import { publicChange } from '../diff/public-change.ts';
import type { Level } from '../diff/types.ts';
import { dayOf } from '../usage/days.ts';
import type { Named } from '../usage/names.ts';
import type { Story, ToolChange } from './story.ts';

interface NamedChange extends ToolChange, Named {}

/** What the report says about one server. */
interface ServerDrift {
  server: string;
  changes: number;
  tools: number;
  outdated: number;
  levels: Partial<Record<Level, number>>;
}

export interface ScanReport extends Omit<Story, 'changes'> {
  changes: (NamedChange & { worst: Level })[];
  servers: ServerDrift[];
  outdated: number;
  failed: number;
  used: number;
  unsure: number;
  /** Whether the guard is already installed. */
  isGuarded: boolean;
  files: number;
  bytes: number;
  /** Why the numbers may be too low. */
  gaps: string[];
}

/** How to install: the last line of every form of the report, unless that is already done. */
export const NEXT = 'To have such calls stopped before they are sent, run: konnichiwagwan install';

const sum = (changes: readonly ToolChange[], count: (change: ToolChange) => number): number =>
  changes.reduce((total, change) => total + count(change), 0);

export const toReport = (
  story: Story,
  read: { files: number; bytes: number; gaps: string[]; isGuarded: boolean },
  nameOf: (tool: string) => Named,
): ScanReport => {
  const changes = story.changes.map((change) => ({
    ...change,
    ...nameOf(change.tool),
    worst: worstOf(change.changes).level ?? 'compatible',
  }));
  const names = [...new Set(changes.map(({ server }) => server))];
  const servers = names.map((server): ServerDrift => {
    const own = changes.filter((change) => change.server === server);
    const levels: ServerDrift['levels'] = {};
    for (const { worst } of own) levels[worst] = (levels[worst] ?? 0) + 1;
    const tools = new Set(own.map(({ tool }) => tool)).size;
    return { server, changes: own.length, tools, outdated: sum(own, ({ outdated }) => outdated), levels };
  });
  return {
    ...story,
    ...read,
    changes,
    servers: servers.sort((a, b) => b.outdated - a.outdated || b.changes - a.changes || (a.server < b.server ? -1 : 1)),
    outdated: sum(changes, ({ outdated }) => outdated),
    failed: sum(changes, ({ failed }) => failed),
    used: sum(changes, ({ used }) => used),
    unsure: sum(changes, ({ unsure }) => unsure),
  };
};

/** The report for programs. */
export const scanData = ({ changes, servers, first, last, isGuarded: _, ...rest }: ScanReport) => ({
  ...rest,
  from: first === undefined ? null : dayOf(first),
  to: last === undefined ? null : dayOf(last),
  servers,
  changes: changes.map(({ server, tool, since, at, changes: own, worst, ...counts }) => ({
    server,
    tool,
    since: new Date(since).toISOString(),
    at: new Date(at).toISOString(),
    level: worst,
    ...counts,
    changes: own.map(publicChange),
  })),
});
