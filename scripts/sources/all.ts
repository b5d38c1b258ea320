import type { LoadedConfig } from '../config/config.ts';
import { discoverServers } from '../servers/discover.ts';
import { withoutRepository } from '../servers/environment.ts';
import type { Server } from '../servers/types.ts';
import { claudeHome, homeOf } from '../state/paths.ts';
import { gatewaySource } from './gateway.ts';
import { mcpSource } from './mcp/mcp.ts';
import type { Source, SourceProblem } from './source.ts';

export interface AllSources {
  /** Gateways, in the order of the settings: where one lists a tool, it speaks for it. */
  gateways: Source[];
  /** The servers of the session, asked themselves. */
  servers: Source[];
  /** What is wrong with those that cannot be asked. */
  problems: SourceProblem[];
  /** Those with which nothing is wrong, but that do not answer us. */
  unaskable: SourceProblem[];
  /** The servers as they are configured, those that are no source too. */
  configured: Server[];
}

/**
 * Every source that the settings name: ours, and Claude Code's own.
 * @param spawn whether programs may be started to be asked
 */
export const allSources = (
  config: LoadedConfig,
  project: string,
  env: NodeJS.ProcessEnv,
  spawn = false,
): AllSources => {
  const users = withoutRepository(env, project);
  const gateways = Object.entries(config.user.gateways).map(([name, gateway]) => gatewaySource(name, gateway, users));
  const place = { project, home: homeOf(env), claudeHome: claudeHome(env), env };
  const client = Number(env.CLAUDE_PID);
  const found = discoverServers(client > 0 ? { ...place, client } : place);
  // A server that the client itself does not start is nobody's problem.
  const servers = found.servers
    .filter(({ state }) => state === 'ready')
    .map((server) => mcpSource(server, project, spawn));
  const isSource = (source: Source | SourceProblem): source is Source => 'key' in source;
  const isProblem = (source: Source | SourceProblem): source is SourceProblem => !isSource(source);
  const problems = [
    ...gateways.filter(isProblem).map((problem) => ({ ...problem, kind: 'gateway' as const })),
    ...servers.filter(isProblem).map((problem) => ({ ...problem, kind: 'server' as const })),
  ];
  return {
    gateways: gateways.filter(isSource),
    servers: servers.filter(isSource),
    problems: [...problems.filter((problem) => !problem.unaskable), ...found.problems],
    unaskable: problems.filter((problem) => problem.unaskable),
    configured: found.servers,
  };
};
