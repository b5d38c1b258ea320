// The fewest arguments that are valid under a schema, as an example for a description.
import { propertiesOf, requiredOf } from '../contract/object-schema.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { validateArguments } from '../contract/validate.ts';
import { type CodePoints, type PatternNode, readPattern } from '../proof/regular/parse.ts';
import { branchesOf, flatten, merge } from './resolve.ts';

/** Which branch to take in every union, and whether to include optional properties. */
interface ExampleWay {
  root: Json;
  branch: number;
  all: boolean;
}

const MOST_BRANCHES = 8;
const DEEPEST = 8;
/** How deep an array has an item that it need not have. */
const DEEPEST_ITEM = 3;
const LONGEST = 10_000;

const FORMATS: Record<string, string> = {
  date: '2026-01-31',
  time: '12:00:00Z',
  'date-time': '2026-01-31T12:00:00Z',
  duration: 'P1D',
  email: 'user@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
};
/** Texts to try for a pattern: what people usually write patterns for. */
const GUESSES = [
  ...Object.values(FORMATS),
  ...'abc ABC a-b a_b a.b a1 A1 1 1.0 1.0.0 #a1b2c3 12:00 +15550100000'.split(' '),
];

const number = (schema: JsonObject, key: string): number | undefined => {
  const value = own(schema, key);
  return typeof value === 'number' ? value : undefined;
};

/** A character to show: a common one if there is one, else the first that can be seen. */
const shownOf = (of: CodePoints): string | undefined => {
  const point = [0x61, 0x41, 0x31, ...of.map(([from]) => Math.max(from, 0x21))].find((one) =>
    of.some(([from, to]) => from <= one && one <= to),
  );
  // Half of a character is no text.
  return point === undefined || (point >= 0xd800 && point <= 0xdfff) ? undefined : String.fromCodePoint(point);
};

/** A text that a pattern allows; undefined if none was found. @param times how often to repeat what may be repeated */
const written = (node: PatternNode, times: number): string | undefined => {
  if (node.kind === 'one') return shownOf(node.of);
  if (node.kind === 'any') {
    for (const branch of node.branches) {
      const text = written(branch, times);
      if (text !== undefined) return text;
    }
    return undefined;
  }
  const count = node.kind === 'repeat' ? Math.min(Math.max(node.least, times), node.most) : 1;
  const parts = node.kind === 'repeat' ? (count === 0 ? [] : [node.node]) : node.parts;
  let text = '';
  for (const part of parts) {
    const one = written(part, times);
    if (one === undefined || text.length + one.length * count > LONGEST) return undefined;
    text += one.repeat(count);
  }
  return text;
};

/** Texts that a pattern allows, short ones first, and some that have at least so many characters. */
const writtenFor = (pattern: string, least: number): string[] => {
  const node = readPattern(pattern);
  const texts = node && [1, 0, 2, 3, 4, 8, 16, 32, least].map((times) => written(node, times));
  return texts?.filter((text) => text !== undefined) ?? [];
};

