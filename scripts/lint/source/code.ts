import type { Rule as AstRule, SgNode } from '@ast-grep/napi';
import type { SourceRange } from './types.ts';

export type AstNode = SgNode;
export type { AstRule };

/** Thrown if a file takes too long: then it is skipped, and the report says so. */
export class TimeUp extends Error {}

const FUNCTIONS = (
  'arrow_function function_declaration function_expression generator_function ' +
  'generator_function_declaration method_definition'
).split(' ');
const functionKinds = new Set(FUNCTIONS);

/** Whether a node is a function of any form. */
export const isFunction = (node: AstNode | undefined | null): node is AstNode =>
  !!node && functionKinds.has(String(node.kind()));

/** Whether a node is a name that stands for a value: `a`, and the `a` of `{ a }`. */
const isName = (node: AstNode): boolean => /^(identifier|shorthand_property_identifier)$/.test(String(node.kind()));

/** A rule for nodes of any of these kinds. */
export const kinds = (...names: string[]): AstRule => ({ any: names.map((kind) => ({ kind })) });

/** A rule for functions of any form. */
export const FUNCTION: AstRule = kinds(...FUNCTIONS);

/** A rule for calls of a function whose name matches a regular expression: `a(…)` and `x.a(…)`. */
export const callOf = (name: string): AstRule => ({
  kind: 'call_expression',
  has: {
    field: 'function',
    any: [
      { kind: 'identifier', regex: name },
      { kind: 'member_expression', has: { field: 'property', regex: name } },
    ],
  },
});

/**
 * A rule for object literals with a key: `a: …`, `'a': …`, `a` and `a() {}`. Not computed ones: these may be very long.
 * @param name a regular expression; each use of it costs time, because the parser compiles it separately
 */
export const hasKey = (name: string): AstRule => {
  const key: AstRule = { ...kinds('property_identifier', 'string'), regex: `^["']?(${name})["']?$` };
  return {
    has: {
      any: [
        { kind: 'pair', has: { field: 'key', ...key } },
        { kind: 'shorthand_property_identifier', regex: `^(${name})$` },
        { kind: 'method_definition', has: { field: 'name', ...key } },
      ],
    },
  };
};

/** What is read from a whole file, once. */
export const oncePerFile = <T>(read: (code: Code) => T): ((code: Code) => T) => {
  const known = new WeakMap<Code, { found: T }>();
  return (code) => {
    const { found } = known.get(code) ?? { found: read(code) };
    known.set(code, { found });
    return found;
  };
};

interface FunctionSpan {
  start: number;
  end: number;
  /** The index of the function around it. */
  outer: number;
}

/**
 * A file's syntax tree. Nodes are searched with rules of the parser, which are far faster than visiting nodes ourselves.
 * Enclosing nodes are found by positions in the text, since a node's ancestors are slow to get in deep trees.
 */
export class Code {
  #functions: FunctionSpan[] | undefined;
  /** The declarations of names; undefined for a name that is declared twice. */
  #declared: Map<string, AstNode | undefined> | undefined;

  constructor(
    readonly root: AstNode,
    readonly file: string,
    readonly until: number,
  ) {}

  check(): void {
    if (Date.now() > this.until) throw new TimeUp();
  }

  /** All nodes that match a rule, in a node or in the whole file, in the order of the text. @throws TimeUp */
  all(rule: AstRule, node: AstNode = this.root): AstNode[] {
    this.check();
    return node.findAll({ rule });
  }

  /** The index of the innermost function around a node; -1 if there is none. */
  functionAround(node: AstNode): number {
    this.#functions ??= this.#listFunctions();
    const { start, end } = node.range();
    let [low, high] = [0, this.#functions.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#functions[middle] as FunctionSpan).start <= start.index) low = middle + 1;
      else high = middle;
    }
    let at = low - 1;
    const encloses = ({ start: from, end: to }: FunctionSpan): boolean => from < start.index && to >= end.index;
    while (at >= 0 && !encloses(this.#functions[at] as FunctionSpan)) at = (this.#functions[at] as FunctionSpan).outer;
    return at;
  }

  #listFunctions(): FunctionSpan[] {
    const list: FunctionSpan[] = [];
    const open: number[] = [];
    for (const node of this.all(FUNCTION)) {
      const { start, end } = node.range();
      while (open.length > 0 && (list[open.at(-1) as number] as FunctionSpan).end <= start.index) open.pop();
      list.push({ start: start.index, end: end.index, outer: open.at(-1) ?? -1 });
      open.push(list.length - 1);
    }
    return list;
  }

  #listDeclared(): Map<string, AstNode | undefined> {
    const list = new Map<string, AstNode | undefined>();
    const declaring = kinds('variable_declarator', 'function_declaration', 'generator_function_declaration');
    for (const node of this.all(declaring)) {
      const name = node.field('name');
      if (name?.kind() !== 'identifier') continue;
      const value = node.kind() === 'variable_declarator' ? node.field('value') : node;
      list.set(name.text(), list.has(name.text()) || !value ? undefined : value);
    }
    return list;
  }

  /** The declaration of a name in this file; undefined if there is none, or several. */
  declared(name: string): AstNode | undefined {
    this.#declared ??= this.#listDeclared();
    const value = this.#declared.get(name);
    return value && unwrap(value);
  }

