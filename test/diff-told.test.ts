// What is told of a change, word for word, and what the judge is given with it. KONNICHIWAGWAN_GOLDEN=write writes the
// files. Two contracts are compared without a limit of time: a busy machine changes nothing.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readToolList } from '../scripts/contract/read.ts';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { compare } from '../scripts/diff/diff.ts';
import { diffLists } from '../scripts/diff/diff-lists.ts';
import { LIST_RULES, SCHEMA_RULES, TOOL_RULES } from '../scripts/diff/table.ts';
import type { BranchSides, FoundChange } from '../scripts/diff/types.ts';
import { compareTexts, type TextContext } from '../scripts/diff/words/compare.ts';

/** The names of the forms of a call that a change is about. */
const formsIn = ({ had, has }: BranchSides): Json => [had, has].map((form) => form?.branch.name ?? null);

/** A change in lines: what people read, what the model reads if that is something else, and what the judge goes by. */
const linesOf = (change: FoundChange): string[] => {
  const { tool, path, rule, level, message, brief, before, after, effect, of, ...more } = change;
  const { verdict, when } = effect ?? {};
  const further = { before, after, ...more, ...(of && { of: formsIn(of) }) };
  return [
    `  ${level} ${rule} ${tool} ${path}${effect ? `, ${verdict} when ${when}` : ''}`,
    `    ${message}`,
    ...(brief === message ? [] : [`    brief: ${brief}`]),
    ...Object.entries(further).flatMap(([name, value]) =>
      value === undefined ? [] : [`    ${name}: ${JSON.stringify(value)}`],
    ),
  ];
};

const told = (what: string, changes: readonly FoundChange[]): string =>
  [what, ...(changes.length === 0 ? ['  nothing'] : changes.flatMap(linesOf))].join('\n');

const assertGolden = (name: string, texts: readonly string[]): void => {
  const path = `test/golden/${name}.txt`;
  const all = `${texts.join('\n\n')}\n`;
  if (process.env.KONNICHIWAGWAN_GOLDEN === 'write') writeFileSync(path, all);
  assert.equal(all, readFileSync(path, 'utf8'));
};

const asTool = (inputSchema: Json): Contract => ({ name: 'tool', inputSchema });
/** A tool with one parameter. */
const taking = (schema: JsonObject, more: JsonObject = {}): Contract =>
  asTool({ type: 'object', properties: { value: schema }, ...more });

