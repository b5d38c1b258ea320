import type { Rule as AstRule, SgNode } from '@ast-grep/napi';
import type { SourceRange } from './types.ts';

export type Node = SgNode;
export type { AstRule };

/** Thrown when a file took too long: it is left, and the report says so. */
export class TimeUp extends Error {}

const FUNCTIONS = [
  'arrow_function',
  'function_declaration',
  'function_expression',
  'generator_function',
  'generator_function_declaration',
  'method_definition',
];
const functionKinds = new Set(FUNCTIONS);

export const isFunction = (node: Node | undefined | null): node is Node =>
  !!node && functionKinds.has(String(node.kind()));

/** Any of some kinds. */
export const kinds = (...names: string[]): AstRule => ({ any: names.map((kind) => ({ kind })) });

/** A call of something with such a name: `a(…)` and `x.a(…)`. */
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

/** An object literal's own key: `a: …`, `'a': …`, `a` and `a() {}`. Computed ones may be of any length: not looked at. */
export const hasKey = (name: string): AstRule => {
  const key: AstRule = {
    any: [
      { kind: 'property_identifier', regex: `^(${name})$` },
      { kind: 'string', regex: `^["'](${name})["']$` },
    ],
  };
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

interface Span {
  start: number;
  end: number;
  /** The index of the function around it. */
  outer: number;
}

/**
 * A file's tree. Questions are put to the parser as rules, which look at thousands of nodes faster than we look at one;
 * what encloses what is known from the text's positions: asking a node for its ancestors is slow in deep trees.
 */
export class Code {
  #functions: Span[] | undefined;
  /** What a name is declared as; undefined where it is declared twice. */
  #declared: Map<string, Node | undefined> | undefined;

  constructor(
    readonly root: Node,
    readonly file: string,
    readonly until: number,
  ) {}

  check(): void {
    if (Date.now() > this.until) throw new TimeUp();
  }

  /** All nodes that a rule describes, in a node or in the file, in the order of the text. */
  all(rule: AstRule, node: Node = this.root): Node[] {
    this.check();
    return node.findAll({ rule });
  }

  /** The number of the function around a node: -1 is the file itself. */
  functionAround(node: Node): number {
    this.#functions ??= this.#listFunctions();
    const { start, end } = node.range();
    let [low, high] = [0, this.#functions.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#functions[middle] as Span).start <= start.index) low = middle + 1;
      else high = middle;
    }
    let at = low - 1;
    const encloses = ({ start: from, end: to }: Span): boolean => from < start.index && to >= end.index;
    while (at >= 0 && !encloses(this.#functions[at] as Span)) at = (this.#functions[at] as Span).outer;
    return at;
  }

  #listFunctions(): Span[] {
    const list: Span[] = [];
    const open: number[] = [];
    for (const node of this.all(kinds(...FUNCTIONS))) {
      const { start, end } = node.range();
      while (open.length > 0 && (list[open.at(-1) as number] as Span).end <= start.index) open.pop();
      list.push({ start: start.index, end: end.index, outer: open.at(-1) ?? -1 });
      open.push(list.length - 1);
    }
    return list;
  }

  #listDeclared(): Map<string, Node | undefined> {
    const list = new Map<string, Node | undefined>();
    for (const node of this.all(
      kinds('variable_declarator', 'function_declaration', 'generator_function_declaration'),
    )) {
      const name = node.field('name');
      if (name?.kind() !== 'identifier') continue;
      const value = node.kind() === 'variable_declarator' ? node.field('value') : node;
      list.set(name.text(), list.has(name.text()) || !value ? undefined : value);
    }
    return list;
  }

  /** What a name is declared as in this file, if that is certain. */
  declared(name: string): Node | undefined {
    this.#declared ??= this.#listDeclared();
    const value = this.#declared.get(name);
    return value && unwrap(value);
  }

  /** The node itself, or what the name that it is was declared as. */
  resolve(node: Node | undefined): Node | undefined {
    const bare = node && unwrap(node);
    return bare?.kind() === 'identifier' ? this.declared(bare.text()) : bare;
  }

  parent(node: Node): Node | null {
    this.check();
    return node.parent();
  }

  place(node: Node): SourceRange {
    const { start, end } = node.range();
    return { file: this.file, line: start.line + 1, column: start.column + 1, endLine: end.line + 1 };
  }
}

/** What changes nothing about a value at run time, or only when it comes. */
const WRAPPERS = new Set([
  'as_expression',
  'await_expression',
  'non_null_expression',
  'parenthesized_expression',
  'satisfies_expression',
]);

export const isWrapper = (node: Node): boolean => WRAPPERS.has(String(node.kind()));

export const unwrap = (node: Node): Node => {
  let bare = node;
  // Nobody wraps a value a hundred times.
  for (let depth = 0; depth < 100 && isWrapper(bare); depth++) {
    const inner = parts(bare)[0];
    if (!inner) break;
    bare = inner;
  }
  return bare;
};

/** Its named children without comments. */
export const parts = (node: Node): Node[] =>
  node.children().filter((child) => child.isNamed() && child.kind() !== 'comment');

/** A text that stands in the source as such. */
export const literal = (node: Node | undefined | null): string | undefined => {
  const bare = node && unwrap(node);
  if (!bare || (bare.kind() !== 'string' && bare.kind() !== 'template_string')) return undefined;
  const inside = parts(bare);
  return inside.every((part) => part.kind() === 'string_fragment')
    ? inside.map((part) => part.text()).join('')
    : undefined;
};

/** The name of a property or a key: `a`, `'a'`, `['a']`. */
export const keyName = (node: Node | undefined | null): string | undefined => {
  if (!node) return undefined;
  if (node.kind() === 'computed_property_name') return literal(parts(node)[0]);
  return literal(node) ?? (/identifier/.test(String(node.kind())) ? node.text() : undefined);
};

/** The last name of `a`, `x.a` and `x['a']`. */
export const lastName = (node: Node | undefined | null): string | undefined => {
  const bare = node && unwrap(node);
  if (!bare) return undefined;
  if (bare.kind() === 'member_expression') return keyName(bare.field('property'));
  if (bare.kind() === 'subscript_expression') return literal(bare.field('index'));
  return bare.kind() === 'identifier' ? bare.text() : undefined;
};

/** Whether it is just this name. The text of anything else may be as long as the file. */
export const isNamed = (node: Node | undefined | null, name: string): boolean =>
  node?.kind() === 'identifier' && node.text() === name;

export const argumentsOf = (call: Node): Node[] => {
  const list = call.field('arguments');
  return list?.kind() === 'arguments' ? parts(list) : [];
};

/** What a call calls: `post` of `app.post(…)`, with `app`. */
export const callee = (call: Node): { name: string; object?: Node } => {
  const called = call.field('function');
  const name = lastName(called) ?? '';
  const object = called?.kind() === 'member_expression' ? called.field('object') : undefined;
  return { name, ...(object ? { object } : {}) };
};

/** A property of an object literal. A method is its own value. */
export const property = (object: Node | undefined, name: string): Node | undefined => {
  if (object?.kind() !== 'object') return undefined;
  for (const part of parts(object)) {
    const kind = part.kind();
    if (kind === 'pair' && keyName(part.field('key')) === name) return part.field('value') ?? undefined;
    if (kind === 'method_definition' && keyName(part.field('name')) === name) return part;
    if (kind === 'shorthand_property_identifier' && part.text() === name) return part;
  }
  return undefined;
};
