import { namesIn } from '../../contract/json-pointer.ts';
import { sameJson } from '../../contract/same.ts';
import { isObject, type Json, type JsonObject, own } from '../../contract/types.ts';
import { quoteText, quoteValue } from '../../text/quote.ts';
import { quoteChange } from '../../text/quote-change.ts';
import { type Shown, say } from '../../text/shown.ts';
import { nameWords } from '../name-words.ts';
import type { Finding, Rule, SchemaPair } from '../types.ts';
import { isOtherOmission, meansOtherDefault, ofCallsWith } from '../worded-defaults.ts';
import { valuesToldAnew } from '../words/by-value.ts';
import { compareTexts, isMissed, type TextContext } from '../words/compare.ts';
import { areOtherForm } from '../words/examples.ts';
import { tellsSomething, kindOf as wordKind } from '../words/kinds.ts';
import { listedBefore } from '../words/listed-values.ts';
import { withoutOwnName, withoutStated } from '../words/stated.ts';
import { saysTheValue } from '../words/told.ts';
import { givesIn } from '../words/units.ts';
import { textsAllowed, withoutLists, withoutNewInLists, withoutNewValues } from '../words/values.ts';

const KEYWORDS = ['title', 'description', 'example', 'examples'] as const;

/** Examples of a value: OpenAPI writes a single one as `example`. */
const examplesIn = (schema: JsonObject): Json[] => {
  const [one, some] = [own(schema, 'example'), own(schema, 'examples')];
  return [...(one === undefined ? [] : [one]), ...(Array.isArray(some) ? some : [])];
};

/** Whether two values, or parts of them that belong together, are of another kind or form. */
const isOtherForm = (had: Json, has: Json): boolean => {
  if (Array.isArray(had) && Array.isArray(has)) {
    const isOfParts = [had[0], has[0]].every((one) => typeof one === 'object' && one !== null);
    return isOfParts ? isOtherForm(had[0] as Json, has[0] as Json) : areOtherForm(had, has);
  }
  if (!isObject(had) || !isObject(has)) return typeof had !== typeof has || areOtherForm([had], [has]);
  const names = new Set([...Object.keys(had), ...Object.keys(has)]);
  return [...names].some((name) => {
    const [old, now] = [own(had, name), own(has, name)];
    return old === undefined || now === undefined || isOtherForm(old, now);
  });
};

/** Whether a keyword shows a value in another form, by itself or with all that is shown. */
const showsOtherForm = ({ before, after }: SchemaPair, keyword: 'example' | 'examples'): boolean => {
  const [had, has] = [own(before, keyword), own(after, keyword)];
  const isOther =
    keyword === 'examples' ? areOtherForm(had, has) : had !== undefined && has !== undefined && isOtherForm(had, has);
  return isOther || areOtherForm(examplesIn(before), examplesIn(after));
};

/** The words of a name or title. Signs that may mean something stay: "(max 10)", "($)". */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s_.,:-]+/)
    .filter((word) => word !== '');

/** A title that is the name in words, as libraries make it, or none. */
const isName = (title: Json | undefined, name: string): boolean =>
  title === undefined || (typeof title === 'string' && wordsOf(title).join('') === wordsOf(name).join(''));

/** A title that says neither more nor less than the name: "Size of the page" for `page_size`. */
const saysTheName = (title: Json | undefined, name: string): boolean => {
  if (typeof title !== 'string' || isName(title, name)) return isName(title, name);
  const words = wordsOf(title).filter((word) => !/^(?:an?|the)$/.test(word));
  const turned = words.join(' ').split(' of ').reverse();
  return isName(words.join(''), name) || isName(turned.join(''), name);
};

const BOUNDED: ReadonlySet<unknown> = new Set(['number', 'integer', 'string', 'array']);

/** Whether a value can lie within a bound that its words name: a switch, or the whole input, lies within none. */
const canBeBounded = ({ before, parameter }: SchemaPair): boolean => {
  const types = [own(before, 'type') ?? []].flat();
  return parameter.length > 0 && (types.length === 0 || types.some((type) => BOUNDED.has(type)));
};

/** What the names of choices end with: `SortOrder`. */
const OF_CHOICES = /^(?:enum|kind|level|mode|order|status|type)$/;

