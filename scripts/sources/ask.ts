import { loadConfig } from '../config/config.ts';
import { defined } from '../contract/defined.ts';
import type { Contract } from '../contract/types.ts';
import type { NamedSecret } from '../servers/secrets.ts';
import type { ServerProblem } from '../servers/types.ts';
import { allSources } from './all.ts';
import { askSource } from './live.ts';
import type { Source, SourceProblem } from './source.ts';

/** What a source offers now. */
export interface ListedServer {
  name: string;
  where: string;
  tools: Contract[];
  /** Prompts, resources and resource templates, in the form of contracts; absent if they cannot be asked for. */
  offers?: Contract[];
}

/** A source that could not be asked, and what the user can do about it. */
export interface UncheckedServer {
  name: string;
  where: string;
  why: string;
  hint?: string;
}

export interface AskContext {
  home: string;
  project: string;
  env: NodeJS.ProcessEnv;
  /** Whether programs may be started in order to ask them. */
  spawn: boolean;
  /** Whether a person approved the project's servers for this run. */
  approvesProject?: boolean;
  /** The servers' names; or gateways, the servers in the project's files, and these `besides`. Absent: all. */
  only?: string[] | { besides: string[] };
  /** Milliseconds. */
  deadline?: number;
}

const HINTS = { unreachable: 'is it running?', invalid: 'konnichiwagwan doctor', unaskable: undefined };

/**
 * Asks the gateways, and the servers that Claude Code would start in this project, what they offer now; sorted by name.
 * `waiting`: the project's servers that it would start once the user approves them; `credentials`: what they may repeat and
 * must not be committed.
 */
export const askServers = async (
  around: AskContext,
): Promise<{
  listed: ListedServer[];
  unchecked: UncheckedServer[];
  waiting: ServerProblem[];
  credentials: NamedSecret[];
}> => {
  const { home, project, env, spawn, approvesProject, only, deadline = 20_000 } = around;
  const config = loadConfig(home, project, env);
  const all = allSources(config, project, env, { spawn, approvesProject });
  const { gateways, servers, problems, unaskable, configured } = all;
  const ofProject = new Set(configured.filter(({ scope }) => scope === 'project').map(({ name }) => name));
  const wanted = ({ name }: { name: string }, kind?: SourceProblem['kind']): boolean => {
    if (only === undefined) return true;
    if (Array.isArray(only)) return only.includes(name);
    return kind === 'gateway' || ofProject.has(name) || only.besides.includes(name);
  };
  const unchecked: UncheckedServer[] = [
    ...[...problems, ...unaskable]
      .filter((one) => wanted(one, one.kind))
      .map(({ name, why }) => ({ name, where: '', why })),
    // Servers that the client does not start are reported only to those who asked for them by name.
    ...configured
      .filter(({ state }) => state !== 'ready')
      .filter((server) => Array.isArray(only) && wanted(server))
      .map(({ name, state, why }) => ({ name, where: '', why: why ?? `it is ${state}` })),
  ];
  const listed: ListedServer[] = [];
  const ask = async (source: Source, everything: boolean): Promise<void> => {
    const { name, where } = source;
    const options = { freshFor: config.user.freshFor, deadline, force: true, everything };
    const asked = await askSource(home, source, options);
    if (asked.status === 'live')
      listed.push({ name, where, tools: asked.live.tools, ...defined({ offers: asked.live.offers }) });
    else unchecked.push({ name, where, why: asked.why, ...defined({ hint: HINTS[asked.kind] }) });
  };
  await Promise.all([
    ...gateways.filter((one) => wanted(one, 'gateway')).map((source) => ask(source, false)),
    ...servers.filter((one) => wanted(one)).map((source) => ask(source, true)),
  ]);
  const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
  const waiting = configured
    .filter((server) => server.state === 'unapproved' && server.scope === 'project' && wanted(server))
    .map(({ name, why = '' }) => ({ name, why }));
  return {
    listed: listed.sort(byName),
    unchecked: unchecked.sort(byName),
    waiting: waiting.sort(byName),
    credentials: all.credentials(),
  };
};
