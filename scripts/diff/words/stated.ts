// What a text states and the schema states as well: bounds, a default, its name and type, that it is a list, or required.
// There, the text says nothing that the schema does not say.
import { type Json, own } from '../../contract/types.ts';

/** A longer text is left as it is. */
const LONGEST = 5_000;

const NUMBER = '([-+]?\\d+(?:\\.\\d+)?)';
const whole = (form: string): RegExp => new RegExp(`^${form.replaceAll('N', NUMBER)}$`, 'i');
const UPPER = whole(
  '(?:(?:must be |should be )?(?:at most|no more than|up to|<=|≤)|max(?:imum)?(?: value)?(?: is| of)?[:=]?) ?N',
);
const LOWER = whole(
  '(?:(?:must be |should be )?(?:at least|no less than|>=|≥)|min(?:imum)?(?: value)?(?: is| of)?[:=]?) ?N',
);
const RANGE = whole(
  '(?:(?:must be |should be )?(?:between |from |in the range |range:? ))?N ?(?:-|–|to|and|\\.\\.) ?N',
);
const DEFAULT = whole('(?:the )?default(?:s|ed)?(?: value)?(?: to| is| of)?[:=]? ?(["\'`]?)([^"\'`\\s]+)\\1');

/** Keywords for the lower and the upper bound of a value, and what those of a text say that they count. */
const BOUNDS: Record<string, { lower: string; upper: string; counted?: RegExp }> = {
  number: { lower: 'minimum', upper: 'maximum' },
  integer: { lower: 'minimum', upper: 'maximum' },
  string: { lower: 'minLength', upper: 'maxLength', counted: / (?:characters|chars)$/i },
  array: { lower: 'minItems', upper: 'maxItems', counted: / (?:items|elements|entries)$/i },
};

/** Whether a clause says only what a schema states. */
const isStatedBy = (schema: Json, clause: string): boolean => {
  const found = DEFAULT.exec(clause);
  if (found) return own(schema, 'default') !== undefined && String(own(schema, 'default')) === found[2];
  const types = [own(schema, 'type') ?? []].flat().filter((type) => type !== 'null');
  const { lower, upper, counted } = BOUNDS[types.map(String).join()] ?? {};
  if (lower === undefined || upper === undefined) return false;
  // "At most 100" of a text or a list may bound something else than its length.
  if (counted && !counted.test(clause)) return false;
  const said = counted ? clause.replace(counted, '') : clause;
  const [most, least, range] = [UPPER, LOWER, RANGE].map((form) => form.exec(said));
  const is = (keyword: string, number: string | undefined): boolean => own(schema, keyword) === Number(number);
  if (most) return is(upper, most[1]);
  if (least) return is(lower, least[1]);
  return range ? is(lower, range[1]) && is(upper, range[2]) : false;
};

/** What stands between two pauses, such as commas, or dashes before a word. */
const CLAUSE =
  /(?<=^|[.,;([\n]\s{0,9}|\s[-–—]\s)((?:(?!\s[-–—]\s\p{L})[^.,;()[\]\n]|\.\d){1,100})(?=[,;)\]\n]|\.(?!\d)|\s[-–—]\s|$)/giu;
/** What is left of brackets, and pauses before an end, without their clauses. */
const EMPTY = /[([]\s{0,9}(?:[,;]\s{0,9}){0,9}[)\]]|(?:[,;]|\s[-–—])\s{0,9}(?=[,;.)\]]|$)/g;

/** That a parameter is required, as a mark of its own. */
const REQUIRED = /^\s*\(?required[).:]\s*|\s*\(required\)(?=\s*[.:]?\s*$)/gi;
const LIST_OF = /^\s*(?:an? |the )?(?:array|list) of (?=\S)/i;

/** What may be a name and its type before a description: "- `city` (string): ". */
const BEGINNING =
  /^\s{0,40}(?:[-*][ \t])?["'`*]{0,3}([\w.-]{1,80})["'`*]{0,3}(?:[ \t]?\(([a-z]{1,10})\))?[ \t]?(?::|[—–-](?=[ \t]{1,3}[^\s\d]))[ \t]{0,3}(?=\S)/;
/** Names of types in programs. */
const TYPE_NAMES: Record<string, string> = {
  bool: 'boolean',
  dict: 'object',
  float: 'number',
  int: 'integer',
  list: 'array',
  str: 'string',
};

/** A parameter's description without its name before it, and the type that its schema has. */
export const withoutOwnName = (text: string, name: string, schema: Json): string => {
  const [all = '', before, type] = BEGINNING.exec(text) ?? [];
  const isOwnType = type === undefined || (TYPE_NAMES[type] ?? type) === own(schema, 'type');
  return before === name && isOwnType ? text.slice(all.length) : text;
};

/**
 * A text without clauses that say only what a schema states: "(max 100)" where its `maximum` is 100.
 * @param isRequired whether a call had to give the value: then it knows that
 */
export const withoutStated = (written: string, schema: Json, isRequired: boolean): string => {
  if (written.length > LONGEST) return written;
  const marked = isRequired ? written.replace(REQUIRED, '') : written;
  const text = own(schema, 'type') === 'array' ? marked.replace(LIST_OF, '') : marked;
  const rest = text.replace(CLAUSE, (said) => (isStatedBy(schema, said.trim().replace(/\s+/g, ' ')) ? '' : said));
  return rest === text ? text : rest.replace(EMPTY, '');
};