/** One word, as a program names its types. */
const TYPE_NAME = /^[A-Za-z_]\w*$/;

/**
 * Whether the title of an object or a choice is the name of a type, or none, and no word of it that changed means something by itself.
 * Some libraries make such titles, and other versions of the same libraries do not.
 */
const isOfType = (
  { before, after, tool, parameter }: SchemaPair,
  had: Json | undefined,
  has: Json | undefined,
): boolean => {
  const isChoice = [before, after].every((one) => Array.isArray(own(one, 'enum')));
  if (parameter.length > 0 && own(before, 'type') !== 'object' && !isChoice) return false;
  const titles = [had, has].filter((title) => title !== undefined);
  if (!titles.every((title) => typeof title === 'string' && TYPE_NAME.test(title))) return false;
  const [old = [], now = []] = [had, has].map((title) => (typeof title === 'string' ? nameWords(title) : []));
  const [lost, came] = [old.filter((word) => !now.includes(word)), now.filter((word) => !old.includes(word))];
  // The name of the tool or the parameter says nothing new about what it takes.
  const known = nameWords(parameter.length === 0 ? tool : (parameter.findLast((step) => step !== '*') ?? ''));
  const saysNothing = (word: string): boolean =>
    known.includes(word) || /^v?\d+$/.test(word) || (isChoice && OF_CHOICES.test(word));
  // Of a choice, the title may be all that says what its values are of: `TimeUnit`, and then `LengthUnit`.
  if (isChoice && [lost, came].every((words) => !words.every(saysNothing))) return false;
  return [...lost, ...came].every((word) => saysNothing(word) || wordKind({ text: word, word }) === undefined);
};

/** Whether the titles that a form has, if any, only say its one value. */
const areOfValue = ({ before, after }: SchemaPair): boolean =>
  [before, after].every((one) => own(one, 'title') === undefined || saysTheValue(one));

/** Whether a keyword that came tells the unit that words told. */
const isToldByKeyword = ({ before, after }: SchemaPair, words: string): boolean =>
  Object.entries(after).some(
    ([keyword, unit]) => !Object.hasOwn(before, keyword) && typeof unit === 'string' && givesIn(words, unit),
  );

/** What a change of words means to a reader who knows the old ones. */
const kindOf = (
  pair: SchemaPair,
  keyword: (typeof KEYWORDS)[number],
  had: Json | undefined,
  has: Json | undefined,
): string => {
  const { tool, parameter, newName } = pair;
  if (keyword === 'title' && (isOfType(pair, had, has) || areOfValue(pair))) return 'plainer';
  // An example is only one of many, but its form tells how to write the value.
  if (keyword === 'example' || keyword === 'examples') return showsOtherForm(pair, keyword) ? 'meaning' : 'plainer';
  const name = parameter.findLast((step) => step !== '*') ?? '';
  if (keyword === 'title' && saysTheName(had, name) && isName(has, newName ?? name)) return 'plainer';
  const context = { names: [tool, ...parameter] };
  if (typeof had === 'string' && (has === undefined || has === ''))
    return keyword === 'description' && isMissed(had, context) && !isToldByKeyword(pair, had) ? 'meaning' : 'untold';
  if (typeof has !== 'string' || (typeof had !== 'string' && had !== undefined)) return 'meaning';
  const old = withoutStated(withoutOwnName(had ?? '', name, pair.before), pair.after, pair.wasRequired);
  const now = withoutStated(withoutOwnName(has, newName ?? name, pair.after), pair.before, pair.wasRequired);
  const { change } = compareTexts(old, now, context);
  if (change === 'widened') return canBeBounded(pair) ? 'plainer' : 'meaning';
  if (change === 'same') return 'plainer';
  return change === 'meaning' && had ? besideValues(pair, old, now, context) : change;
};

/** Whether a value is a text, which its schema does not limit to some. */
const areTexts = (...schemas: readonly JsonObject[]): boolean =>
  schemas.every((schema) => own(schema, 'type') === 'string' && own(schema, 'enum') === undefined);

