import { defined } from '../contract/defined.ts';
import type { Mode, Policy } from '../judge/judge.ts';
import { allSetByRepository, USERS_ALONE, withoutRepository } from '../servers/environment.ts';
import { readObject } from '../servers/read.ts';
import { isManaged, managedPath } from '../servers/settings.ts';
import { configPath, projectConfigPath } from '../state/paths.ts';
import { quotePath, quoteText } from '../text/quote.ts';
import { agreedTo, type ProjectGateway } from './project-gateways.ts';
import type { SettingReader } from './readers.ts';
import {
  type Config,
  type GatewayConfig,
  type InvokerConfig,
  MANAGED,
  MODES,
  PROJECT,
  type SharedSettings,
  USER,
} from './settings.ts';

export interface LoadedConfig {
  user: Config;
  /** What the project's file asks for: it can only make things stricter. */
  project: {
    mode?: Mode;
    servers: Record<string, { mode?: Mode }>;
    /** Adds invokers; does not change one that the user's file names or that is recognised by its contract. */
    invokers: Record<string, InvokerConfig>;
    /** Where its contracts are published, by name. If the user agreed, these are asked along with the user's own. */
    gateways: Record<string, ProjectGateway>;
    /** What reports leave out. Commands that use this check it; the guard never reads it. */
    ignore: readonly unknown[];
  };
  /** What was wrong in any file; those parts are ignored. */
  problems: string[];
  /** Where an organization's file is, if there is one. What it says is in `user` already. */
  managed?: string;
}

const setting = <T>(servers: Record<string, T>, server: string): T | undefined =>
  Object.hasOwn(servers, server) ? servers[server] : undefined;

const LARGEST_SETTINGS = 1024 * 1024;
const MOST_PROBLEMS = 8;

/**
 * The settings in a file, as far as they are valid. A repository may hold anything under that name, even a link to an
 * endless device; that must not stop the guard. What cannot be read may have asked for more than the defaults: mode strict
 * applies then.
 */
const readSettings = (
  settings: SettingReader,
  path: string,
  file: string,
  problems: string[],
  then = 'mode strict applies until it is valid',
): object | undefined => {
  const read = readObject(path, LARGEST_SETTINGS);
  if (read.status === 'absent') return undefined;
  if (read.status === 'bad') {
    problems.push(`${file}: ${read.why}; ${then}`);
    return { mode: 'strict' satisfies Mode };
  }
  let count = 0;
  const valid = settings(read.value, [], (path, what, instead = 'it is left out') => {
    if (++count <= MOST_PROBLEMS) problems.push(`${file}: ${quoteText(path.join('.'), 100)} ${what}; ${instead}`);
    return undefined;
  });
  if (count > MOST_PROBLEMS) problems.push(`${file}: and ${count - MOST_PROBLEMS} more are left out`);
  return (valid as object | undefined) ?? {};
};

const stricter = (a: Mode, b: Mode | undefined): Mode =>
  b !== undefined && MODES.indexOf(b) > MODES.indexOf(a) ? b : a;

type Users = Partial<Config & { approvals: Partial<SharedSettings> }>;

/**
 * The user's settings as an organization's leave them: the stricter mode holds, for each server; and if these name any
 * server that is trusted or not, the user's trust does not count. Anything in them that cannot be read may have asked for
 * more, so that mode strict holds then, and no trust. Of other settings, the organization's stand in place of the user's.
 */
const underPolicy = (user: Users, path: string, problems: string[]): Users => {
  const wrong: string[] = [];
  const read = readSettings(MANAGED, path, quotePath(path), wrong, 'none of it applies');
  problems.push(...wrong);
  if (read === undefined) return user;
  const isWhole = wrong.length === 0;
  if (!isWhole) problems.push(`${quotePath(path)}: until it is valid, mode strict applies, and no server is trusted`);
  const managed: Users = isWhole ? read : { ...read, mode: 'strict' };
  const [of, theirs] = [managed.servers ?? {}, user.servers ?? {}];
  const general = user.mode ?? 'guard';
  const saysTrust = !isWhole || Object.values(of).some(({ trusted }) => trusted !== undefined);
  const servers = [...new Set([...Object.keys(of), ...Object.keys(theirs)])].map((name) => {
    const [forced, own] = [setting(of, name), setting(theirs, name)];
    const least = isWhole ? (forced?.mode ?? managed.mode) : 'strict';
    const trusted = saysTrust ? isWhole && forced?.trusted === true : own?.trusted === true;
    return [name, { mode: stricter(own?.mode ?? general, least), trusted }] as const;
  });
  const { mode: _mode, servers: _servers, ...rest } = managed;
  const { approvals: _approvals, ...others } = user;
  return {
    // What counts as approved elsewhere would be looser than rules that cannot be read.
    ...(isWhole ? user : others),
    ...rest,
    mode: stricter(general, managed.mode),
    servers: Object.fromEntries(servers),
  };
};

