// Changes that once went by unseen, and their neighbours that must: what the guard decides about one call.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { judge } from '../scripts/judge/judge.ts';

type Sides = readonly [before: unknown, after: unknown];
type Case = readonly [what: string, sides: Sides, args: Record<string, Json>, decision: string];

const decide = (believed: Contract, live: Contract, args: Record<string, Json>): string =>
  judge({ believed, live, tools: [live], args, policy: { mode: 'guard', trusted: false }, settled: () => false })
    .decision;

/** A tool with one parameter `value` of a schema, and with definitions. */
const taking = (schema: unknown, more: object = {}): Contract => ({
  name: 'book',
  description: 'Books it.',
  inputSchema: { type: 'object', properties: { value: schema }, ...more } as Json,
});
const told = (description: string): Contract => ({ name: 'book', description, inputSchema: { type: 'object' } });

const check = (name: string, make: (said: never) => Contract, cases: readonly Case[]): void => {
  describe(name, () => {
    for (const [what, [before, after], args, decision] of cases)
      it(`${what}: ${decision}`, () => {
        assert.equal(decide(make(before as never), make(after as never), args), decision);
        assert.equal(decide(make(after as never), make(after as never), args), 'silence');
      });
  });
};

const W = { type: 'integer' };
const behind = (words: object, beside: object = { description: 'How long' }) => ({
  value: { $ref: '#/$defs/Wait', ...beside },
  $defs: { Wait: { ...W, ...words } },
});
const twiceBehind = (unit: string): ReturnType<typeof behind> => {
  const { value, $defs } = behind({ description: unit });
  return { value: { $ref: '#/$defs/Pause' }, $defs: { ...$defs, ...{ Pause: value } } };
};
check(
  'words of a definition behind those beside the reference',
  ({ value, $defs }: ReturnType<typeof behind>) => taking(value, { $defs }),
  [
    ['another unit', [behind({ description: 'seconds' }), behind({ description: 'minutes' })], { value: 5 }, 'ask'],
    [
      'another unit, behind a definition that only adds words',
      [twiceBehind('seconds'), twiceBehind('minutes')],
      { value: 5 },
      'ask',
    ],
    [
      'the parameter is left out',
      [behind({ description: 'seconds' }), behind({ description: 'minutes' })],
      {},
      'silence',
    ],
    ['a comma', [behind({ description: 'In hours' }), behind({ description: 'in hours.' })], { value: 5 }, 'silence'],
    [
      'another title',
      [behind({ title: 'Hours' }, { title: 'Pause' }), behind({ title: 'Days' }, { title: 'Pause' })],
      { value: 5 },
      'ask',
    ],
    [
      'written in place, with all its words',
      [behind({ description: 'in hours' }), { value: { ...W, description: 'How long\n\nin hours' }, $defs: {} }],
      { value: 5 },
      'silence',
    ],
    [
      'written in place, with those that are shown',
      [behind({ description: 'Pauses of work' }), { value: { ...W, description: 'How long' }, $defs: {} }],
      { value: 5 },
      'notice',
    ],
    [
      'written in place, with those that are shown, without a unit',
      [behind({ description: 'in hours' }), { value: { ...W, description: 'How long' }, $defs: {} }],
      { value: 5 },
      'notice',
    ],
    [
      'written in place, in a part of it',
      [
        {
          value: { allOf: [{ $ref: '#/$defs/Wait' }], description: 'How long' },
          $defs: { Wait: { ...W, description: 'Pauses of work' } },
        },
        { value: { ...W, description: 'How long' }, $defs: {} },
      ],
      { value: 5 },
      'notice',
    ],
    [
      'a paragraph of the parameter itself that is gone',
      [
        { value: { ...W, description: 'How long\n\nin hours' }, $defs: {} },
        { value: { ...W, description: 'How long' }, $defs: {} },
      ],
      { value: 5 },
      'ask',
    ],
    [
      'written in place, where what is shown changed',
      [behind({ description: 'Pauses of work' }), { value: { ...W, description: 'How late' }, $defs: {} }],
      { value: 5 },
      'ask',
    ],
    [
      'written in place, in another unit',
      [behind({ description: 'in hours' }), { value: { ...W, description: 'How long\n\nin days' }, $defs: {} }],
      { value: 5 },
      'ask',
    ],
  ],
);

const KINDS = {
  Hours: W,
  Days: W,
  Pause: { $ref: '#/$defs/Hours' },
  GuestEmail: W,
  GuestPhone: W,
  Rest: W,
  RestInput: W,
  Code: W,
  NonBlankCode: W,
};
const to = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
type Definitions = Record<string, JsonObject>;
check(
  'a reference to another definition, of the same schema',
  (([value, $defs]: [JsonObject, Definitions]) => taking(value, { $defs })) as (said: never) => Contract,
  (
    [
      ['of another unit', to('Hours'), to('Days'), 'ask'],
      ['of another thing', to('GuestEmail'), to('GuestPhone'), 'ask'],
      ['that came', to('Hours'), to('Days'), 'ask', { Hours: W }],
      ['beside the same words', { ...to('Hours'), title: 'Stay' }, { ...to('Days'), title: 'Stay' }, 'ask'],
      ['or null', { anyOf: [to('Hours'), { type: 'null' }] }, { anyOf: [to('Days'), { type: 'null' }] }, 'ask'],
      ['at the end of a chain', to('Pause'), to('Pause'), 'ask', KINDS, { ...KINDS, Pause: to('Days') }],
      [
        'in a list',
        { type: 'array', items: to('Hours') },
        { type: 'array', items: to('Days') },
        'ask',
        KINDS,
        KINDS,
        [2],
      ],
      ['for a call that leaves it out', to('Hours'), to('Days'), 'silence', KINDS, KINDS, null],
      ['under a new name', to('Hours'), to('Days'), 'silence', { Hours: W }, { Days: W }],
      ['with a limit in its name', to('Code'), to('NonBlankCode'), 'silence'],
      ['under the name of a generator', to('Rest'), to('RestInput'), 'silence'],
      ['through another one', to('Hours'), to('Pause'), 'silence'],
      ['written in place', to('Hours'), W, 'silence'],
      ['forms in another order', { anyOf: [to('Hours'), to('Days')] }, { anyOf: [to('Days'), to('Hours')] }, 'silence'],
    ] as [string, JsonObject, JsonObject, string, Definitions?, Definitions?, Json?][]
  ).map(
    ([what, before, after, decision, old = KINDS, now = KINDS, value = 2]): Case => [
      what,
      [
        [before, old],
        [after, now],
      ],
      value === null ? {} : { value },
      decision,
    ],
  ),
);

