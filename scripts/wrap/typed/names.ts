import { spelled } from '../../contract/names.ts';
import { digestOf } from '../../state/digest.ts';
import type { InnerTool } from './inner-tools.ts';

/** How long the whole name of a tool may be, for hosts and models. */
const LONGEST_NAME = 64;
const DIGEST = 8;
/** How much of a cut name is left at least. */
const SHORTEST_START = 12;

/** Whether the two names, joined by `__`, can be taken apart again in one way only. */
const isFaithful = ({ server, name }: InnerName): boolean =>
  spelled(name) === name &&
  (server === undefined || (spelled(server) === server && !/__|_$/.test(server) && !name.startsWith('_')));

type InnerName = Pick<InnerTool, 'server' | 'name'>;

/**
 * The name of a tool behind an invoker. It depends only on the two names by which the tool is called, so it stays when
 * other tools come and go. Where that could be another tool's name, or is too long, it ends with a digest of the two.
 * @param before how many characters the host puts before it
 */
export const typedName = (tool: InnerName, before: number, isTaken: (name: string) => boolean): string => {
  const { server, name } = tool;
  const longest = Math.max(LONGEST_NAME - before, SHORTEST_START + 1 + DIGEST);
  const whole = (server === undefined ? '' : `${spelled(server)}__`) + spelled(name);
  if (isFaithful(tool) && whole.length <= longest && !isTaken(whole)) return whole;
  const digest = digestOf(JSON.stringify([server, name])).slice(0, DIGEST);
  return `${whole.slice(0, longest - DIGEST - 1)}_${digest}`;
};
