import { type AstNode, argumentsOf, type Code, callee, isFunction, parametersOf, shortText } from '../code.ts';
import type { Registration } from '../types.ts';
import { importOf } from './imports.ts';

/** A function that handles calls or requests. */
export interface FoundHandler {
  handler: AstNode;
  /** Another function gets it, and may give it other arguments: `withErrors(async (args) => …)`. */
  isWrapped: boolean;
}

const MOST_WRAPPERS = 5;
const MOST_ARGUMENTS = 4;
/** Matches methods that wrap a function; `rows.map(…)` calls it instead. */
const WRAPS = /wrap|with|handle|async/i;

const isWrapper = (call: AstNode): boolean => {
  const { name, object } = callee(call);
  return object === undefined ? name !== '' : WRAPS.test(name);
};

/** The function that a value is or, where the value is a call that wraps one, that function. */
export const handlerOf = (code: Code, given: AstNode | undefined, depth = 0): FoundHandler | undefined => {
  const found = code.follow(given);
  if (found?.kind() !== 'call_expression')
    return isFunction(found) ? { handler: found, isWrapped: depth > 0 } : undefined;
  if (!isWrapper(found) || depth >= MOST_WRAPPERS) return undefined;
  const args = argumentsOf(found).slice(0, MOST_ARGUMENTS);
  const [inner, other] = args.flatMap((arg) => handlerOf(code, arg, depth + 1) ?? []);
  return other === undefined ? inner : undefined;
};

/** The same for a function of another file: `createNote` and `withErrors(createNote)`. */
export const importedHandlerOf = (code: Code, given: AstNode | undefined): Registration['handlerIn'] => {
  const wrapped = given?.kind() === 'call_expression' && isWrapper(given) ? argumentsOf(given) : undefined;
  const [from, other] = (wrapped ?? [given]).flatMap((one) => (one && importOf(code, one)) ?? []);
  return from && !other ? { ...from, isWrapped: wrapped !== undefined } : undefined;
};

/** Whether the arguments of a tool come first. A wrapper may put something of its own before them. */
export const getsArgumentsFirst = ({ handler, isWrapped }: FoundHandler): boolean => {
  const [, second, third] = parametersOf(handler);
  return (
    !isWrapped ||
    second === undefined ||
    (third === undefined && /^_|^(ctx|context|extra|meta)/.test(shortText(second)))
  );
};
