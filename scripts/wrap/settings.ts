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
}

/** @param words what follows `konnichiwagwan wrap` */
export const readSettings = (words: string[]): WrapSettings => {
  const at = words.indexOf('--');
  const [command = '', ...args] = words.slice(at + 1);
  const { values } = parseArgs({
    args: words.slice(0, at),
    options: {
      name: { type: 'string' },
      trust: { type: 'boolean', default: false },
      'hot-swap': { type: 'boolean', default: false },
      record: { type: 'string' },
      lock: { type: 'string' },
    },
  });
  const { name, record, lock } = values;
  return { target: { command, args }, name, trusted: values.trust, hotSwap: values['hot-swap'], record, lock };
};
