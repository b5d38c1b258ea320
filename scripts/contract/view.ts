import { AFTER_CONSTRAINT, asShown, cleaned, schemaAsShown } from './as-shown.ts';
import { canonical, sha256 } from './canonical.ts';
import { defined } from './defined.ts';
import { meaningOfSchema } from './meaning.ts';
import { type Contract, isObject, type Json, own } from './types.ts';

/**
 * What Claude Code appends to a description that it cut. How much it shows before the mark differs between versions and
 * between tools (2.1.330: 4,096 characters of one given at the start, 16,384 of one that tool search loaded), so it is
 * read from what was shown.
 */
const CUT_MARK = '… [truncated]';

/** The part of a cut description that the model saw; undefined if it saw the whole. */
const shownPart = ({ description }: Contract): string | undefined =>
  description?.endsWith(CUT_MARK) ? description.slice(0, -CUT_MARK.length) : undefined;

const hashOf = (description: string | undefined, inputSchema: Json): string =>
  sha256(canonical({ description: description ?? '', schema: meaningOfSchema(inputSchema) }));

/** A hash that is equal for two contracts that say the same to a model: description and input schema, without noise. */
export const viewHash = ({ description, inputSchema }: Contract): string => hashOf(description, inputSchema);

/** No client is known to show less than this of a description, in UTF-16 units. */
const BEGINNING = 1_024;

const hashesOf = (contract: Contract): string[] => {
  const { description = '', inputSchema } = contract;
  const whole = viewHash(contract);
  return description.length > BEGINNING ? [whole, hashOf(description.slice(0, BEGINNING), inputSchema)] : [whole];
};

/**
 * The hashes that identify a contract in a model view: the whole, and the beginning for a view that was cut somewhere after
 * it; each as its server sent it, and as a client shows it.
 */
export const knownHashes = (contract: Contract): string[] => [
  ...new Set([...hashesOf(contract), ...hashesOf(asShown(contract))]),
];

/** The hash by which a model view is looked up among `knownHashes`. */
export const lookupHash = (view: Contract): string => {
  const part = shownPart(view);
  return part !== undefined && part.length >= BEGINNING
    ? hashOf(part.slice(0, BEGINNING), view.inputSchema)
    : viewHash(view);
};

/** A value of a view, with the contract's own texts where it holds what the client makes of these. */
const inOwnTexts = (shown: Json, its: Json | undefined): Json => {
  if (typeof shown === 'string') return typeof its === 'string' && cleaned(its) === shown ? its : shown;
  if (Array.isArray(shown)) {
    if (!Array.isArray(its)) return shown;
    // A value that was added before it does not make a text another one.
    const texts = new Map(its.filter((one) => typeof one === 'string').map((one) => [cleaned(one), one]));
    return shown.map((one, at) => (typeof one === 'string' ? (texts.get(one) ?? one) : inOwnTexts(one, its[at])));
  }
  if (!isObject(shown) || !isObject(its)) return shown;
  const names = new Map(Object.keys(its).map((name) => [cleaned(name), name]));
  const entries = Object.entries(shown).map(([key, value]): [string, Json] => {
    const name = names.get(key) ?? key;
    return [name, inOwnTexts(value as Json, own(its, name) as Json | undefined)];
  });
  return Object.fromEntries(entries);
};

/**
 * A model view with a contract's own texts and forms, where it shows what the client makes of these. What the client does
 * not show is not known to differ.
 */
const inItsTexts = (view: Contract, { description: its = '', inputSchema }: Contract): Contract => {
  const { description: all = '', ...rest } = view;
  const { schema, constraint } = schemaAsShown(inputSchema);
  const before = constraint === undefined || all === constraint ? (constraint ?? '') : constraint + AFTER_CONSTRAINT;
  const isIts = all.startsWith(before) && hashOf('', view.inputSchema) === hashOf('', schema);
  const said = isIts ? all.slice(before.length) : all;
  const description = cleaned(its) === said ? its : said;
  return {
    ...rest,
    ...(description === '' ? {} : { description }),
    inputSchema: isIts ? inputSchema : inOwnTexts(view.inputSchema, inputSchema),
  };
};

/**
 * Whether a model view is what a client shows of a contract. What the client cut off is not compared, nor what it removes.
 * @param isWhole the view is known to be uncut: its description ends with the mark because the server's own does
 * @param texts the contract that it is known to show, if it is another one
 */
export const looksLike = (view: Contract, contract: Contract, isWhole = false, texts = contract): boolean =>
  viewHash(view) === viewHash(contract) || viewHash(withView(contract, view, isWhole, texts)) === viewHash(contract);

/** By so much of its end, a cut description is found again in one of another length; and so far away, in UTF-16 units. */
const JOINT = 40;
const FARTHEST = 2_000;

/**
 * Where the shown part ends in another description: at its last words, else after as much text. Otherwise one longer word
 * before it would shift everything after it.
 */
const endOf = (part: string, other: string): number => {
  const joint = part.slice(-JOINT);
  const expected = part.length - joint.length;
  const found = [other.lastIndexOf(joint, expected), other.indexOf(joint, expected)].filter(
    (at) => at !== -1 && Math.abs(at - expected) <= FARTHEST,
  );
  const [at] = found.sort((a, b) => Math.abs(a - expected) - Math.abs(b - expected));
  return at === undefined ? part.length : at + joint.length;
};

/** The shown part of a description, and behind it what another description has there. */
const completed = (part: string, own: string): string => {
  const shown = cleaned(own);
  return shown.startsWith(part) ? own : part + shown.slice(endOf(part, shown));
};

/**
 * A contract with what the model sees of one, its description and input schema, taken from a view. If the view was cut, the
 * rest of the description stays the contract's own: a model cannot be wrong about what it did not see.
 */
export const withView = (contract: Contract, view: Contract, isWhole = false, texts = contract): Contract => {
  const { description: own = '', ...rest } = contract;
  const seen = inItsTexts(view, texts);
  const part = isWhole || own === seen.description ? undefined : shownPart(view) && shownPart(seen);
  return {
    ...rest,
    ...defined({ description: part === undefined ? seen.description : completed(part, own) }),
    inputSchema: seen.inputSchema,
  };
};

/** Two model views, reduced to what both show: the client may have cut one of them, or both at different places. */
export const shownInBoth = (one: Contract, other: Contract): [Contract, Contract] => {
  const parts = [one, other].map(shownPart);
  const shown = Math.min(...parts.flatMap((part) => (part === undefined ? [] : [part.length])));
  const upTo = (view: Contract, part: string | undefined): Contract =>
    view.description === undefined || shown === Number.POSITIVE_INFINITY
      ? view
      : { ...view, description: (part ?? view.description).slice(0, shown) };
  return [upTo(one, parts[0]), upTo(other, parts[1])];
};
