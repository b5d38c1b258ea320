import { type AstNode, argumentsOf, type Code, callee, isNamed, isWrapper, keyName, lastName } from '../code.ts';

/** Whether a call adds a field to a form, which is a body: `form.append('title', …)`. */
const addsToForm = (code: Code, call: AstNode, value: AstNode): boolean => {
  const { name, object } = callee(call);
  if (!/^(append|set)$/.test(name) || object?.kind() !== 'identifier') return false;
  const declared = code
    .all({ kind: 'variable_declarator', has: { field: 'value', kind: 'new_expression' } })
    .filter((one) => isNamed(one.field('name'), object.text()));
  return (
    argumentsOf(call)[0]?.id() !== value.id() &&
    declared.length > 0 &&
    declared.every((one) => lastName(one.field('value')?.field('constructor')) === 'FormData')
  );
};

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
    const call = kind === 'arguments' ? code.parent(parent) : undefined;
    if (call?.kind() === 'call_expression' && addsToForm(code, call, at)) return true;
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