const same = { type: 'string' };
check('a reference to the place of another parameter', (properties: never) => taking(same, { properties }), [
  [
    'that came before it',
    [
      { since: same, value: { $ref: '#/properties/since' } },
      { until: same, since: same, value: { $ref: '#/properties/until' } },
    ],
    { value: 'x' },
    'silence',
  ],
]);

const number = (format?: string, type = 'integer') => ({ type, ...(format === undefined ? {} : { format }) });
check('the format of a number', taking as (said: never) => Contract, [
  ['a number that no longer fits', [number('int64'), number('int16')], { value: 40_000 }, 'ask'],
  ['one that does', [number('int64'), number('int16')], { value: -32_768 }, 'silence'],
  ['one more than a byte', [number('int16'), number('uint8')], { value: 256 }, 'ask'],
  ['the most that a byte holds', [number('int16'), number('uint8')], { value: 255 }, 'silence'],
  ['a sign that is not stored', [number('int32'), number('uint64')], { value: -1 }, 'ask'],
  ['a fraction that is not stored', [number(undefined, 'number'), number('int32', 'number')], { value: 0.5 }, 'ask'],
  ['more is stored', [number('uint8'), number('int32')], { value: 255 }, 'silence'],
  ['any whole number', [number(), number('int64')], { value: 3 }, 'silence'],
  ['how fractions are stored', [number('double', 'number'), number('float', 'number')], { value: 0.5 }, 'silence'],
  ['what it counts, which was untold', [number(), number('ms')], { value: 3 }, 'notice'],
  ['what it counts, which is untold now', [number('ms'), number()], { value: 3 }, 'notice'],
  [
    'bounds that fit anyway',
    [
      { ...W, minimum: 0, maximum: 200 },
      { ...W, minimum: 0, maximum: 200, format: 'uint8' },
    ],
    { value: 200 },
    'silence',
  ],
]);

const text = (description: string) => ({ type: 'string', description });
check('what stands between quotes', ((said: string) => taking(text(said))) as (said: never) => Contract, [
  ['a mark in an example', ['Labels, e.g. "red,blue"', 'Labels, e.g. "red;blue"'], { value: 'a,b' }, 'ask'],
  ['brackets in one', ["Call, e.g. 'max(a,b)'", "Call, e.g. 'max(b,a)'"], { value: 'f(a,b)' }, 'ask'],
  ['another example', ['Labels, e.g. "red,blue"', 'Labels, e.g. "one,two"'], { value: 'a,b' }, 'silence'],
  ['the kind of quotes', ['Put text in "double" quotes', "Put text in 'double' quotes"], { value: 'x' }, 'ask'],
  ['that of a value in code', ['SQL like name = "x"', "SQL like name = 'x'"], { value: 'x' }, 'ask'],
  ['where it tells nothing', ['The "name" of it', "The 'name' of it"], { value: 'x' }, 'silence'],
  ['white space', ['Lines are split at "\n"', 'Lines are split at " "'], { value: 'x' }, 'ask'],
  ['a tab', ['Parted by "\t"', 'Parted by " "'], { value: 'x' }, 'ask'],
  ['white space between two values', ['Either "a"  or\n"b"', 'Either "a" or "b"'], { value: 'a' }, 'silence'],
]);

check('the case of a unit', ((said: string) => taking({ ...W, description: said })) as (said: never) => Contract, [
  ['bits and bytes', ['Rate in bps', 'Rate in Bps'], { value: 1 }, 'ask'],
  ['nautical miles', ['Distance (nm)', 'Distance (NM)'], { value: 1 }, 'ask'],
  ['a word', ['Rate in Seconds', 'Rate in seconds'], { value: 1 }, 'silence'],
]);

check('a parameter that says of itself that it is required', taking as (said: never) => Contract, [
  ['it is left out', [W, { ...W, required: true }], {}, 'ask'],
  ['it is given', [W, { ...W, required: true }], { value: 1 }, 'notice'],
  ['it is not', [W, { ...W, required: false }], {}, 'silence'],
]);

check(
  'words that a parameter is required',
  ((said: readonly [string, ...string[]]) =>
    taking({ type: 'string', description: said[0] }, { required: said.slice(1) })) as (said: never) => Contract,
  [
    [
      'it is',
      [
        ['Query (required)', 'value'],
        ['Query', 'value'],
      ],
      { value: 'x' },
      'silence',
    ],
    [
      'it is, and the mark comes',
      [
        ['Query', 'value'],
        ['Required. Query', 'value'],
      ],
      { value: 'x' },
      'silence',
    ],
    ['it is not', [['Query (required)'], ['Query']], { value: 'x' }, 'ask'],
  ],
);

