// The settings of a user, a project and an organization.
import { isAbsolute } from 'node:path';
import { isObject } from '../contract/types.ts';
import type { Mode } from '../judge/judge.ts';
import { fields, listOf, mapOf, plain, type SettingReader } from './readers.ts';

export interface GatewayConfig {
  url: string;
  headers?: Record<string, string>;
  /** Names of the MCP servers whose tools it describes; absent: every server that has tools with the same names. */
  servers?: string[];
  /** Seconds until it counts as unreachable. */
  timeout?: number;
}

/** Names of an invoker's own parameters: those that name the server and the tool to call, and hold its arguments. */
export interface InvokerConfig {
  server?: string;
  tool: string;
  arguments: string;
}

/** Where approvals are published that count here, too, and whose signature they need. */
export interface SharedSettings {
  url: string;
  /** A file of OpenSSH's form ALLOWED SIGNERS; a relative path starts at the state folder, `~/` at the home folder. */
  allowedSigners: string;
  /** Seconds after which what is not confirmed approves nothing in mode strict. */
  maxAge?: number;
}

/** Where verdicts are sent as OTLP log records. */
export interface TelemetryConfig {
  /** Of a collector: all of the address, usually with `/v1/logs`. */
  endpoint: string;
  headers?: Record<string, string>;
  /** A command that prints further headers as a JSON object. */
  headersHelper?: string;
  /** Absent: `protobuf`. */
  encoding?: 'json' | 'protobuf';
  /** Whether events hold an opaque id of this machine. Absent: they do. */
  machineId?: boolean;
}

export interface Config {
  mode: Mode;
  /** Seconds for which a source's answer counts as live. */
  freshFor: number;
  servers: Record<string, { mode?: Mode; trusted?: boolean }>;
  gateways: Record<string, GatewayConfig>;
  /** By the client's name of the tool; `false`: it is not an invoker, though it looks like one. */
  invokers: Record<string, InvokerConfig | false>;
  /** Whether calls are kept with their arguments, for `logs --trace`. A project cannot set this. */
  trace?: boolean;
  /** A project cannot set this. */
  shared?: SharedSettings;
  /** A project cannot set this. */
  telemetry?: TelemetryConfig;
}

export const MODES: readonly Mode[] = ['off', 'warn', 'guard', 'strict'];

const isSharedUrl = (value: unknown): boolean => {
  if (
    typeof value !== 'string' ||
    !/^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/])[^@\s]+$/.test(value)
  )
    return false;
  return URL.canParse(value);
};

/** A mode that nothing knows was meant for something, so the strictest one applies. */
const mode: SettingReader = (value, path, report) => {
  if (MODES.includes(value as Mode)) return value;
  report(path, `must be one of ${MODES.join(', ')}`, 'mode strict applies');
  return 'strict' satisfies Mode;
};
const flag = plain('true or false', (value) => typeof value === 'boolean');
const text = plain('a text', (value) => typeof value === 'string');
const name = plain('a text that is not empty', (value) => typeof value === 'string' && value !== '');
const seconds = (wanted: string, fits: (value: number) => boolean): SettingReader =>
  plain(`a number of seconds ${wanted}`, (value) => typeof value === 'number' && fits(value));
const invoker = fields({ server: name, tool: name, arguments: name }, ['tool', 'arguments']);

const timeout = seconds('above 0, and at most 60', (value) => value > 0 && value <= 60);
const plainUrl = plain('an http or https address without variables, user and password', (value) => {
  if (typeof value !== 'string' || value.includes('${') || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '';
});

const SHARED: Record<string, SettingReader> = {
  url: plain('an https address without user and password; http on this machine alone', isSharedUrl),
  allowedSigners: name,
  maxAge: seconds('above 0', (value) => value > 0),
};

/** The part of `approvals` that says where approvals are shared. The commands that use its other keys check those. */
const approvalsOf =
  (shared: Record<string, SettingReader>): SettingReader =>
  (value, path, report) => {
    if (!isObject(value)) return report(path, 'must be an object');
    const given = Object.entries(value).filter(([key]) => Object.hasOwn(shared, key));
    return given.length === 0 ? {} : fields(shared, ['url', 'allowedSigners'])(Object.fromEntries(given), path, report);
  };

/** A project may not say whose approvals count. */
const projectApprovals: SettingReader = (value, path, report) => {
  if (!isObject(value)) return report(path, 'must be an object');
  for (const key of Object.keys(SHARED))
    if (Object.hasOwn(value, key)) report([...path, key], 'may stand in the settings of a user alone');
  return value;
};

const telemetry = fields(
  {
    endpoint: name,
    headers: mapOf(text),
    headersHelper: name,
    encoding: plain('json or protobuf', (value) => value === 'json' || value === 'protobuf'),
    machineId: flag,
  },
  ['endpoint'],
);
/** What would leave this machine is for its user alone to say. */
const usersOnly: SettingReader = (_value, path, report) =>
  report(path, 'may be set in your own config.json alone, not by a project');

export const USER = fields({
  $schema: text,
  mode,
  freshFor: seconds('from 0 to 60', (value) => value >= 0 && value <= 60),
  servers: mapOf(fields({ mode, trusted: flag })),
  gateways: mapOf(
    fields(
      {
        url: name,
        headers: mapOf(text),
        servers: listOf(text),
        timeout,
      },
      ['url'],
    ),
  ),
  invokers: mapOf((value, path, report) => (value === false ? value : invoker(value, path, report))),
  trace: flag,
  telemetry,
  approvals: approvalsOf(SHARED),
});
export const PROJECT = fields({
  $schema: text,
  mode,
  servers: mapOf(fields({ mode })),
  gateways: mapOf(fields({ url: plainUrl, servers: listOf(text), timeout }, ['url'])),
  invokers: mapOf(invoker),
  // Commands that use these check them; the guard never reads them.
  ignore: plain('an array', Array.isArray),
  lint: plain('an object', isObject),
  telemetry: usersOnly,
  approvals: projectApprovals,
});

/** What an organization may say. Other settings are the user's. */
export const MANAGED = fields({
  $schema: text,
  mode,
  servers: mapOf(fields({ mode, trusted: flag })),
  telemetry,
  // Any other path would lead to a file that the user can write.
  approvals: approvalsOf({
    ...SHARED,
    allowedSigners: plain('an absolute path', (value) => typeof value === 'string' && isAbsolute(value)),
  }),
});
