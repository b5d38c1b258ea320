import { own } from '../contract/types.ts';
import { expand } from './expand.ts';
import type { Launch } from './types.ts';

/** A command line that starts `konnichiwagwan wrap`, with the places of its words. */
export interface WrapWords {
  /** Where the words after `wrap` begin. */
  begin: number;
  /** Where the wrapped program's command line begins, after `--`; undefined if a URL is wrapped. */
  program?: number;
  /** Each option that has a value, in order, and the place of the word that holds the value. */
  options: { name: ValuedOption; value: string; at: number }[];
}

/**
 * `--url-env` and `--header-env NAME=VARIABLE` name variables for values that must not be in a command line, since every
 * process can read that. wrap itself ignores `--was`: it says how the entry was written before.
 */
const VALUED = ['url', 'url-env', 'header', 'header-env', 'was'] as const;
type ValuedOption = (typeof VALUED)[number];

const OURS = /^(konnichiwagwan|kwg)$/;
const PACKAGE = /^konnichiwagwan(@[^/\\]+)?$/;
/** Our program in an installation, a package or a plugin: in a folder with our name. */
const BUILT = /(^|[/\\])konnichiwagwan[/\\](.*[/\\])?(dist|program)[/\\]cli\.cjs$/;
/** Programs that run a package by its name, and their words that may come before it. */
const RUNNERS = /^(npx|pnpx|bunx|npm|pnpm|yarn|bun)$/;
const RUN = /^(exec|x|dlx|--)$/;

/** A program's name, without its folder and the endings of Windows. */
const nameOf = (command: string): string => command.replace(/^.*[/\\]/, '').replace(/\.(exe|cmd|bat|ps1)$/i, '');

/** The first word from here on that is not a flag. Stops at a flag of Node that takes code: then there is no script. */
const behindFlags = (words: readonly string[], from: number): number => {
  let next = from;
  while (/^--?(?!(e|p|pe|eval|print)$)[^-]/.test(words[next] ?? '')) next++;
  return next;
};

/** Where the words after our program begin, if a runner is given our package in the words from here on. */
const behindPackage = (words: readonly string[], from: number): number | undefined => {
  for (let at = from; at < words.length; at++) {
    const word = words[at] as string;
    const isPackage = PACKAGE.test(word);
    if (isPackage && !/^(-p|--package)$/.test(words[at - 1] ?? '')) return at + 1;
    if (isPackage || /^--package=konnichiwagwan(@[^/\\]+)?$/.test(word)) {
      // `--package konnichiwagwan kwg`: the program's name follows.
      const next = behindFlags(words, at + 1);
      const program = words[next] === '--' ? next + 1 : next;
      return OURS.test(words[program] ?? '') ? program + 1 : undefined;
    }
    if (!word.startsWith('-') && !RUN.test(word)) return undefined;
  }
  return undefined;
};

/** Where the words after our program begin; undefined for any other program. */
const behindOurs = (words: readonly string[], at = 0): number | undefined => {
  const name = nameOf(words[at] ?? '');
  if (OURS.test(name)) return at + 1;
  if (/^cmd$/i.test(name) && /^\/c$/i.test(words[at + 1] ?? '')) return behindOurs(words, at + 2);
  if (name === 'node' || name === 'bun') {
    const script = behindFlags(words, at + 1);
    const path = words[script] ?? '';
    if (BUILT.test(path) || OURS.test(nameOf(path))) return script + 1;
  }
  return RUNNERS.test(name) ? behindPackage(words, at + 1) : undefined;
};

/** Whether a command line starts our program, with any command. */
export const startsOurs = (words: readonly string[]): boolean => behindOurs(words) !== undefined;

/** Reads a command line, the program first; undefined if it wraps no server. */
export const readWrap = (words: readonly string[]): WrapWords | undefined => {
  const command = behindOurs(words);
  if (command === undefined || words[command] !== 'wrap') return undefined;
  const begin = command + 1;
  const options: WrapWords['options'] = [];
  for (let at = begin; at < words.length; at++) {
    const word = words[at] as string;
    if (word === '--') {
      const program = at + 1;
      return program < words.length ? { begin, program, options } : undefined;
    }
    const name = VALUED.find((one) => word === `--${one}` || word.startsWith(`--${one}=`));
    if (name === undefined) continue;
    if (word !== `--${name}`) options.push({ name, value: word.slice(name.length + 3), at });
    else if (at + 1 < words.length) options.push({ name, value: words[++at] as string, at });
  }
  return options.some(({ name }) => name === 'url' || name === 'url-env') ? { begin, options } : undefined;
};

/** The headers that wrap sends: of each its value, or the name of the variable that holds it. */
export const headersIn = ({ options }: WrapWords): { header: string; text: string; isVariable: boolean }[] =>
  options.flatMap(({ name, value }) => {
    if (!name.startsWith('header')) return [];
    const isVariable = name === 'header-env';
    const [, header = '', text = ''] = (isVariable ? /^([^=]*)=(.*)$/s : /^([^:]*):\s*(.*)$/s).exec(value) ?? [];
    return header === '' ? [] : [{ header, text, isVariable }];
  });

/** What `--was` says about an entry: `type=sse` and the like. */
export const formerOf = ({ options }: WrapWords): Record<string, string> =>
  Object.fromEntries(
    options.flatMap(({ name, value }) => {
      const [, key = '', text = ''] = /^([\w-]+)(?:=(.*))?$/s.exec(value) ?? [];
      return name === 'was' && key !== '' ? [[key, text]] : [];
    }),
  );

/** Whether an entry's wrap judges no call. */
export const isWrappedOff = (launch: Launch): boolean => {
  if (launch.type !== 'stdio') return false;
  const words = [launch.command, ...launch.args];
  const wrap = readWrap(words);
  return wrap !== undefined && words.slice(wrap.begin, wrap.program).includes('--off');
};

/**
 * The server behind an entry that starts it through `konnichiwagwan wrap`; undefined for any other entry. Takes the entry as
 * configured: variables are resolved from the entry's own ones, and stay `${NAME}` if these lack them. wrap starts a
 * program with all variables that wrap itself got.
 */
export const unwrapped = (launch: Launch): Launch | undefined => {
  if (launch.type !== 'stdio') return undefined;
  const words = [launch.command, ...launch.args];
  const wrap = readWrap(words);
  if (wrap === undefined) return undefined;
  const { env } = launch;
  if (wrap.program !== undefined) {
    const [command = '', ...args] = words.slice(wrap.program);
    return { ...launch, command, args };
  }
  const variable = (name: string): string => (own(env, name) as string | undefined) ?? `\${${name}}`;
  let url = '';
  for (const { name, value } of wrap.options) {
    if (name === 'url') url = expand(value, env).text;
    if (name === 'url-env') url = variable(value);
  }
  const headers: Record<string, string> = {};
  for (const { header, text, isVariable } of headersIn(wrap))
    if (header !== '__proto__' && header.trim() !== '')
      headers[header.trim()] = isVariable ? variable(text) : expand(text, env).text;
  return { type: formerOf(wrap).type === 'sse' ? 'sse' : 'http', url, headers };
};
