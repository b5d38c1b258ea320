// Secrets that servers are started or asked with, and how they stay out of our files.
import { DEEPEST_ARGUMENTS } from '../contract/depth.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { decoded } from '../contract/percent.ts';
import { isObject } from '../contract/types.ts';
import { nameWords } from '../diff/name-words.ts';
import { SHORTEST_SECRET } from '../state/hidden.ts';
import type { Launch } from './types.ts';

const SECRET_NAME = /TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|PRIVATE|AUTH(?!OR)|AUTHORIZATION|COOKIE/i;
/** Headers that describe the client but do not identify anyone. */
const PLAIN_HEADER = /^(accept|content-type|user-agent|mcp-protocol-version|x-request-id|host|origin)$/i;
/** A step of a URL's path that looks like a key: long, and with digits. */
const KEY_IN_PATH = /^(?=.*\d)[\w.~%+=-]{16,}$/;
const REDACTED = '[redacted]';

/** A secret, and where it comes from: the name of a variable, or a part of a server's settings. */
export type NamedSecret = [from: string, value: string];

/** Variables with the name of a secret, and a value that is long enough to be one. */
export const secretVariables = (env: NodeJS.ProcessEnv): NamedSecret[] =>
  Object.entries(env).flatMap(([name, value = '']): NamedSecret[] =>
    SECRET_NAME.test(name) && value.length >= SHORTEST_SECRET ? [[name, value]] : [],
  );

/** The values of such variables. */
export const secretsIn = (env: NodeJS.ProcessEnv): string[] => secretVariables(env).map(([, value]) => value);

const plain = (text: string): string => decoded(text) ?? text;

/** The secrets in a header's value: the part after its scheme; for `Basic`, also the password. */
const inHeader = (value: string): string[] => {
  const given = value.replace(/^\w+ +/, '');
  if (!/^basic /i.test(value)) return [value, given];
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(given, 'base64').toString('utf8')) ?? [];
  return [value, given, password];
};

const stepsLikeKeys = (address: string): string[] =>
  URL.canParse(address) ? new URL(address).pathname.split('/').filter((step) => KEY_IN_PATH.test(step)) : [];

/** The secrets in an address: of its user, in its query, and steps of its path that look like keys. */
const inUrl = (address: string): string[] => {
  if (!URL.canParse(address)) return [];
  const { username, password, searchParams, search } = new URL(address);
  const raw = search
    .slice(1)
    .split('&')
    .map((pair) => pair.replace(/^[^=]*=?/, ''));
  return [username, password, ...searchParams.values(), ...raw, ...stepsLikeKeys(address)].flatMap((one) => [
    one,
    plain(one),
  ]);
};