  /** The node itself or, if it is a name, the declaration of that. */
  resolve(node: AstNode | undefined): AstNode | undefined {
    const bare = node && unwrap(node);
    return bare && isName(bare) ? this.declared(bare.text()) : bare;
  }

  /** The same, also where that is a name again, or a member of an object: `HINTS.read`. */
  follow(node: AstNode | undefined, depth = 0): AstNode | undefined {
    const found = this.resolve(node);
    if (!found || depth > 8) return undefined;
    if (isName(found)) return this.follow(found, depth + 1);
    if (found.kind() !== 'member_expression') return found;
    const object = this.follow(found.field('object') ?? undefined, depth + 1);
    return this.follow(property(object, lastName(found) ?? ''), depth + 1);
  }

  parent(node: AstNode): AstNode | null {
    this.check();
    return node.parent();
  }

  place(node: AstNode): SourceRange {
    const { start, end } = node.range();
    return { file: this.file, line: start.line + 1, column: start.column + 1, endLine: end.line + 1 };
  }
}

/** Nodes around a value that do not change it at run time, or only delay it. */
const WRAPPERS = new Set(
  'as_expression await_expression non_null_expression parenthesized_expression satisfies_expression'.split(' '),
);

/** Whether a node only wraps a value, see `WRAPPERS`. */
export const isWrapper = (node: AstNode): boolean => WRAPPERS.has(String(node.kind()));

/** The value inside of all wrappers. */
export const unwrap = (node: AstNode): AstNode => {
  let bare = node;
  // A limit, which no real code reaches.
  for (let depth = 0; depth < 100 && isWrapper(bare); depth++) {
    const inner = parts(bare)[0];
    if (!inner) break;
    bare = inner;
  }
  return bare;
};

/** A node's named children, without comments. */
export const parts = (node: AstNode): AstNode[] =>
  node.children().filter((child) => child.isNamed() && child.kind() !== 'comment');

/** The value of a string literal, or of a template without expressions; undefined for anything else. */
export const literal = (node: AstNode | undefined | null): string | undefined => {
  const bare = node && unwrap(node);
  if (!bare || (bare.kind() !== 'string' && bare.kind() !== 'template_string')) return undefined;
  const inside = parts(bare);
  return inside.every((part) => part.kind() === 'string_fragment')
    ? inside.map((part) => part.text()).join('')
    : undefined;
};

/** The name of a property or key: `a`, `'a'`, `['a']`; undefined if it is computed. */
export const keyName = (node: AstNode | undefined | null): string | undefined => {
  if (!node) return undefined;
  if (node.kind() === 'computed_property_name') return literal(parts(node)[0]);
  return literal(node) ?? (/identifier/.test(String(node.kind())) ? node.text() : undefined);
};

/** The last name in `a`, `x.a` and `x['a']`; undefined for anything else. */
export const lastName = (node: AstNode | undefined | null): string | undefined => {
  const bare = node && unwrap(node);
  if (!bare) return undefined;
  if (bare.kind() === 'member_expression') return keyName(bare.field('property'));
  if (bare.kind() === 'subscript_expression') return literal(bare.field('index'));
  return bare.kind() === 'identifier' ? bare.text() : undefined;
};

/** Whether a node is exactly this identifier. Checks the kind first: the text of other nodes can be as long as the file. */
export const isNamed = (node: AstNode | undefined | null, name: string): boolean =>
  node?.kind() === 'identifier' && node.text() === name;

/** The arguments of a call. */
export const argumentsOf = (call: AstNode): AstNode[] => {
  const list = call.field('arguments');
  return list?.kind() === 'arguments' ? parts(list) : [];
};

/** The name and object of a called function: `post` and `app` for `app.post(…)`. The name is empty if it is unknown. */
export const callee = (call: AstNode): { name: string; object?: AstNode } => {
  const called = call.field('function');
  const name = lastName(called) ?? '';
  const object = called?.kind() === 'member_expression' ? called.field('object') : undefined;
  return { name, ...(object ? { object } : {}) };
};

/** The value of a property of an object literal, which can be a method; undefined if there is none. */
export const property = (object: AstNode | undefined, name: string): AstNode | undefined => {
  if (object?.kind() !== 'object') return undefined;
  for (const part of parts(object)) {
    const kind = part.kind();
    if (kind === 'pair' && keyName(part.field('key')) === name) return part.field('value') ?? undefined;
    if (kind === 'method_definition' && keyName(part.field('name')) === name) return part;
    if (kind === 'shorthand_property_identifier' && part.text() === name) return part;
  }
  return undefined;
};

/** The parameters of a function as they stand, with their types and defaults. */
export const parametersOf = (node: AstNode): AstNode[] => {
  const [single, list] = [node.field('parameter'), node.field('parameters')];
  return [...(single ? [single] : []), ...(list ? parts(list) : [])];
};

/** How many characters a node has: reading the text of a long one takes long. */
export const lengthOf = (node: AstNode): number => {
  const { start, end } = node.range();
  return end.index - start.index;
};

/** The text of a node; nothing where it is long. */
export const shortText = (node: AstNode | undefined | null): string =>
  !node || lengthOf(node) > 200 ? '' : node.text();

/** Whether a node stands in one of some others, or is one. */
export const isWithin = (node: AstNode, spans: readonly AstNode[]): boolean => {
  const at = node.range();
  return spans.some((span) => {
    const { start, end } = span.range();
    return start.index <= at.start.index && end.index >= at.end.index;
  });
};
