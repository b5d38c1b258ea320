import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';

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

interface JsonChild {
  /** Where the child begins in its container: at its key, or at its value in an array. */
  from: number;
  /** Undefined in an array. */
  key: string | undefined;
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

const MAX_DEPTH = 500;

/** Line and column, both from 1, as editors count them. */
export const positionOf = (text: string, offset: number): string => {
  const before = text.slice(0, offset).replace(/^\ufeff/, '');
  const lines = before.split(/\r\n|\r|\n/);
  return `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`;
};

const BAD_STRING = 'a string that is not closed or has a bad character';
/** Mistakes inside of a token; all others are a token where another one belongs. */
const IN_TOKEN: Record<string, string> = {
  UnexpectedEndOfNumber: 'a number that is not finished',
  UnexpectedEndOfString: BAD_STRING,
  InvalidUnicode: BAD_STRING,
  InvalidEscapeCharacter: BAD_STRING,
  InvalidCharacter: BAD_STRING,
};

/** What belongs behind a piece of JSON that ends inside of `kind`, or outside of everything. */
const expectedAfter = (before: string, kind: JsonNode['kind'] | undefined, isKey: boolean): string => {
  const last = before.trimEnd().at(-1) ?? '';
  if (kind === 'object' && '{,'.includes(last)) return 'a key in double quotes';
  if (kind === undefined ? last === '' : '[:,'.includes(last)) return 'a value';
  if (isKey) return '`:`';
  return kind === undefined ? 'the end of the file' : `\`,\` or \`${kind === 'object' ? '}' : ']'}\``;
};

/** Reads a whole JSON text; throws JsonTextError with the offset of the first thing that isn't JSON. */
export const readJsonText = (text: string): JsonNode => {
  let root: JsonNode | undefined;
  const open: JsonNode[] = [];
  let key: { from: number; name: string } | undefined;

  const add = (node: JsonNode): void => {
    root ??= node;
    open.at(-1)?.children.push({ from: key?.from ?? node.start, key: key?.name, node });
    key = undefined;
  };
  const begin = (kind: 'object' | 'array') => (start: number) => {
    if (open.length > MAX_DEPTH) throw new JsonTextError(`nested deeper than ${MAX_DEPTH} levels`, start);
    const node: JsonNode = { start, end: start, kind, children: [] };
    add(node);
    open.push(node);
  };
  const end = (offset: number, length: number): void => {
    // The end of the file ends nothing: that is an error, which comes next.
    if (length > 0) (open.pop() as JsonNode).end = offset + length;
  };
  const fail = (code: ParseErrorCode, offset: number): never => {
    const before = text.slice(0, offset).replace(/^\ufeff/, '');
    const found = offset >= text.length ? 'the end of the file' : `\`${text[offset]}\``;
    const expected = expectedAfter(before, open.at(-1)?.kind, key !== undefined);
    throw new JsonTextError(IN_TOKEN[printParseErrorCode(code)] ?? `expected ${expected}, found ${found}`, offset);
  };
  visit(
    // The library takes no byte order mark.
    text.replace(/^\ufeff/, ' '),
    {
      onObjectBegin: begin('object'),
      onObjectProperty: (name, from) => {
        key = { from, name };
      },
      onObjectEnd: end,
      onArrayBegin: begin('array'),
      onArrayEnd: end,
      onLiteralValue: (_value, start, length) => add({ start, end: start + length, kind: 'scalar', children: [] }),
      onError: fail,
    },
    { disallowComments: true },
  );
  return root as JsonNode;
};

/** The value under a key: of several with that key the last, as JSON.parse (and so Claude Code) takes it. */
export const memberOf = (node: JsonNode | undefined, key: string): JsonNode | undefined =>
  node?.kind === 'object' ? node.children.findLast((child) => child.key === key)?.node : undefined;

export const valueAt = (text: string, node: JsonNode): unknown => JSON.parse(text.slice(node.start, node.end));