/** The project's gateways that the user agreed to. Those still undecided are reported in `problems`. */
const agreedOf = (
  home: string,
  project: string,
  named: Record<string, ProjectGateway>,
  users: Record<string, GatewayConfig>,
  problems: string[],
): Record<string, GatewayConfig> => {
  const agreed = Object.entries(named).filter(([name, gateway]) => {
    // If the user has a gateway of this name, that one counts.
    if (Object.hasOwn(users, name) || name === 'GATEWAY_URL') return false;
    const said = agreedTo(home, project, name, gateway);
    if (said === undefined)
      problems.push(
        `.claude/konnichiwagwan.json: the gateway ${quoteText(name, 60)} (${quoteText(gateway.url, 200)}) is not asked until you agree to it once: konnichiwagwan approve --gateways`,
      );
    return said === true;
  });
  return Object.fromEntries(agreed);
};

const sharedIn = ({ url, allowedSigners, maxAge }: Partial<SharedSettings> = {}): SharedSettings | undefined =>
  url === undefined || allowedSigners === undefined ? undefined : { url, allowedSigners, ...defined({ maxAge }) };

/**
 * Reads the user's, the organization's and the project's settings. Never throws: what is wrong is left out and reported in
 * `problems`.
 * @param home the state folder
 */
export const loadConfig = (home: string, project: string, env: NodeJS.ProcessEnv): LoadedConfig => {
  const problems: string[] = [];
  const policy = managedPath();
  const user = underPolicy(readSettings(USER, configPath(home), 'config.json', problems) ?? {}, policy, problems);
  const theirs: Partial<LoadedConfig['project']> =
    readSettings(PROJECT, projectConfigPath(project), '.claude/konnichiwagwan.json', problems) ?? {};
  const variables = allSetByRepository(project, env);
  for (const one of USERS_ALONE.filter((name) => variables.has(name)))
    problems.push(
      `.claude/settings.json: ${one} may not be set by a project; it is ignored. Set it where Claude Code is started, or in your own settings`,
    );
  const named = theirs.gateways ?? {};
  const gateways = { ...agreedOf(home, project, named, user.gateways ?? {}, problems), ...user.gateways };
  const { GATEWAY_URL: url } = withoutRepository(env, project, variables);
  if (url) gateways.GATEWAY_URL = { ...gateways.GATEWAY_URL, url };
  return {
    user: {
      mode: user.mode ?? 'guard',
      freshFor: user.freshFor ?? 2,
      servers: user.servers ?? {},
      gateways,
      invokers: user.invokers ?? {},
      ...defined({ trace: user.trace, telemetry: user.telemetry, shared: sharedIn(user.approvals) }),
    },
    project: {
      ...defined({ mode: theirs.mode }),
      servers: theirs.servers ?? {},
      gateways: named,
      invokers: theirs.invokers ?? {},
      ignore: theirs.ignore ?? [],
    },
    problems,
    ...(isManaged() ? { managed: policy } : {}),
  };
};

/** The policy for one server: the user's mode, or the project's if that is stricter. Only the user can trust a server. */
export const policyFor = ({ user, project }: LoadedConfig, server: string): Policy => {
  const own = setting(user.servers, server);
  const users = own?.mode ?? user.mode;
  const projects = setting(project.servers, server)?.mode ?? project.mode ?? 'off';
  return { mode: MODES.indexOf(projects) > MODES.indexOf(users) ? projects : users, trusted: own?.trusted === true };
};

/**
 * Whether the prose of a source may reach the model: a server must be trusted by the user, a gateway must be configured
 * for certain servers, all of them trusted.
 */
export const trustsWords = (
  config: LoadedConfig,
  { kind, name }: { kind: 'gateway' | 'server'; name: string },
): boolean => {
  if (kind === 'server') return policyFor(config, name).trusted;
  // For a project's gateway, the project itself chooses the servers: the user's trust in these does not extend to it.
  if (Object.hasOwn(config.project.gateways, name)) return false;
  const servers = setting(config.user.gateways, name)?.servers ?? [];
  return servers.length > 0 && servers.every((server) => policyFor(config, server).trusted);
};
