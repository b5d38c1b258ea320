import { type ParseArgsConfig, parseArgs } from 'node:util';
import { httpUrl } from '../contract/http-url.ts';
import { expand } from '../servers/expand.ts';

/** A server that is a program: its command line. */
export interface ProgramTarget {
  command: string;
  args: string[];
}

/** A server that is reached over HTTP, with all variables expanded. */
export interface RemoteTarget {
  url: URL;
  headers: Record<string, string>;
}

export interface InvokerSettings {
  /** A file or a gateway's address that lists the tools; absent if the hub is asked. */
  from?: string | undefined;
  /** Patterns of the names to offer; all names if absent. */
  only: readonly string[];
  /** Whether tools are offered only once they were searched for. */
  search: boolean;
}

/** What `konnichiwagwan wrap` was started with. */
export interface WrapSettings {
  target: ProgramTarget | RemoteTarget;
  /** The server's name in our settings and in messages; undefined if not given. */
  name?: string | undefined;
  /** Whether new descriptions may reach the model. */
  trusted: boolean;
  hotSwap: boolean;
  /** Whether nothing is judged, and everything passes unchanged. */
  isOff: boolean;
  /** The file in which is kept what was served. */
  record?: string | undefined;
  /** The lockfile whose pins count. */
  lock?: string | undefined;
  /** Whether, and how, the tools behind an invoker become tools of their own. */
  invoker?: InvokerSettings | undefined;
}

/** What is wrong with its arguments. */
export class WrongUse extends Error {}

const OPTIONS = {
  url: { type: 'string' as const },
  // Variables for what no command line may hold, since all processes can read those.
  'url-env': { type: 'string' as const },
  header: { type: 'string' as const, multiple: true as const, default: [] as string[] },
  'header-env': { type: 'string' as const, multiple: true as const, default: [] as string[] },
  // The host's entry as it was before, kept for taking wrap out again.
  was: { type: 'string' as const, multiple: true as const, default: [] as string[] },
  name: { type: 'string' as const },
  trust: { type: 'boolean' as const, default: false },
  'hot-swap': { type: 'boolean' as const, default: false },
  off: { type: 'boolean' as const, default: false },
  record: { type: 'string' as const },
  lock: { type: 'string' as const },
  invoker: { type: 'boolean' as const, default: false },
  tools: { type: 'string' as const },
  only: { type: 'string' as const, multiple: true as const, default: [] as string[] },
  search: { type: 'boolean' as const, default: false },
} satisfies ParseArgsConfig['options'];

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, options: OPTIONS, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new WrongUse((error as Error).message.split('. ')[0]);
  }
};

const expanded = (text: string, env: NodeJS.ProcessEnv): string => {
  const { text: whole, unset } = expand(text, env);
  if (unset.length > 0) throw new WrongUse(`the variable ${unset[0]} is not set`);
  return whole;
};

const variable = (name: string, env: NodeJS.ProcessEnv): string => {
  const value = env[name];
  if (value === undefined) throw new WrongUse(`the variable ${name} is not set`);
  return value;
};

const urlOf = (text: string): URL => {
  const url = httpUrl(text);
  // The text itself may hold a secret.
  if (url === undefined) throw new WrongUse('the URL is no http or https URL');
  return url;
};

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** HTTP forbids them. */
const NO_VALUE = /[\0\r\n]/;

const headersOf = (
  { header, 'header-env': fromVariables }: { header: string[]; 'header-env': string[] },
  env: NodeJS.ProcessEnv,
): Record<string, string> => {
  const pairs = [
    ...header.map((one) => {
      const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/s.exec(one) ?? [];
      return [name.trim(), expanded(value, env).trim()] as const;
    }),
    ...fromVariables.map((one) => {
      const [, name = '', from = ''] = /^([^=]*)=(.*)$/s.exec(one) ?? [];
      return [name.trim(), variable(from, env).trim()] as const;
    }),
  ];
  for (const [name, value] of pairs)
    if (!TOKEN.test(name) || NO_VALUE.test(value)) throw new WrongUse("a header is written as 'Name: value'");
  return Object.fromEntries(pairs);
};

/**
 * @param words what follows `konnichiwagwan wrap`
 * @throws WrongUse
 */
export const readSettings = (words: string[], env: NodeJS.ProcessEnv): WrapSettings => {
  const at = words.indexOf('--');
  const values = parse(at === -1 ? words : words.slice(0, at));
  const [command, ...args] = at === -1 ? [] : words.slice(at + 1);
  const given = values.url ?? values['url-env'];
  if (given !== undefined && at !== -1) throw new WrongUse('it wraps a program or a URL, and not both');
  const url = values['url-env'] === undefined ? expanded(values.url ?? '', env) : variable(values['url-env'], env);
  if (given === undefined && (command ?? '') === '') throw new WrongUse('the command of the server is missing');
  const { name, record, lock, tools, only, search } = values;
  if (!values.invoker && (tools !== undefined || only.length > 0 || search))
    throw new WrongUse('--tools, --only and --search say how --invoker works');
  return {
    target:
      given === undefined ? { command: command as string, args } : { url: urlOf(url), headers: headersOf(values, env) },
    name,
    trusted: values.trust,
    hotSwap: values['hot-swap'],
    isOff: values.off,
    record,
    lock,
    invoker: values.invoker ? { from: tools, only, search } : undefined,
  };
};
