import { type AstNode, type Code, parts, property, shortText } from '../code.ts';
import type { Imported, Registration } from '../types.ts';
import { exported, importOf } from './imports.ts';

/** A hint, or where it is; undefined if there is none. */
type Hint = Registration['readOnly'] | Imported;

const MOST_SPREADS = 20;

/** What hints that are written out say about reading only; undefined if they say nothing. */
const readOnly = (code: Code, hints: AstNode): Registration['readOnly'] => {
  const said = (name: string): string => shortText(code.follow(property(hints, name)));
  const hint = said('readOnlyHint');
  if (hint === 'true') return true;
  if (hint === 'false' || said('destructiveHint') === 'true') return false;
  return property(hints, 'readOnlyHint') ? 'computed' : undefined;
};

/** @param keys the way to the hints in there */
const hintIn = (code: Code, given: AstNode, keys: readonly string[], depth = 0): Hint => {
  const object = code.follow(given);
  if (object?.kind() !== 'object' || depth > 4) {
    const from = importOf(code, given);
    return from ? { ...from, keys: [...from.keys, ...keys] } : 'computed';
  }
  const [key, ...more] = keys;
  const inner = key === undefined ? undefined : property(object, key);
  const own = key === undefined ? readOnly(code, object) : inner && hintIn(code, inner, more, depth + 1);
  if (own !== undefined) return own;
  const spread = parts(object).filter((part) => part.kind() === 'spread_element');
  return spread
    .slice(-MOST_SPREADS)
    .map((part) => parts(part)[0])
    .map((value) => value && hintIn(code, value, keys, depth + 1))
    .findLast((said) => said !== undefined);
};

type Hints = Pick<Registration, 'readOnly' | 'hintsIn'>;

const asHints = (hint: Hint): Hints => {
  if (hint === undefined) return {};
  return typeof hint === 'object' ? { readOnly: 'computed', hintsIn: hint } : { readOnly: hint };
};

/** What hints say about reading only, or where they are. @param keys the way to them: `annotations`, in a tool */
export const hintsOf = (code: Code, given: AstNode | undefined, keys: readonly string[] = []): Hints =>
  given ? asHints(hintIn(code, given, keys)) : {};

/** What imported hints say, in the file that has them. */
export const hintsFrom = (code: Code, { name, keys }: Imported): Registration['readOnly'] => {
  const value = exported(code, name);
  return value ? hintsOf(code, value, keys).readOnly : 'computed';
};

/** The same in SDK 1.x, where the hints stand behind the schema, or alone. */
export const hintsBeside = (code: Code, [first, ...others]: readonly AstNode[]): Hints => {
  const alone = code.follow(first);
  const own = alone && readOnly(code, alone);
  return asHints(own ?? others.map((one) => hintIn(code, one, [])).find((hint) => hint !== undefined));
};
