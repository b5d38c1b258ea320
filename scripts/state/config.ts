import { statSync } from 'node:fs';
import { compileSchema } from '../contract/ajv.ts';
import { isObject } from '../contract/types.ts';
import type { Mode, Policy } from '../judge/judge.ts';
import { quoteText } from '../text/quote.ts';
import { readJson } from './files.ts';
import { configPath, projectConfigPath } from './paths.ts';
import { look } from './stamp.ts';

export interface GatewayConfig {
  url: string;
  headers?: Record<string, string>;
  /** Names of the MCP servers whose tools it describes; absent: every server that has tools of these names. */
  servers?: string[];
  /** Seconds until it counts as unreachable. */
  timeout?: number;
}

/** Which parameters of a generic invoker name the tool that it calls, and hold its arguments. */
export interface InvokerConfig {
  server?: string;
  tool: string;
  arguments: string;
}

export interface Config {
  mode: Mode;
  /** Seconds for which an answer counts as live. */
  freshFor: number;
  servers: Record<string, { mode?: Mode; trusted?: boolean }>;
  gateways: Record<string, GatewayConfig>;
  /** By the client's name of the tool; `false`: it is none, though it looks like one. */
  invokers: Record<string, InvokerConfig | false>;
}

export interface LoadedConfig {
  user: Config;
  /** What the project's file asks for: it can only make things stricter. */
  project: {
    mode?: Mode;
    servers: Record<string, { mode?: Mode }>;
    /** Only more of them: what the user's file names, or its contract shows, stays as it is. */
    invokers: Record<string, InvokerConfig>;
    /** What reports leave out; checked where it is used, which is never the guard. */
    ignore: readonly unknown[];
  };
  /** What was wrong in either file; the parts in question are left out. */
  problems: string[];
}

export const MODES: readonly Mode[] = ['off', 'warn', 'guard', 'strict'];
const mode = { enum: MODES };
const strings = { type: 'object', additionalProperties: { type: 'string' } };

const SERVER = {
  type: 'object',
  properties: { mode, trusted: { type: 'boolean' } },
  additionalProperties: false,
};
const GATEWAY = {
  type: 'object',
  required: ['url'],
  properties: {
    url: { type: 'string', minLength: 1 },
    headers: strings,
    servers: { type: 'array', items: { type: 'string' } },
    timeout: { type: 'number', exclusiveMinimum: 0, maximum: 60 },
  },
  additionalProperties: false,
};
const INVOKER = {
  type: 'object',
  required: ['tool', 'arguments'],
  properties: Object.fromEntries(
    ['server', 'tool', 'arguments'].map((name) => [name, { type: 'string', minLength: 1 }]),
  ),
  additionalProperties: false,
};
const USER = {
  type: 'object',
  properties: {
    mode,
    freshFor: { type: 'number', minimum: 0, maximum: 60 },
    servers: { type: 'object', additionalProperties: SERVER },
    gateways: { type: 'object', additionalProperties: GATEWAY },
    invokers: { type: 'object', additionalProperties: { anyOf: [INVOKER, { const: false }] } },
  },
  additionalProperties: false,
};
const PROJECT = {
  type: 'object',
  properties: {
    mode,
    servers: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { mode }, additionalProperties: false },
    },
    invokers: { type: 'object', additionalProperties: INVOKER },
    ignore: { type: 'array' },
    // Checked where it is used, which is never the guard.
    lint: { type: 'object' },
  },
  additionalProperties: false,
};

/** Removes what the schema does not allow, the smallest part that it can, and says what. */
const keepValid = (schema: object, value: unknown, file: string, problems: string[]): Record<string, unknown> => {
  if (value === undefined) return {};
  if (!isObject(value)) {
    problems.push(`${file}: is not a JSON object of reasonable size; the defaults apply`);
    return {};
  }
  const validate = compileSchema(schema);
  const kept = structuredClone(value);
  for (let round = 0; round < 100 && !validate(kept); round++) {
    const error = validate.errors?.[0];
    const path = (error?.instancePath ?? '')
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const extra = error?.params.additionalProperty;
    if (typeof extra === 'string') path.push(extra);
    const key = path.at(-1);
    const owner = path.slice(0, -1).reduce<unknown>((at, step) => (isObject(at) ? at[step] : at), kept);
    const allowed = error?.params.allowedValues;
    problems.push(
      `${file}: ${quoteText(path.join('.'), 100)} ${typeof extra === 'string' ? 'is not a setting' : error?.message}${
        Array.isArray(allowed) ? ` (${allowed.join(', ')})` : ''
      }; it is left out`,
    );
    if (key === undefined) return {};
    if (Array.isArray(owner)) owner.splice(Number(key), 1);
    else if (isObject(owner)) delete owner[key];
    else return {};
  }
  return kept;
};

const LARGEST_SETTINGS = 1024 * 1024;

/**
 * Undefined where there is no file; null where it is no settings file. A repository may hold anything under that name, a
 * link to an endless device too, and must not be able to stop the guard with it.
 */
const readSettings = (path: string): unknown => {
  look(path);
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= LARGEST_SETTINGS ? (readJson(path) ?? null) : null;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ? undefined : null;
  }
};

/** Reads the user's and the project's settings. Never fails: what is wrong is left out and reported. */
export const loadConfig = (home: string, project: string, env: NodeJS.ProcessEnv): LoadedConfig => {
  const problems: string[] = [];
  const user: Partial<Config> = keepValid(USER, readSettings(configPath(home)), 'config.json', problems);
  const projects = readSettings(projectConfigPath(project));
  const projectSettings = keepValid(PROJECT, projects, '.claude/konnichiwagwan.json', problems);
  const gateways = { ...user.gateways };
  if (env.GATEWAY_URL) gateways.GATEWAY_URL = { ...gateways.GATEWAY_URL, url: env.GATEWAY_URL };
  return {
    user: {
      mode: user.mode ?? 'guard',
      freshFor: user.freshFor ?? 2,
      servers: user.servers ?? {},
      gateways,
      invokers: user.invokers ?? {},
    },
    project: {
      mode: projectSettings.mode as Mode | undefined,
      servers: (projectSettings.servers ?? {}) as Record<string, { mode?: Mode }>,
      invokers: (projectSettings.invokers ?? {}) as Record<string, InvokerConfig>,
      ignore: (projectSettings.ignore ?? []) as unknown[],
    },
    problems,
  };
};

const setting = <T>(servers: Record<string, T>, server: string): T | undefined =>
  Object.hasOwn(servers, server) ? servers[server] : undefined;

/** The rules for one server: the user's, or the project's where those are stricter. */
export const policyFor = ({ user, project }: LoadedConfig, server: string): Policy => {
  const own = setting(user.servers, server);
  const users = own?.mode ?? user.mode;
  const projects = setting(project.servers, server)?.mode ?? project.mode ?? 'off';
  return {
    mode: MODES.indexOf(projects) > MODES.indexOf(users) ? projects : users,
    trusted: own?.trusted === true,
  };
};
