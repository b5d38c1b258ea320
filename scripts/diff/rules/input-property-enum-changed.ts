import { LIMIT_KEYWORDS, listsIn } from '../../contract/meaning.ts';
import { sameJson } from '../../contract/same.ts';
import { type Json, type JsonObject, own } from '../../contract/types.ts';
import { quoteList } from '../../text/quote.ts';
import { joined, type Shown, say } from '../../text/shown.ts';
import { valuesWithout } from '../branches.ts';
import { scaleChange } from '../listed-scales.ts';
import { MAY_MEAN_OTHER } from '../scales.ts';
import type { Finding, Rule, SchemaPair } from '../types.ts';

/** The values that a schema lists: one alone may be its `const`. */
const valuesOf = (schema: JsonObject): Json | undefined => {
  const [values, only] = [own(schema, 'enum'), own(schema, 'const')];
  return Array.isArray(values) || only === undefined ? values : [only];
};

/** Which of the allowed values went and came. */
export const valuesText = (dropped: readonly Json[], gained: readonly Json[]): Shown => {
  const parts = [
    ...(dropped.length > 0 ? [say`dropped ${quoteList(dropped)}`] : []),
    ...(gained.length > 0 ? [say`added ${quoteList(gained)}`] : []),
  ];
  return say`enum ${dropped.length > 0 ? 'narrowed' : 'widened'}: ${joined(parts, ', ')}`;
};

const LIMITS = [...LIMIT_KEYWORDS, '$ref', 'allOf', 'anyOf', 'format', 'not', 'oneOf', 'pattern'] as const;

/** What counts in place of a list that went. */
const insteadText = (before: JsonObject, after: JsonObject): Shown =>
  LIMITS.some((keyword) => Object.hasOwn(after, keyword) && !Object.hasOwn(before, keyword))
    ? say`its values are limited in another way now`
    : say`any value is allowed`;

/** What went and came in a list, or with it. */
const listChange = (before: JsonObject, after: JsonObject): Finding[] => {
  const [old, now] = [own(before, 'enum'), own(after, 'enum')];
  if (sameJson(old, now)) return [];
  if (!Array.isArray(old) && !Array.isArray(now)) return [];
  const [had, has] = [valuesOf(before), valuesOf(after)];
  if (!Array.isArray(has)) {
    return [
      {
        kind: 'wider',
        path: '/enum',
        message: say`enum dropped: ${insteadText(before, after)}`,
        before: had,
        after: has,
      },
    ];
  }
  if (!Array.isArray(had)) {
    return [
      {
        kind: 'narrower',
        path: '/enum',
        message: say`enum introduced: only ${quoteList(has)}`,
        before: had,
        after: has,
      },
    ];
  }
  const dropped = valuesWithout(had, has);
  const gained = valuesWithout(has, had);
  if (dropped.length + gained.length === 0 && !(Array.isArray(old) && Array.isArray(now))) {
    const what = Array.isArray(now) ? 'introduced' : 'dropped';
    return [
      {
        kind: 'wider',
        path: '/enum',
        message: say`enum ${what}: still only ${quoteList(has)}`,
        before: old,
        after: now,
      },
    ];
  }
  if (dropped.length + gained.length === 0 && had.length === has.length) {
    const isOrdered = listsIn(before).length > 0 === listsIn(after).length > 0;
    return [
      {
        kind: isOrdered ? 'reordered' : 'wider',
        path: '/enum',
        values: had.filter((value, at) => !sameJson(value, has[at])),
        message: say`enum reordered: what else is listed may belong to other values now`,
        before: had,
        after: has,
      },
    ];
  }
  return [
    {
      kind: dropped.length > 0 ? 'narrower' : 'wider',
      path: '/enum',
      message: valuesText(dropped, gained),
      before: old,
      after: now,
    },
  ];
};

