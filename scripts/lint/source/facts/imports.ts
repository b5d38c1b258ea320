import { type AstNode, type Code, kinds, lastName, literal, oncePerFile, parts, property, unwrap } from '../code.ts';
import type { Imported } from '../types.ts';

/** The names that a part of an import's clause gives, each with the name in the module; `*` for all of it. */
const namesIn = (part: AstNode): [local: string, name: string][] => {
  if (part.kind() === 'identifier') return [[part.text(), 'default']];
  if (part.kind() === 'namespace_import') return parts(part).map((all) => [all.text(), '*']);
  if (part.kind() !== 'named_imports') return [];
  return parts(part).flatMap((one): [string, string][] => {
    const name = one.field('name')?.text();
    return name === undefined ? [] : [[one.field('alias')?.text() ?? name, name]];
  });
};

/** Imports from relative paths: by the local name, the module and the name there. */
const importsOf = oncePerFile((code) => {
  const found = new Map<string, { module: string; name: string }>();
  for (const statement of code.all(kinds('import_statement'))) {
    const module = literal(statement.field('source'));
    if (module === undefined || !/^\.\.?\//.test(module)) continue;
    const clauses = parts(statement).filter((part) => part.kind() === 'import_clause');
    for (const [local, name] of clauses.flatMap((clause) => parts(clause)).flatMap(namesIn))
      found.set(local, { module, name });
  }
  return found;
});

/** Where the value of `name`, `all.name` or `name.key` comes from; undefined if it is not imported. */
export const importOf = (code: Code, node: AstNode): Imported | undefined => {
  const keys: string[] = [];
  let at = unwrap(node);
  for (let steps = 0; at.kind() === 'member_expression' && steps < 8; steps++) {
    keys.unshift(lastName(at) ?? '');
    at = unwrap(at.field('object') as AstNode);
  }
  const found = /identifier$/.test(String(at.kind())) ? importsOf(code).get(at.text()) : undefined;
  if (found?.name !== '*') return found && { ...found, keys };
  const [name, ...more] = keys;
  return name === undefined ? undefined : { module: found.module, name, keys: more };
};

/** What a file exports under a name. */
export const exported = (code: Code, name: string): AstNode | undefined => {
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

/** A value that another file imports from this one. */
export const importedValue = (code: Code, { name, keys }: Pick<Imported, 'name' | 'keys'>): AstNode | undefined =>
  keys.reduce<AstNode | undefined>((at, key) => property(code.follow(at), key), exported(code, name));