/** Texts as long as a pattern demands that is not read, as in `^(?!.*--)[a-z-]{21}$`. */
const counted = (pattern: string): string[] =>
  [...pattern.matchAll(/\{(\d{1,4})/g)].flatMap(([, count]) =>
    ['a', 'A', '1'].map((char) => char.repeat(Number(count))),
  );

const stringFor = (schema: JsonObject): string => {
  const least = Math.min(number(schema, 'minLength') ?? 0, LONGEST);
  const most = number(schema, 'maxLength') ?? LONGEST;
  const sized = (text: string): string => text.padEnd(least, text.at(-1) ?? 'x').slice(0, most);
  const pattern = own(schema, 'pattern');
  const wanted = FORMATS[String(own(schema, 'format'))] ?? 'text';
  if (typeof pattern !== 'string') return sized(wanted);
  try {
    const matches = new RegExp(pattern, 'u');
    const guesses = [wanted, ...GUESSES, ...GUESSES.map(sized), ...writtenFor(pattern, least), ...counted(pattern)];
    const fits = (text: string): boolean => text.length >= least && text.length <= most && matches.test(text);
    return guesses.find(fits) ?? wanted;
  } catch {
    return wanted;
  }
};

const numberFor = (schema: JsonObject, isInteger: boolean): number => {
  const step = number(schema, 'multipleOf') ?? (isInteger ? 1 : 0);
  const above = number(schema, 'exclusiveMinimum') ?? Number.NEGATIVE_INFINITY;
  const below = number(schema, 'exclusiveMaximum') ?? Number.POSITIVE_INFINITY;
  const least = number(schema, 'minimum') ?? Number.NEGATIVE_INFINITY;
  const most = number(schema, 'maximum') ?? Number.POSITIVE_INFINITY;
  const edges = [least, most, above, below].filter(Number.isFinite);
  const near = edges.flatMap((edge) =>
    step > 0
      ? [
          Math.ceil(edge / step) * step,
          Math.floor(edge / step) * step,
          (Math.floor(edge / step) + 1) * step,
          (Math.ceil(edge / step) - 1) * step,
        ]
      : [edge, edge + 0.5, edge - 0.5, (Math.max(least, above) + Math.min(most, below)) / 2],
  );
  const fits = (value: number): boolean =>
    Number.isFinite(value) && value >= least && value <= most && value > above && value < below;
  return [...(step > 0 ? [step, 0] : [1, 0]), ...near].find(fits) ?? 1;
};

const arrayFor = (schema: JsonObject, way: ExampleWay, depth: number): Json[] => {
  const prefix = own(schema, 'prefixItems');
  const first = (Array.isArray(prefix) ? prefix : []).map((item) => valueFor(item, way, depth + 1));
  const least = Math.min(number(schema, 'minItems') ?? 0, 100);
  const most = number(schema, 'maxItems') ?? Number.POSITIVE_INFINITY;
  // An empty list would show nothing, but below it is as good, and what contains itself has to end.
  const wanted = first.length === 0 && depth <= DEEPEST_ITEM ? 1 : 0;
  const count = Math.min(Math.max(least - first.length, wanted), most);
  const items = own(schema, 'items');
  const values = items === false ? [] : Array.from({ length: count }, () => valueFor(items, way, depth + 1));
  // Items that must be unique get different numbers at their end.
  const differ = own(schema, 'uniqueItems') === true;
  const choices = own(flatten(items, way.root), 'enum');
  return [
    ...first,
    ...values.map((value, index) => {
      if (!differ || index === 0) return value;
      if (Array.isArray(choices)) return choices[index] ?? value;
      return typeof value === 'number' ? value + index : typeof value === 'string' ? `${value}${index + 1}` : value;
    }),
  ];
};

const objectFor = (schema: JsonObject, way: ExampleWay, depth: number): JsonObject => {
  const properties = propertiesOf(schema);
  const [must, known] = [requiredOf(schema), Object.keys(properties)];
  // An empty example would show nothing.
  const shown = way.all ? [...must, ...known] : must.length > 0 || depth > 0 ? must : known.slice(0, 1);
  return Object.fromEntries(
    [...new Set(shown)].map((name) => [name, valueFor(own(properties, name), way, depth + 1)]),
  ) as JsonObject;
};

const typeOf = (schema: JsonObject): string => {
  const type = own(schema, 'type');
  const types = Array.isArray(type) ? type : [type];
  const named = types.find((one) => typeof one === 'string' && one !== 'null') ?? types[0];
  if (typeof named === 'string') return named;
  if (own(schema, 'properties') !== undefined || own(schema, 'required') !== undefined) return 'object';
  if (own(schema, 'items') !== undefined || own(schema, 'prefixItems') !== undefined) return 'array';
  return own(schema, 'minimum') !== undefined || own(schema, 'maximum') !== undefined ? 'number' : 'string';
};

const valueFor = (given: Json | undefined, way: ExampleWay, depth: number): Json => {
  if (depth > DEEPEST) return null;
  const flat = flatten(given, way.root);
  const branches = branchesOf(flat, way.root);
  const schema = merge(flat, branches[way.branch % Math.max(branches.length, 1)] ?? {});
  const examples = own(schema, 'examples');
  const values = own(schema, 'enum');
  const literals = [own(schema, 'const'), Array.isArray(values) ? values[0] : undefined];
  const hints = [Array.isArray(examples) ? examples[0] : undefined, own(schema, 'default')];
  const literal = [...literals, ...(depth === 0 ? [] : hints)].find((value) => value !== undefined);
  if (literal !== undefined) return literal;
  const type = typeOf(schema);
  // Arguments are an object, even if their schema does not say so.
  if (type === 'object' || depth === 0) return objectFor(schema, way, depth);
  if (type === 'array') return arrayFor(schema, way, depth);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return type === 'string' ? stringFor(schema) : numberFor(schema, type === 'integer');
};

const candidates = function* (schema: Json): Generator<Json> {
  const examples = own(schema, 'examples');
  if (Array.isArray(examples)) yield* examples.slice(0, MOST_BRANCHES);
  for (const all of [false, true]) {
    for (let branch = 0; branch < MOST_BRANCHES; branch++) yield valueFor(schema, { root: schema, branch, all }, 0);
  }
  yield {};
};

/** Arguments that are valid under an input schema; undefined if none were found. */
export const exampleFor = (schema: Json): JsonObject | undefined => {
  // Different choices can give the same candidate.
  const tried = new Set<string>();
  for (const candidate of candidates(schema)) {
    const text = JSON.stringify(candidate);
    if (tried.has(text)) continue;
    tried.add(text);
    if (isObject(candidate) && validateArguments(schema, candidate as JsonObject).valid === true)
      return candidate as JsonObject;
  }
  return undefined;
};
