// What functions do with the arguments that a handler passes to them, in this file or in one that it imports.
import { type AstNode, type Code, callee, isFunction, lengthOf } from '../code.ts';
import type { EndpointCall, HandedTo, Uses } from '../types.ts';
import { endpointCalls } from './endpoint-call.ts';
import { exported, importOf } from './imports.ts';
import { entryOf } from './parameters.ts';
import { isPutTogether } from './put-together.ts';
import { usesOf } from './uses.ts';

/** Longer functions are not helpers that only put a body together. */
const LONGEST = 20_000;

/** What a function does with one of its parameters; undefined if that cannot be followed. */
const usesOfParameter = (code: Code, target: AstNode, at: number): Uses | undefined => {
  const entry = lengthOf(target) <= LONGEST ? entryOf(code, target, at) : undefined;
  if (entry === undefined) return undefined;
  const counts = (used: readonly AstNode[], isSure: boolean): boolean =>
    isSure || used.some((node) => isPutTogether(code, node));
  return usesOf(code, target, entry.sources, { through: true, patterns: entry.patterns, counts });
};

export type FindHelper = (call: AstNode, at: number) => Uses | HandedTo | undefined;

/** Finds what is known about the function that gets a value as an argument. */
export const helpersOf = (code: Code): FindHelper => {
  return (call, at) => {
    const called = call.field('function');
    const { name } = callee(call);
    const local = called?.kind() === 'identifier' ? code.declared(name) : undefined;
    // A function that sends the value is an endpoint call, and followed separately.
    if (isFunction(local)) return endpointCalls(code, local).length > 0 ? undefined : usesOfParameter(code, local, at);
    const from = called ? importOf(code, called) : undefined;
    return from?.keys.length === 0 ? { module: from.module, name: from.name, at, place: code.place(call) } : undefined;
  };
};

/** What an exported function does with its argument, and what it sends; undefined if unknown. */
export const importedHelper = (
  code: Code,
  { name, at }: Pick<HandedTo, 'name' | 'at'>,
): { uses: Uses; calls: EndpointCall[] } | undefined => {
  const target = exported(code, name);
  if (!isFunction(target)) return undefined;
  const uses = usesOfParameter(code, target, at);
  return uses && { uses, calls: endpointCalls(code, target) };
};
