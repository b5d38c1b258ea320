import { type AstNode, type Code, callee, isWrapper, keyName } from '../code.ts';

/** Whether a value becomes part of an object or a list there, and so possibly of a body. */
export const isPutTogether = (code: Code, node: AstNode): boolean => {
  if (node.kind() === 'shorthand_property_identifier') return true;
  let at = node;
  for (let steps = 0; steps < 6; steps++) {
    const parent = code.parent(at);
    if (!parent) return false;
    const kind = String(parent.kind());
    if (kind === 'pair') return parent.field('value')?.id() === at.id() && keyName(parent.field('key')) !== 'method';
    if (kind === 'array' || kind === 'spread_element') return true;
    if (kind === 'assignment_expression')
      return (
        parent.field('right')?.id() === at.id() &&
        /^(member|subscript)_expression$/.test(String(parent.field('left')?.kind()))
      );
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
