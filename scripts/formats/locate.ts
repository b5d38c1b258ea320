import { namesIn } from '../contract/json-pointer.ts';
import { labelOf } from '../lock/names.ts';

/** Where something stands in a text; both count from 1. */
export interface Spot {
  line: number;
  column: number;
}

/** A JSON value and where it begins. A member of an object begins at its key. */
interface Node {
  at: number;
  members?: Map<string, Node>;
  items?: Node[];
  text?: string;
}

const SPELLINGS = ['inputSchema', 'input_schema', 'schema'];

/** Larger files get no lines: they are on one, or nobody reads them. */
const LARGEST = 16 * 1024 * 1024;

/** Where every value of a JSON text begins. The text is valid JSON of bounded depth: it has been parsed before. */
const parse = (source: string): Node => {
  let at = 0;
  const skip = (): void => {
    while (' \t\r\n\uFEFF,:'.includes(source[at] ?? '?')) at++;
  };
  const string = (): string => {
    const from = at++;
    while (at < source.length && source[at] !== '"') at += source[at] === '\\' ? 2 : 1;
    return JSON.parse(source.slice(from, ++at)) as string;
  };
  const value = (from: number): Node => {
    skip();
    const opening = source[at];
    if (opening === '{') {
      at++;
      const members = new Map<string, Node>();
      for (skip(); at < source.length && source[at] !== '}'; skip()) {
        const key = at;
        members.set(string(), value(key));
      }
      at++;
      return { at: from, members };
    }
    if (opening === '[') {
      at++;
      const items: Node[] = [];
      for (skip(); at < source.length && source[at] !== ']'; skip()) items.push(value(at));
      at++;
      return { at: from, items };
    }
    if (opening === '"') return { at: from, text: string() };
    while (at < source.length && !',]} \t\r\n'.includes(source[at] as string)) at++;
    return { at: from };
  };
  skip();
  return value(at);
};

/** The contracts of a lockfile, by server and tool; each begins at the tool's name. */
const lockedTools = (servers: Node | undefined): Map<string, Node> =>
  new Map(
    [...(servers?.members ?? [])].flatMap(([server, { at, members }]): [string, Node][] => [
      [labelOf(server), { at }],
      ...[...(members?.get('tools')?.members ?? [])].map(([tool, pin]): [string, Node] => [
        labelOf(server, tool),
        { ...(pin.members?.get('contract') ?? pin), at: pin.at },
      ]),
    ]),
  );

/** The tools of every accepted form of a list, by name. */
const toolsOf = (root: Node): Map<string, Node> => {
  if (root.members?.has('lockfileVersion')) return lockedTools(root.members.get('servers'));
  const inside = root.members?.get('result') ?? root;
  const list = inside.members?.get('tools') ?? inside;
  const tools = list.items ?? [list];
  const named = tools.flatMap((tool): [string, Node][] => {
    const name = tool.members?.get('name')?.text;
    return name === undefined ? [] : [[name, tool]];
  });
  return new Map(named.length > 0 ? named : (list.members ?? []));
};

/** Tells for each tool and JSON Pointer where it stands: the place itself, or the nearest one around it. */
export const locator = (source: string | undefined): ((tool: string, path: string) => Spot) => {
  const start = { line: 1, column: 1 };
  if (source === undefined || source.length > LARGEST) return () => start;
  let tools: Map<string, Node>;
  try {
    tools = toolsOf(parse(source));
  } catch {
    return () => start;
  }
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
    let node = tools.get(tool);
    if (node === undefined) return start;
    for (const [depth, step] of namesIn(path).entries()) {
      const spellings = depth === 0 && step === 'inputSchema' ? SPELLINGS : [step];
      const next: Node | undefined = spellings
        .map((spelling) => node?.members?.get(spelling) ?? node?.items?.[Number(spelling)])
        .find((found) => found !== undefined);
      if (next === undefined) break;
      node = next;
    }
    return spot(node.at);
  };
};
