import { own } from '../contract/types.ts';
import { expand } from './expand.ts';
import type { Launch } from './types.ts';

/** A command line that starts `konnichiwagwan wrap`, with the places of its words. */
export interface WrapWords {
  /** Where the words behind `wrap` begin. */
  begin: number;
  /** Where the wrapped program's command line begins, behind `--`; undefined if a URL is wrapped. */
  program?: number;
  /** Each option that has a value, in order, and the place of the word that holds the value. */
  options: { name: ValuedOption; value: string; at: number }[];
}

/**
 * `--url-env` and `--header-env NAME=VARIABLE` name variables that hold what must stand in no command line, since all
 * processes can read those. `--was` means nothing to wrap: it says how the entry was written before.
 */
const VALUED = ['url', 'url-env', 'header', 'header-env', 'was'] as const;
type ValuedOption = (typeof VALUED)[number];

const OURS = /^(konnichiwagwan|kwg)$/;
const PACKAGE = /^konnichiwagwan(@[^/\\]+)?$/;
/** Our program in an installation, a package or a plugin: in some folder of our name. */
const BUILT = /(^|[/\\])konnichiwagwan[/\\](.*[/\\])?(dist|program)[/\\]cli\.cjs$/;
/** Programs that run a package by its name, and words of theirs that come before it. */
const RUNNERS = /^(npx|pnpx|bunx|npm|pnpm|yarn|bun)$/;
const RUN = /^(exec|x|dlx|--)$/;

/** What a program is called, without its folder and the endings of Windows. */
const nameOf = (command: string): string => command.replace(/^.*[/\\]/, '').replace(/\.(exe|cmd|bat|ps1)$/i, '');

/** Where the words behind our program begin; undefined for any other program. */
const behindOurs = (words: readonly string[], at = 0): number | undefined => {
  const name = nameOf(words[at] ?? '');
  /** The first word from here on that is no flag. A flag of Node that is followed by code leads to no script. */
  const flagsFrom = (from: number): number => {
    let next = from;
    while (/^--?(?!(e|p|pe|eval|print)$)[^-]/.test(words[next] ?? '')) next++;
    return next;
  };
  if (OURS.test(name)) return at + 1;
  if (/^cmd$/i.test(name) && /^\/c$/i.test(words[at + 1] ?? '')) return behindOurs(words, at + 2);
  if (name === 'node' || name === 'bun') {
    const script = flagsFrom(at + 1);
    const path = words[script] ?? '';
    if (BUILT.test(path) || OURS.test(nameOf(path))) return script + 1;
  }
  if (!RUNNERS.test(name)) return undefined;
  for (let next = at + 1; next < words.length; next++) {
    const word = words[next] as string;
    if (PACKAGE.test(word)) {
      // `--package konnichiwagwan kwg`: the program's name follows.
      const named = /^(-p|--package)$/.test(words[next - 1] ?? '') ? flagsFrom(next + 1) : next;
      const program = words[named] === '--' ? named + 1 : named;
      return program === next || OURS.test(words[program] ?? '') ? program + 1 : undefined;
    }
    if (/^--package=konnichiwagwan(@[^/\\]+)?$/.test(word)) {
      const program = words[flagsFrom(next + 1)] === '--' ? flagsFrom(next + 1) + 1 : flagsFrom(next + 1);
      return OURS.test(words[program] ?? '') ? program + 1 : undefined;
    }
    if (!word.startsWith('-') && !RUN.test(word)) return undefined;
  }
  return undefined;
};

/** Whether a command line starts our program, whatever it is to do. */
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

/** What `--was` says of an entry: `type=sse` and the like. */
export const formerOf = ({ options }: WrapWords): Record<string, string> =>
  Object.fromEntries(
    options.flatMap(({ name, value }) => {
      const [, key = '', text = ''] = /^([\w-]+)(?:=(.*))?$/s.exec(value) ?? [];
      return name === 'was' && key !== '' ? [[key, text]] : [];
    }),
  );

/**
 * The server behind an entry that starts it through `konnichiwagwan wrap`; undefined for any other entry. Give it the entry
 * as configured: what it names in variables is resolved from the entry's own ones, and left as `${NAME}` where these do
 * not hold it. wrap starts a program with all variables that wrap itself got.
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
  const headers: Record<string, string> = {};
  for (const { name, value } of wrap.options) {
    if (name === 'url') url = expand(value, env).text;
    if (name === 'url-env') url = variable(value);
    const [, header = '', text = ''] =
      (name === 'header' ? /^([^:]*):\s*(.*)$/s : /^([^=]*)=(.*)$/s).exec(name.startsWith('header') ? value : '') ?? [];
    if (header === '__proto__' || header.trim() === '') continue;
    headers[header.trim()] = name === 'header' ? expand(text, env).text : variable(text);
  }
  return { type: formerOf(wrap).type === 'sse' ? 'sse' : 'http', url, headers };
};
