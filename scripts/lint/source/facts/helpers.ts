// What functions do with the arguments that a handler passes to them, in this file or in one that it imports.
import { type AstNode, type Code, callee, isFunction, kinds, lengthOf, literal, parts, unwrap } from '../code.ts';
import type { EndpointCall, HandedTo, Uses } from '../types.ts';
import { endpointCalls } from './endpoint-call.ts';
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

/** Imports from relative paths: by the local name, the module and the name there; `*` for all of it. */
const importsOf = (code: Code): Map<string, { module: string; name: string }> => {
  const found = new Map<string, { module: string; name: string }>();
  for (const statement of code.all(kinds('import_statement'))) {
    const module = literal(statement.field('source'));
    if (module === undefined || !/^\.\.?\//.test(module)) continue;
    for (const clause of parts(statement).filter((part) => part.kind() === 'import_clause')) {
      for (const part of parts(clause)) {
        if (part.kind() === 'identifier') found.set(part.text(), { module, name: 'default' });
        const [all] = part.kind() === 'namespace_import' ? parts(part) : [];
        if (all) found.set(all.text(), { module, name: '*' });
        for (const one of part.kind() === 'named_imports' ? parts(part) : []) {
          const name = one.field('name')?.text();
          if (name !== undefined) found.set(one.field('alias')?.text() ?? name, { module, name });
        }
      }
    }
  }
  return found;
};

export type FindHelper = (call: AstNode, at: number) => Uses | HandedTo | undefined;

/** Finds what is known about the function that gets a value as an argument. */
export const helpersOf = (code: Code): FindHelper => {
  let imports: ReturnType<typeof importsOf> | undefined;
  return (call, at) => {
    const called = call.field('function');
    const { name, object } = callee(call);
    const local = called?.kind() === 'identifier' ? code.declared(name) : undefined;
    // A function that sends the value is an endpoint call, and followed separately.
    if (isFunction(local)) return endpointCalls(code, local).length > 0 ? undefined : usesOfParameter(code, local, at);
    imports ??= importsOf(code);
    const found = imports.get(object === undefined ? name : object.kind() === 'identifier' ? object.text() : '');
    if (found === undefined || (found.name === '*') !== (object !== undefined)) return undefined;
    return { module: found.module, name: found.name === '*' ? name : found.name, at, place: code.place(call) };
  };
};

/** The function that a file exports under a name. */
const exported = (code: Code, name: string): AstNode | undefined => {
  for (const statement of code.all(kinds('export_statement'))) {
    const isDefault = statement.children().some((child) => child.kind() === 'default');
    if (isDefault && name === 'default') {
      const value = statement.field('value') ?? statement.field('declaration') ?? undefined;
      return code.resolve(value ? unwrap(value) : undefined);
    }
    for (const one of code.all(kinds('export_specifier'), statement)) {
      const own = one.field('name')?.text();
      if ((one.field('alias')?.text() ?? own) === name && own !== undefined) return code.declared(own);
    }
  }
  return code.declared(name);
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
