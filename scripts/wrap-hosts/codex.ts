import { stringify } from 'smol-toml';
import { defined } from '../contract/defined.ts';
import { isObject, own } from '../contract/types.ts';
import { headersIn, readWrap, unwrapped, type WrapWords } from '../servers/wrapped.ts';
import type { HostEntry } from './entries.ts';
import { isPlainUrl, wordsOf } from './entry-text.ts';

/** What a person changes in a TOML file: the lines of one table to take out, and those to put in. */
export interface TomlChange {
  table: string;
  takeOut: string[];
  putIn: string[];
}

type Table = Record<string, unknown>;

const strings = (value: unknown): [string, string][] =>
  isObject(value) ? Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string') : [];

/** A value that may be a secret is not shown: the person who edits the file sees it there. */
const HIDDEN = '…';
const hide = (values: Iterable<[string, string]>): Table =>
  Object.fromEntries([...values].map(([key]) => [key, HIDDEN]));

/** One line for each member: a table inside of it on one line, too. */
const lines = (table: Table): string[] =>
  Object.entries(table).flatMap(([key, value]) => {
    if (!isObject(value)) return [stringify({ [key]: value }).trim()];
    const members = Object.entries(value).map(([name, text]) => stringify({ [name]: text }).trim());
    return members.length === 0
      ? []
      : [
          `${stringify({ [key]: 0 })
            .trim()
            .slice(0, -1)}{ ${members.join(', ')} }`,
        ];
  });

/** Codex names variables that hold headers, and hands a program only those variables that its entry lists. */
const wrappedRemote = (value: Table, start: readonly string[]): Table => {
  const [command, ...words] = start;
  const url = String(value.url);
  const env: Table = {};
  const passed: string[] = [];
  if (isPlainUrl(url)) words.push('--url', url);
  else {
    words.push('--url-env', 'KWG_URL');
    env.KWG_URL = HIDDEN;
  }
  for (const [index, [name]] of strings(value.http_headers).entries()) {
    words.push('--header-env', `${name}=KWG_HEADER_${index + 1}`);
    env[`KWG_HEADER_${index + 1}`] = HIDDEN;
  }
  for (const [name, variable] of strings(value.env_http_headers)) {
    words.push('--header-env', `${name}=${variable}`);
    passed.push(variable);
  }
  if (typeof value.bearer_token_env_var === 'string') {
    words.push('--header', `Authorization: Bearer \${${value.bearer_token_env_var}}`);
    passed.push(value.bearer_token_env_var);
  }
  return {
    command,
    args: words,
    ...(Object.keys(env).length > 0 ? { env } : {}),
    ...(passed.length > 0 ? { env_vars: passed } : {}),
  };
};

const REMOTE = ['url', 'http_headers', 'env_http_headers', 'bearer_token_env_var'];

const remoteOf = (value: Table): Table =>
  Object.fromEntries(
    REMOTE.flatMap((key): [string, unknown][] => {
      const found = value[key];
      if (found === undefined) return [];
      if (key === 'url') return [[key, isPlainUrl(String(found)) ? found : HIDDEN]];
      return [[key, key === 'http_headers' ? hide(strings(found)) : found]];
    }),
  );

const tableOf = ({ name }: HostEntry): string =>
  stringify({ mcp_servers: { [name]: { x: 0 } } }).split('\n')[0] as string;

/** What to change so that Codex starts a server through `start`. */
export const codexAdd = (entry: HostEntry, start: readonly string[]): TomlChange => {
  const value = entry.value as Table;
  const [command, ...words] = start;
  if (typeof value.url === 'string')
    return { table: tableOf(entry), takeOut: lines(remoteOf(value)), putIn: lines(wrappedRemote(value, start)) };
  const { args } = value;
  const original = wordsOf(value, entry.place.form) ?? [];
  return {
    table: tableOf(entry),
    takeOut: lines({ command: value.command, ...(args === undefined ? {} : { args }) }),
    putIn: lines({ command, args: [...words, '--', ...original] }),
  };
};

const VARIABLE = /^Bearer \$\{(\w+)\}$/;

/** The headers that wrap sends, in the members in which Codex keeps them. */
const headersAgain = (wrap: WrapWords | undefined, variables: unknown): Table => {
  const [http, fromEnv]: [Table, Table] = [{}, {}];
  let bearer: string | undefined;
  for (const { header, text, isVariable } of wrap === undefined ? [] : headersIn(wrap)) {
    const variable = isVariable ? undefined : VARIABLE.exec(text)?.[1];
    if (variable !== undefined && header === 'Authorization') bearer = variable;
    else if (isVariable && own(variables, text) === undefined) fromEnv[header] = text;
    else http[header] = HIDDEN;
  }
  return { http_headers: http, env_http_headers: fromEnv, ...defined({ bearer_token_env_var: bearer }) };
};

/** What to change so that Codex starts the server itself again. */
export const codexRemove = (entry: HostEntry): TomlChange => {
  const value = entry.value as Table;
  const words = wordsOf(value, entry.place.form) ?? [];
  const [command = '', ...args] = words;
  const variables = own(value, 'env');
  const server = unwrapped({ type: 'stdio', command, args, env: Object.fromEntries(strings(variables)) });
  const taken = { command, args };
  if (server?.type === 'stdio')
    return {
      table: tableOf(entry),
      takeOut: lines(taken),
      putIn: lines({ command: server.command, ...(server.args.length > 0 ? { args: server.args } : {}) }),
    };
  const url = server !== undefined && 'url' in server ? server.url : '';
  return {
    table: tableOf(entry),
    takeOut: lines({
      ...taken,
      ...(isObject(variables) ? { env: hide(strings(variables)) } : {}),
      ...defined({ env_vars: value.env_vars }),
    }),
    putIn: lines({ url: isPlainUrl(url) ? url : HIDDEN, ...headersAgain(readWrap(words), variables) }),
  };
};
