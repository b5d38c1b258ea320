import { groupBy } from '../../../contract/group-by.ts';
import { type AstNode, type Code, isFunction, kinds, parametersOf, parts } from '../code.ts';

/** The names in a region of code. */
export interface Names {
  /** Where each of them stands. */
  at: ReadonlyMap<string, readonly AstNode[]>;
  /** Those that are declared more than once, so that they mean different things. */
  clashes: ReadonlySet<string>;
}

/** The names of a function's parameters, as far as they are plain identifiers. */
const parameterNames = (node: AstNode): string[] =>
  parametersOf(node)
    .flatMap((part) => (part.kind() === 'identifier' ? [part] : parts(part)))
    .filter((part) => part.kind() === 'identifier')
    .map((part) => part.text());

const declaredBy = (node: AstNode, region: AstNode): string[] => {
  const name = node.field('name');
  if (isFunction(node)) return node.id() === region.id() ? [] : parameterNames(node);
  return name?.kind() === 'identifier' ? [name.text()] : [];
};

const clashesIn = (code: Code, region: AstNode): Set<string> => {
  const [once, twice] = [new Set<string>(), new Set<string>()];
  for (const node of code.all(kinds('variable_declarator', 'arrow_function', 'function_expression'), region))
    for (const name of declaredBy(node, region)) (once.has(name) ? twice : once).add(name);
  return twice;
};

export const namesIn = (code: Code, region: AstNode): Names => ({
  at: groupBy(code.all(kinds('identifier', 'shorthand_property_identifier'), region), (node) => node.text()),
  clashes: clashesIn(code, region),
});