/** A password in an address, as in `postgres://user:password@host`, wherever that stands in a text. */
const PASSWORD_IN_URL = /(:\/\/[^\s/?#:@]{0,200}:)([^\s/?#@]{1,1000})@/g;

/** A text in which no address has its password. */
export const withoutPasswords = (text: string): string => text.replace(PASSWORD_IN_URL, '$1…@');

/** Passwords of the addresses in a text. */
const passwordsIn = (text: string): string[] =>
  [...text.matchAll(PASSWORD_IN_URL)].flatMap(([, , password = '']) => [password, plain(password)]);

/** The secrets in a program's arguments: passwords in addresses, and what follows a name like `--token`. */
const inArguments = (args: readonly string[]): string[] =>
  args.flatMap((arg, at) => {
    const [, name = '', value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const given = value ?? (args[at + 1]?.startsWith('-') ? undefined : args[at + 1]);
    const isSecret = SECRET_NAME.test(name.replaceAll('-', '_'));
    return [...passwordsIn(arg), ...(isSecret && given !== undefined ? [given] : [])];
  });

/** The secrets that a program is started with. */
const ofProgram = ({ args, env }: Launch & { type: 'stdio' }): NamedSecret[] => [
  ...secretVariables(env),
  ...Object.entries(env).flatMap(([name, value]) => passwordsIn(value).map((one): NamedSecret => [name, one])),
  ...inArguments(args).map((one): NamedSecret => ['an argument in the settings', one]),
];

/** The secrets that a server is reached with. */
export const secretsOfRemote = (url: string, headers: Record<string, string>): string[] => [
  ...inUrl(url),
  ...Object.entries(headers).flatMap(([name, value]) => (PLAIN_HEADER.test(name) ? [] : inHeader(value))),
];

/**
 * Values that a server is started or asked with and that are certainly secret: their name or their place says so. Other
 * headers and parts of a query may be words that a contract contains anyway.
 */
export const credentialsOf = (launch: Launch): NamedSecret[] => {
  if (launch.type === 'other') return [];
  if (launch.type === 'stdio') return ofProgram(launch).filter(([, value]) => value.length >= SHORTEST_SECRET);
  const { url, headers } = launch;
  const named = ([name]: readonly [string, string]): boolean => SECRET_NAME.test(name) || /key$/i.test(name);
  const { password = '', searchParams = new URLSearchParams() } = URL.canParse(url) ? new URL(url) : {};
  const address = [password, ...[...searchParams].filter(named).map(([, value]) => value), ...stepsLikeKeys(url)];
  const inHeaders = Object.entries(headers)
    .filter(named)
    .flatMap(([, value]) => inHeader(value));
  return [
    ...address.flatMap((one) => [one, plain(one)]).map((value): NamedSecret => ['an address in the settings', value]),
    ...inHeaders.map((value): NamedSecret => ['a header in the settings', value]),
  ].filter(([, value]) => value.length >= SHORTEST_SECRET);
};

/** The secrets that a server is started or asked with. */
export const secretsOf = (launch: Launch): string[] => {
  if (launch.type === 'other') return [];
  return launch.type === 'stdio'
    ? ofProgram(launch).map(([, value]) => value)
    : secretsOfRemote(launch.url, launch.headers);
};

/** Last words of a name that are secret in a call only: the variable `PWD` is a folder, and `--pass` often a switch. */
const SECRET_ARGUMENT =
  /(?:^|_)(?:pwd?|pass(?:_?(?:phrase|code|key))?|bearer|jwt|dsn|conn(?:ection)?_?str(?:ing)?|(?:access|encryption|master|session|signing|ssh)_?key|(?:recovery|seed)_?phrase)$/;
/** The same for codes, which are secret as short numbers, too. */
const SECRET_CODE = /(?:^|_)(?:pin|t?otp|cvv)(?:_?code)?$/;

const isNamedSecret = (name: string, value: unknown): boolean => {
  if (SECRET_NAME.test(name) || SECRET_NAME.test(name.replace(/[^A-Za-z0-9]/g, ''))) return value !== null;
  if (value === null || typeof value === 'boolean') return false;
  const words = nameWords(name).join('_');
  const isCount = typeof value === 'number' && Math.abs(value) < 1_000;
  return SECRET_CODE.test(words) || (SECRET_ARGUMENT.test(words) && !isCount);
};

/** Forms that only keys and tokens have. */
const TOKEN = new RegExp(
  [
    /sk-ant-[\w-]{8,}|sk-(?:admin|or-v1|proj|svcacct)-[\w-]{20,}|sk-[A-Za-z\d]{32,}|[rs]k_(?:live|test)_\w{16,}/,
    /(?:gh[oprsu]|github_pat)_\w{8,}|glpat-[\w-]{8,}|xox[a-z]-[\w-]{8,}|npm_\w{36}|hf_\w{30,}/,
    /AKIA[A-Z\d]{12,}|AIza[\w-]{30,}/,
    /eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)*/,
    /(?<=\b[Bb]earer )(?=\S*\d)[\w.~+/-]{16,}=*/,
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}-----|$)/,
  ]
    // Not in the middle of a word, from where long texts would be searched once for each character.
    .map(({ source }) => `(?<![\\w-])(?:${source})`)
    .join('|'),
  'g',
);

/** JSON in a text, as invokers and twins get it; undefined if the text is not JSON. */
const jsonIn = (text: string): object | undefined => {
  return /^\s*[[{]/.test(text) ? (parsedJson(text) as object | undefined) : undefined;
};

/**
 * Arguments of a call without values whose name or form marks them as secret, also inside of JSON text. Anything nested more
 * deeply than a call can be is left out.
 */
export const withoutNamed = (value: unknown, depth = 0): unknown => {
  if (depth > DEEPEST_ARGUMENTS) return REDACTED;
  if (typeof value === 'string') {
    const inside = jsonIn(value);
    if (inside !== undefined) return JSON.stringify(withoutNamed(inside, depth + 1));
    return withoutPasswords(value.replace(TOKEN, REDACTED));
  }
  if (Array.isArray(value)) return value.map((one) => withoutNamed(one, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      isNamedSecret(name, one) ? REDACTED : withoutNamed(one, depth + 1),
    ]),
  );
};

/** Takes known secrets out of texts. */
export class Redactor {
  /** The longest first, since one may be part of another. */
  readonly #known: string[];

  constructor(secrets: Iterable<string>) {
    const known = [...secrets].filter((secret) => secret.length >= SHORTEST_SECRET);
    // In plain text, as JSON text, and as part of a URL.
    const forms = known.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
    this.#known = [...new Set(forms)].sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    return this.#known.reduce((all, secret) => (all.includes(secret) ? all.replaceAll(secret, REDACTED) : all), text);
  }

  /** Whether a value, as JSON, holds a known secret. */
  isIn(value: unknown): boolean {
    if (this.#known.length === 0) return false;
    const text = JSON.stringify(value) ?? '';
    return this.#known.some((secret) => text.includes(secret));
  }

  /** The same value without known secrets: in all its texts, and in the names of its members. */
  value<T>(value: T): T {
    return this.isIn(value) ? (this.#without(value) as T) : value;
  }

  #without(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((one) => this.#without(one));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [this.text(key), this.#without(one)]));
  }
}
