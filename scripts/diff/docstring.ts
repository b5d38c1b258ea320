// Descriptions of parameters in the description of their tool, as the docstring of a function has them:
//
//     Args:
//         city: Where to look.
//
// Newer generators put each one at its parameter. If it says the same there, nothing changed.
import { type Contract, isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { compareTexts } from './words/compare.ts';

const HEADING =
  /^[ \t]{0,40}(?:(?:#{1,4}[ \t]|\*\*)?(?:args|arguments|parameters|params):?(?:\*\*:?)?|it takes \w{2,6}(?: (?:optional|required))? arguments?:)[ \t]*$/i;
/** What stands below a heading of NumPy. */
const UNDERLINE = /^[ \t]{0,40}-{3,80}[ \t]*$/;
const TYPE = String.raw`(?:any|array|bool|boolean|bytes|dict|float|int|integer|list|none|null|number|object|optional|required|str|string)(?:\[[\w, |]{1,40}\])?`;
/** A name, in brackets at most its type, and what is said of it. */
const ENTRY = new RegExp(
  String.raw`^([ \t]{0,40})(?:[-*] )?(?:\*\*|\x60)?(\w{1,80})(?:\*\*|\x60)?(?: ?\((${TYPE}(?:(?:, | \| | or )${TYPE}){0,9})\))?(?:: +| [-–—] )(\S.*)$`,
);
/** The same of NumPy, whose words follow in the next lines: "city : str, optional". */
const NUMPY_ENTRY = /^([ \t]{0,40})(\w{1,80})(?: ?: ?(\S.{0,80}))?$/;
/** The same of Sphinx and JSDoc, which need no heading: ":param int days: How many.", "@param {number} days - How many." */
const TAGGED =
  /^([ \t]{0,40})(?:\* )?(?::param (?:(\w[\w[\], |]{0,40}) )?(\w{1,80}): +|@param (?:\{([^{}\n]{1,60})\} )?(?:\[(\w{1,80})[^\]\n]{0,80}\]|(\w{1,80}))(?: [-–—])? +)(\S.*)$/;
/** An item whose name is marked needs no heading either. */
const LISTED = /^[ \t]{0,40}[-*] (?:\*\*|\x60)\w/;
const LONGEST = 20_000;

/** Lines of a text that tell of one parameter. */
interface Entry {
  name: string;
  type: string | undefined;
  words: string;
  from: number;
  to: number;
}

interface Block {
  entries: readonly Entry[];
  /** The first line behind the heading; the first line of all where there is none. */
  below: number;
  heading: number;
}

export interface Docstring {
  /** The description without the block. */
  rest: string;
  /** What is said of each parameter, by its name. */
  said: Map<string, string>;
  /** The type that stands in brackets behind the name, where one does. */
  types: Map<string, string>;
  /** The description without the entries of some parameters. */
  without(names: ReadonlySet<string>): string;
}

const isDeeper = (line: string | undefined, indent: number): boolean =>
  line !== undefined && line.trim() !== '' && line.search(/\S/) > indent;

/** The end of what belongs to an entry, and its words. */
const withLinesBelow = (lines: readonly string[], from: number, indent: number, words: string) => {
  let to = from + 1;
  while (isDeeper(lines[to], indent)) to++;
  const all = [words, ...lines.slice(from + 1, to).map((line) => line.trim())];
  return { to, words: all.filter((one) => one !== '').join(' ') };
};

const readBlock = (lines: readonly string[], heading: number): Entry[] => {
  const isOfNumpy = UNDERLINE.test(lines[heading + 1] ?? '');
  const entries: Entry[] = [];
  let [at, indent] = [heading + (isOfNumpy ? 2 : 1), Number.POSITIVE_INFINITY];
  while (at < lines.length) {
    const line = lines[at] as string;
    const [, its = '', name = '', type, said = ''] = (isOfNumpy ? NUMPY_ENTRY : ENTRY).exec(line) ?? [];
    if (isOfNumpy && line.trim() === '' && entries.length > 0) {
      at += 1;
      continue;
    }
    if (name === '' || its.length > indent || UNDERLINE.test(lines[at + 1] ?? '')) break;
    indent = its.length;
    const { to, words } = withLinesBelow(lines, at, indent, said);
    if (words === '') break;
    entries.push({ name, type, words, from: at, to });
    at = to;
  }
  return entries;
};

const readTagged = (lines: readonly string[]): Entry[] =>
  lines.flatMap((line, from) => {
    const found = TAGGED.exec(line);
    if (found === null) return [];
    const [, indent = '', type, name, otherType, optional, plain, said = ''] = found;
    const entry = { name: name ?? optional ?? plain ?? '', type: type ?? otherType, from };
    return [{ ...entry, ...withLinesBelow(lines, from, indent.length, said) }];
  });

const blockIn = (lines: readonly string[]): Block => {
  const heading = lines.findIndex((line) => HEADING.test(line));
  const entries = heading < 0 ? [] : readBlock(lines, heading);
  if (entries.length > 0) return { entries, heading, below: entries[0]?.from ?? heading };
  const tagged = readTagged(lines);
  const first = tagged.length > 0 ? -1 : lines.findIndex((line) => LISTED.test(line) && ENTRY.test(line));
  return { entries: first < 0 ? tagged : readBlock(lines, first - 1), heading: 0, below: 0 };
};

export const docstringOf = (text: string): Docstring | undefined => {
  if (text.length > LONGEST) return undefined;
  const lines = text.split(/\r?\n/);
  const { entries, heading, below } = blockIn(lines);
  const said = new Map(entries.map(({ name, words }) => [name, words]));
  // It says two things of one parameter.
  if (said.size === 0 || said.size < entries.length) return undefined;
  const types = new Map(entries.flatMap(({ name, type }) => (type === undefined ? [] : [[name, type]])));
  const without = (names: ReadonlySet<string>): string => {
    const left = new Set(lines.keys());
    const gone = entries.filter(({ name }) => names.has(name));
    for (const { from, to } of gone) for (let at = from; at < to; at++) left.delete(at);
    if (gone.length === entries.length) for (let at = heading; at < below; at++) left.delete(at);
    const kept = lines.filter((_line, at) => left.has(at)).join('\n');
    return kept.replace(/\n[ \t]{0,40}(?:\n[ \t]{0,40}){1,40}\n/g, '\n\n').trim();
  };
  return { rest: without(new Set(said.keys())), said, types, without };
};

export const propertiesOf = ({ inputSchema }: Contract): JsonObject => {
  const properties = own(inputSchema, 'properties');
  return isObject(properties) ? (properties as JsonObject) : {};
};

const wordsAt = (properties: JsonObject, name: string): Json | undefined => own(own(properties, name), 'description');

/**
 * A contract whose parameters have the descriptions that its docstring gives them, where another contract has just these; and
 * without what its docstring says of parameters that say the same themselves, where the docstring of the other one does not.
 */
const withWordsInPlace = (
  contract: Contract,
  docstring: Docstring | undefined,
  other: Contract,
  ofOther: Docstring | undefined,
  isLater: boolean,
): Contract => {
  if (docstring === undefined) return contract;
  const [its, theirs] = [propertiesOf(contract), propertiesOf(other)];
  const [told, gone] = [new Map<string, JsonObject>(), new Set<string>()];
  for (const [name, said] of docstring.said) {
    const says = (words: Json | undefined): words is string =>
      typeof words === 'string' && compareTexts(said, words, { names: [contract.name, name] }).change === 'same';
    const [had, now] = [wordsAt(its, name), wordsAt(theirs, name)];
    // Of words that are gone at a parameter and were in both places, the diff tells.
    const isKept = isLater && ofOther?.said.has(name) === true;
    const isMoved = !isKept && had === undefined && isObject(own(its, name)) && says(now);
    if (isMoved) told.set(name, { ...(own(its, name) as JsonObject), description: now });
    if (ofOther?.said.has(name) !== true && (isMoved || says(had))) gone.add(name);
  }
  const properties: JsonObject = { ...its, ...Object.fromEntries(told) };
  return {
    ...contract,
    ...(gone.size > 0 ? { description: docstring.without(gone) } : {}),
    ...(told.size > 0 ? { inputSchema: { ...(contract.inputSchema as JsonObject), properties } } : {}),
  };
};

/** Two contracts with their words in the same places, where the docstring of one says what the other one's parameters do. */
export const withWordsAtParameters = (before: Contract, after: Contract): [Contract, Contract] => {
  const [had, has] = [before, after].map(({ description = '' }) => docstringOf(description));
  return [withWordsInPlace(before, had, after, has, false), withWordsInPlace(after, has, before, had, true)];
};