const withSwitch = (name: string, schema: object) => taking(W, { properties: { value: W, [name]: schema } });
check(
  'a new switch',
  ((said: [string, object] | []) => (said.length === 0 ? taking(W) : withSwitch(...said))) as (said: never) => Contract,
  [
    ['a trial by default', [[], ['dryRun', { type: 'boolean', default: true }]], { value: 1 }, 'ask'],
    [
      'a trial by its default value',
      [[], ['mode', { type: 'string', enum: ['dry_run', 'live'], default: 'dry_run' }]],
      { value: 1 },
      'ask',
    ],
    ['a plan by default', [[], ['action', { type: 'string', default: 'plan' }]], { value: 1 }, 'ask'],
    ['a trial by a number', [[], ['dry_run', { type: 'integer', default: 1 }]], { value: 1 }, 'ask'],
    ['a trial by a text', [[], ['isDryRun', { type: 'string', default: 'true' }]], { value: 1 }, 'ask'],
    [
      'its own work only on request',
      [[], ['commit', { type: 'boolean', default: false, description: 'Commit the changes' }]],
      { value: 1 },
      'ask',
    ],
    [
      'only a plan without it',
      [[], ['apply', { type: 'boolean', default: false, description: 'If false, only shows a plan.' }]],
      { value: 1 },
      'ask',
    ],
    [
      'a further work on request',
      [[], ['save', { type: 'boolean', default: false, description: 'Save the answer as a file, too' }]],
      { value: 1 },
      'silence',
    ],
    [
      'what is not overwritten without it',
      [[], ['force', { type: 'boolean', default: false, description: 'If false, no file is overwritten' }]],
      { value: 1 },
      'notice',
    ],
    [
      'live by its default value',
      [[], ['mode', { type: 'string', enum: ['dry_run', 'real'], default: 'real' }]],
      { value: 1 },
      'notice',
    ],
    ['the trial is given', [[], ['dryRun', { type: 'boolean', default: true }]], { value: 1, dryRun: false }, 'notice'],
    ['no trial by default', [[], ['dry_run', { type: 'boolean', default: false }]], { value: 1 }, 'silence'],
    ['no work at all by default', [[], ['readOnly', { type: 'boolean', default: true }]], { value: 1 }, 'ask'],
    ['an assurance', [[], ['i_understand', { type: 'boolean', default: false }]], { value: 1 }, 'ask'],
    ['a consent', [[], ['confirm', { type: 'boolean', default: false }]], { value: 1 }, 'ask'],
    ['a consent without a default', [[], ['confirmation', { type: 'boolean' }]], { value: 1 }, 'ask'],
    [
      'a consent that may be null',
      [[], ['confirm', { type: ['boolean', 'null'], default: null }]],
      { value: 1 },
      'ask',
    ],
    ['a consent that is given', [[], ['confirm', { type: 'boolean' }]], { value: 1, confirm: true }, 'notice'],
    ...(
      [
        ['go', 'Rows are only written when this is set to true.', 'ask'],
        ['do_it', 'The order is only submitted if `do_it` is true', 'ask'],
        ['go', 'Runs only with go: true', 'ask'],
        ['go', 'Whether to start. False only shows a plan.', 'ask'],
        ['go', 'Unless it is set, nothing is moved.', 'ask'],
        ['stamp', 'Calls without it are refused; see the guide.', 'ask'],
        ['live', 'If omitted, the page stays a draft.', 'ask'],
        ['go', 'Runs only with deep = true', 'silence'],
        ['links', 'Links are only followed if this is true', 'silence'],
        ['only_new', 'Only rows that were never sent. If omitted, all of them', 'notice'],
        ['image', 'If not given, the preview of the page', 'notice'],
        ['kind', 'Only one that is true to nature', 'silence'],
        ['purge_logs', 'The logs are only removed if this is true', 'silence'],
        ['poster', 'A poster, which is only saved if set to true', 'notice'],
        ['confirmed', 'Filter by whether the booking is confirmed', 'silence'],
        ['is_approved', 'Whether the invoice is approved', 'silence'],
        ['approved', '', 'silence'],
        ['approved', 'A person has approved this call', 'ask'],
        ['approved', 'Whether you have agreed: a user must have approved it', 'ask'],
        ['confirm', 'Confirm that the rows go', 'ask'],
      ] as const
    ).map(
      ([name, description, expected]) =>
        [
          `what it is for, in words: ${description}`,
          [[], [name, { type: 'boolean', description }]],
          { value: 1 },
          expected,
        ] as never,
    ),
    [
      'one that its words ask for',
      [[], ['apply', { type: 'boolean', default: false, description: 'Must be true to change anything.' }]],
      { value: 1 },
      'ask',
    ],
    ['one that adds something', [[], ['apply', { type: 'boolean', default: false }]], { value: 1 }, 'silence'],
    ['an act by its name', [[], ['delete_old', { type: 'boolean', default: true }]], { value: 1 }, 'ask'],
    ['an act by its default value', [[], ['leftovers', { type: 'string', default: 'delete' }]], { value: 1 }, 'ask'],
    [
      'a trial by one of the options that are set by default',
      [
        [],
        [
          'options',
          {
            type: 'object',
            default: { depth: 1, dry_run: true },
            properties: { depth: W, dry_run: { type: 'boolean' } },
          },
        ],
      ],
      { value: 1 },
      'ask',
    ],
    [
      'no consent, though it must be true for something',
      [[], ['verbose', { type: 'boolean', default: false, description: 'Must be true to see more.' }]],
      { value: 1 },
      'notice',
    ],
    ['one of the words of its name acts', [[], ['is_public', { type: 'boolean', default: true }]], { value: 1 }, 'ask'],
    [
      'what would be off by its words, and is off',
      [[], ['force', { type: 'boolean', default: false, description: 'Set to false to be asked first' }]],
      { value: 1 },
      'silence',
    ],
    [
      'words in another language',
      [[], ['ort', text('Der Name von dem Ort, der gesucht wird')]],
      { value: 1 },
      'notice',
    ],
    ['words without end', [[], ['place', text('The name of the place. '.repeat(300))]], { value: 1 }, 'notice'],
  ],
);

check(
  'a switch that is gone',
  ((said?: object) => (said ? withSwitch('extra', said) : taking(W))) as (said: never) => Contract,
  [
    ['that was on by a default', [{ type: 'boolean', default: true }, undefined], { value: 1 }, 'ask'],
    ['that was on by its words', [{ type: 'boolean', description: 'On by default' }, undefined], { value: 1 }, 'ask'],
    [
      'what limited calls by its words',
      [{ ...W, description: 'How many, default 20' }, undefined],
      { value: 1 },
      'notice',
    ],
    [
      'that was off',
      [{ type: 'boolean', default: false, description: 'Sends more' }, undefined],
      { value: 1 },
      'silence',
    ],
    ['that was given', [{ type: 'boolean' }, undefined], { value: 1, extra: true }, 'deny'],
  ],
);

