// What code does with a value at one place, as far as the place alone tells.
import { type AstNode, type Code, isWrapper, keyName, unwrap } from '../code.ts';
import { isAnswer } from './calls.ts';

export type Step =
  /** The expression around it has the same value: `body ?? {}`. */
  | { does: 'stays'; in: AstNode }
  /** It gets a name, or is taken apart. */
  | { does: 'is bound'; to: AstNode }
  /** A field is read or deleted: `body.title`, `delete body.title`. */
  | { does: 'is read' | 'is deleted'; key: string | undefined; at: AstNode }
  /** A field is read whose name is not a text: `body[name]`. */
  | { does: 'is indexed'; at: AstNode }
  /** It is an argument of a function. */
  | { does: 'is an argument'; of: AstNode }
  /** It is passed on as a whole. */
  | { does: 'is handed on' }
  | { does: 'ends' };

const ENDS: Step = { does: 'ends' };
const HANDED_ON: Step = { does: 'is handed on' };

const isField = (parent: AstNode, field: string, node: AstNode): boolean => parent.field(field)?.id() === node.id();

const inMember = (code: Code, node: AstNode, member: AstNode): Step => {
  if (!isField(member, 'object', node)) return ENDS;
  const around = code.parent(member);
  const isCalled = around?.kind() === 'call_expression' && isField(around, 'function', member);
  const isWritten = around?.kind() === 'assignment_expression' && isField(around, 'left', member);
  const isDeleted =
    around?.kind() === 'unary_expression'
      ? around.field('operator')?.text() === 'delete'
      : isWritten && around.field('right')?.kind() === 'undefined';
  // Calling its methods, or writing to it, picks nothing.
  if (isCalled || (isWritten && !isDeleted)) return ENDS;
  const index = member.field('index');
  if (index && unwrap(index).kind() !== 'string') return { does: 'is indexed', at: member };
  const key = keyName(member.field('property')) ?? (index ? keyName(unwrap(index)) : undefined);
  return { does: isDeleted ? 'is deleted' : 'is read', key, at: member };
};

/** What the code around a value's node does with it. */
export const stepFrom = (code: Code, node: AstNode): Step => {
  const parent = code.parent(node);
  if (!parent) return ENDS;
  if (isWrapper(parent)) return { does: 'stays', in: parent };
  switch (String(parent.kind())) {
    case 'binary_expression':
      // `body ?? {}` is still the body; `body === null` is not.
      return /^(\?\?|\|\|)$/.test(parent.field('operator')?.text() ?? '') ? { does: 'stays', in: parent } : ENDS;
    case 'ternary_expression':
      return isField(parent, 'condition', node) ? ENDS : { does: 'stays', in: parent };
    case 'variable_declarator':
      return isField(parent, 'value', node) ? { does: 'is bound', to: parent.field('name') as AstNode } : ENDS;
    case 'assignment_expression':
      return isField(parent, 'right', node) ? { does: 'is bound', to: parent.field('left') as AstNode } : ENDS;
    case 'member_expression':
    case 'subscript_expression':
      return inMember(code, node, parent);
    case 'arguments': {
      const call = code.parent(parent);
      if (call?.kind() === 'call_expression') return { does: 'is an argument', of: call };
      return call?.kind() === 'new_expression' ? HANDED_ON : ENDS;
    }
    case 'pair':
      return isField(parent, 'value', node) && !isAnswer(code, parent) ? HANDED_ON : ENDS;
    case 'spread_element':
    case 'return_statement':
      return HANDED_ON;
    case 'arrow_function':
      return isField(parent, 'body', node) ? HANDED_ON : ENDS;
    case 'object':
      return node.kind() === 'shorthand_property_identifier' && !isAnswer(code, node) ? HANDED_ON : ENDS;
    default:
      return ENDS;
  }
};
