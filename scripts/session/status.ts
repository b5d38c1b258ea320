import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readBaseline, type SessionBaseline } from '../baseline/sessions.ts';
import { trustsWords } from '../config/config.ts';
import { defined } from '../contract/defined.ts';
import { isObject } from '../contract/types.ts';
import { diffLists } from '../diff/diff.ts';
import { ofContract } from '../diff/table.ts';
import type { FoundChange } from '../diff/types.ts';
import { twinless } from '../lint/lint.ts';
import { knownIn } from '../lint/settings.ts';
import { withoutWords } from '../reports/changes.ts';
import type { Activity } from '../state/activity.ts';
import { readFrom } from '../state/files.ts';
import { activityPath, claudeHome, sessionsPath } from '../state/paths.ts';
import { eachLine } from '../transcript/records.ts';
import { EXIT, type Freshness, type Probe, probeSources } from './probe.ts';

/** The six phases, as data, as the model may read them: without the words of servers that the user does not trust. */
export interface StatusReport {
  session?: string;
  baseline?: SessionBaseline;
  freshness: Freshness[];
  /** Changes since the session before this one, by source. */
  sinceLast: { name: string; changes: FoundChange[] }[];
  discipline: { twinless: string[]; unbumped: string[]; mismatched: string[] };
  verdicts: Partial<Record<Activity['verdict'], number>>;
  servers: { server: string; calls: number; checked: boolean }[];
  /** Servers that the client does not start, or only in a run without a terminal; and why. */
  unstarted: { name: string; state: string; why: string }[];
  /** MCP calls in the transcript that the guard never saw. */
  unseen: number;
  problems: string[];
}

/** The session that was recorded last before this one. */
const previous = (home: string, baseline: SessionBaseline | undefined): SessionBaseline | undefined => {
  if (baseline === undefined || !existsSync(sessionsPath(home))) return undefined;
  return readdirSync(sessionsPath(home))
    .filter((file) => file.endsWith('.json') && file !== `${baseline.session_id}.json`)
    .map((file) => readBaseline(home, file.slice(0, -5)))
    .filter((other): other is SessionBaseline => other !== undefined && other.recorded_at < baseline.recorded_at)
    .sort((a, b) => (a.recorded_at < b.recorded_at ? 1 : -1))[0];
};

const LARGEST_LOG = 64 * 1024 * 1024;

/** What the guard decided in this session, from the logs of its days. */
const activityOf = (home: string, session: string, since: string): Activity[] => {
  const lines: Activity[] = [];
  const today = new Date().toISOString().slice(0, 10);
  for (let day = since.slice(0, 10), count = 0; day <= today && count < 60; count++) {
    const log = readFrom(activityPath(home, day), 0, LARGEST_LOG);
    for (const line of log?.bytes.toString('utf8').split('\n') ?? []) {
      if (!line.includes(`"${session}"`)) continue;
      try {
        const entry = JSON.parse(line) as Activity;
        if (entry.session === session) lines.push(entry);
      } catch {
        // A line that another version wrote.
      }
    }
    day = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
  }
  return lines;
};

const transcriptsOf = (env: NodeJS.ProcessEnv, session: string): string[] => {
  const projects = join(claudeHome(env), 'projects');
  if (!existsSync(projects)) return [];
  return readdirSync(projects).flatMap((project) => {
    const main = join(projects, project, `${session}.jsonl`);
    if (!existsSync(main)) return [];
    const agents = join(projects, project, session, 'subagents');
    const subagents = existsSync(agents) ? readdirSync(agents).filter((file) => file.endsWith('.jsonl')) : [];
    return [main, ...subagents.map((file) => join(agents, file))];
  });
};

const NO_SUCH_TOOL = Buffer.from('No such tool available');
const MCP_USE = Buffer.from('"name":"mcp__');
const LARGEST_TRANSCRIPT = 256 * 1024 * 1024;

/** How many calls of MCP tools the transcripts hold: a guard that was killed leaves no line of its own. */
const countCalls = (transcripts: string[]): number => {
  const ids = new Set<string>();
  const absent = new Set<string>();
  for (const path of transcripts) {
    const { bytes } = readFrom(path, 0, LARGEST_TRANSCRIPT) ?? { bytes: Buffer.alloc(0) };
    eachLine(bytes, (start, end) => {
      const line = bytes.subarray(start, end);
      const use = line.indexOf(MCP_USE) !== -1 && line.indexOf('"type":"tool_use"') !== -1;
      if (!use && line.indexOf(NO_SUCH_TOOL) === -1) return;
      try {
        const { message } = JSON.parse(line.toString('utf8')) as { message?: { content?: unknown } };
        for (const block of Array.isArray(message?.content) ? message.content : []) {
          if (isObject(block) && block.type === 'tool_use' && String(block.name).startsWith('mcp__'))
            ids.add(String(block.id));
          // No hook runs for a tool that the client does not have.
          else if (
            isObject(block) &&
            block.type === 'tool_result' &&
            JSON.stringify(block.content).includes(String(NO_SUCH_TOOL))
          )
            absent.add(String(block.tool_use_id));
        }
      } catch {
        // Half a line at the end.
      }
    });
  }
  return [...ids].filter((id) => !absent.has(id)).length;
};

const serversIn = (activity: Activity[]): StatusReport['servers'] => {
  const servers = new Map<string, { calls: number; checked: boolean }>();
  for (const { server = 'unknown', verdict } of activity) {
    const known = servers.get(server) ?? { calls: 0, checked: false };
    const checked = verdict !== 'unchecked' && verdict !== 'not-covered' && verdict !== 'failed';
    servers.set(server, { calls: known.calls + 1, checked: known.checked || checked });
  }
  return [...servers].map(([server, rest]) => ({ server, ...rest }));
};

const tally = (activity: Activity[]): StatusReport['verdicts'] => {
  const verdicts: StatusReport['verdicts'] = {};
  for (const { verdict } of activity) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  return verdicts;
};

/** Gathers the six phases: asks every source once, and looks at what this session did. */
export const report = async (
  home: string,
  project: string,
  env: NodeJS.ProcessEnv,
  session: string | undefined,
): Promise<StatusReport> => {
  const probe: Probe = await probeSources(home, project, env, session);
  const { freshness, config } = probe;
  const baseline = probe.baseline ?? (session === undefined ? undefined : readBaseline(home, session));
  const known = knownIn(project);
  const last = previous(home, baseline);
  const id = session ?? baseline?.session_id;
  const activity = id === undefined ? [] : activityOf(home, id, baseline?.recorded_at ?? new Date().toISOString());
  return {
    ...defined({ session: id, baseline }),
    freshness: freshness.map((one) =>
      trustsWords(config, one) ? one : { ...one, changes: withoutWords(one.changes) },
    ),
    sinceLast: Object.values(last?.sources ?? {}).flatMap((before) => {
      const now = freshness.find(({ name, state }) => name === before.name && EXIT[state] !== 2);
      return now === undefined ? [] : [{ name: before.name, changes: ofContract(diffLists(before.tools, now.tools)) }];
    }),
    discipline: {
      twinless: freshness.flatMap(({ kind, tools }) => twinless(tools, { ...known, gateway: kind === 'gateway' })),
      unbumped: freshness.filter(({ state }) => state === 'silent-drift').map(({ name }) => name),
      mismatched: freshness.flatMap(({ mismatched }) => mismatched),
    },
    verdicts: tally(activity),
    servers: serversIn(activity),
    unstarted: probe.unstarted,
    unseen: id === undefined ? 0 : Math.max(0, countCalls(transcriptsOf(env, id)) - activity.length),
    problems: config.problems,
  };
};