const chosen = (schema: JsonObject) => (description: string) => taking({ ...schema, description });
const MODES = ['eco', 'boost', 'off'];
const OVEN = 'Heating. eco: saves energy; boost: full power for 1 hour; off: cools down.';
const LATER = OVEN.replace('1 hour', '3 hours');
check(
  'words that tell of each value of a choice',
  chosen({ type: 'string', enum: MODES }) as (said: never) => Contract,
  [
    ['the value that changed', [OVEN, LATER], { value: 'boost' }, 'ask'],
    ['another value', [OVEN, LATER], { value: 'off' }, 'notice'],
    ['another value, in another line', [OVEN, LATER.replace(' ', '\n')], { value: 'off' }, 'notice'],
    ['in lines', [OVEN.replaceAll(/[:;] /g, '\n- '), LATER.replaceAll(/[:;] /g, '\n- ')], { value: 'off' }, 'ask'],
    [
      'in lines, with signs',
      [OVEN.replaceAll('; ', '\n- '), LATER.replaceAll('; ', '\n- ')],
      { value: 'off' },
      'notice',
    ],
    ['with the rest of the text', [OVEN, LATER.replace('Heating.', 'Cooling.')], { value: 'off' }, 'ask'],
    ['behind the last value', [`${OVEN} In °C.`, `${LATER} In °F.`], { value: 'off' }, 'ask'],
    [
      'a value that refers to it',
      [OVEN.replace('cools down', 'ends boost'), LATER.replace('cools down', 'ends boost')],
      { value: 'off' },
      'ask',
    ],
    ['of the other modes', [OVEN, OVEN.replace('1 hour', '3 hours, all other modes as well')], { value: 'off' }, 'ask'],
    ['of all others', [OVEN, OVEN.replace('1 hour', '1 hour; all others: 3 hours')], { value: 'off' }, 'ask'],
    [
      'two that changed places',
      [OVEN, OVEN.replace('eco:', 'x:').replace('off:', 'eco:').replace('x:', 'off:')],
      { value: 'off' },
      'ask',
    ],
    [
      'one of which nothing is told',
      ['Heating. eco: mild; boost: strong.', 'Heating. eco: mild; boost: weak.'],
      { value: 'off' },
      'ask',
    ],
    [
      'of more values than one',
      ['eco: a, boost: b, off: c, at night', 'eco: a, boost: b, off: c, by day'],
      { value: 'eco' },
      'ask',
    ],
  ],
);
const LISTED = `What to read. Options:
1. get - Get the issue. Also returns its parent, of 5 levels.
2. get_labels - Get the labels.
3. comments - Get all comments. Of the last 30 days.`;
const reading = (description: string, more: string[] = []): [string, string[]] => [
  description,
  ['get', 'get_labels', 'comments', ...more],
];
check(
  'words that tell of each value in a line',
  (([description, values]: [string, string[]]) => taking({ type: 'string', enum: values, description })) as (
    said: never,
  ) => Contract,
  [
    [
      'the one that changed',
      [reading(LISTED), reading(LISTED.replace('5 levels', '9 levels'))],
      { value: 'get' },
      'ask',
    ],
    [
      'another one',
      [reading(LISTED), reading(LISTED.replace('5 levels', '9 levels'))],
      { value: 'comments' },
      'notice',
    ],
    [
      'what follows the last one',
      [reading(LISTED), reading(LISTED.replace('30 days', '9 days'))],
      { value: 'get' },
      'ask',
    ],
    ['what stands above them', [reading(LISTED), reading(LISTED.replace('read', 'drop'))], { value: 'get' }, 'ask'],
    [
      'a number above them',
      [reading(LISTED.replace('Options:', 'Limit 10')), reading(LISTED.replace('Options:', 'Limit 20'))],
      { value: 'get' },
      'ask',
    ],
    [
      'one more, and one that changed',
      [
        reading(LISTED),
        reading(LISTED.replace('5 levels', '9 levels').replace('3. ', '3. files - Get the files.\n4. '), ['files']),
      ],
      { value: 'get_labels' },
      'notice',
    ],
    [
      'a line that says what holds for the others',
      [reading(LISTED), reading(LISTED.replace('5 levels', '9 levels, as all other options do'))],
      { value: 'comments' },
      'ask',
    ],
    [
      'a line of its own between them',
      [reading(LISTED), reading(LISTED.replace('\n2.', '\nTimes are in UTC.\n2.'))],
      { value: 'comments' },
      'ask',
    ],
  ],
);
const LEVELS = 'Priority (1 = high, 2 = medium, 3 = low)';
const TURNED = 'Priority (1 = low, 2 = medium, 3 = high)';
check('words that tell of each number', chosen({ type: 'integer', enum: [1, 2, 3] }) as (said: never) => Contract, [
  ['one that changed', [LEVELS, TURNED], { value: 3 }, 'ask'],
  ['one that did not', [LEVELS.replace(/[()]/g, ''), TURNED.replace(/[()]/g, '')], { value: 2 }, 'notice'],
]);
check('words that tell of some numbers', chosen({ type: 'integer' }) as (said: never) => Contract, [
  ['the others may follow', ['Day. 0 = Sunday, 6 = Saturday', 'Day. 0 = Monday, 6 = Sunday'], { value: 3 }, 'ask'],
]);
check(
  'words that tell of a list of choices',
  chosen({ type: 'array', items: { enum: MODES } }) as (said: never) => Contract,
  [['one of several', [OVEN, LATER], { value: ['off', 'boost'] }, 'ask']],
);

const paged = (description: string): Contract => ({
  name: 'list_items',
  description: 'Lists items.',
  inputSchema: { type: 'object', properties: { per_page: { type: 'number', description } } },
});
check('words that narrow a bound', paged as (said: never) => Contract, [
  ['it is met', ['Results per page (max 100)', 'Results per page (max 50)'], { per_page: 50 }, 'notice'],
  ['it is not', ['Results per page (max 100)', 'Results per page (max 50)'], { per_page: 51 }, 'ask'],
  ['from below', ['Results, at least 5', 'Results, at least 10'], { per_page: 10 }, 'notice'],
  ['from below, and it is not met', ['Results, at least 5', 'Results, at least 10'], { per_page: 9 }, 'ask'],
  ['perhaps in another unit', ['Longest pause, max 60000', 'Longest pause, max 60'], { per_page: 30 }, 'ask'],
  ['on a scale', ['Quality from 0 to 100', 'Quality from 0 to 10'], { per_page: 7 }, 'ask'],
  [
    'and the default is told no more',
    ['Results (max 100, default: 30)', 'Results (max 50)'],
    { per_page: 7 },
    'notice',
  ],
  [
    'only the default is told no more',
    ['Results (max 100, default: 30)', 'Results (max 100)'],
    { per_page: 7 },
    'silence',
  ],
  ['and something else changes', ['Results per page (max 100)', 'Bytes per page (max 50)'], { per_page: 7 }, 'ask'],
]);

const written = (description: string): Contract => taking({ type: 'string', description });
check('values that only words list', written as (said: never) => Contract, [
  [
    'one more',
    ['Per. Valid values are DAY and YEAR.', 'Per. Valid values are DAY, WEEK, and YEAR.'],
    { value: 'DAY' },
    'notice',
  ],
  ['one more, in quotes', ["Order: 'up' or 'down'", "Order: 'up', 'down' or 'none'"], { value: 'up' }, 'notice'],
  ['a value that came', ["Path, or 'in' or 'out'", "Path, or 'in', 'out' or 'all'"], { value: 'all' }, 'ask'],
  [
    'what is no value of a call',
    ["A date as 'M/D/Y' or 'Y-M-D'", "A date as 'D/M/Y', 'M/D/Y' or 'Y-M-D'"],
    { value: '1/2/25' },
    'ask',
  ],
  ['one less', ['Valid values are DAY, WEEK, and YEAR.', 'Valid values are DAY and YEAR.'], { value: 'WEEK' }, 'ask'],
  ['another one before the first', ["Order: 'up' or 'down'", "Order: 'none', 'up' or 'down'"], { value: 'up' }, 'ask'],
  ['in another order', ["Order: 'up' or 'down'", "Order: 'down' or 'up'"], { value: 'up' }, 'ask'],
  ['of what is left out', ["Not for 'up' or 'down'", "Not for 'up', 'down' or 'left'"], { value: 'left' }, 'ask'],
  [
    'in one of two lists',
    ["'a' or 'b'. Sides: 'in' or 'out'", "'a', 'b' or 'c'. Sides: 'in' or 'out'"],
    { value: 'a' },
    'ask',
  ],
  ['joined by "and"', ["Holds 'a' and 'b'", "Holds 'a', 'b' and 'c'"], { value: 'a b' }, 'ask'],
  ['and more is said', ["In feet: 'a' or 'b'", "In metres: 'a', 'b' or 'c'"], { value: 'a' }, 'ask'],
]);

