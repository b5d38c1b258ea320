import type { LoadedConfig } from '../config/config.ts';
import type { GatewayConfig } from '../config/settings.ts';
import { defined } from '../contract/defined.ts';
import { discoverServers } from '../servers/discover.ts';
import { withoutRepository } from '../servers/environment.ts';
import { expand } from '../servers/expand.ts';
import { isGuardServer, PLUGIN_GUARD } from '../servers/own-guard.ts';
import { credentialsOf, type NamedSecret, secretsIn, secretsOf, secretVariables } from '../servers/secrets.ts';
import type { Launch, Server } from '../servers/types.ts';
import { hideFromNowOn } from '../state/hidden.ts';
import { claudeHome, homeOf } from '../state/paths.ts';
import { gatewaySource } from './gateway.ts';
import { mcpSource } from './mcp/mcp.ts';
import type { Source, SourceProblem } from './source.ts';
import { wrappedSource } from './wrapped.ts';

/** Our own guard, from a plugin or a project's installation: it is no source, and calls of it need no check. */
export const isOurs = ({ name, scope, launch }: Server): boolean =>
  (scope === 'plugin' && name === PLUGIN_GUARD) || (launch.type === 'stdio' && isGuardServer(name, launch));

export interface AllSources {
  /** Gateways, in the order of the settings. A gateway speaks for every tool that it lists. */
  gateways: Source[];
  /** The session's servers, each asked directly. */
  servers: Source[];
  /** Sources that cannot be asked because something is wrong with them. */
  problems: SourceProblem[];
  /** Sources with nothing wrong that only Claude Code can ask. */
  unaskable: SourceProblem[];
  /** All configured servers, including those that are not sources; without our own. */
  configured: Server[];
  /** The names of our own. */
  ours: string[];
  /** Secrets that a source may repeat, and that must not be committed. */
  credentials(): NamedSecret[];
  /** Every secret that servers and gateways are started or asked with, and the secrets in this environment. */
  secrets: readonly string[];
}

/** How a gateway is asked. */
const launchOf = ({ url, headers = {} }: GatewayConfig, env: NodeJS.ProcessEnv): Launch => {
  const filled = Object.entries(headers).map(([name, value]) => [name, expand(value, env).text] as const);
  return { type: 'http', url: expand(url, env).text, headers: Object.fromEntries(filled) };
};

interface SourceOptions {
  /** Programs may be started in order to ask them. */
  spawn?: boolean;
  /** A person approved the project's servers for this run. */
  approvesProject?: boolean | undefined;
  /** The server of a call that the client makes: it is connected, although another session may have turned it off. */
  called?: string | undefined;
}

/** All sources that our settings and Claude Code's name. */
export const allSources = (
  config: LoadedConfig,
  project: string,
  env: NodeJS.ProcessEnv,
  { spawn = false, approvesProject = false, called }: SourceOptions = {},
): AllSources => {
  const users = withoutRepository(env, project);
  const gateways = Object.entries(config.user.gateways).map(([name, gateway]) => gatewaySource(name, gateway, users));
  const place = {
    project,
    home: homeOf(env),
    claudeHome: claudeHome(env),
    env,
    approvesProject,
    ...defined({ called }),
  };
  const client = Number(env.CLAUDE_PID);
  const found = discoverServers(client > 0 ? { ...place, client } : place);
  const configured = found.servers.filter((server) => !isOurs(server));
  const launches = [
    ...configured.map(({ launch }) => launch),
    ...Object.values(config.user.gateways).map((gateway) => launchOf(gateway, users)),
  ];
  const secrets = [...secretsIn(env), ...launches.flatMap(secretsOf)];
  hideFromNowOn(secrets);
  // A server that the client does not start is not reported as a problem.
  const servers = configured
    .filter(({ state }) => state === 'ready')
    .map((server) => wrappedSource(server, project, env, spawn) ?? mcpSource(server, project, spawn));
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
    configured,
    ours: [PLUGIN_GUARD, ...found.servers.filter(isOurs).map(({ name }) => name)],
    secrets,
    credentials: () => [...secretVariables(env), ...launches.flatMap(credentialsOf)],
  };
};
