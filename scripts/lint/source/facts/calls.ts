// Calls: which of them validate, only look at a value, or return it.
import { type AstNode, type AstRule, argumentsOf, type Code, callee, isFunction, isNamed, shortText } from '../code.ts';

/** Matches functions that only look at a value and do not pass it on: logs, type guards, lists of keys. */
const LOOKS = /^(log|debug|trace|is[A-Z_]\w*|has[A-Z_]\w*|keys|values|entries|String|Boolean)$/;
const LOGS = /^(console|log|logger)$|\.(log|logger)$/;
/** Methods and objects that answer the caller: `res.json(body)`. `gateway.send(body)` passes it on. */
const ANSWERS = /^(json|send|end)$/;
const ANSWERERS = /^(c|ctx|res|reply|response)\b/;
const VALIDATES = /^(parse|safeParse|parseAsync|safeParseAsync|decode|decodeUnknown\w*|assert|check|cast)$|valid/i;

/** Matches functions that return what they were given. */
export const PASSES_ON = /^(stringify|structuredClone|freeze)$/;

/** Whether a call validates its argument. */
export const isValidator = (call: AstNode): boolean => {
  const { name, object } = callee(call);
  // JSON.parse parses, but does not validate.
  return VALIDATES.test(name) && !isNamed(object, 'JSON');
};

export const looksOnly = (call: AstNode): boolean => {
  const { name, object } = callee(call);
  const on = object ? shortText(object) : '';
  return LOOKS.test(name) || LOGS.test(on) || (ANSWERS.test(name) && ANSWERERS.test(on));
};

/** Whether a property is part of an answer or a log: `res.json({ received: body })` does not pass the body on. */
export const isAnswer = (code: Code, part: AstNode): boolean => {
  let node: AstNode | null = part;
  for (let steps = 0; node && steps < 8; steps++) {
    node = code.parent(node);
    if (node?.kind() === 'call_expression' && !PASSES_ON.test(callee(node).name)) return looksOnly(node);
  }
  return false;
};

interface FoundCall {
  call: AstNode;
  args: AstNode[];
}

/** The calls in a region that match a rule, with their arguments. */
export const callsIn = (code: Code, region: AstNode, rule: AstRule): FoundCall[] =>
  code.all(rule, region).map((call) => ({ call, args: argumentsOf(call) }));

/** A rule for calls of a function by its name alone: `a(…)`. */
export const BY_NAME: AstRule = { kind: 'call_expression', has: { field: 'function', kind: 'identifier' } };

/** The calls in a region of functions that this file declares, by their names. */
export const ownCallsIn = (code: Code, region: AstNode): (FoundCall & { target: AstNode })[] =>
  callsIn(code, region, BY_NAME).flatMap((found) => {
    const target = code.declared(callee(found.call).name);
    return isFunction(target) ? [{ ...found, target }] : [];
  });
