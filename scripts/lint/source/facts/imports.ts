import { type AstNode, type Code, kinds, lastName, literal, parts, property, unwrap } from '../code.ts';
import type { Imported } from '../types.ts';

/** Imports from relative paths: by the local name, the module and the name there; `*` for all of it. */
const readImports = (code: Code): Map<string, { module: string; name: string }> => {
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

const known = new WeakMap<Code, ReturnType<typeof readImports>>();

const importsOf = (code: Code): ReturnType<typeof readImports> => {
  const found = known.get(code) ?? readImports(code);
  known.set(code, found);
  return found;
};

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
