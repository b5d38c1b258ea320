import {
  type AstRule,
  type Code,
  callee,
  isFunction,
  isWrapper,
  keyName,
  kinds,
  lastName,
  type Node,
  parts,
  unwrap,
} from '../code.ts';
import type { Uses } from '../types.ts';
import { endpointCalls, urlsIn } from './endpoint-call.ts';
import { callsIn, usesOf } from './uses.ts';

const BY_NAME: AstRule = { kind: 'call_expression', has: { field: 'function', kind: 'identifier' } };

/** A piece of code, and how the arguments of the tool come into it. */
interface Entry {
  region: Node;
  sources: Node[];
  patterns: Node[];
}

/** The parameters of a function, without their types and defaults. */
const parametersOf = (node: Node): Node[] => {
  const single = node.field('parameter');
  const list = node.field('parameters');
  return [...(single ? [single] : []), ...(list ? parts(list) : [])].map((part) => {
    const pattern = part.field('pattern') ?? part;
    return (pattern.kind() === 'assignment_pattern' ? pattern.field('left') : pattern) ?? pattern;
  });
};

/** Where a name is used below a node, its binding left out. */
const usesOfName = (code: Code, node: Node, name: string): Node[] =>
  code
    .all(kinds('identifier', 'shorthand_property_identifier'), node)
    .filter((one) => one.text() === name && !parametersOf(node).some((parameter) => parameter.id() === one.id()));

/** A function that gets the arguments as one of its parameters. */
const entryOf = (code: Code, region: Node, at: number): Entry | undefined => {
  const parameter = parametersOf(region)[at];
  if (parameter?.kind() === 'identifier')
    return { region, sources: usesOfName(code, region, parameter.text()), patterns: [] };
  return parameter?.kind() === 'object_pattern' ? { region, sources: [], patterns: [parameter] } : undefined;
};

/** `request.params.arguments`, wherever it is bound to a name: `{ arguments: args }`, `const args = params.arguments`. */
const namesOfArguments = (code: Code): Set<string> => {
  const bound = code
    .all({ kind: 'pair_pattern', has: { field: 'key', regex: '^arguments$' } })
    .map((pattern) => pattern.field('value'))
    .map((value) => (value?.kind() === 'assignment_pattern' ? value.field('left') : value));
  const declared = code
    .all({ kind: 'variable_declarator', has: { field: 'name', kind: 'identifier' } })
    .filter((node) => {
      const value = node.field('value');
      const bare = value && unwrap(value);
      const first = bare?.kind() === 'binary_expression' ? bare.field('left') : bare;
      return first?.kind() === 'member_expression' && lastName(first) === 'arguments';
    })
    .map((node) => node.field('name'));
  return new Set([...bound, ...declared].flatMap((name) => (name?.kind() === 'identifier' ? [name.text()] : [])));
};

/** A branch of a switch over the tools: the arguments are known there by the name that the file gives them. */
const branchEntry = (code: Code, region: Node, names: ReadonlySet<string>): Entry => ({
  region,
  sources: [
    ...[...names].flatMap((name) => usesOfName(code, region, name)),
    ...code.all({ kind: 'member_expression', has: { field: 'property', regex: '^arguments$' } }, region),
  ],
  patterns: [],
});

/** With the functions of this file that get the arguments; there they are followed, and are not handed on. */
const withReached = (code: Code, entry: Entry): Entry[] => {
  const handed = new Set<number>();
  const found = callsIn(code, entry.region, BY_NAME).flatMap(({ call, args }): Entry[] => {
    const called = call.field('function');
    const target = called?.kind() === 'identifier' ? code.declared(called.text()) : undefined;
    const at = args.findIndex((arg) => entry.sources.some((source) => source.id() === unwrap(arg).id()));
    if (!isFunction(target) || at < 0) return [];
    // What sends it is where it goes, and no part of the handler.
    const inside = endpointCalls(code, target).length > 0 && endpointCalls(code, call).length === 0;
    const reached = inside ? entryOf(code, target, at) : undefined;
    if (reached) handed.add(unwrap(args[at] as Node).id());
    return reached ? [reached] : [];
  });
  return [{ ...entry, sources: entry.sources.filter((source) => !handed.has(source.id())) }, ...found];
};

const within = (node: Node, spans: readonly Node[]): boolean => {
  const at = node.range();
  return spans.some((span) => {
    const { start, end } = span.range();
    return start.index <= at.start.index && end.index >= at.end.index;
  });
};

/** Whether a value becomes part of an object or a list there: what a body is put together from. */
const isPutTogether = (code: Code, node: Node): boolean => {
  if (node.kind() === 'shorthand_property_identifier') return true;
  let at = node;
  for (let steps = 0; steps < 6; steps++) {
    const parent = code.parent(at);
    if (!parent) return false;
    const kind = String(parent.kind());
    if (kind === 'pair') return parent.field('value')?.id() === at.id() && keyName(parent.field('key')) !== 'method';
    if (kind === 'array' || kind === 'spread_element') return true;
    if (kind === 'assignment_expression')
      return parent.field('right')?.id() === at.id() && parent.field('left')?.kind() === 'member_expression';
    const isValue =
      isWrapper(parent) || /^(binary_expression|ternary_expression|template_\w+|unary_expression)$/.test(kind);
    const isConverted = kind === 'arguments' || (kind === 'call_expression' && callee(parent).name !== '');
    const isPart = kind === 'member_expression' && parent.field('object')?.id() === at.id();
    if (!isValue && !isConverted && !isPart) return false;
    if (kind === 'ternary_expression' && parent.field('condition')?.id() === at.id()) return false;
    at = parent;
  }
  return false;
};

/**
 * What a handler does with the arguments of its tool. Only fields that a body may be put together from count: one that goes
 * into the URL, or is looked at, is not lost with what else there is.
 */
export const inputUses = (code: Code, nodes: readonly Node[]): Uses | undefined => {
  const names = namesOfArguments(code);
  const entries = nodes.flatMap((node) => {
    const entry = isFunction(node) ? entryOf(code, node, 0) : branchEntry(code, node, names);
    return entry === undefined ? [] : withReached(code, entry);
  });
  const found = entries
    .filter(({ sources, patterns }) => sources.length + patterns.length > 0)
    .map(({ region, sources, patterns }) => {
      const urls = urlsIn(code, region);
      const counts = (used: readonly Node[]): boolean =>
        used.some((node) => !within(node, urls) && isPutTogether(code, node));
      return usesOf(code, region, sources, { through: true, patterns, counts });
    });
  if (found.length === 0) return undefined;
  return {
    picks: found.flatMap(({ picks }) => picks),
    whole: found.some(({ whole }) => whole),
    ...(found.some(({ rest }) => rest) ? { rest: true as const } : {}),
  };
};