check("a parameter's name before what is said of it", written as (said: never) => Contract, [
  ['and a dash', ['The last line', 'value - The last line'], { value: 'x' }, 'silence'],
  ['and a minus', ['1 line is left', 'value - 1 line is left'], { value: 'x' }, 'ask'],
]);

const numbered = (description: string): Contract => taking({ type: 'integer', description });
const LEGEND = 'Priority. 0 = none, 1 = urgent, 2 = high, 3 = normal.';
it('a yes about one number whose meaning changed is none about another one', () => {
  const [believed, live] = [LEGEND, LEGEND.replace('normal', 'low')].map(numbered) as [Contract, Contract];
  const reasonsFor = (value: number, granted: readonly string[] = []): string[] =>
    judge({
      ...{ believed, live, tools: [live], args: { value }, policy: { mode: 'guard', trusted: false } },
      settled: (key) => granted.includes(key),
    }).reasons.map(({ key }) => key);
  const granted = reasonsFor(3);
  assert.equal(granted.length, 1);
  assert.deepEqual(reasonsFor(3, granted), []);
  assert.equal(reasonsFor(7, granted).length, 1);
});

check('numbers whose meanings words tell', numbered as (said: never) => Contract, [
  ['the one that means something else', [LEGEND, LEGEND.replace('normal', 'low')], { value: 3 }, 'ask'],
  ['another one', [LEGEND, LEGEND.replace('normal', 'low')], { value: 1 }, 'notice'],
  ['one that is not told of', [LEGEND, LEGEND.replace('normal', 'low')], { value: 4 }, 'ask'],
  ['and more is said', [LEGEND, LEGEND.replace('Priority', 'Severity').replace('normal', 'low')], { value: 1 }, 'ask'],
  ['most of them', ['Day. 0 = Sunday, 1 = Monday', 'Day. 0 = Monday, 1 = Tuesday'], { value: 3 }, 'ask'],
  ['all are shifted', [LEGEND, 'Priority. 1 = none, 2 = urgent, 3 = high, 4 = normal.'], { value: 3 }, 'ask'],
]);

const kept = ([description, value = 5]: [string, Json?]): Contract =>
  taking({ type: ['integer', 'boolean'], default: value, description });
check('a default that is the same, and is said to be something else', kept as (said: never) => Contract, [
  ['another unit', [['Wait, in seconds'], ['Wait, in minutes']], {}, 'ask'],
  ['the other end', [['Lines from the end'], ['Lines from the start']], {}, 'ask'],
  ['for a call that passes another one', [['Lines from the end'], ['Lines from the start']], { value: 2 }, 'ask'],
  ['other words for the same', [['Most issues to return'], ['Most results to return']], {}, 'notice'],
  [
    'the opposite of what is so by default',
    [
      ['Include drafts', false],
      ['Exclude drafts', false],
    ],
    {},
    'ask',
  ],
  [
    'the opposite of something else besides',
    [
      ['Whether to include drafts', false],
      ['Whether to include drafts and exclude others', false],
    ],
    {},
    'silence',
  ],
  [
    'nothing by default',
    [
      ['Lock the door', false],
      ['Unlock the door', false],
    ],
    {},
    'silence',
  ],
]);

const named = ([name, value]: [string, number]): Contract =>
  taking(W, { properties: { [name]: { type: 'number', default: value } } });
check('a default that is likely to be in another unit, for a call with a number', named as (said: never) => Contract, [
  ...[60, 1_000, 3_600, 86_400, 1e6, 1e9].map((factor): Case => {
    const sides: Sides = [
      ['timeout', 5],
      ['timeout', 5 * factor],
    ];
    return [`${factor} times as long`, sides, { timeout: 5 }, 'ask'];
  }),
  ...[1_024, 1e9].map((factor): Case => {
    const sides: Sides = [
      ['quota', 5 * factor],
      ['quota', 5],
    ];
    return [`${factor} times as small`, sides, { quota: 5 }, 'ask'];
  }),
  [
    'twice as long',
    [
      ['timeout', 5],
      ['timeout', 10],
    ],
    { timeout: 5 },
    'notice',
  ],
]);

const ofAll = (description: string): Contract => ({
  name: 'book',
  inputSchema: { description, properties: { value: W } },
});
check('a bound that is told of the whole input', ofAll as (said: never) => Contract, [
  ['which widened', ['At most 10 of them', 'At most 100 of them'], { value: 1 }, 'ask'],
]);

check('a default that is a time', taking as (said: never) => Contract, [
  ...(
    [
      ['in a sentence', 'Tax year. Defaults to the current year.', 'Tax year. Defaults to the previous year.'],
      ['after a semicolon', 'Tax year; defaults to this year', 'Tax year; defaults to last year'],
      ['in brackets', 'Tax year (default: current year)', 'Tax year (default: previous year)'],
    ] as const
  ).flatMap(([where, had, has]): Case[] => [
    [
      `${where}, of a call with a year`,
      [
        { ...W, description: had },
        { ...W, description: has },
      ],
      { value: 2025 },
      'silence',
    ],
    [
      `${where}, of a call without`,
      [
        { ...W, description: had },
        { ...W, description: has },
      ],
      {},
      'ask',
    ],
  ]),
  [
    'what may be a unit',
    [
      { ...W, description: 'Wait. Defaults to minutes.' },
      { ...W, description: 'Wait. Defaults to years.' },
    ],
    { value: 2 },
    'ask',
  ],
]);

check('a tool that gives less', told as (said: never) => Contract, [
  ['only the first', ['Lists users. Returns every user.', 'Lists users. Shows up to 50 of them.'], {}, 'ask'],
  ['more of them', ['Lists users. Returns up to 50.', 'Lists users. Returns up to 100.'], {}, 'ask'],
  ['old ones', ['Reads rates in real time.', 'Reads rates, which may be delayed.'], {}, 'ask'],
  ['in quotes', ['Reads "live" rates and others.', 'Reads "cached" rates and other ones.'], {}, 'ask'],
]);

check('a tool whose description begins with its name', told as (said: never) => Contract, [
  ['as a heading', ['Sends the book.', '## book\n\nSends the book.'], {}, 'silence'],
  ['in code', ['`book`: Sends the book.', 'Sends the book.'], {}, 'silence'],
  ['before a dash', ['Sends the book.', 'book - Sends the book.'], {}, 'silence'],
  ['the name of another one', ['Sends the book.', '## dry_run\n\nSends the book.'], {}, 'ask'],
  ['and it does something else', ['Sends the book.', '## book\n\nDeletes the book.'], {}, 'ask'],
]);