/** The same without what the schema says by its list of values. */
const besideValues = ({ before, after }: SchemaPair, had: string, has: string, context: TextContext): string => {
  const allowed = [textsAllowed(before), textsAllowed(after)] as const;
  if (allowed.some(({ size }) => size === 0)) return 'meaning';
  const [old, now] = withoutNewInLists([withoutLists(had, allowed[0]), withoutLists(has, allowed[1])], allowed);
  const rest = withoutNewValues(now, old, allowed);
  // A text of nothing else says now what it is about, or no longer.
  if ([old, rest].some((text) => text.trim() === '')) return 'meaning';
  const { change } = compareTexts(old, rest, context);
  if (change === 'meaning' || change === 'widened') return 'meaning';
  return change === 'same' && rest === now ? 'plainer' : 'added';
};

/** Which values a description is about where it means something else now; undefined if it is about all. */
const valuesMeant = (
  { before, after, isOfNames, tool, parameter }: SchemaPair,
  had: Json | undefined,
  has: Json | undefined,
): Pick<Finding, 'values' | 'sameValues'> | undefined => {
  if (isOfNames || typeof had !== 'string' || typeof has !== 'string') return undefined;
  const listed = areTexts(before, after) ? listedBefore(had, has) : undefined;
  return listed === undefined
    ? valuesToldAnew([before, after], [had, has], { names: [tool, ...parameter] })
    : { sameValues: listed };
};

/** What is told of words that a definition had behind those that are shown as before. Nothing contradicts them. */
const ofDefinition = (words: string): Finding => ({
  kind: 'untold',
  path: '/description',
  message: say`no longer described by a definition: ${quoteText(words, 160)}`,
  brief: say`the description of its definition is gone`,
  before: words,
});

/** Whether the words also concern calls that leave the parameter out: they go on to mean its default. */
const isOfDefault = (
  { before, after }: SchemaPair,
  had: Json | undefined,
  has: Json | undefined,
  isOfSomeValues: boolean,
): boolean =>
  typeof had === 'string' && typeof has === 'string' && meansOtherDefault([before, after], [had, has], isOfSomeValues);

/** Whether the words are about calls that leave the parameter out, and say more of them than a value. */
const isOfOmission = (pair: SchemaPair, had: Json | undefined, has: Json | undefined): boolean => {
  const name = pair.parameter.at(-1) ?? '*';
  if (name === '*' || pair.isOfNames || pair.wasRequired) return false;
  const [old = '', now = ''] = [had, has];
  if (typeof old !== 'string' || typeof now !== 'string') return false;
  return isOtherOmission(name, [pair.before, pair.after], [old, now]);
};

/** The need in brackets, which says nothing of a value. */
const NEED = /[([](?:optional|required)[)\]]/gi;

/** The kind of words that are about calls without the parameter, too: the others may rely on nothing that changed. */
const withOmission = ({ tool, parameter }: SchemaPair, kind: string, had = '', has = ''): string => {
  if (kind !== 'meaning') return 'ofOmission';
  const [old, now] = [had, has].map((text) => ofCallsWith(text.replace(NEED, ''))) as [string, string];
  const { change } = compareTexts(old, now, { names: [tool, ...parameter] });
  return change === 'meaning' ? 'ofDefault' : 'ofOmission';
};

/** The one value that the words are about, where they stand in a form of just that. */
const constOf = ({ path, before, after }: SchemaPair): Json | undefined => {
  const [, keyword, holder] = namesIn(path).toReversed();
  const isForm = holder !== 'properties' && (keyword === 'anyOf' || keyword === 'oneOf');
  return isForm ? (own(after, 'const') ?? own(before, 'const')) : undefined;
};

/** The pattern of the names that the words are about the values of. */
const patternOf = ({ path }: SchemaPair): string | undefined => {
  const [pattern, keyword, holder] = namesIn(path).toReversed();
  return holder !== 'properties' && keyword === 'patternProperties' ? pattern : undefined;
};

/** What changed: a text, and what it is about where that is not all of the parameter. The pattern is no word for the model. */
const changedIn = (pair: SchemaPair, keyword: (typeof KEYWORDS)[number]): { full: Shown; brief: Shown } => {
  const [value, pattern] = [constOf(pair), patternOf(pair)];
  if (pair.isOfNames) return { full: say`${keyword} of names`, brief: say`the ${keyword} of its names` };
  if (value !== undefined) {
    const full = say`${keyword} of ${quoteValue(value, 40)}`;
    return { full, brief: say`the ${full}` };
  }
  const full = pattern === undefined ? say`${keyword}` : say`${keyword} of names like ${quoteText(pattern, 40)}`;
  return { full, brief: say`its ${keyword}` };
};

