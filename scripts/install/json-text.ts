import { type ParseErrorCode, parse, printParseErrorCode, visit } from 'jsonc-parser';

/**
 * JSON with the place of every value in the text, so that an entry in a user's file can be added, changed or removed
 * without changing any other byte.
 */
export interface JsonNode {
  /** Offsets of the value's first character, and of the one behind its last. */
  start: number;
  end: number;
  kind: 'object' | 'array' | 'scalar';
  children: JsonChild[];
}

export interface JsonChild {
  /** Where the child begins in its container: at its key, or at its value in an array. */
  from: number;
  /** Undefined in an array. */
  key: string | undefined;
  node: JsonNode;
}

/** A text that is not JSON: what is wrong, and the offset of that. */
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
/** Messages for errors inside of a token; all other errors are unexpected tokens. */
const IN_TOKEN: Record<string, string> = {
  UnexpectedEndOfNumber: 'a number that is not finished',
  UnexpectedEndOfString: BAD_STRING,
  InvalidUnicode: BAD_STRING,
  InvalidEscapeCharacter: BAD_STRING,
  InvalidCharacter: BAD_STRING,
};

/** What is expected behind a beginning of JSON that ends inside of a value of this kind, or (undefined) outside of any. */
const expectedAfter = (before: string, kind: JsonNode['kind'] | undefined, isKey: boolean): string => {
  const last = before.trimEnd().at(-1) ?? '';
  if (kind === 'object' && '{,'.includes(last)) return 'a key in double quotes';
  if (kind === undefined ? last === '' : '[:,'.includes(last)) return 'a value';
  if (isKey) return '`:`';
  return kind === undefined ? 'the end of the file' : `\`,\` or \`${kind === 'object' ? '}' : ']'}\``;
};

/**
 * Parses a JSON text. `lenient`: comments and a comma behind the last child are allowed.
 * @throws JsonTextError with the offset of the first thing that is not JSON
 */
export const readJsonText = (text: string, lenient = false): JsonNode => {
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
    // Length 0 is the end of the file, which closes nothing: an error follows.
    if (length > 0) (open.pop() as JsonNode).end = offset + length;
  };
  const fail = (code: ParseErrorCode, offset: number): never => {
    const before = text.slice(0, offset).replace(/^\ufeff/, '');
    const found = offset >= text.length ? 'the end of the file' : `\`${text[offset]}\``;
    const expected = expectedAfter(before, open.at(-1)?.kind, key !== undefined);
    throw new JsonTextError(IN_TOKEN[printParseErrorCode(code)] ?? `expected ${expected}, found ${found}`, offset);
  };
  visit(
    // The library does not accept a byte order mark.
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
    { disallowComments: !lenient, allowTrailingComma: lenient },
  );
  return root as JsonNode;
};

/** The child of an object under a key; of duplicates the last, as for JSON.parse and so for Claude Code. */
export const childOf = (node: JsonNode | undefined, key: string): JsonChild | undefined =>
  node?.kind === 'object' ? node.children.findLast((child) => child.key === key) : undefined;

/** The value under a key. */
export const memberOf = (node: JsonNode | undefined, key: string): JsonNode | undefined => childOf(node, key)?.node;

/** The parsed value of a node. */
export const valueAt = (text: string, node: JsonNode): unknown => JSON.parse(text.slice(node.start, node.end));

/** The value of a node of a lenient text. */
export const lenientValueAt = (text: string, node: JsonNode): unknown =>
  parse(text.slice(node.start, node.end), [], { allowTrailingComma: true });
