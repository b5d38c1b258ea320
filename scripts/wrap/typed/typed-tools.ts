// The tools behind an invoker, each as a tool of its own.
import { spelled } from '../../contract/names.ts';
import { signature } from '../../contract/signature.ts';
import { type Contract, isObject, own } from '../../contract/types.ts';
import { invokerByShape } from '../../guard/invoker/shape.ts';
import type { Invoker } from '../../guard/invoker/types.ts';
import { digestOf } from '../../state/digest.ts';
import { glob } from '../../text/glob.ts';
import type { OwnRequests } from '../own-requests.ts';
import type { InvokerSettings } from '../settings.ts';
import type { HostTools } from '../types.ts';
import { askHub, readListing } from './hub.ts';
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

interface TypedSettings extends InvokerSettings {
  /** How many characters the host puts before a tool's name. */
  before: number;
}

/** A search tells of so many tools, and offers them. */
const MOST_FOUND = 20;
const SEARCH = 'find_tools';

const SEARCH_TOOL = {
  name: SEARCH,
  title: 'Find tools',
  description:
    'Finds tools by words in their names and descriptions, and adds those that it finds to the list of tools. Give one or more words; with none it names all.',
  inputSchema: {
    type: 'object',
    properties: { words: { type: 'string', description: 'words, separated by spaces; each of them has to occur' } },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

interface FoundInvoker {
  name: string;
  invoker: Invoker;
}

const invokerIn = (tools: readonly unknown[]): FoundInvoker | undefined => {
  for (const tool of tools) {
    const [name, inputSchema] = [own(tool, 'name'), own(tool, 'inputSchema')];
    if (typeof name !== 'string' || inputSchema === undefined) continue;
    const invoker = invokerByShape({ name, inputSchema } as Contract);
    if (invoker !== undefined) return { name, invoker };
  }
  return undefined;
};

/** Offers the tools behind an invoker, and not the invoker. */
export const typedTools = ({ from, only, search, before }: TypedSettings): HostTools => {
  let found: FoundInvoker | undefined;
  let inner = new Map<string, InnerTool>();
  /** Names that a search has brought. */
  const searched = new Set<string>();

  const listedAs = (name: string, { listed }: InnerTool) => ({ ...listed, name });

  return {
    isActive: () => true,
    list: async (tools, requests: OwnRequests, meta) => {
      found = invokerIn(tools);
      if (found === undefined) throw new Error('none of its tools is an invoker');
      const { name: invokerName, invoker } = found;
      const listed = from === undefined ? await askHub(tools, requests, meta) : await readListing(from);
      const callable = listed.filter(({ server }) => invoker.server === undefined || server !== undefined);
      if (callable.length === 0) throw new Error('no server lists the tools behind its invoker');
      const others = tools.filter((tool) => own(tool, 'name') !== invokerName);
      const taken = new Set([...others.map((tool) => own(tool, 'name')), SEARCH]);
      inner = new Map(
        callable
          .map((tool): [string, InnerTool] => [typedName(tool, before, (name) => taken.has(name)), tool])
          .filter(([name]) => only.length === 0 || only.some((pattern) => glob(pattern, name))),
      );
      const shown = [...inner].filter(([name]) => !search || searched.has(name));
      return [...others, ...(search ? [SEARCH_TOOL] : []), ...shown.map(([name, tool]) => listedAs(name, tool))];
    },
    call: (name) => {
      const tool = inner.get(name);
      if (tool === undefined || found === undefined) return undefined;
      const { invoker } = found;
      const to = {
        ...(invoker.server === undefined ? {} : { [invoker.server]: tool.server }),
        [invoker.tool]: tool.name,
      };
      return {
        name: found.name,
        around: (args) =>
          `${JSON.stringify(to).slice(0, -1)},${JSON.stringify(invoker.arguments)}:${invoker.asText ? JSON.stringify(args) : args}}`,
      };
    },
    isTyped: (name) => inner.has(name),
    answer: (name, args) => {
      if (!search || name !== SEARCH) return undefined;
      const words = String(own(args, 'words') ?? '')
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== '');
      const matching = [...inner].filter(([known, { listed }]) => {
        const text = `${known} ${isObject(listed) ? listed.description : ''}`.toLowerCase();
        return words.every((word) => text.includes(word));
      });
      const shown = matching.slice(0, MOST_FOUND);
      for (const [known] of shown) searched.add(known);
      const lines = shown.map(([known, tool]) => `- ${signature({ ...(listedAs(known, tool) as Contract) })}`);
      const more = matching.length - shown.length;
      return [
        shown.length === 0
          ? 'No tool has all of these words. With fewer words more is found.'
          : 'These tools can be called now:',
        ...lines,
        ...(more > 0 ? [`… and ${more} more: search with another word to find them.`] : []),
      ].join('\n');
    },
  };
};
