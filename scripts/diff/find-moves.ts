// Finds parameters that moved into an object, or out of one: `recursive` is `options.recursive` now.
import { canonical } from '../contract/canonical.ts';
import { groupBy } from '../contract/group-by.ts';
import { meaningOfSchema } from '../contract/meaning.ts';
import { referencesIn } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { isAnnotation } from './annotations.ts';
import { letters, nameWords } from './name-words.ts';
import { opened } from './references.ts';
import { isPlain } from './same-names.ts';
import type { Move } from './types.ts';
import { areUnlike } from './unlike-names.ts';
import { compareTexts } from './words/compare.ts';
import { tellsApart } from './words/tells-apart.ts';

/** A parameter, wherever it stands in objects that list their names plainly. */
export interface ParameterPlace {
  way: readonly string[];
  said: JsonObject;
}

/** Options of options are not looked at deeper. */
const DEEPEST = 4;
/** With more parameters, it is a new contract rather than some moves. */
export const MOST_PLACES = 300;

/** What is said of a value, behind a reference or beside null. */
const plainly = (said: Json | undefined, root: Json, depth = 0): JsonObject | undefined => {
  if (!isObject(said) || depth > DEEPEST) return undefined;
  const { schema } = opened(said as JsonObject, root);
  const { anyOf, oneOf, ...beside } = schema;
  const forms = anyOf ?? oneOf;
  if (!Array.isArray(forms)) return schema;
  const [form, ...others] = forms.filter((one) => own(one, 'type') !== 'null');
  const inner = others.length > 0 ? undefined : plainly(form, root, depth + 1);
  return inner && { ...inner, ...beside };
};

/** All parameters of a schema, outer ones first; more than `MOST_PLACES` if there are too many to compare. */
export const placesIn = (root: Json): ParameterPlace[] => {
  const open: ParameterPlace[] = [{ way: [], said: plainly(root, root) ?? {} }];
  // Definitions that hold themselves have no end.
  for (const { way, said } of open) {
    const properties = own(said, 'properties');
    if (way.length >= DEEPEST || !isObject(properties)) continue;
    for (const [name, inner] of Object.entries(properties as JsonObject)) {
      const plain = plainly(inner, root);
      if (plain !== undefined) open.push({ way: [...way, name], said: plain });
      if (open.length > MOST_PLACES + 1) return open;
    }
  }
  return open.slice(1);
};

export const keyOf = (way: readonly string[]): string => JSON.stringify(way);
export const ownerOf = (way: readonly string[]): readonly string[] => way.slice(0, -1);
export const nameOf = (way: readonly string[]): string => way.at(-1) ?? '';

/** Whether a place is below another one. */
export const isBelow = (way: readonly string[], owner: readonly string[]): boolean =>
  owner.length < way.length && owner.every((step, at) => step === way[at]);

const wordsOf = ({ said }: ParameterPlace): string => {
  const words = own(said, 'description');
  return typeof words === 'string' ? words.trim() : '';
};

const isComposed = (said: JsonObject): boolean =>
  [own(said, 'type')].flat().some((one) => /array|object/.test(String(one)));

const withoutWords = (said: JsonObject): string => {
  const { description: _words, title: _title, default: _default, ...rest } = meaningOfSchema(said) as JsonObject;
  return canonical(rest);
};

/** Whether values of the same type at two places are of one form and unit. Bounds may differ. */
const isAlike = ({ said: had }: ParameterPlace, { said: has }: ParameterPlace): boolean => {
  if (isComposed(had)) return referencesIn([had, has]).size === 0 && withoutWords(had) === withoutWords(has);
  const told = [...new Set([...Object.keys(had), ...Object.keys(has)])].filter(
    (keyword) => keyword === 'format' || isAnnotation(keyword, had) || isAnnotation(keyword, has),
  );
  return told.every((keyword) => sameJson(own(had, keyword) ?? null, own(has, keyword) ?? null));
};

/** Objects that only hold what belongs to the call, and say nothing else of it. */
const HOLDER =
  /^(?:arg|argument|body|config|configuration|criteria|data|filter|input|option|opt|param|parameter|payload|request|setting)s?$/;

/** What shows that a parameter is at another place now; `other`: it may mean something else there. */
type Likeness = 'words' | 'name' | 'other';

const isSameType = ({ said: had }: ParameterPlace, { said: has }: ParameterPlace): boolean =>
  sameJson(own(had, 'type') ?? null, own(has, 'type') ?? null);

