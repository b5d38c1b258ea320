import { type AstNode, type Code, isFunction, isWithin, lastName, unwrap } from '../code.ts';
import type { Uses } from '../types.ts';
import { ownCallsIn } from './calls.ts';
import { endpointCalls, urlsIn } from './endpoint-call.ts';
import { helpersOf } from './helpers.ts';
import { entryOf, type ParameterEntry, usesOfName } from './parameters.ts';
import { isPutTogether } from './put-together.ts';
import { mergedUses, usesOf } from './uses.ts';

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

/** A branch of a switch over the tools: there the arguments have the name that the file gives them. */
const branchEntry = (code: Code, region: AstNode, names: ReadonlySet<string>): ParameterEntry => ({
  region,
  sources: [
    ...[...names].flatMap((name) => usesOfName(code, region, name)),
    ...code.all({ kind: 'member_expression', has: { field: 'property', regex: '^arguments$' } }, region),
  ],
  patterns: [],
});

/** Adds the functions of this file that get the arguments: they are followed there, and do not count as handed on. */
const withReached = (code: Code, entry: ParameterEntry): ParameterEntry[] => {
  const handed = new Set<number>();
  const found = ownCallsIn(code, entry.region).flatMap(({ call, args, target }): ParameterEntry[] => {
    const at = args.findIndex((arg) => entry.sources.some((source) => source.id() === unwrap(arg).id()));
    if (at < 0) return [];
    // A called function that sends a request belongs to the handler; a call that is itself the request does not.
    const inside = endpointCalls(code, target).length > 0 && endpointCalls(code, call).length === 0;
    const reached = inside ? entryOf(code, target, at) : undefined;
    if (reached) handed.add(unwrap(args[at] as AstNode).id());
    return reached ? [reached] : [];
  });
  return [{ ...entry, sources: entry.sources.filter((source) => !handed.has(source.id())) }, ...found];
};

/**
 * What a handler does with the arguments of its tool. Only fields that may become part of a body count: one that goes into
 * the URL, or is only read, does not mean that the others are lost.
 * @param schemas whether a schema's result is told apart from the whole value
 */
export const inputUses = (code: Code, nodes: readonly AstNode[], schemas = false): Uses | undefined => {
  const names = namesOfArguments(code);
  const helper = helpersOf(code);
  const entries = nodes.flatMap((node) => {
    const entry = isFunction(node) ? entryOf(code, node, 0) : branchEntry(code, node, names);
    return entry === undefined ? [] : withReached(code, entry);
  });
  const found = entries
    .filter(({ sources, patterns }) => sources.length + patterns.length > 0)
    .map(({ region, sources, patterns }) => {
      const urls = urlsIn(code, region);
      const counts = (used: readonly AstNode[], isSure: boolean): boolean =>
        used.some((node) => !isWithin(node, urls) && (isSure || isPutTogether(code, node)));
      return usesOf(code, region, sources, { through: true, patterns, counts, schemas, helper });
    });
  return found.length === 0 ? undefined : mergedUses(found);
};
