import { defined } from '../contract/defined.ts';
import { isObject, own } from '../contract/types.ts';
import { quoteText } from '../text/quote.ts';
import { expand } from './expand.ts';
import type { Launch } from './types.ts';

const isStrings = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string');

/** A copy without a key `__proto__`. */
const strings = (value: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== '__proto__'));

const remote = (type: 'http' | 'sse', entry: Record<string, unknown>): Launch | string => {
  const [url, headers, helper] = [own(entry, 'url'), own(entry, 'headers') ?? {}, own(entry, 'headersHelper')];
  if (typeof url !== 'string') return 'its url is not a text';
  if (!isStrings(headers)) return 'its headers are not an object of texts';
  if (helper !== undefined && typeof helper !== 'string') return 'its headersHelper is not a text';
  return {
    type,
    url,
    headers: strings(headers),
    ...defined({ headersHelper: helper }),
    ...(isObject(own(entry, 'oauth')) && { oauth: true }),
  };
};

/** An entry of `mcpServers`, unexpanded, or why the client leaves it out. The client ignores a `cwd`. */
export const readEntry = (entry: unknown): Launch | string => {
  if (!isObject(entry)) return 'is not a JSON object';
  const type = Object.hasOwn(entry, 'type') ? entry.type : 'stdio';
  if (type === 'http' || type === 'streamable-http') return remote('http', entry);
  if (type === 'sse') return remote('sse', entry);
  if (type === 'ws' || type === 'sdk') return { type: 'other', what: type };
  if (type !== 'stdio') return `its type ${typeof type === 'string' ? `${quoteText(type, 40)} ` : ''}is not known`;
  const [command, args, env] = [own(entry, 'command'), own(entry, 'args') ?? [], own(entry, 'env') ?? {}];
  if (command === undefined && own(entry, 'url') !== undefined) return 'has a url and no type';
  if (typeof command !== 'string' || command === '') return 'has no command';
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string'))
    return 'its args are not an array of texts';
  if (!isStrings(env)) return 'its env is not an object of texts';
  return { type: 'stdio', command, args: [...args] as string[], env: strings(env) };
};

/** The client's own credentials: wherever a server's configuration names these variables, the client reads them as empty. */
const CLIENTS_OWN =
  /^(INPUT_)?(CLAUDE_.*(TOKEN|AUTH)|CLAUDE_(CODE_)?.*_(TOKEN|AUTH|CREDS)_.*|MCP_.*CLIENT_SECRET|OTEL_.*)$/i;

/**
 * Variables that are read as empty in URLs and headers, as the client does: a project's `.mcp.json` must not be able to
 * send them to an address of its choice. The client's list is longer, and changes. Variables that it does pass on
 * (GITHUB_TOKEN, most API keys) are those that people use for servers.
 */
const NO_SERVERS =
  /^(INPUT_)?(ANTHROPIC_.*(KEY|TOKEN|HEADERS|SECRET|PASSWORD).*|ACTIONS_.*TOKEN|AWS_(SECRET|SESSION|BEARER|WEB_IDENTITY|CONTAINER)_.*|AZURE_.*(SECRET|PASSWORD|TOKEN|CERTIFICATE).*|GOOGLE_(APPLICATION_CREDENTIALS|OAUTH_.*|GHA_.*)|CLOUDSDK_AUTH_.*|(HTTPS?|ALL)_PROXY|GIT_CONFIG_(PARAMETERS|(KEY|VALUE)_\d+)|NPM_TOKEN|NODE_AUTH_TOKEN|NUGET_AUTH_TOKEN|CARGO_REGISTR.*_TOKEN|PYPI_.*TOKEN|TWINE_.*|UV_(PUBLISH|INDEX|EXTRA|DEFAULT)_?.*|PIP_.*INDEX_URL|GOPROXY|GOAUTH|VAULT_.*(TOKEN|ID)|CONSUL_HTTP_.*|NOMAD_.*|CODEARTIFACT_AUTH_TOKEN|SSH_SIGNING_KEY)$/i;

/** Whether the client reads this variable as empty in URLs and headers, to keep it from servers. */
export const isKeptFromServers = (name: string): boolean => NO_SERVERS.test(name) || CLIENTS_OWN.test(name);

/** Variables that the client sets for its hooks only: it does not have them when it expands its configuration. */
const HOOKS_OWN = /^(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_(ROOT|DATA)|CLAUDE_PID|CLAUDE_ENV_FILE|CLAUDE_CODE_SESSION_ID)$/;

/** An environment for expanding. `extra` comes first; `away`: the result is sent to a server. */
const shielded = (env: NodeJS.ProcessEnv, extra: Record<string, string>, away: boolean): NodeJS.ProcessEnv =>
  new Proxy(env, {
    get: (target, name) => {
      if (typeof name !== 'string') return undefined;
      if (Object.hasOwn(extra, name)) return extra[name];
      if (HOOKS_OWN.test(name)) return undefined;
      const value = Object.hasOwn(target, name) ? target[name] : undefined;
      if (away && isKeptFromServers(name)) return '';
      return value !== undefined && CLIENTS_OWN.test(name) ? '' : value;
    },
  });

/**
 * A launch with its variables expanded in command, args, env, URL and header values; a plugin's `headersHelper`, too.
 * @param extra variables that take precedence over the environment (`CLAUDE_PLUGIN_ROOT` and the like, for plugins)
 * @returns the launch, and the names of variables that have no value
 */
export const expandLaunch = (
  configured: Launch,
  env: NodeJS.ProcessEnv,
  extra: Record<string, string> = {},
): { launch: Launch; unset: string[] } => {
  const unset = new Set<string>();
  const [here, away] = [shielded(env, extra, false), shielded(env, extra, true)];
  const fill = (text: string, from: NodeJS.ProcessEnv): string => {
    const expanded = expand(text, from);
    for (const name of expanded.unset) unset.add(name);
    // Options of a plugin are not looked up: some are secrets in the client's own store.
    for (const [, name] of expanded.text.matchAll(/\$\{(user_config\.[^}]*)\}/g)) unset.add(name as string);
    return expanded.text;
  };
  const fillAll = (all: Record<string, string>, from: NodeJS.ProcessEnv): Record<string, string> =>
    Object.fromEntries(Object.entries(all).map(([name, text]) => [name, fill(text, from)]));

  let launch: Launch = configured;
  if (configured.type === 'stdio') {
    const { command, args } = configured;
    launch = {
      ...configured,
      command: fill(command, here),
      args: args.map((arg) => fill(arg, here)),
      env: fillAll(configured.env, here),
    };
  } else if (configured.type !== 'other') {
    launch = { ...configured, url: fill(configured.url, away), headers: fillAll(configured.headers, away) };
    if (launch.headersHelper !== undefined && Object.keys(extra).length > 0)
      launch.headersHelper = fill(launch.headersHelper, here);
  }
  return { launch, unset: [...unset] };
};
