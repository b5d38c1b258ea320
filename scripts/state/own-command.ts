import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { homeOf } from './paths.ts';

// The bundles are CommonJS, in the same folder as the command line.
declare const __filename: string;

const NAMES = ['konnichiwagwan', 'kwg'] as const;
const ENDINGS = process.platform === 'win32' ? ['.cmd', '.exe', ''] : [''];
/** A command of ours in a text for people, by one of its names. */
const COMMAND =
  /\b(konnichiwagwan|kwg)(?= (?:status|probe|baseline|diff|hash|pin|preflight|verify|approve|logs|scan|usage|mcp-validate|lint|statusline|explain|doctor|demo|wrap|install|uninstall|help|--help)\b)/g;

const isIn = (folder: string, name: string): boolean => ENDINGS.some((end) => existsSync(join(folder, name + end)));

/** As one word for a shell. */
const quoted = (path: string): string => (/^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** How a person starts us under a name here: as a plugin, in a clone, or after the demo, no shell finds that name. */
const startOf = (name: string, env: NodeJS.ProcessEnv): string => {
  const path = (env.PATH ?? process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const there = [name, ...NAMES].find((one) => path.some((folder) => isIn(folder, one)));
  if (there !== undefined) return there;
  if (isIn(join(homeOf(env), '.local/bin'), name)) return `~/.local/bin/${name}`;
  if (typeof __filename === 'undefined') return name;
  return `node ${quoted(join(dirname(__filename), 'cli.cjs'))}`;
};

/** A text with each of our commands in the form that works here when typed. */
export const asTyped = <T extends string>(text: T, env: NodeJS.ProcessEnv): T => {
  const known = new Map<string, string>();
  return text.replace(COMMAND, (name) => {
    const start = known.get(name) ?? startOf(name, env);
    known.set(name, start);
    return start;
  }) as T;
};