check('what a tool does', told as (said: never) => Contract, [
  ['another act, in one word', ['Archives them.', 'Permanently deletes them.'], {}, 'ask'],
  ['it is no trial', ['Previews the release.', 'Runs the release.'], {}, 'ask'],
  ['what is left out is emptied', ['Omitted parts stay as they are.', 'Omitted parts are cleared.'], {}, 'ask'],
  ['by what it measures', ['Transfers money.', 'Transfers money. The amount is in cents.'], {}, 'ask'],
  ['another unit of its answers', ['Lists orders.', 'Lists orders, 50 per page.'], {}, 'ask'],
]);

check('a tool in another language', told as (said: never) => Contract, [
  ['another act', ['Archiviert den Ordner.', 'Löscht den Ordner.'], {}, 'ask'],
  ['a negation', ['Le dossier est supprimé.', "Le dossier n'est pas supprimé."], {}, 'ask'],
  ['another number', ['最大20件を返します。', '最大80件を返します。'], {}, 'ask'],
  ['another act, without spaces', ['フォルダを読み取ります', 'フォルダを削除します'], {}, 'ask'],
  ['a full stop', ['フォルダを読み取ります', 'フォルダを読み取ります。'], {}, 'silence'],
  ['an article of plain letters', ['Archiva el proyecto.', 'Elimina el proyecto.'], {}, 'ask'],
  ['a word of plain letters', ['Ordner kopieren', 'Ordner nie kopieren'], {}, 'ask'],
  [
    'written anew at length',
    [
      'Cette fonction sert à chercher des dossiers selon leur nom et leur date, puis à les trier.',
      'Trouve les documents que vous avez créés ou reçus récemment ; chaque résultat montre auteur, titre, taille et lien.',
    ],
    {},
    'notice',
  ],
]);

check('the keyword `examples`', taking as (said: never) => Contract, [
  [
    'another form',
    [
      { type: 'string', examples: ['12:30'] },
      { type: 'string', examples: ['12.5'] },
    ],
    { value: '09:15' },
    'ask',
  ],
  [
    'another value',
    [
      { type: 'string', examples: ['12:30'] },
      { type: 'string', examples: ['14:45'] },
    ],
    { value: '09:15' },
    'silence',
  ],
]);

check(
  'the title of an object',
  ((title: string) => ({ ...taking(W), inputSchema: { type: 'object', title, properties: { value: W } } })) as (
    said: never,
  ) => Contract,
  [
    ['the name of a type', ['book_roomArguments', 'BookRoomInput'], { value: 1 }, 'silence'],
    ['with a number', ['BookRequest', 'BookRequestV2'], { value: 1 }, 'silence'],
    ['with a unit', ['WaitSeconds', 'WaitMinutes'], { value: 1 }, 'ask'],
    ['with a unit and another word', ['WaitSeconds', 'PauseMinutes'], { value: 1 }, 'ask'],
  ],
);

check('what a list is called', ((schema: object) => taking(schema)) as (said: never) => Contract, [
  [
    'that it is one',
    [
      { type: 'array', description: 'A list of berths to book' },
      { type: 'array', description: 'Berths to book' },
    ],
    { value: [] },
    'silence',
  ],
  [
    'of what it is one',
    [
      { type: 'array', description: 'Array of berths to book' },
      { type: 'array', description: 'Weirs to book' },
    ],
    { value: [] },
    'ask',
  ],
  [
    'that a text holds one',
    [
      { type: 'string', description: 'A list of berths to book' },
      { type: 'string', description: 'Berths to book' },
    ],
    { value: 'a' },
    'ask',
  ],
]);

check(
  'whether something is so, or only may be',
  ((said: string) => taking({ type: 'boolean', description: said })) as (said: never) => Contract,
  [
    ['a state', ['True if the berth can be reserved', 'True if the berth is reserved'], { value: true }, 'ask'],
    ['a possibility', ['True if the berth is reserved', 'True if the berth can be reserved'], { value: true }, 'ask'],
    [
      'the tense of a condition',
      ['If true, locks are told', 'If true, locks will be told'],
      { value: true },
      'silence',
    ],
    ['words to the reader', ['You can use this for locks', 'Use this for locks'], { value: true }, 'silence'],
    ['the tense of a rule', ['Berths that will be listed', 'Berths that are listed'], { value: true }, 'silence'],
  ],
);

check('examples in another form', ((said: string) => taking(text(`It, e.g. ${said}`))) as (said: never) => Contract, [
  ['a duration', ['1h30m', 'PT1H30M'], { value: '2h' }, 'ask'],
  ['an identifier', ['kiln-12', '8f14e45f-ceea-467f-a0e6-1c9d3a3b5d1e'], { value: 'kiln-3' }, 'ask'],
  ['how words are joined', ['kiln_room', 'kilnRoom'], { value: 'glaze_room' }, 'ask'],
  ['a version', ['v1.2.3', '1.2.3'], { value: 'v2.0.0' }, 'ask'],
  ['an address', ['10.0.0.1', 'fe80::1'], { value: '10.0.0.2' }, 'ask'],
  ['a part of the year', ['2025-W07', '2025-02'], { value: '2025-W08' }, 'ask'],
  ['the mark of thousands', ['1,234.50', '1.234,50'], { value: '2,000.00' }, 'ask'],
  ['another duration', ['1h30m', '2h15m'], { value: '2h' }, 'silence'],
  ['another version', ['1.2.3', '2.0.10'], { value: '1.2.4' }, 'silence'],
  ['one example more', ['10', 'lots or 10'], { value: '7' }, 'silence'],
]);

check(
  'the number from which places are counted',
  (([name, minimum]: readonly [string, number]) =>
    taking(W, { properties: { value: W, [name]: { ...W, minimum } } })) as (said: never) => Contract,
  [
    [
      'of slides',
      [
        ['slide', 1],
        ['slide', 0],
      ],
      { slide: 2 },
      'ask',
    ],
    [
      'of hours',
      [
        ['startHour', 1],
        ['startHour', 0],
      ],
      { startHour: 2 },
      'ask',
    ],
    [
      'of no places',
      [
        ['crates', 1],
        ['crates', 0],
      ],
      { crates: 2 },
      'silence',
    ],
    [
      'of an amount',
      [
        ['page_size', 1],
        ['page_size', 0],
      ],
      { page_size: 2 },
      'silence',
    ],
    [
      'of a bound',
      [
        ['maxRow', 1],
        ['maxRow', 0],
      ],
      { maxRow: 2 },
      'silence',
    ],
  ],
);

