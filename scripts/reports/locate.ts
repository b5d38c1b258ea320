import { type Node, parseTree } from 'jsonc-parser';
import { namesIn } from '../contract/json-pointer.ts';
import { labelOf } from '../contract/label.ts';

/** A place in a text; line and column count from 1. */
export interface Spot {
  line: number;
  column: number;
}

/** A JSON value, and the offset at which it begins: for a member of an object, that of its key. */
interface TextPlace {
  at: number;
  node: Node;
}

const SPELLINGS = ['inputSchema', 'input_schema', 'schema'];

/** No line lookup in larger files, in UTF-16 units: these are machine-made, often one long line. */
const LARGEST = 16 * 1024 * 1024;

const placeOf = (node: Node): TextPlace => ({
  at: node.offset,
  node: node.type === 'property' ? (node.children?.[1] as Node) : node,
});

const known = new WeakMap<Node, Map<string, TextPlace>>();

/** The members of an object by name; empty for anything else. Of duplicates the last one, as in `JSON.parse`. */
const membersOf = (place: TextPlace | undefined): Map<string, TextPlace> => {
  if (place?.node.type !== 'object') return new Map();
  const members =
    known.get(place.node) ?? new Map(place.node.children?.map((one) => [one.children?.[0]?.value, placeOf(one)]));
  known.set(place.node, members);
  return members;
};

const itemsOf = ({ node }: TextPlace): TextPlace[] | undefined =>
  node.type === 'array' ? (node.children ?? []).map(placeOf) : undefined;

/** The contracts of a lockfile, by label (see `labelOf`); each begins at the tool's name. */
const lockedTools = (servers: TextPlace | undefined): Map<string, TextPlace> =>
  new Map(
    [...membersOf(servers)].flatMap(([server, place]): [string, TextPlace][] => [
      [labelOf(server), place],
      ...[...membersOf(membersOf(place).get('tools'))].map(([tool, pin]): [string, TextPlace] => [
        labelOf(server, tool),
        { ...(membersOf(pin).get('contract') ?? pin), at: pin.at },
      ]),
    ]),
  );

/** The tools of a list, in any accepted form, by name. */
const toolsOf = (root: TextPlace): Map<string, TextPlace> => {
  const members = membersOf(root);
  if (members.has('lockfileVersion')) return lockedTools(members.get('servers'));
  const inside = members.get('result') ?? root;
  const list = membersOf(inside).get('tools') ?? inside;
  const named = (itemsOf(list) ?? [list]).flatMap((tool): [string, TextPlace][] => {
    const name = membersOf(tool).get('name')?.node;
    return name?.type === 'string' ? [[name.value, tool]] : [];
  });
  return named.length > 0 ? new Map(named) : membersOf(list);
};

/**
 * Gives a function that finds a JSON Pointer of a tool in a source text: the place itself, or else the nearest one around
 * it, at worst line 1.
 */
export const locator = (source: string | undefined): ((tool: string, path: string) => Spot) => {
  const start = { line: 1, column: 1 };
  if (source === undefined || source.length > LARGEST) return () => start;
  // It was parsed before, so it is valid and not nested too deeply. The library does not accept a byte order mark.
  const root = parseTree(source.replace(/^\uFEFF/, ' '));
  if (root === undefined) return () => start;
  const tools = toolsOf(placeOf(root));
  const lines = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) lines.push(at + 1);
  const spot = (at: number): Spot => {
    let [low, high] = [0, lines.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((lines[middle] as number) <= at) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: at - (lines[low] as number) + 1 };
  };
  return (tool, path) => {
    let place = tools.get(tool);
    if (place === undefined) return start;
    for (const [depth, name] of namesIn(path).entries()) {
      const spellings = depth === 0 && name === 'inputSchema' ? SPELLINGS : [name];
      const next: TextPlace | undefined = spellings
        .map((spelling) => membersOf(place).get(spelling) ?? (place && itemsOf(place)?.[Number(spelling)]))
        .find((found) => found !== undefined);
      if (next === undefined) break;
      place = next;
    }
    return spot(place.at);
  };
};