describe('what is told of a change', () => {
  it('in the examples of the rules', () => {
    const rows = [...LIST_RULES, ...TOOL_RULES, ...SCHEMA_RULES];
    const texts = rows.flatMap(({ rule: { id, at, examples } }) =>
      examples.map(({ what, before, after }) => {
        if (at === 'list')
          return told(`${id}: ${what}`, diffLists(readToolList(before).tools, readToolList(after).tools));
        const [old, now] = at === 'tool' ? [before, after] : [asTool(before), asTool(after)];
        return told(`${id}: ${what}`, compare(old as unknown as Contract, now as unknown as Contract));
      }),
    );
    assertGolden('told-examples', texts);
  });

  const ofOne: readonly (readonly [what: string, before: JsonObject, after: JsonObject, more?: JsonObject])[] = [
    ['a format that JSON Schema defines', { type: 'string', format: 'date' }, { type: 'string', format: 'time' }],
    ['a format of its own', { type: 'string', format: 'date' }, { type: 'string', format: 'our-date' }],
    ['a format where there was none', { type: 'string' }, { type: 'string', format: 'uuid' }],
    ['a format no more', { type: 'string', format: 'uuid' }, { type: 'string' }],
    ['a pattern', { type: 'string', pattern: '^a' }, { type: 'string', pattern: '^ab' }],
    [
      'a pattern with other names for its parts',
      { type: 'string', pattern: '^(?<month>\\d\\d)-(?<day>\\d\\d)$' },
      { type: 'string', pattern: '^(?<day>\\d\\d)-(?<month>\\d\\d)$' },
    ],
    ['a switch of a list', { type: 'array' }, { type: 'array', uniqueItems: true }],
    ['a bound that comes', { type: 'integer' }, { type: 'integer', minimum: 1 }],
    ['a bound that goes', { type: 'integer', minimum: 1 }, { type: 'integer' }],
    ['a bound in another unit', { type: 'integer', maximum: 60 }, { type: 'integer', maximum: 60_000 }],
    [
      'an excluded bound of whole numbers, in another unit',
      { type: 'integer', exclusiveMaximum: 61 },
      { type: 'integer', exclusiveMaximum: 60_001 },
    ],
    ['a constant', { const: 'a' }, { const: 'b' }],
    ['another constant, of a list', { enum: ['a', 'b'] }, { const: 'a' }],
    ['a list, of a constant', { const: 'a' }, { enum: ['a'] }],
    ['a list for a constant, with more', { const: 'a' }, { enum: ['a', 'b'] }],
    ['a list that comes', { type: 'string' }, { type: 'string', enum: ['a', 'b'] }],
    ['a list that goes', { type: 'string', enum: ['a', 'b'] }, { type: 'string' }],
    ['a list that gains and loses', { enum: ['a', 'b', 1] }, { enum: ['b', 'c', '1'] }],
    ['a list without its repetition', { enum: ['a', 'a', 'b'] }, { enum: ['a', 'b'] }],
    [
      'a list in another order, beside another list',
      { enum: ['a', 'b', 'c'], enumNames: ['A', 'B', 'C'] },
      { enum: ['b', 'a', 'c'], enumNames: ['A', 'B', 'C'] },
    ],
    ['names that are limited in length', { type: 'object' }, { type: 'object', propertyNames: { maxLength: 3 } }],
    [
      'what is needed beside another one',
      { type: 'object', dependentRequired: { a: ['b'] } },
      { type: 'object', dependentRequired: { a: ['b', 'c'], d: ['a'] } },
    ],
    [
      'what is needed beside another one, and what no longer is',
      { type: 'object', dependentRequired: { a: ['b', 'x'] } },
      { type: 'object', dependentRequired: { a: ['b', 'c'] } },
    ],
    [
      'what is needed beside five others',
      { type: 'object' },
      { type: 'object', dependentRequired: { a: ['z'], b: ['z'], c: ['z'], d: ['z'], e: ['z'] } },
    ],
    [
      'what is needed beside four others',
      { type: 'object' },
      { type: 'object', dependentRequired: { a: ['z'], b: ['z'], c: ['z'], d: ['z'] } },
    ],
    [
      'an element that has to be there',
      { type: 'array', items: { type: 'string' } },
      { type: 'array', items: { type: 'string' }, contains: { const: 'x' } },
    ],
    ['values that are excluded', { type: 'string' }, { type: 'string', not: { const: 'x' } }],
    [
      'names of a pattern alone',
      { type: 'object' },
      { type: 'object', patternProperties: { '^a': {} }, additionalProperties: false },
    ],
    ['a type', { type: 'string' }, { type: 'integer' }],
    ['more types', { type: 'integer' }, { type: ['number', 'string'] }],
    ['no type', { type: 'integer' }, {}],
    ['null by another word', { type: 'string' }, { type: 'string', nullable: true }],
    ['null by another word no more', { type: ['string', 'integer'], nullable: true }, { type: ['string', 'integer'] }],
    ['a default', { type: 'string', default: 'a' }, { type: 'string', default: 'b' }],
    ['a default in prose', { type: 'string', default: 'a' }, { type: 'string', default: 'all of your files' }],
    ['an object as a default', { type: 'object', default: { a: 1 } }, { type: 'object', default: { a: 2 } }],
    ['null as a default', { type: 'string' }, { type: 'string', default: null }],
    ['a default in another unit', { type: 'integer', default: 30 }, { type: 'integer', default: 30_000 }],
    [
      'a default of a parameter that has to be given',
      { type: 'string', default: 'a' },
      { type: 'string', default: 'b' },
      { required: ['value'] },
    ],
    [
      'a default that words told',
      { type: 'integer', description: 'Rows (default: 20)' },
      { type: 'integer', description: 'Rows (default: 20)', default: 20 },
    ],
    [
      'a default that words tell',
      { type: 'integer', description: 'Rows (default: 20)', default: 20 },
      { type: 'integer', description: 'Rows (default: 20)' },
    ],
    [
      'a default that words deny',
      { type: 'integer', description: 'Rows (default: 20)' },
      { type: 'integer', description: 'Rows (default: 20)', default: 50 },
    ],
    ['a mark', { type: 'string' }, { type: 'string', deprecated: true }],
    ['a mark no more', { type: 'string', writeOnly: true }, { type: 'string' }],
    ['a mark that was denied', { type: 'string', deprecated: false }, { type: 'string' }],
    ['a value that is read only', { type: 'string' }, { type: 'string', readOnly: true }],
    ['a value that may be written again', { type: 'string', readOnly: true }, { type: 'string' }],
    ['a header', { type: 'string' }, { type: 'string', 'x-mcp-header': 'X-Value' }],
    ['a header no more', { type: 'string', 'x-mcp-header': 'X-Value' }, { type: 'string' }],
    ['another title', { type: 'string', title: 'Start' }, { type: 'string', title: 'End' }],
    ['a title for the name', { type: 'string' }, { type: 'string', title: 'Value' }],
    ['another example', { type: 'string', example: 'a@b.c' }, { type: 'string', example: '+49 1' }],
    ['words that go', { type: 'string', description: 'The name of a city' }, { type: 'string' }],
    [
      'words of names',
      { type: 'object', propertyNames: { description: 'Cities' } },
      { type: 'object', propertyNames: { description: 'Countries' } },
    ],
    ['an annotation that comes', { type: 'string' }, { type: 'string', 'x-unit': 's' }],
    [
      'six values that mean something else',
      { enum: [1, 2, 3, 4, 5, 6], enumDescriptions: ['a', 'b', 'c', 'd', 'e', 'f'] },
      { enum: [1, 2, 3, 4, 5, 6], enumDescriptions: ['red', 'blue', 'green', 'pink', 'grey', 'white'] },
    ],
    [
      'five values that mean something else',
      { enum: [1, 2, 3, 4, 5], enumDescriptions: ['a', 'b', 'c', 'd', 'e'] },
      { enum: [1, 2, 3, 4, 5], enumDescriptions: ['red', 'blue', 'green', 'pink', 'grey'] },
    ],
    ['forms that come', {}, { anyOf: [{ type: 'string' }, { type: 'object', properties: { a: {}, b: {} } }] }],
    ['exactly one form', {}, { oneOf: [{ const: 'x' }, { enum: ['y', 'z'] }, { type: ['null', 'integer'] }] }],
    ['forms that go', { oneOf: [{ type: 'string' }, { type: 'integer' }] }, {}],
    ['conditions that come', {}, { allOf: [{ minimum: 1, maximum: 5 }, { required: ['a', 'b'] }] }],
    ['conditions that go', { allOf: [{ minimum: 1 }] }, {}],
    [
      'more forms than are named',
      {},
      {
        anyOf: [
          { type: 'string' },
          { type: 'integer' },
          { type: 'boolean' },
          { type: 'array' },
          { type: 'object', properties: { a: {}, b: {}, c: {}, d: {}, e: {} } },
        ],
      },
    ],
    [
      'one form less, and one that may be null',
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      { anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'object' }] },
    ],
    [
      'one condition for another',
      { allOf: [{ minLength: 1, maxLength: 3, minimum: 1, maximum: 2 }, { required: ['a'] }] },
      {
        allOf: [
          { minLength: 1, maxLength: 3, minimum: 1, maximum: 2 },
          { title: 'x', not: {} },
        ],
      },
    ],
    [
      'a condition that refers to a definition',
      { allOf: [{ $ref: '#/$defs/A' }] },
      { allOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] },
      { $defs: { A: { minLength: 1 }, B: { maxLength: 9 } } },
    ],
    [
      'anything that gets forms',
      { anyOf: [{}, { type: 'string' }] },
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
    [
      'forms that became one',
      {
        anyOf: [
          { type: 'object', properties: { a: {} }, required: ['a'] },
          { type: 'object', properties: { b: {} }, required: ['b'] },
        ],
      },
      { anyOf: [{ type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } }] },
    ],
    [
      'forms that only list values',
      { anyOf: [{ enum: ['a', 'b'] }, { const: 'c' }] },
      { anyOf: [{ enum: ['a', 'd'] }, { const: 'c' }, { type: 'null' }] },
    ],
    [
      'forms that list the same values',
      { anyOf: [{ enum: ['a', 'b'] }, { const: 'c' }] },
      { anyOf: [{ enum: ['a'] }, { const: 'b' }, { const: 'c' }] },
    ],
    [
      'a form that no longer takes what another one accepts',
      {
        anyOf: [
          { type: 'object', properties: { a: {}, b: {} } },
          { type: 'object', properties: { c: {} } },
        ],
      },
      {
        anyOf: [
          { type: 'object', properties: { a: {} } },
          { type: 'object', properties: { c: {} } },
        ],
      },
    ],
    [
      'an inner object that names its parameters, and refuses others',
      { type: 'object', properties: { a: {} } },
      { type: 'object', properties: { a: {} }, additionalProperties: false },
    ],
    ['an inner object that names none', { type: 'object' }, { type: 'object', additionalProperties: false }],
    [
      'unknown names of one form alone',
      { type: 'object', properties: { a: {} } },
      { type: 'object', properties: { a: {} }, additionalProperties: { type: 'string' } },
    ],
    ['unknown names again', { type: 'object', additionalProperties: false }, { type: 'object' }],
    [
      'unknown names that no part of it lists',
      { type: 'object', properties: { a: {} } },
      { type: 'object', properties: { a: {} }, unevaluatedProperties: false },
    ],
    [
      'unknown names that no part of it lists, again',
      { type: 'object', unevaluatedProperties: false },
      { type: 'object', unevaluatedProperties: true },
    ],
    [
      'unknown names by another keyword',
      { type: 'object', unevaluatedProperties: false },
      { type: 'object', additionalProperties: false },
    ],
    [
      'names of forms that are refused now',
      { type: 'object', anyOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
      { type: 'object', anyOf: [{ properties: { a: {} } }], additionalProperties: false },
    ],
    [
      'names of forms that are accepted now',
      { type: 'object', anyOf: [{ properties: { a: {} } }], additionalProperties: false },
      { type: 'object', anyOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
    ],
    [
      'an inner parameter that is gone, and refused',
      { type: 'object', properties: { a: {}, b: { type: 'integer' } }, additionalProperties: false },
      { type: 'object', properties: { a: {} }, additionalProperties: false },
    ],
    [
      'an inner parameter that any name stands for',
      { type: 'object', properties: { b: { type: 'integer' } } },
      { type: 'object' },
    ],
    [
      'an inner parameter that any name of its type stands for',
      { type: 'object', properties: { b: { type: 'integer' } } },
      { type: 'object', additionalProperties: { type: 'integer' } },
    ],
    [
      'an inner parameter that no name of its type stands for',
      { type: 'object', properties: { b: { type: 'integer' } } },
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
    [
      'a new name inside, which has to be given',
      { type: 'object', properties: { userId: { type: 'string' } } },
      { type: 'object', properties: { user_id: { type: 'string' } }, required: ['user_id'] },
    ],
    [
      'a new name inside, and others are refused',
      { type: 'object', properties: { userId: { type: 'string' } }, additionalProperties: false },
      { type: 'object', properties: { user_id: { type: 'integer' } }, additionalProperties: false },
    ],
    [
      'one that came where another went',
      { type: 'object', properties: { from: { type: 'string', description: 'The start of the time' } } },
      { type: 'object', properties: { to: { type: 'string', description: 'The end of the time' } } },
    ],
    [
      'one with the same words that came where another went',
      { type: 'object', properties: { include: { type: 'string', description: 'A pattern of names' } } },
      { type: 'object', properties: { exclude: { type: 'string', description: 'A pattern of names' } } },
    ],
    [
      'a type for a name of any value',
      { type: 'object' },
      { type: 'object', properties: { a: { type: 'string' }, b: { minLength: 1 }, c: { description: 'Anything' } } },
    ],
    [
      'a trial by default',
      { type: 'object', properties: { a: {} } },
      { type: 'object', properties: { a: {}, dry_run: { type: 'boolean', default: true } } },
    ],
    [
      'one more that acts, one that only tells, one that has to be given',
      { type: 'object', properties: { a: {} } },
      {
        type: 'object',
        properties: {
          a: {},
          notify: { type: 'boolean', default: true },
          depth: { type: 'integer', default: 3 },
          must: { type: 'string' },
        },
        required: ['must'],
      },
    ],
    [
      'one that has to be given now, and one that has not',
      { type: 'object', properties: { a: {}, b: {} }, required: ['b'] },
      { type: 'object', properties: { a: {}, b: {} }, required: ['a'] },
    ],
    [
      'a condition on another parameter',
      { type: 'object', properties: { mode: {}, reason: {} } },
      {
        type: 'object',
        properties: { mode: {}, reason: {} },
        if: { properties: { mode: { const: 'safe' } }, required: ['mode'] },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        then: { required: ['reason'] },
      },
    ],
    [
      'a condition that may be left out, with both parts, no more',
      {
        type: 'object',
        if: { properties: { mode: { enum: ['safe', 'slow'] } } },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        then: { required: ['reason'] },
        else: { properties: { reason: { maxLength: 3 } } },
      },
      { type: 'object' },
    ],
    [
      'what has to be given where a condition holds',
      {
        type: 'object',
        properties: { mode: {}, reason: {}, until: {} },
        if: { properties: { mode: { const: 'safe' } } },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        then: { required: ['mode'] },
        else: { required: ['mode'] },
      },
      {
        type: 'object',
        properties: { mode: {}, reason: {}, until: {} },
        if: { properties: { mode: { const: 'safe' } } },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        then: { required: ['mode', 'reason'] },
        else: { required: ['mode', 'until'] },
      },
    ],
    [
      'a number or a word, of which the word went and null came',
      { anyOf: [{ type: 'integer' }, { const: 'all' }] },
      { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    ],
    [
      'a listed value that became a type',
      { anyOf: [{ type: 'integer' }, { const: 'all' }] },
      { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
    ],
    ['listed values that became a list', { enum: ['a, b', 'c', 3, null, 'd'] }, { type: 'array' }],
    [
      'what another one asks for by being given',
      { type: 'object', dependentSchemas: { old: { required: ['x'] } } },
      { type: 'object', dependentSchemas: { from: { required: ['to'] } } },
    ],
    [
      'what nothing tells of',
      { type: 'array', contains: { type: 'string' }, minContains: 1 },
      { type: 'array', contains: { type: 'integer' }, minContains: 2 },
    ],
    [
      'elements at their places',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
      { type: 'array', prefixItems: [{ type: 'string', maxLength: 2 }, { type: 'string' }, { type: 'null' }] },
    ],
  ];
  it('of one parameter', () => {
    const texts = ofOne.map(([what, before, after, more]) =>
      told(what, compare(taking(before, more), taking(after, more))),
    );
    assertGolden('told-parameter', texts);
  });

  const named = (name: string, more: Partial<Contract> = {}): Contract => ({
    name,
    inputSchema: { type: 'object', properties: { id: { type: 'string' }, [`${name.length}`]: {} } },
    ...more,
  });
  const form = (name: string | undefined, schema: JsonObject | undefined, about?: JsonObject): Json => ({
    ...(name === undefined ? {} : { name }),
    ...(schema === undefined ? {} : { inputSchema: schema }),
    ...about,
  });
  const listing = (forms: readonly Json[] | undefined): Json => ({
    name: 'do',
    inputSchema: { type: 'object', properties: { kind: { type: 'string' } } },
    ...(forms === undefined ? {} : { branches: [...forms] }),
  });
  const kind = (value: string, more: JsonObject = {}): JsonObject => ({
    type: 'object',
    properties: { kind: { const: value }, ...more },
  });
  /** A tool whose parameters all refer to one definition. */
  const sharing = (maxLength: number): Json => {
    const one = { $ref: '#/$defs/D' };
    const properties = { a: one, b: { type: 'array', items: one }, c: { type: 'object', additionalProperties: one } };
    return { name: 'do', inputSchema: { type: 'object', properties, $defs: { D: { type: 'string', maxLength } } } };
  };
  const ofTools: readonly (readonly [what: string, before: readonly Json[], after: readonly Json[]])[] = [
    [
      'one tool that became two',
      [named('files', { description: 'a' }) as unknown as Json],
      [named('files_read', { description: 'b' }), named('files_write', { description: 'c' })] as unknown as Json[],
    ],
    [
      'two tools that became one',
      [named('files_read', { description: 'b' }), named('files_write', { description: 'c' })] as unknown as Json[],
      [named('files', { description: 'a' }) as unknown as Json],
    ],
    ['forms that are listed now', [listing(undefined)], [listing([form('a', kind('a')), form(undefined, kind('b'))])]],
    ['forms that are no longer listed', [listing([form('a', kind('a'))])], [listing(undefined)]],
    [
      'a form that is gone, and a new one',
      [listing([form('memo', kind('memo')), form('note', kind('note'))])],
      [listing([form('memo', kind('memo')), form('mail', kind('mail'))])],
    ],
    [
      'a form that has another name',
      [listing([form('memo', kind('m')), form('note', kind('n'))])],
      [listing([form('memo', kind('m')), form('card', kind('n'))])],
    ],
    [
      'a form that takes something else',
      [listing([form('memo', kind('m', { text: { type: 'string' } })), form('note', kind('n'))])],
      [listing([form('memo', kind('m', { text: { type: 'integer' } })), form('note', kind('n'))])],
    ],
    [
      'what a form takes, which is listed now',
      [listing(['memo', form('note', kind('n'))])],
      [listing([form('memo', kind('m')), form('note', kind('n'))])],
    ],
    [
      'hints',
      [{ name: 'do', inputSchema: {}, annotations: { readOnlyHint: true, openWorldHint: 'no', custom: 1 } }],
      [
        {
          name: 'do',
          inputSchema: {},
          annotations: { destructiveHint: 'yes', idempotentHint: false, openWorldHint: true, title: 'Do it' },
        },
      ],
    ],
    [
      'words, title, icons and metadata',
      [{ name: 'do', inputSchema: {}, description: 'Deletes the files', title: 'Do', _meta: { a: 1 } }],
      [{ name: 'do', inputSchema: {}, description: 'Archives the files', title: 'Did', icons: [], _meta: { a: 2 } }],
    ],
    [
      'results',
      [{ name: 'do', inputSchema: {}, outputSchema: { type: 'object', properties: { a: {}, b: {} } } }],
      [{ name: 'do', inputSchema: {}, outputSchema: { type: 'object', properties: { c: {} } } }],
    ],
    [
      'words of several results',
      [
        {
          name: 'do',
          inputSchema: {},
          outputSchema: {
            type: 'object',
            properties: {
              a: { type: 'integer', description: 'in seconds' },
              b: { type: 'integer', description: 'in kilobytes' },
            },
          },
        },
      ],
      [
        {
          name: 'do',
          inputSchema: {},
          outputSchema: {
            type: 'object',
            properties: {
              a: { type: 'integer', description: 'in hours' },
              b: { type: 'integer', description: 'in megabytes' },
            },
          },
        },
      ],
    ],
    [
      'a tool that cannot be read any more',
      [{ name: 'do', inputSchema: { type: 'object' } }],
      [{ name: 'do', inputSchema: { type: 'nothing' } }],
    ],
    [
      'parameters of the whole call',
      [
        {
          name: 'do',
          inputSchema: { type: 'object', properties: { a: { type: 'string' } }, 'x-unit': 's', minProperties: 1 },
        },
      ],
      [
        {
          name: 'do',
          inputSchema: { type: 'object', properties: { a: { type: 'string' } }, 'x-unit': 'ms', minProperties: 2 },
        },
      ],
    ],
    ['a definition that several parameters use', [sharing(9)], [sharing(5)]],
    [
      'a parameter that moved into an object',
      [
        {
          name: 'do',
          inputSchema: {
            type: 'object',
            properties: { recursive: { type: 'boolean', description: 'Also below' }, path: { type: 'string' } },
          },
        },
      ],
      [
        {
          name: 'do',
          inputSchema: {
            type: 'object',
            properties: {
              options: { type: 'object', properties: { recursive: { type: 'boolean', description: 'Also below' } } },
              path: { type: 'string' },
            },
          },
        },
      ],
    ],
    [
      'words that moved from one form to the whole',
      [
        {
          name: 'do',
          inputSchema: {
            type: 'object',
            properties: { a: { anyOf: [{ type: 'string', description: 'The name of it' }, { type: 'null' }] } },
          },
        },
      ],
      [
        {
          name: 'do',
          inputSchema: {
            type: 'object',
            properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'The name of it' } },
          },
        },
      ],
    ],
  ];
  it('of tools', () => {
    const texts = ofTools.map(([what, before, after]) =>
      told(what, diffLists(readToolList([...before]).tools, readToolList([...after]).tools)),
    );
    assertGolden('told-tools', texts);
  });
});