check(
  'the end of a scale',
  ((said: readonly [string, number, string]) =>
    taking(W, {
      properties: { value: { ...W, description: said[2] }, [said[0]]: { ...W, minimum: 1, maximum: said[1] } },
    })) as (said: never) => Contract,
  [
    [
      'in words',
      [
        ['x', 5, 'Pain (1-5)'],
        ['x', 5, 'Pain (1-10)'],
      ],
      { value: 5 },
      'ask',
    ],
    [
      'of a quality',
      [
        ['x', 5, 'Ripeness (1-5)'],
        ['x', 5, 'Ripeness (1-9)'],
      ],
      { value: 5 },
      'ask',
    ],
    [
      'of an amount',
      [
        ['rating_count', 3, ''],
        ['rating_count', 5, ''],
      ],
      { rating_count: 3 },
      'silence',
    ],
    [
      'of a bound on it',
      [
        ['maxUrgency', 3, ''],
        ['maxUrgency', 5, ''],
      ],
      { maxUrgency: 3 },
      'ask',
    ],
    [
      'by its name',
      [
        ['urgency', 3, ''],
        ['urgency', 5, ''],
      ],
      { value: 5, urgency: 3 },
      'ask',
    ],
    [
      'by another name',
      [
        ['filterStrength', 10, ''],
        ['filterStrength', 100, ''],
      ],
      { value: 5, filterStrength: 5 },
      'ask',
    ],
    [
      'a number of things',
      [
        ['x', 5, 'Crates (1-5)'],
        ['x', 5, 'Crates (1-9)'],
      ],
      { value: 5 },
      'silence',
    ],
    [
      'a size',
      [
        ['thickness', 3, ''],
        ['thickness', 5, ''],
      ],
      { value: 5, thickness: 3 },
      'silence',
    ],
  ],
);

check('a word that a hyphen joins to another', taking as (said: never) => Contract, [
  ['the other way', [text('Clockwise turn'), text('Counter-clockwise turn')], { value: 'x' }, 'ask'],
  ['other persons', [text('Employees'), text('Ex-employees')], { value: 'x' }, 'ask'],
  ['written apart', [text('Sign-up date'), text('Sign up date')], { value: 'x' }, 'silence'],
]);

check('what a tool does in a few words more', told as (said: never) => Contract, [
  ['it writes to somebody', ['Drafts a bill.', 'Drafts a bill and emails it to the payer.'], {}, 'ask'],
  ['it takes money', ['Reserves a slot.', 'Reserves a slot and charges the card.'], {}, 'ask'],
  ['verbs in "-ies"', ['Shuts the weir.', 'Shuts the weir and notifies all keepers.'], {}, 'ask'],
  ['another verb', ['Estimates the fare.', 'Books the fare.'], {}, 'ask'],
  ['a hyphen', ['Encrypts the tape.', 'Re-encrypts the tape.'], {}, 'ask'],
  ['a negation inside', ['Prices include tax.', 'Prices do not include tax.'], {}, 'ask'],
  ['who may see it', ['Creates a map.', 'Creates a public map.'], {}, 'ask'],
  ['an adjective', ['The act is reversible.', 'The act is irreversible.'], {}, 'ask'],
  ['things, and no act', ['Lists weirs.', 'Lists weirs and locks.'], {}, 'notice'],
  ['nouns that are verbs, too', ['Order history of a shop.', 'Orders of a shop.'], {}, 'notice'],
  ['that what is made is new', ['Creates a berth.', 'Creates a new berth.'], {}, 'silence'],
  ['a note at the end', ['Lists weirs.', 'Lists weirs. Does not need a key.'], {}, 'notice'],
]);

check('other languages in plain letters', told as (said: never) => Contract, [
  ['Swedish', ['Visa raderade poster', 'Visa inte raderade poster'], {}, 'ask'],
  ['Dutch', ['Toon de planning', 'Wis de planning'], {}, 'ask'],
  ['Polish', ['Szukaj w nazwach', 'Szukaj tylko w nazwach'], {}, 'ask'],
  ['Indonesian', ['Tampilkan data yang dihapus', 'Jangan tampilkan data yang dihapus'], {}, 'ask'],
  ['French', ['Lit un fichier', 'Supprime un fichier'], {}, 'ask'],
  ['English with like words', ['Finds aux jobs, btw.', 'Finds nightly aux jobs, btw.'], {}, 'notice'],
  ['Latin in English', ['Gets the de facto owner of it.', 'Returns the de facto owner of it.'], {}, 'notice'],
]);

check('a schema that was only written in another way', taking as (said: never) => Contract, [
  [
    'values with their names in words',
    [
      { type: 'string', enum: ['light_rail', 'tram'] },
      {
        oneOf: [
          { const: 'light_rail', title: 'Light rail' },
          { const: 'tram', title: 'Tram' },
        ],
      },
    ],
    { value: 'tram' },
    'silence',
  ],
  [
    'what depends on a parameter',
    [
      { type: 'object', properties: { card: W, zip: W }, dependencies: { card: ['zip'] } },
      { type: 'object', properties: { card: W, zip: W }, dependentRequired: { card: ['zip'] } },
    ],
    { value: { card: 1, zip: 2 } },
    'silence',
  ],
  [
    'parameters behind `allOf`',
    [
      { type: 'object', properties: { a: W, b: W } },
      { type: 'object', allOf: [{ properties: { a: W } }, { properties: { b: W } }] },
    ],
    { value: { a: 1 } },
    'silence',
  ],
]);

const ofPattern = (pattern: string) => ({ type: 'string', pattern });
check('a pattern that became a list', taking as (said: never) => Contract, [
  [
    'the same texts',
    [ofPattern('^(red|a\\.b)$'), { type: 'string', enum: ['red', 'a.b'] }],
    { value: 'red' },
    'silence',
  ],
  ['and more', [ofPattern('^v[12]$'), { enum: ['v1', 'v2', 'v3'] }], { value: 'v1' }, 'silence'],
  ['fewer texts', [ofPattern('^(red|a.b)$'), { type: 'string', enum: ['red', 'a.b'] }], { value: 'axb' }, 'deny'],
  ['an open end', [ofPattern('^(red|black)'), { type: 'string', enum: ['red', 'black'] }], { value: 'redder' }, 'deny'],
  ['no text at all', [{ pattern: '^v[12]$' }, { enum: ['v1', 'v2'] }], { value: 7 }, 'deny'],
]);

const hidden = (format?: string) => ({ type: 'string', ...(format === undefined ? {} : { format }) });
check('a format that only hides what is typed', taking as (said: never) => Contract, [
  ['it came', [hidden(), hidden('password')], { value: 'correct horse' }, 'silence'],
  ['it went', [hidden('password'), hidden()], { value: 'correct horse' }, 'silence'],
  ['it became one that is checked', [hidden('password'), hidden('email')], { value: 'correct horse' }, 'ask'],
  [
    'the words changed with it',
    [
      { ...hidden(), ...text('The PIN') },
      { ...hidden('password'), ...text('The key') },
    ],
    { value: 'x' },
    'ask',
  ],
  ['another one that is not checked everywhere', [hidden(), hidden('byte')], { value: 'correct horse' }, 'ask'],
]);

