import { parseArgs } from 'node:util';

/** A server that is a program: its command line. */
interface ProgramTarget {
  command: string;
  args: string[];
}

/** What `konnichiwagwan wrap` was started with. */
export interface WrapSettings {
  target: ProgramTarget;
  /** What the server is called in our settings, and in messages; undefined where nobody has said it. */
  name?: string | undefined;
  /** Whether new descriptions may reach the model. */
  trusted: boolean;
  hotSwap: boolean;
  /** The file in which is kept what was served. */
  record?: string | undefined;
  /** The lockfile whose pins count. */
  lock?: string | undefined;
  /** The tool that calls other tools: its name, or an empty text where it is to be found. */
  invoker?: string | undefined;
  /** The file that says which tools are behind it. */
  tools?: string | undefined;
  /** Patterns of the tools that are given to the host. */
  only: string[];
  /** Whether the host is given a search in place of the tools. */
  search: boolean;
}

/** @param words what follows `konnichiwagwan wrap` */
export const readSettings = (words: string[]): WrapSettings => {
  const at = words.indexOf('--');
  const [command = '', ...args] = words.slice(at + 1);
  const { values } = parseArgs({
    // It may stand alone.
    args: words.slice(0, at).map((word) => (word === '--invoker' ? '--invoker=' : word)),
    options: {
      name: { type: 'string' },
      trust: { type: 'boolean', default: false },
      'hot-swap': { type: 'boolean', default: false },
      record: { type: 'string' },
      lock: { type: 'string' },
      invoker: { type: 'string' },
      tools: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] as string[] },
      search: { type: 'boolean', default: false },
    },
  });
  const { trust: trusted, 'hot-swap': hotSwap, ...others } = values;
  return { target: { command, args }, trusted, hotSwap, ...others };
};