/** The objects between two places of a parameter, from the inner owner to the outer one. */
const holdersOf = ({ from, to }: Move): readonly string[] => {
  const [outer, inner] = [ownerOf(from), ownerOf(to)].sort((a, b) => a.length - b.length) as [string[], string[]];
  return inner.slice(outer.length);
};

/** Whether a text names the objects between two places of the parameter that it is said of: "Name of the owner" of `owner.name`. */
const saysHolders = (text: string, move: Move): boolean => {
  const said = new Set(nameWords(text));
  return holdersOf(move).every((holder) => isPlain(holder) && nameWords(holder).every((word) => said.has(word)));
};

/** Why a parameter is likely to be at another place now; undefined if it is not. */
const likeness = (from: ParameterPlace, to: ParameterPlace): Likeness | undefined => {
  const isOfOneOwner = isBelow(to.way, ownerOf(from.way)) || isBelow(from.way, ownerOf(to.way));
  if (!isOfOneOwner || from.way.length === to.way.length || !isSameType(from, to)) return undefined;
  const [had, has] = [from, to].map(wordsOf) as [string, string];
  const [name, now] = [from, to].map(({ way }) => nameOf(way)) as [string, string];
  const isSameName = letters(name) === letters(now);
  // "The amount" of an `amount` can be any.
  const isNameAlone = letters(had.replace(/^(?:an?|the) /i, '')) === letters(name);
  // So can the "Email address" of an `email`: that of `cc.email` is another one.
  const isTold = !isNameAlone && (tellsApart(had) || saysHolders(had, { from: from.way, to: to.way }));
  if (had !== '' && had === has && isTold && isAlike(from, to))
    return isSameName || !areUnlike([name, now], [had, has]) ? 'words' : undefined;
  if (!isSameName) return undefined;
  const { change } = compareTexts(had, has, { names: [name, now] });
  return isAlike(from, to) && (change === 'same' || change === 'widened') ? 'name' : 'other';
};

export interface LikelyMove extends Move {
  as: Likeness;
  before: ParameterPlace;
  after: ParameterPlace;
}

/** Without those whose name alone tells, unless nothing but the object around them says otherwise, or all in it moved. */
const proven = (
  likely: readonly LikelyMove[],
  old: readonly ParameterPlace[],
  now: readonly ParameterPlace[],
): LikelyMove[] => {
  const isWhole = (moves: readonly LikelyMove[]): boolean => {
    const [{ from, to }] = moves as [LikelyMove];
    const [owner, places, side] =
      from.length > to.length ? [ownerOf(from), old, 'from' as const] : [ownerOf(to), now, 'to' as const];
    const members = places.filter(({ way }) => way.length === owner.length + 1 && isBelow(way, owner));
    return moves.length > 1 && members.every(({ way }) => moves.some((move) => keyOf(move[side]) === keyOf(way)));
  };
  const together = groupBy(likely, ({ from, to }) => keyOf([keyOf(ownerOf(from)), keyOf(ownerOf(to))]));
  return [...together.values()].flatMap((moves) => {
    const whole = isWhole(moves);
    return moves.filter(
      (move) =>
        move.as === 'words' || whole || holdersOf(move).every((name) => HOLDER.test(nameWords(name).at(-1) ?? '')),
    );
  });
};

/** With more pairs to compare, it is a new contract rather than some moves. */
const MOST_PAIRS = 2_500;

/** The parameters that are at another place now: those for which only one place is likely, and each place once. */
export const findMoves = (
  gone: readonly ParameterPlace[],
  came: readonly ParameterPlace[],
  old: readonly ParameterPlace[],
  now: readonly ParameterPlace[],
): LikelyMove[] => {
  if (gone.length * came.length > MOST_PAIRS) return [];
  const pairs = gone.flatMap((before) =>
    came.flatMap((after): LikelyMove[] => {
      const as = likeness(before, after);
      return as === undefined ? [] : [{ from: before.way, to: after.way, as, before, after }];
    }),
  );
  const [ofOld, ofNew] = [groupBy(pairs, ({ before }) => before), groupBy(pairs, ({ after }) => after)];
  const isOnly = ({ before, after }: LikelyMove): boolean =>
    ofOld.get(before)?.length === 1 && ofNew.get(after)?.length === 1;
  return proven(pairs.filter(isOnly), old, now);
};