/**
 * Pairs in a file, one a line, with what is told of each. Each shows a mistake that no other pair shows. They are compared in
 * groups, so that a failure names few.
 */
const check = <Pair extends Json[]>(name: string, tell: (...pair: Pair) => Json): void => {
  const path = `test/golden/${name}.jsonl`;
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  const pairs = lines.map((line): [Json, ...Pair] => {
    const [told, ...pair] = JSON.parse(line) as [Json, ...Pair];
    return [process.env.KONNICHIWAGWAN_GOLDEN === 'write' ? tell(...pair) : told, ...pair];
  });
  if (process.env.KONNICHIWAGWAN_GOLDEN === 'write')
    writeFileSync(path, `${pairs.map((pair) => JSON.stringify(pair)).join('\n')}\n`);
  for (let from = 0; from < pairs.length; from += 50)
    it(`${name}, from line ${from + 1}`, () => {
      for (const [expected, ...pair] of pairs.slice(from, from + 50))
        assert.deepEqual(tell(...pair), expected, JSON.stringify(pair));
    });
};

describe('pairs of which each is told apart by something of its own', () => {
  /** What a change of words means; with `!`, by a few words that took the place of others. */
  check('told-words', (before: string, after: string, context: JsonObject) => {
    const { change, exact } = compareTexts(before, after, context as TextContext);
    return exact ? `${change}!` : change;
  });
  check('told-pairs', (before: JsonObject, after: JsonObject) =>
    compare(before as unknown as Contract, after as unknown as Contract).flatMap(linesOf),
  );
});