export const inputPropertyEnumChanged: Rule<SchemaPair> = {
  id: 'input-property-enum-changed',
  purpose: 'The list of allowed values changed. A server may refuse a value that went, or quietly take its default.',
  at: 'schema',
  keywords: ['enum'],
  find: (pair) => {
    const { before, after } = pair;
    const scale = scaleChange(pair);
    return listChange(before, after).map((finding) =>
      scale === undefined ? finding : { ...finding, kind: scale, message: say`${finding.message}${MAY_MEAN_OTHER}` },
    );
  },
  examples: [
    {
      what: 'two values went, one came',
      before: { type: 'object', properties: { format: { type: 'string', enum: ['text', 'html'] } } },
      after: { type: 'object', properties: { format: { type: 'string', enum: ['markdown'] } } },
      gives: ['breaking input-property-enum-changed /inputSchema/properties/format/enum'],
    },
    {
      what: 'one more value',
      before: { type: 'object', properties: { format: { enum: ['text'] } } },
      after: { type: 'object', properties: { format: { enum: ['text', 'html'] } } },
      gives: ['compatible input-property-enum-changed /inputSchema/properties/format/enum, quiet'],
    },
    {
      what: 'the only value is a constant now',
      before: { type: 'object', properties: { unit: { enum: ['kg'] } } },
      after: { type: 'object', properties: { unit: { const: 'kg' } } },
      gives: [
        'compatible input-property-enum-changed /inputSchema/properties/unit/enum, quiet',
        'compatible input-constraint-changed /inputSchema/properties/unit/const, quiet',
      ],
    },
    {
      what: 'one of two values is a constant now',
      before: { type: 'object', properties: { unit: { enum: ['kg', 'lb'] } } },
      after: { type: 'object', properties: { unit: { const: 'kg' } } },
      gives: [
        'breaking input-property-enum-changed /inputSchema/properties/unit/enum',
        'breaking input-constraint-changed /inputSchema/properties/unit/const',
      ],
    },
    {
      what: 'a scale that begins at 1 now',
      before: { type: 'object', properties: { urgency: { enum: [0, 1, 2] } } },
      after: { type: 'object', properties: { urgency: { enum: [1, 2, 3] } } },
      gives: ['breaking input-property-enum-changed /inputSchema/properties/urgency/enum, ask when used'],
    },
    {
      what: 'a scale whose end is another one',
      before: { type: 'object', properties: { urgency: { enum: [1, 2, 3] } } },
      after: { type: 'object', properties: { urgency: { enum: [1, 2, 3, 4, 5] } } },
      gives: ['semantic input-property-enum-changed /inputSchema/properties/urgency/enum, ask when used'],
    },
    {
      what: 'one more number of things',
      before: { type: 'object', properties: { columns: { enum: [1, 2, 3] } } },
      after: { type: 'object', properties: { columns: { enum: [1, 2, 3, 4] } } },
      gives: ['compatible input-property-enum-changed /inputSchema/properties/columns/enum, quiet'],
    },
    {
      what: 'another order is no change',
      before: { type: 'object', properties: { format: { enum: ['text', 'html'] } } },
      after: { type: 'object', properties: { format: { enum: ['html', 'text'] } } },
      gives: [],
    },
    {
      what: 'another order, under a list that may follow it',
      before: { type: 'object', properties: { mode: { enum: ['a', 'b'], 'x-shown': ['all of them', 'none'] } } },
      after: { type: 'object', properties: { mode: { enum: ['b', 'a'], 'x-shown': ['all of them', 'none'] } } },
      gives: ['semantic input-property-enum-changed /inputSchema/properties/mode/enum, ask when used'],
    },
    {
      what: 'a free text became a choice',
      before: { type: 'object', properties: { lang: { type: 'string' } } },
      after: { type: 'object', properties: { lang: { type: 'string', enum: ['de', 'ja'] } } },
      gives: ['breaking input-property-enum-changed /inputSchema/properties/lang/enum'],
    },
  ],
};