export const inputPropertyWordsChanged: Rule<SchemaPair> = {
  id: 'input-property-words-changed',
  purpose: 'A parameter keeps its name and type and says something else: the change that no validator sees.',
  at: 'schema',
  keywords: KEYWORDS,
  find: (pair) =>
    KEYWORDS.filter((keyword) => !sameJson(own(pair.before, keyword), own(pair.after, keyword))).map((keyword) => {
      const had = own(pair.before, keyword);
      const has = own(pair.after, keyword);
      const kind = kindOf(pair, keyword, had, has);
      if (keyword === 'description' && pair.behind !== undefined && kind === 'meaning')
        return ofDefinition(pair.behind);
      const isOfValues = kind === 'meaning' && keyword === 'description';
      const about = isOfValues ? valuesMeant(pair, had, has) : undefined;
      const { full, brief } = changedIn(pair, keyword);
      const isOfAll = isOfValues && isOfDefault(pair, had, has, about !== undefined);
      const isOfLeftOut = !isOfAll && keyword === 'description' && isOfOmission(pair, had, has);
      return {
        kind: isOfAll ? 'ofDefault' : isOfLeftOut ? withOmission(pair, kind, had as string, has as string) : kind,
        ...about,
        path: `/${keyword}`,
        message: say`new ${full}: ${quoteChange(had, has, 160, tellsSomething)}`,
        brief: say`${brief} changed`,
        before: had,
        after: has,
      };
    }),
  examples: [
    {
      what: 'words of a definition, behind those that stay, where it is written in place',
      before: {
        type: 'object',
        properties: { wait: { $ref: '#/$defs/Wait', description: 'How long' } },
        $defs: { Wait: { type: 'integer', description: 'A time in hours' } },
      },
      after: { type: 'object', properties: { wait: { type: 'integer', description: 'How long' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/wait/description'],
    },
    {
      what: 'the same name, another meaning',
      before: { type: 'object', properties: { limit: { type: 'integer', description: 'max results to return' } } },
      after: { type: 'object', properties: { limit: { type: 'integer', description: 'page index (0-based)' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/limit/description, ask when used'],
    },
    {
      what: 'the same words, and some that say nothing new',
      before: { type: 'object', properties: { author: { type: 'string', description: 'Name or email address' } } },
      after: {
        type: 'object',
        properties: {
          author: { type: 'string', description: 'The name or email address of the author, or an identifier.' },
        },
      },
      gives: ['semantic input-property-words-changed /inputSchema/properties/author/description'],
    },
    {
      what: 'one word more, and a limit counts something else',
      before: { type: 'object', properties: { limit: { type: 'integer', description: 'max results' } } },
      after: { type: 'object', properties: { limit: { type: 'integer', description: 'max results per page' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/limit/description, ask when used'],
    },
    {
      what: 'one value of a choice means something else, which a call with another value does not rely on',
      before: {
        type: 'object',
        properties: { mode: { enum: ['eco', 'boost'], description: 'eco: saves energy; boost: heats for 1 hour' } },
      },
      after: {
        type: 'object',
        properties: { mode: { enum: ['eco', 'boost'], description: 'eco: saves energy; boost: heats for 3 hours' } },
      },
      gives: ['semantic input-property-words-changed /inputSchema/properties/mode/description, ask when used'],
    },
    {
      what: 'words where there were none',
      before: { type: 'object', properties: { limit: { type: 'integer' } } },
      after: { type: 'object', properties: { limit: { type: 'integer', description: 'most results' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/limit/description'],
    },
    {
      what: 'another unit, and the same default, which means something else now',
      before: {
        type: 'object',
        properties: { wait: { type: 'integer', default: 5, description: 'Wait, in seconds' } },
      },
      after: { type: 'object', properties: { wait: { type: 'integer', default: 5, description: 'Wait, in minutes' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/wait/description, ask'],
    },
    {
      what: 'false means the opposite now',
      before: {
        type: 'object',
        properties: { drafts: { type: 'boolean', default: false, description: 'Include drafts' } },
      },
      after: {
        type: 'object',
        properties: { drafts: { type: 'boolean', default: false, description: 'Exclude drafts' } },
      },
      gives: ['semantic input-property-words-changed /inputSchema/properties/drafts/description, ask'],
    },
    {
      what: 'it does the opposite now, and false does nothing as before',
      before: {
        type: 'object',
        properties: { lock: { type: 'boolean', default: false, description: 'Lock the file' } },
      },
      after: {
        type: 'object',
        properties: { lock: { type: 'boolean', default: false, description: 'Unlock the file' } },
      },
      gives: ['semantic input-property-words-changed /inputSchema/properties/lock/description, ask when used'],
    },
    {
      what: 'what a call that leaves it out does, which such calls were not told',
      before: { type: 'object', properties: { filter: { type: 'string', description: 'Filter' } } },
      after: {
        type: 'object',
        properties: { filter: { type: 'string', description: 'Filter. If omitted, every record is deleted.' } },
      },
      gives: ['semantic input-property-words-changed /inputSchema/properties/filter/description, ask when omitted'],
    },
    {
      what: 'a title that says more than the name',
      before: { type: 'object', properties: { amount: { type: 'number', title: 'Amount (€)' } } },
      after: { type: 'object', properties: { amount: { type: 'number', title: 'Amount ($)' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/amount/title, ask when used'],
    },
    {
      what: 'a title that is the name, which changed',
      before: {
        type: 'object',
        properties: { query: { type: 'string', title: 'Query', description: 'what to look for' } },
      },
      after: { type: 'object', properties: { q: { type: 'string', title: 'Q', description: 'what to look for' } } },
      gives: [
        'silent input-property-renamed /inputSchema/properties/query, deny when used',
        'compatible input-property-words-changed /inputSchema/properties/query/title, quiet',
      ],
    },
    {
      what: 'the name of a type in the server’s code',
      before: { type: 'object', title: 'search_filesArguments', properties: { limit: { type: 'integer' } } },
      after: { type: 'object', title: 'SearchInput', properties: { limit: { type: 'integer' } } },
      gives: ['compatible input-property-words-changed /inputSchema/title, quiet'],
    },
    {
      what: 'such a name where there was none',
      before: { type: 'object', properties: { limit: { type: 'integer' } } },
      after: { type: 'object', title: 'SearchFilesArguments', properties: { limit: { type: 'integer' } } },
      gives: ['compatible input-property-words-changed /inputSchema/title, quiet'],
    },
    {
      what: 'a title of all arguments that says what they mean',
      before: { type: 'object', properties: { limit: { type: 'integer' } } },
      after: { type: 'object', title: 'Limits in seconds', properties: { limit: { type: 'integer' } } },
      gives: ['semantic input-property-words-changed /inputSchema/title, ask'],
    },
    {
      what: 'first words that say in which form the value is given',
      before: { type: 'object', properties: { photo: { type: 'string' } } },
      after: { type: 'object', properties: { photo: { type: 'string', description: 'base64-encoded photo' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/photo/description, ask when used'],
    },
    {
      what: 'words that told the unit are gone',
      before: { type: 'object', properties: { wait: { type: 'integer', description: 'Wait, in seconds' } } },
      after: { type: 'object', properties: { wait: { type: 'integer' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/wait/description, ask when used'],
    },
    {
      what: 'its words are gone',
      before: { type: 'object', properties: { limit: { type: 'integer', description: 'most results' } } },
      after: { type: 'object', properties: { limit: { type: 'integer' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/limit/description'],
    },
    {
      what: 'the names that a map is given',
      before: {
        type: 'object',
        properties: { texts: { type: 'object', propertyNames: { type: 'string', description: 'ISO 639 code' } } },
      },
      after: {
        type: 'object',
        properties: { texts: { type: 'object', propertyNames: { type: 'string', description: 'English name' } } },
      },
      gives: [
        'semantic input-property-words-changed /inputSchema/properties/texts/propertyNames/description, ask when used',
      ],
    },
    {
      what: 'examples in another form',
      before: { type: 'object', properties: { day: { type: 'string', examples: ['2024-02-29'] } } },
      after: { type: 'object', properties: { day: { type: 'string', examples: ['29/02/2024'] } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/day/examples, ask when used'],
    },
    {
      what: 'other examples',
      before: { type: 'object', properties: { day: { type: 'string', examples: ['2024-02-29'] } } },
      after: { type: 'object', properties: { day: { type: 'string', examples: ['2025-03-01', 'today'] } } },
      gives: ['compatible input-property-words-changed /inputSchema/properties/day/examples, quiet'],
    },
    {
      what: 'another example, of the only one',
      before: { type: 'object', properties: { file: { type: 'string', example: 'notes.txt' } } },
      after: { type: 'object', properties: { file: { type: 'string', example: 'report.txt' } } },
      gives: ['compatible input-property-words-changed /inputSchema/properties/file/example, quiet'],
    },
    {
      what: 'the only one, in another form',
      before: { type: 'object', properties: { day: { type: 'string', example: '2024-02-29' } } },
      after: { type: 'object', properties: { day: { type: 'string', example: '29/02/2024' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/day/example, ask when used'],
    },
    {
      what: 'a part of the only one, in another form',
      before: { type: 'object', properties: { trip: { type: 'object', example: { to: 'Ulm', on: '2024-02-29' } } } },
      after: { type: 'object', properties: { trip: { type: 'object', example: { to: 'Bonn', on: '29/02/2024' } } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/trip/example, ask when used'],
    },
    {
      what: 'the only one as one of a list, in another form',
      before: { type: 'object', properties: { day: { type: 'string', example: '2024-02-29' } } },
      after: { type: 'object', properties: { day: { type: 'string', examples: ['29/02/2024'] } } },
      gives: [
        'semantic input-property-words-changed /inputSchema/properties/day/example, ask when used',
        'semantic input-property-words-changed /inputSchema/properties/day/examples, ask when used',
      ],
    },
    {
      what: 'behind a definition that only leads on to another one',
      before: {
        type: 'object',
        properties: { wait: { $ref: '#/$defs/Wait' } },
        $defs: { Wait: { $ref: '#/$defs/Time' }, Time: { type: 'integer', description: 'in seconds' } },
      },
      after: {
        type: 'object',
        properties: { wait: { $ref: '#/$defs/Wait' } },
        $defs: { Wait: { $ref: '#/$defs/Time' }, Time: { type: 'integer', description: 'in milliseconds' } },
      },
      gives: ['semantic input-property-words-changed /inputSchema/$defs/Wait/description, ask when used'],
    },
    {
      what: 'when a switch works',
      before: { type: 'object', properties: { now: { type: 'boolean', description: 'only for at most 10 files' } } },
      after: { type: 'object', properties: { now: { type: 'boolean', description: 'only for at most 99 files' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/now/description, ask when used'],
    },
    {
      what: 'a line about a value that is new',
      before: {
        type: 'object',
        properties: {
          act: { enum: ['get', 'list'], description: 'What to do:\n1. get - Gets a note.\n2. list - Lists.' },
        },
      },
      after: {
        type: 'object',
        properties: {
          act: {
            enum: ['get', 'list', 'sort'],
            description: 'What to do:\n1. get - Gets a note.\n2. list - Lists.\n3. sort - Only sorts, if asked.',
          },
        },
      },
      gives: [
        'semantic input-property-words-changed /inputSchema/properties/act/description',
        'compatible input-property-enum-changed /inputSchema/properties/act/enum, quiet',
      ],
    },
    {
      what: 'a sentence about a value that is new',
      before: {
        type: 'object',
        properties: { act: { enum: ['get', 'list'], description: "'get' reads. 'list' lists." } },
      },
      after: {
        type: 'object',
        properties: {
          act: { enum: ['get', 'list', 'sort'], description: "'get' reads. 'list' lists. 'sort' never reads." },
        },
      },
      gives: [
        'semantic input-property-words-changed /inputSchema/properties/act/description',
        'compatible input-property-enum-changed /inputSchema/properties/act/enum, quiet',
      ],
    },
    {
      what: 'a line about a new value and about one that was there',
      before: { type: 'object', properties: { act: { enum: ['get', 'list'], description: 'What to do.' } } },
      after: {
        type: 'object',
        properties: {
          act: { enum: ['get', 'list', 'sort'], description: 'What to do.\nsort must stand before list.' },
        },
      },
      gives: [
        'semantic input-property-words-changed /inputSchema/properties/act/description, ask when used',
        'compatible input-property-enum-changed /inputSchema/properties/act/enum, quiet',
      ],
    },
    {
      what: 'a line that only names a value that is new',
      before: { type: 'object', properties: { act: { enum: ['get', 'list'], description: 'What to do.' } } },
      after: {
        type: 'object',
        properties: { act: { enum: ['get', 'list', 'sort'], description: 'What to do.\nNever without a sort.' } },
      },
      gives: [
        'semantic input-property-words-changed /inputSchema/properties/act/description, ask when used',
        'compatible input-property-enum-changed /inputSchema/properties/act/enum, quiet',
      ],
    },
    {
      what: 'a list of the values that the schema lists, too',
      before: {
        type: 'object',
        properties: { side: { enum: ['left', 'right'], description: "Side of the page ('left', 'right')" } },
      },
      after: {
        type: 'object',
        properties: { side: { enum: ['left', 'right'], description: 'Side of the page. Can be left or right' } },
      },
      gives: ['compatible input-property-words-changed /inputSchema/properties/side/description, quiet'],
    },
    {
      what: 'such a list, where the schema has other values',
      before: {
        type: 'object',
        properties: { side: { enum: ['left', 'right'], description: "Side of the page ('left', 'top')" } },
      },
      after: { type: 'object', properties: { side: { enum: ['left', 'right'], description: 'Side of the page' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/side/description, ask when used'],
    },
    {
      what: 'its name and type before what is said of it',
      before: { type: 'object', properties: { city_id: { type: 'string', description: 'ID of the city' } } },
      after: {
        type: 'object',
        properties: { city_id: { type: 'string', description: '- `city_id` (string): ID of the city' } },
      },
      gives: ['compatible input-property-words-changed /inputSchema/properties/city_id/description, quiet'],
    },
    {
      what: 'another name before it',
      before: { type: 'object', properties: { city_id: { type: 'string', description: 'ID of the city' } } },
      after: { type: 'object', properties: { city_id: { type: 'string', description: '`town_id`: ID of the city' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/city_id/description, ask when used'],
    },
    {
      what: 'a bound and a default that the schema states, too',
      before: {
        type: 'object',
        properties: { limit: { type: 'integer', maximum: 100, default: 20, description: 'Rows' } },
      },
      after: {
        type: 'object',
        properties: {
          limit: { type: 'integer', maximum: 100, default: 20, description: 'Rows (max 100). Default: 20' },
        },
      },
      gives: ['compatible input-property-words-changed /inputSchema/properties/limit/description, quiet'],
    },
    {
      what: 'a bound that went from the words into the schema',
      before: { type: 'object', properties: { name: { type: 'string', description: 'Name, up to 80 characters.' } } },
      after: { type: 'object', properties: { name: { type: 'string', maxLength: 80, description: 'Name' } } },
      gives: [
        'breaking input-constraint-changed /inputSchema/properties/name/maxLength',
        'compatible input-property-words-changed /inputSchema/properties/name/description, quiet',
      ],
    },
    {
      what: 'another bound than the one of the schema, or one of something else',
      before: {
        type: 'object',
        properties: {
          limit: { type: 'integer', maximum: 100, description: 'Rows' },
          name: { type: 'string', maxLength: 80, description: 'Name' },
        },
      },
      after: {
        type: 'object',
        properties: {
          limit: { type: 'integer', maximum: 100, description: 'Rows (max 50)' },
          name: { type: 'string', maxLength: 80, description: 'Name (max 80)' },
        },
      },
      gives: [
        'semantic input-property-words-changed /inputSchema/properties/limit/description, ask when used',
        'semantic input-property-words-changed /inputSchema/properties/name/description, ask when used',
      ],
    },
    {
      what: 'digits, case and punctuation',
      before: { type: 'object', properties: { limit: { type: 'integer', description: 'Max results (1-100).' } } },
      after: { type: 'object', properties: { limit: { type: 'integer', description: 'max results: 1-200' } } },
      gives: ['compatible input-property-words-changed /inputSchema/properties/limit/description, quiet'],
    },
  ],
};
