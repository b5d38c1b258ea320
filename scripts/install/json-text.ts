/**
 * Strict JSON with the place of every value in the text, so that one entry of somebody's file can be added or taken
 * away without touching a byte of the rest.
 */
export interface JsonNode {
  /** Offsets of the value: from its first character to behind its last. */
  start: number;
  end: number;
  kind: 'object' | 'array' | 'scalar';
  children: JsonChild[];
}

export interface JsonChild {
  /** Where the child begins in its container: at its key, or at its value in an array. */
  from: number;
  key?: string;
  node: JsonNode;
}

export class JsonTextError extends Error {
  constructor(
    readonly problem: string,
    readonly offset: number,
  ) {
    super(problem);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these may not stand in a JSON string
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const MAX_DEPTH = 500;

/** Line and column, both from 1, as editors count them. */
export const positionOf = (text: string, offset: number): string => {
  const before = text.slice(0, offset).replace(/^\ufeff/, '');
  const lines = before.split(/\r\n|\r|\n/);
  return `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`;
};

/** Reads a whole JSON text; throws JsonTextError with the offset of the first thing that isn't JSON. */
export const readJsonText = (text: string): JsonNode => {
  let at = text.startsWith('\ufeff') ? 1 : 0;

  const skip = (): void => {
    while (at < text.length && ' \t\r\n'.includes(text[at] as string)) at += 1;
  };
  const fail = (expected: string, offset = at): never => {
    const found = offset >= text.length ? 'the end of the file' : `\`${text[offset]}\``;
    throw new JsonTextError(`expected ${expected}, found ${found}`, offset);
  };
  const match = (token: RegExp): string | undefined => {
    token.lastIndex = at;
    const found = token.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const string = (expected: string): string => {
    const from = at;
    const found = match(STRING);
    if (found !== undefined) return found;
    if (text[from] === '"') throw new JsonTextError('a string that is not closed or has a bad character', from);
    return fail(expected);
  };

  const container = (kind: 'object' | 'array', depth: number): JsonNode => {
    const node: JsonNode = { start: at, end: at, kind, children: [] };
    const close = kind === 'object' ? '}' : ']';
    if (depth > MAX_DEPTH) throw new JsonTextError(`nested deeper than ${MAX_DEPTH} levels`, at);
    at += 1;
    skip();
    while (text[at] !== close || node.children.length > 0) {
      const from = at;
      let key: string | undefined;
      if (kind === 'object') {
        key = JSON.parse(string('a key in double quotes')) as string;
        skip();
        if (text[at] !== ':') fail('`:`');
        at += 1;
        skip();
      }
      node.children.push({ from, key, node: value(depth + 1) });
      skip();
      if (text[at] === close) break;
      if (text[at] !== ',') fail(`\`,\` or \`${close}\``);
      at += 1;
      skip();
    }
    at += 1;
    node.end = at;
    return node;
  };
  const value = (depth: number): JsonNode => {
    if (text[at] === '{') return container('object', depth);
    if (text[at] === '[') return container('array', depth);
    const start = at;
    if (text[at] === '"') string('a value');
    else if (match(SCALAR) === undefined) fail('a value');
    return { start, end: at, kind: 'scalar', children: [] };
  };

  skip();
  const root = value(0);
  skip();
  if (at < text.length) fail('the end of the file');
  return root;
};

/** The value under a key: of several with that key the last, as JSON.parse (and so Claude Code) takes it. */
export const memberOf = (node: JsonNode | undefined, key: string): JsonNode | undefined =>
  node?.kind === 'object' ? node.children.findLast((child) => child.key === key)?.node : undefined;

export const valueAt = (text: string, node: JsonNode): unknown => JSON.parse(text.slice(node.start, node.end));