check('an example as OpenAPI writes it', taking as (said: never) => Contract, [
  [
    'another one',
    [
      { ...W, example: 4 },
      { ...W, example: 9 },
    ],
    { value: 4 },
    'silence',
  ],
  [
    'as one of a list',
    [
      { ...W, example: 4 },
      { ...W, examples: [4, 9] },
    ],
    { value: 4 },
    'silence',
  ],
  ['another kind of it', [{ example: 4 }, { example: 'four' }], { value: 4 }, 'ask'],
  ['other parts', [{ example: { lat: 4 } }, { example: { lon: 4 } }], { value: { lat: 4 } }, 'ask'],
  [
    'lists of another form',
    [{ example: ['2024-02-29'] }, { example: ['29/02/2024'] }],
    { value: ['2024-02-29'] },
    'ask',
  ],
]);

check('a schema that takes anything', taking as (said: never) => Contract, [
  ['written as true', [{}, true], { value: 4 }, 'silence'],
  ['written as an object', [true, {}], { value: 4 }, 'silence'],
  [
    'of elements',
    [
      { type: 'array', items: {} },
      { type: 'array', items: true },
    ],
    { value: [4] },
    'silence',
  ],
  ['no longer', [{}, false], { value: 4 }, 'deny'],
  ['with words', [{ description: 'in hours' }, true], { value: 4 }, 'ask'],
]);

check('what a path or an identifier is of', taking as (said: never) => Contract, [
  ['another word for it', [text('Path to the archive'), text('The path of the archive')], { value: 'a' }, 'silence'],
  ['of an order', [text('Identifier for the order.'), text('The identifier of an order')], { value: 'a' }, 'silence'],
  ['a verb', [text('Identifier to close'), text('Identifier of close')], { value: 'a' }, 'ask'],
  ['where it is', [text('Path to the bucket'), text('Path outside the bucket')], { value: 'a' }, 'ask'],
  ['where it goes', [text('Moves the path to the bin'), text('Moves the path for the bin')], { value: 'a' }, 'ask'],
]);

const upTo = (least: number, most: number): number[] => Array.from({ length: most - least + 1 }, (_, at) => least + at);
const list = (...values: Json[]): JsonObject => ({ enum: values });
const forms = (...values: Json[]): JsonObject => ({ anyOf: values.map((value) => ({ const: value })) });
const bounds = (minimum: number, maximum: number): JsonObject => ({ ...W, minimum, maximum });
const orNull = (schema: JsonObject): JsonObject => ({ anyOf: [schema, { type: 'null' }] });
check(
  'a scale whose numbers are listed',
  (([name, schema]: [string, JsonObject]) => taking(true, { properties: { [name]: schema } })) as (
    said: never,
  ) => Contract,
  (
    [
      ['counted from 1', 'urgency', list(...upTo(0, 3)), list(...upTo(1, 4)), 2, 'ask'],
      ['counted from 0', 'month', list(...upTo(1, 12)), list(...upTo(0, 11)), 2, 'ask'],
      ['in forms', 'urgency', forms(...upTo(0, 3)), forms(...upTo(1, 4)), 2, 'ask'],
      ['listed instead of bounds', 'urgency', bounds(0, 3), list(...upTo(1, 4)), 2, 'ask'],
      ['in forms instead of bounds', 'urgency', bounds(0, 3), forms(...upTo(1, 4)), 2, 'ask'],
      ['with bounds instead of a list', 'urgency', list(...upTo(0, 3)), bounds(1, 4), 2, 'ask'],
      ['or null', 'urgency', orNull(list(...upTo(0, 3))), orNull(list(...upTo(1, 4))), 2, 'ask'],
      ['that may be null now', 'urgency', bounds(0, 3), orNull(list(...upTo(1, 4))), 2, 'ask'],
      ['as texts', 'importance', list('I0', 'I1', 'I2'), list('I1', 'I2', 'I3'), 'I1', 'ask'],
      ['as digits', 'stars', list('1', '2', '3'), list('1', '2', '3', '4', '5'), '2', 'ask'],
      ['cut at its end', 'stars', list(...upTo(1, 10)), list(...upTo(1, 5)), 2, 'ask'],
      ['with a number more', 'stars', list(...upTo(1, 3)), list(...upTo(1, 4)), 2, 'ask'],
      ['for a call that leaves it out', 'stars', list(...upTo(1, 3)), list(...upTo(1, 4)), undefined, 'silence'],
      ['in another order', 'stars', list(1, 2, 3), list(3, 2, 1), 2, 'silence'],
      ['the same, in bounds', 'stars', list(1, 2, 3), bounds(1, 3), 2, 'silence'],
      ['the same, in forms', 'stars', bounds(1, 3), forms(1, 2, 3), 2, 'silence'],
      ['without bounds now', 'stars', list(1, 2, 3), W, 2, 'silence'],
      ['a label more', 'importance', list('I0', 'I1'), list('I0', 'I1', 'I2'), 'I1', 'silence'],
      ['of how deep something goes', 'nesting_level', list(...upTo(1, 3)), list(...upTo(1, 4)), 2, 'silence'],
      ['of what is shown', 'header_level', forms(...upTo(1, 3)), forms(...upTo(1, 5)), 2, 'silence'],
      ['words', 'urgency', list('low', 'high'), list('low', 'high', 'now'), 'low', 'silence'],
      ['sizes of pages', 'page_size', list(20, 40), list(20, 40, 80), 20, 'silence'],
      ['choices with gaps', 'weight', list(300, 500), list(300, 500, 800), 300, 'silence'],
      ['points with gaps', 'points', list(0, 1, 2, 3, 5), list(1, 2, 3, 5, 8), 2, 'notice'],
      ['versions', 'revision', list(1, 2, 3), list(2, 3, 4), 2, 'notice'],
      ['years', 'season', list(2020, 2021), list(2021, 2022), 2021, 'notice'],
      ['an amount', 'limit', list(0, 1, 2), list(1, 2, 3), 2, 'notice'],
      ['one more of what is counted', 'copies', list(1, 2), list(1, 2, 3), 2, 'silence'],
    ] as [string, string, JsonObject, JsonObject, Json | undefined, string][]
  ).map(
    ([what, name, before, after, value, decision]): Case => [
      what,
      [
        [name, before],
        [name, after],
      ],
      value === undefined ? {} : { [name]: value },
      decision,
    ],
  ),
);
