import { type AstNode, type Code, kinds, parametersOf } from '../code.ts';

/** A piece of code, and how it gets the tool's arguments. */
export interface ParameterEntry {
  region: AstNode;
  sources: AstNode[];
  patterns: AstNode[];
}

/** The parameters of a function, without their types and defaults. */
const bare = (node: AstNode): AstNode[] =>
  parametersOf(node).map((part) => {
    const pattern = part.field('pattern') ?? part;
    return (pattern.kind() === 'assignment_pattern' ? pattern.field('left') : pattern) ?? pattern;
  });

/** Where a name is used below a node, without its binding. */
export const usesOfName = (code: Code, node: AstNode, name: string): AstNode[] =>
  code
    .all(kinds('identifier', 'shorthand_property_identifier'), node)
    .filter((one) => one.text() === name && !bare(node).some((parameter) => parameter.id() === one.id()));

/** A function that gets the arguments as one of its parameters. */
export const entryOf = (code: Code, region: AstNode, at: number): ParameterEntry | undefined => {
  const parameter = bare(region)[at];
  if (parameter?.kind() === 'identifier')
    return { region, sources: usesOfName(code, region, parameter.text()), patterns: [] };
  return parameter?.kind() === 'object_pattern' ? { region, sources: [], patterns: [parameter] } : undefined;
};
