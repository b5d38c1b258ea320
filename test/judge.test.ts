import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signature } from '../scripts/contract/signature.ts';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { validateArguments } from '../scripts/contract/validate.ts';
import { viewHash } from '../scripts/contract/view.ts';
import { reasonLine } from '../scripts/guard/change-lines.ts';
import { withValidTwin } from '../scripts/guard/twin-call.ts';
import { believe } from '../scripts/judge/believe.ts';
import { type Judgement, judge, type Mode } from '../scripts/judge/judge.ts';
import { omits, renameArgument, uses } from '../scripts/judge/touch.ts';
import { validityOf } from '../scripts/judge/validity.ts';
import { stopwatch } from './sandbox.ts';

const tool = (properties: JsonObject, rest: JsonObject = {}, more: Partial<Contract> = {}): Contract => ({
  name: 'search',
  description: 'Searches.',
  inputSchema: { type: 'object', properties, ...rest },
  ...more,
});

const before = tool(
  {
    query: { type: 'string', description: 'what to look for' },
    limit: { type: 'integer', description: 'most results', default: 10 },
    lang: { type: 'string', enum: ['de', 'ja'] },
  },
  { required: ['query'] },
);

interface Case {
  live: Contract | null;
  args: JsonObject;
  mode?: Mode;
  trusted?: boolean;
  tools?: Contract[];
  settled?: (key: string) => boolean;
  believed?: Contract;
}

const verdict = ({
  live,
  args,
  mode = 'guard',
  trusted = false,
  tools,
  settled = () => false,
  believed = before,
}: Case): Judgement =>
  judge({ believed, live, tools: tools ?? (live ? [live] : []), args, policy: { mode, trusted }, settled });

const changed = (
  change: (properties: Record<string, JsonObject>) => JsonObject,
  rest: JsonObject = { required: ['query'] },
) => tool(change(structuredClone((before.inputSchema as JsonObject).properties) as Record<string, JsonObject>), rest);

const redescribed = changed((all) => ({ ...all, limit: { ...all.limit, description: 'index of the page' } }));
const reworded = changed((all) => ({ ...all, limit: { ...all.limit, description: 'Most results (1-50)!' } }));
const renamed = changed(({ query, ...all }) => ({ q: query as JsonObject, ...all }), { required: [] });
const defaulted = changed((all) => ({ ...all, limit: { ...all.limit, default: 5 } }));
const narrowed = changed((all) => ({ ...all, lang: { type: 'string', enum: ['ja'] } }));
const widened = changed((all) => ({ ...all, region: { type: 'string' } }));
const unknown = changed((all) => ({
  ...all,
  query: { ...all.query, if: { maxLength: 3 }, else: { pattern: '^x' } },
}));
const rewritten = changed((all) => ({ ...all, lang: { allOf: [all.lang as JsonObject] } }));
const removed = changed(({ lang: _gone, ...all }) => all);
const unlimited = changed(({ limit: _gone, ...all }) => all);
const unreadable = { $ref: 'https://example.com/x' };
const page = (description: string): Contract => changed((all) => ({ ...all, limit: { type: 'integer', description } }));
const [limited, described, emptied] = [
  page('most results'),
  page('index of the page'),
  page('if omitted, the first page'),
];

describe('the verdict on one call', () => {
  const table: [string, Case, Judgement['decision']][] = [
    ['nothing changed', { live: before, args: { query: 'x' } }, 'silence'],
    [
      'a pattern whose parts have other names',
      {
        believed: tool({ at: { type: 'string', maxLength: 9, pattern: '^(?P<lat>[0-9]{2}),(?P<lon>[0-9]{2})$' } }),
        live: tool({ at: { type: 'string', maxLength: 9, pattern: '^(?P<lon>[0-9]{2}),(?P<lat>[0-9]{2})$' } }),
        args: { at: '12,34' },
      },
      'ask',
    ],
    [
      'nothing but noise changed',
      {
        live: tool((before.inputSchema as { properties: JsonObject }).properties, {
          required: ['query'],
          $schema: 'x',
        }),
        args: { query: 'x' },
      },
      'silence',
    ],
    ['the tool is gone', { live: null, args: { query: 'x' } }, 'deny'],
    ['a renamed parameter is used', { live: renamed, args: { query: 'x' } }, 'deny'],
    ['a renamed parameter is used by its new name', { live: renamed, args: { q: 'x' } }, 'silence'],
    ['a removed parameter is used', { live: removed, args: { query: 'x', lang: 'de' } }, 'deny'],
    ['a removed parameter is not used', { live: removed, args: { query: 'x' } }, 'silence'],
    ['a removed parameter that limited what is found is not used', { live: unlimited, args: { query: 'x' } }, 'notice'],
    ['a dropped enum value is used', { live: narrowed, args: { query: 'x', lang: 'de' } }, 'deny'],
    ['a kept enum value is used', { live: narrowed, args: { query: 'x', lang: 'ja' } }, 'notice'],
    ['a re-described parameter is used', { live: redescribed, args: { query: 'x', limit: 5 } }, 'ask'],
    ['a re-described parameter with a default is left out', { live: redescribed, args: { query: 'x' } }, 'notice'],
    [
      'a re-described parameter without one is left out',
      { believed: limited, live: described, args: { query: 'x' } },
      'silence',
    ],
    [
      'a parameter whose words tell of calls without it is re-described and left out',
      { believed: limited, live: emptied, args: { query: 'x' } },
      'notice',
    ],
    [
      'only digits, case and punctuation of its words changed',
      { live: reworded, args: { query: 'x', limit: 5 } },
      'ask',
    ],
    ...(
      [
        [
          'a sentence on calls without it',
          'page. If omitted, the first one.',
          'page. If omitted, all of them.',
          'silence',
        ],
        ['a default in its words', 'page (default 1)', 'page (default 2)', 'ask'],
        ['a default that tells no more', 'rows (default: 10)', 'rows (default: 20)', 'silence'],
        ['a default with its unit', 'wait (default 10 s)', 'wait (default 20 s)', 'ask'],
        ['a default in its words, as "by default"', 'page, by default the first', 'page, by default the last', 'ask'],
        ['what it is initially', 'only a preview (initially on)', 'only a preview (initially off)', 'ask'],
        ['a word for calls without it', 'place. Attic if omitted.', 'place. Cellar if omitted.', 'silence'],
        ['what is used without it', 'place. Uses attic if not given.', 'place. Uses cellar if not given.', 'silence'],
        ['a sentence that ends with it', 'place. When absent, attic.', 'place. When absent, cellar.', 'silence'],
        ['what an empty one stands for', 'place. Leave empty for attic.', 'place. Leave empty for cellar.', 'silence'],
        ['what is said otherwise', 'a place (attic otherwise)', 'a place (cellar otherwise)', 'ask'],
        ['what is otherwise', 'if set, tells; otherwise waits', 'if set, tells; otherwise leaves', 'ask'],
        [
          'unless it is said',
          'rooms are shut unless stated otherwise',
          'rooms are open unless stated otherwise',
          'ask',
        ],
        ['a default of one word', 'place (default: attic)', 'place (default: cellar)', 'silence'],
        ['a default that names a unit', 'time (default: seconds)', 'time (default: minutes)', 'ask'],
        [
          'how it is done by default',
          'by day by default, last ones first',
          'by day by default, first ones first',
          'ask',
        ],
        ['a German default', 'Ort (Standard: Keller)', 'Ort (Standard: Speicher)', 'ask'],
        ['a French default', 'lieu (par défaut : cave)', 'lieu (par défaut : grenier)', 'ask'],
        ['a Japanese default', '場所。デフォルトはcellar。', '場所。デフォルトはattic。', 'ask'],
      ] as const
    ).flatMap(([what, had, has, given]): typeof table => [
      [`${what} changed, and it is left out`, { believed: page(had), live: page(has), args: { query: 'x' } }, 'ask'],
      [
        `${what} changed, and it is given`,
        { believed: page(had), live: page(has), args: { query: 'x', limit: 5 } },
        given,
      ],
    ]),
    ...(
      [
        ['which calls need it', 'page', 'page. Required if there is more than one.', 'silence'],
        ['in what form it is required', 'page', 'page. Required as a whole number of pages.', 'ask'],
        ['for which calls, and in what unit', 'page', 'page. Required for lists, in thousands of bytes.', 'ask'],
        ['for which calls, and how', 'page', 'page. Required for lists and must be the last one.', 'ask'],
        ['for which calls, and why', 'page', 'page. Required for lists since it clears the others.', 'ask'],
        ['for which calls, and that it acts', 'page', 'page. Required for lists and deletes them.', 'ask'],
        ['for which calls, and what it does', 'page', 'page. Required for lists, which it deletes.', 'ask'],
      ] as const
    ).map(([what, had, has, given]): (typeof table)[number] => [
      `its words tell ${what}, and it is given`,
      { believed: page(had), live: page(has), args: { query: 'x', limit: 5 } },
      given,
    ]),
    ...(
      [
        ['page, 50 by default', 'page (default 50)'],
        ['page (default 50)', 'page. If omitted, 50 is used.'],
        ['Follow links. Default: true.', 'Follow links (true by default)'],
      ] as const
    ).map(([had, has]): (typeof table)[number] => [
      `a default is told in other words, and it is left out: ${has}`,
      { believed: page(had), live: page(has), args: { query: 'x' } },
      'silence',
    ]),
    [
      'the first words on calls without it came, and it is left out',
      { believed: page('page'), live: page('page (default 2)'), args: { query: 'x' } },
      'notice',
    ],
    [
      'the words on calls without it went, and it is left out',
      { believed: page('page (default 2)'), live: page('page'), args: { query: 'x' } },
      'notice',
    ],
    [
      'a line below the one on calls without it changed, and it is left out',
      { believed: page('Default: 1\nThe page'), live: page('Default: 1\nThe offset'), args: { query: 'x' } },
      'notice',
    ],
    [
      'what happens if what it names is missing changed, and it is given',
      {
        believed: page('page. If missing, it is made.'),
        live: page('page. If missing, all are deleted.'),
        args: { query: 'x', limit: 5 },
      },
      'ask',
    ],
    ['a parameter whose default changed is left out', { live: defaulted, args: { query: 'x' } }, 'ask'],
    ['a parameter whose default changed is given', { live: defaulted, args: { query: 'x', limit: 5 } }, 'notice'],
    ['an optional parameter came', { live: widened, args: { query: 'x' } }, 'silence'],
    [
      'an optional parameter came, with a default',
      { live: changed((all) => ({ ...all, compress: { type: 'boolean', default: true } })), args: { query: 'x' } },
      'notice',
    ],
    [
      'a required parameter came',
      {
        live: changed((all) => ({ ...all, key: { type: 'string' } }), { required: ['query', 'key'] }),
        args: { query: 'x' },
      },
      'deny',
    ],
    [
      'a required parameter came, and is given',
      {
        live: changed((all) => ({ ...all, key: { type: 'string' } }), { required: ['query', 'key'] }),
        args: { query: 'x', key: 'y' },
      },
      'notice',
    ],
    [
      'a type changed under the value',
      { live: changed((all) => ({ ...all, limit: { type: 'string' } })), args: { query: 'x', limit: 5 } },
      'deny',
    ],
    [
      'the description of the tool changed',
      { live: { ...before, description: 'Deletes.' }, args: { query: 'x' } },
      'ask',
    ],
    [
      'the tool is described in another word for the same',
      { live: { ...before, description: 'Looks it up.' }, args: { query: 'x' } },
      'notice',
    ],
    [
      'the title of the tool, which no model sees, is its description now',
      {
        believed: { name: 'search', title: 'Empties the bin', inputSchema: before.inputSchema },
        live: { name: 'search', description: 'Empties the bin', inputSchema: before.inputSchema },
        args: { query: 'x' },
      },
      'notice',
    ],
    [
      'a bound that the tool states for every call moved outwards',
      {
        believed: { ...before, description: 'Deletes files that were unused for at least 365 days.' },
        live: { ...before, description: 'Deletes files that were unused for at least 2 days.' },
        args: { query: 'x' },
      },
      'ask',
    ],
    [
      'a bound in the words of the whole input moved outwards',
      {
        believed: changed((all) => all, { description: 'Finds at most 10 files in one go.' }),
        live: changed((all) => all, { description: 'Finds at most 1000 files in one go.' }),
        args: { query: 'x' },
      },
      'ask',
    ],
    [
      'a bound in the words of a parameter moved outwards',
      { believed: page('At most 10 results'), live: page('At most 1000 results'), args: { query: 'x', limit: 5 } },
      'silence',
    ],
    [
      'the same words of the tool, with a thousands comma',
      {
        believed: { ...before, description: 'Finds up to 1000 files.' },
        live: { ...before, description: 'Finds up to 1,000 files' },
        args: { query: 'x' },
      },
      'silence',
    ],
    ['an icon changed', { live: { ...before, extra: { icons: [] } }, args: { query: 'x' } }, 'silence'],
    [
      'no longer read-only',
      {
        live: { ...before, annotations: { readOnlyHint: false } },
        believed: { ...before, annotations: { readOnlyHint: true } },
        args: { query: 'x' },
      },
      'ask',
    ],
    [
      'destructive, and was said not to be',
      { live: before, believed: { ...before, annotations: { destructiveHint: false } }, args: { query: 'x' } },
      'ask',
    ],
    [
      'a hint flipped towards safety',
      { live: { ...before, annotations: { readOnlyHint: true } }, args: { query: 'x' } },
      'silence',
    ],
    [
      'a result is told in another unit: no call is wrong because of that',
      {
        believed: { ...before, outputSchema: { properties: { wait: { description: 'in seconds' } } } },
        live: { ...before, outputSchema: { properties: { wait: { description: 'in milliseconds' } } } },
        args: { query: 'x' },
      },
      'notice',
    ],
    [
      'a result no longer has a field',
      {
        believed: { ...before, outputSchema: { properties: { a: {}, b: {} } } },
        live: { ...before, outputSchema: { properties: { a: {} } } },
        args: { query: 'x' },
      },
      'notice',
    ],
    [
      'what is said of a result says the same',
      {
        believed: { ...before, outputSchema: { properties: { wait: { description: 'time to wait' } } } },
        live: { ...before, outputSchema: { properties: { wait: { description: 'The time to wait.' } } } },
        args: { query: 'x' },
      },
      'silence',
    ],
    ['something unknown changed in a parameter that is used', { live: unknown, args: { query: 'x' } }, 'ask'],
    [
      'something unknown changed in a parameter that is used wrongly',
      { live: unknown, args: { query: 'abcd' } },
      'deny',
    ],
    ['a parameter was rewritten and means the same', { live: rewritten, args: { query: 'x', lang: 'de' } }, 'silence'],
    [
      'a new parameter cannot be read, and is not used',
      { live: changed((all) => ({ ...all, region: { $ref: 'https://example.com/x' } })), args: { query: 'x' } },
      'notice',
    ],
    [
      'a new parameter cannot be read, and is used',
      {
        live: changed((all) => ({ ...all, region: { $ref: 'https://example.com/x' } })),
        args: { query: 'x', region: 1 },
      },
      'unchecked',
    ],
    [
      'a parameter with an unreadable form takes fewer values otherwise, and it is one of those that went',
      {
        believed: tool({ lang: { anyOf: [unreadable, { enum: ['de', 'ja'] }] } }),
        live: tool({ lang: { anyOf: [unreadable, { enum: ['ja'] }] } }),
        args: { lang: 'de' },
      },
      'ask',
    ],
    [
      'what a parameter may not be changed beside something unreadable',
      {
        believed: tool({ lang: { not: { anyOf: [unreadable, { const: 'de' }] } } }),
        live: tool({ lang: { not: { anyOf: [unreadable, { const: 'ja' }] } } }),
        args: { lang: 'ja' },
      },
      'ask',
    ],
    [
      'a parameter takes fewer values, and another one has an unreadable form',
      {
        believed: tool({ lang: { enum: ['de', 'ja'] }, at: { anyOf: [unreadable, { type: 'string' }] } }),
        live: tool({ lang: { enum: ['ja'] }, at: { anyOf: [unreadable, { type: 'string' }] } }),
        args: { lang: 'ja', at: 'x' },
      },
      'notice',
    ],
    [
      'a re-described parameter is used, beside values that are nested too deep to be compared',
      {
        believed: tool({ query: { type: 'array' }, limit: { type: 'integer', description: 'most results' } }),
        live: tool({ query: { type: 'array' }, limit: { type: 'integer', description: 'index of the page' } }),
        args: { query: JSON.parse('['.repeat(230) + ']'.repeat(230)), limit: 5 },
      },
      'ask',
    ],
    [
      'the schema of now cannot be compiled',
      { live: changed((all) => ({ ...all, region: { $id: '%%', type: 'string' } })), args: { query: 'x' } },
      'unchecked',
    ],
    [
      'the schema of now cannot be compiled, and what is used became narrower',
      {
        live: changed((all) => ({ ...all, lang: { type: 'string', enum: ['ja'] }, region: { $id: '%%' } })),
        args: { query: 'x', lang: 'ja' },
      },
      'ask',
    ],
    ['mode off', { live: null, args: {}, mode: 'off' }, 'silence'],
    ['mode warn, where guard denies', { live: renamed, args: { query: 'x' }, mode: 'warn' }, 'notice'],
    ['mode warn, where guard asks', { live: redescribed, args: { query: 'x', limit: 5 }, mode: 'warn' }, 'notice'],
    ['mode strict, where guard lets pass', { live: widened, args: { query: 'x' }, mode: 'strict' }, 'deny'],
    ['mode strict, unchanged', { live: before, args: { query: 'x' }, mode: 'strict' }, 'silence'],
    [
      'a trusted server: the model decides again',
      { live: redescribed, args: { query: 'x', limit: 5 }, trusted: true },
      'deny',
    ],
    [
      'what was granted or told is settled',
      { live: redescribed, args: { query: 'x', limit: 5 }, settled: () => true },
      'notice',
    ],
    [
      'arguments that are invalid are never settled',
      { live: narrowed, args: { query: 'x', lang: 'de' }, settled: () => true },
      'deny',
    ],
  ];
  for (const [what, question, decision] of table) {
    it(`${what}: ${decision}`, () => assert.equal(verdict(question).decision, decision));
  }

  it('is not fresh where the contracts cannot be compared in time, though the call is valid', () => {
    // Many patterns: the regular expression engine gives up on one after a while.
    const each = (schema: (index: number) => JsonObject): Contract =>
      tool(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, schema(index)])));
    const believed = each(() => ({ enum: [`${'a'.repeat(60)}!`] }));
    const live = each((index) => ({ type: 'string', pattern: `^(a+)+${index}$` }));
    const found = verdict({ believed, live, args: {} });
    assert.deepEqual([found.decision, found.reasons], ['unchecked', []]);
    assert.match(String(found.why), /the contract could not be compared/);
  });

  it('is not fresh where it takes too long to compare what is declared for the values, though the call is valid', () => {
    const lists = { list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } } };
    const args = { list: Array.from({ length: 300_000 }, () => ({ a: 'x' })) };
    const [believed, live] = [tool(lists), tool({ ...lists, more: { type: 'string', default: 'x' } })];
    assert.equal(verdict({ believed, live, args: { list: [] } }).decision, 'notice');
    assert.equal(verdict({ believed, live, args }).decision, 'unchecked');
  });

  it('a yes to a change is none to a later change at the same place', () => {
    const args = { query: 'x', limit: 5 };
    const said = new Set(verdict({ live: redescribed, args }).reasons.map(({ key }) => key));
    assert.equal(said.size, 1);
    const settled = (key: string) => said.has(key);
    assert.equal(verdict({ live: redescribed, args, settled }).decision, 'notice');
    const later = changed((all) => ({ ...all, limit: { ...all.limit, description: 'the oldest day, in days' } }));
    assert.equal(verdict({ live: later, args, settled }).decision, 'ask');
  });

  it('is not fresh where one value cannot be read that could before, beside one that never could', () => {
    const old = { a: unreadable, b: { type: 'string' } };
    const [believed, live] = [tool(old), tool({ ...old, b: unreadable, c: { type: 'string', default: 'x' } })];
    const other = tool({ ...old, c: { type: 'string', default: 'x' } });
    const args = { a: 1, b: 'x' };
    const settled = () => true;
    assert.equal(verdict({ believed, live: other, args, settled }).decision, 'notice');
    assert.equal(verdict({ believed, live, args, settled }).decision, 'unchecked');
    const elsewhere = tool({ ...old, a: { $ref: 'https://example.com/y' } });
    assert.equal(
      verdict({ believed, live: elsewhere, args, settled }).decision,
      'unchecked',
      'read nowhere, and another',
    );
    assert.equal(
      String(verdict({ believed, live, args }).why),
      '`$ref` of `a`, `$ref` of `b` cannot be read, and was not checked',
    );
    const readable = {
      believed: tool({ b: old.b }),
      live: tool({ b: { ...old.b, description: 'a name' } }),
      args: { b: 'x' },
    };
    assert.equal(verdict(readable).why, undefined);
  });

  it('gives the call under its new names, and only where that is all it takes', () => {
    assert.deepEqual(verdict({ live: renamed, args: { query: 'x', limit: 1 } }).corrected, { q: 'x', limit: 1 });
    assert.equal(verdict({ live: renamed, args: { query: 5 } }).corrected, undefined);
    assert.equal(verdict({ live: narrowed, args: { query: 'x', lang: 'de' } }).corrected, undefined);
  });

  it('gives no call where both names have values, and these differ', () => {
    const twin: Contract = {
      name: 'search_raw',
      inputSchema: { type: 'object', properties: { payload: { type: 'string' } }, required: ['payload'] },
    };
    const rooms = (name: string): Contract =>
      tool({
        [name]: { type: 'string' },
        stays: { type: 'array', items: { properties: { [name]: { type: 'string' } } } },
      });
    const of = (args: JsonObject) =>
      verdict({ believed: rooms('room_key'), live: rooms('roomKey'), args, tools: [rooms('roomKey'), twin] });
    const both = { room_key: 'a', roomKey: 'b' };
    for (const args of [both, { stays: [{ room_key: 'a' }, both] }]) {
      const { decision, corrected, twin } = of(args);
      assert.deepEqual([decision, corrected, twin], ['deny', undefined, undefined], JSON.stringify(args));
    }
    const same = of({ room_key: 'a', roomKey: 'a' });
    assert.deepEqual([same.corrected, same.twin?.arguments.payload], [{ roomKey: 'a' }, '{"roomKey":"a"}']);
    const stays = [{ room_key: 'a' }, { roomKey: 'b' }];
    assert.deepEqual(of({ stays }).corrected, { stays: [{ roomKey: 'a' }, { roomKey: 'b' }] });
  });

  it('gives no call where the new name is only likely, and stops the old one as ever', () => {
    const twin: Contract = {
      name: 'search_raw',
      inputSchema: { type: 'object', properties: { payload: { type: 'string' } }, required: ['payload'] },
    };
    const named = (...names: string[]): Contract =>
      tool(Object.fromEntries(names.map((name) => [name, { type: 'integer' }])));
    const of = (from: string, args: JsonObject, ...to: string[]) =>
      verdict({ believed: named(from, 'lang'), live: named(...to), args, tools: [named(...to), twin] });
    for (const [from, ...to] of [
      ['row', 'lang', 'row_height', 'mark'],
      ['row', 'lang', 'arrow'],
      ['seat', 'lang', 'table'],
    ] as const) {
      const { decision, reasons, corrected, twin } = of(from, { [from]: 3 }, ...to);
      assert.deepEqual(
        [decision, reasons.length, corrected, twin],
        ['deny', 1, undefined, undefined],
        `${from} → ${to}`,
      );
      assert.match(String(reasons[0]?.change?.message), /^maybe renamed: .*; pass `\w+` only if it means the same/);
      assert.deepEqual(of(from, { lang: 1 }, ...to).reasons, [], 'it uses neither');
    }
    assert.deepEqual(of('max', { max: 3 }, 'lang', 'limit').corrected, { limit: 3 });
  });

  it('after a denial the corrected call passes', () => {
    const { corrected } = verdict({ live: renamed, args: { query: 'x' } });
    assert.equal(verdict({ live: renamed, args: corrected ?? {} }).decision, 'silence');
  });

  describe('on a renamed parameter whose value means something else, too', () => {
    const number = (description: string, more: JsonObject = {}): JsonObject => ({
      type: 'number',
      description,
      ...more,
    });
    const believed = tool({ wait: number('time in seconds') });
    const live = tool({ waitTime: number('time in milliseconds') });

    it('asks for a call that has the new name already', () => {
      const { decision, reasons } = verdict({ believed, live, args: { waitTime: 5 } });
      assert.equal(decision, 'ask');
      assert.deepEqual(
        reasons.map(({ change, byNewName }) => [change?.rule, change?.parameter, byNewName]),
        [['input-property-words-changed', ['waitTime'], true]],
      );
      assert.equal(verdict({ believed, live, args: {} }).decision, 'notice');
    });

    it('says so where the old name is used, and offers no call with the same value', () => {
      const { decision, reasons, corrected } = verdict({ believed, live, args: { wait: 5 } });
      assert.equal(decision, 'deny');
      assert.deepEqual(
        reasons.map(({ change }) => change?.rule),
        ['input-property-renamed', 'input-property-words-changed'],
      );
      assert.equal(corrected, undefined);
    });

    it('tells a trusted model the new words with the new name: then its next call passes', () => {
      const told = verdict({ believed, live, args: { wait: 5 }, trusted: true }).reasons.map(({ key }) => key);
      const settled = (key: string): boolean => told.includes(key);
      assert.equal(verdict({ believed, live, args: { waitTime: 5 }, trusted: true }).decision, 'deny');
      assert.notEqual(verdict({ believed, live, args: { waitTime: 5 }, trusted: true, settled }).decision, 'deny');
    });

    it('finds it at any depth, and in a list', () => {
      const inside = (name: string, inner: JsonObject): Contract =>
        tool({ steps: { type: 'array', items: { type: 'object', properties: { [name]: inner, other: {} } } } });
      const [old, now] = [inside('wait', number('in s')), inside('waitTime', number('in ms'))];
      assert.equal(verdict({ believed: old, live: now, args: { steps: [{}, { waitTime: 5 }] } }).decision, 'ask');
      assert.equal(verdict({ believed: old, live: now, args: { steps: [{ other: 1 }] } }).decision, 'notice');
      const options = (name: string, inner: JsonObject): Contract =>
        tool({ [name]: { type: 'object', properties: inner } });
      const [opt, opts] = [
        options('option', { wait: number('in s') }),
        options('options', { waitTime: number('in ms') }),
      ];
      const { decision, reasons } = verdict({ believed: opt, live: opts, args: { options: { waitTime: 5 } } });
      assert.equal(decision, 'ask');
      assert.deepEqual(reasons[0]?.change?.parameter, ['options', 'waitTime']);
    });

    it('asks about another unit or format, too, and not about a default that is not used', () => {
      const pair = (old: JsonObject, now: JsonObject) => ({
        believed: tool({ day: old }),
        live: tool({ dayTime: now }),
      });
      const units = pair({ type: 'number', 'x-unit': 's' }, { type: 'number', 'x-unit': 'ms' });
      assert.equal(verdict({ ...units, args: { dayTime: 5 } }).decision, 'ask');
      const formats = pair({ type: 'string', format: 'date' }, { type: 'string', format: 'date-time' });
      assert.equal(verdict({ ...formats, args: { dayTime: '2026-01-01' } }).decision, 'ask');
      assert.notEqual(verdict({ ...formats, args: { dayTime: '2026-01-01T00:00:00Z' } }).decision, 'ask');
      const defaults = pair({ type: 'number', default: 1 }, { type: 'number', default: 2 });
      const { decision, reasons } = verdict({ ...defaults, args: {} });
      assert.equal(decision, 'ask');
      assert.deepEqual(
        reasons.map(({ change, byNewName }) => [change?.parameter, byNewName]),
        [[['dayTime'], undefined]],
      );
      assert.notEqual(verdict({ ...defaults, args: { dayTime: 5 } }).decision, 'ask');
    });

    it('asks nothing where only a title follows the name', () => {
      const titled = (name: string, title: string): Contract => tool({ [name]: { type: 'string', title } });
      const args = { search_query: 'x' };
      const found = verdict({ believed: titled('query', 'Query'), live: titled('search_query', 'Search Query'), args });
      assert.equal(found.decision, 'silence');
    });

    it('offers no call where the names have another unit', () => {
      const named = (name: string): Contract => tool({ [name]: { type: 'number' } });
      const of = (old: string, now: string) =>
        verdict({ believed: named(old), live: named(now), args: { [old]: 5 } }).corrected;
      assert.equal(of('wait_s', 'wait_ms'), undefined);
      assert.equal(of('wait', 'waitSeconds'), undefined);
      assert.deepEqual(of('wait_s', 'waitS'), { waitS: 5 });
    });

    it('asks once where a name came that says something else', () => {
      // One is not the opposite of the other: a call that has neither means what it meant.
      const named = (name: string): Contract => tool({ [name]: { type: 'boolean' }, note: { type: 'string' } });
      const by = (name: string, told: string[] = [], trusted = false) =>
        verdict({
          believed: named('lock'),
          live: named('unlock'),
          args: { [name]: name === 'note' ? 'x' : true },
          trusted,
          settled: (key) => told.includes(key),
        });
      const first = by('lock');
      assert.equal(first.decision, 'deny');
      assert.match(String(first.reasons[1]?.change?.message), /`unlock` came where `lock` went/);
      assert.equal(first.corrected, undefined);
      const next = by('unlock');
      assert.deepEqual([next.decision, next.corrected], ['ask', undefined]);
      const byNewNames = [first, next].map(({ reasons }) => reasons.map(({ byNewName }) => byNewName));
      assert.deepEqual(byNewNames, [[undefined, undefined], [true]]);
      const keys = next.reasons.map(({ key }) => key);
      assert.equal(by('unlock', keys).decision, 'notice', 'a person said yes');
      assert.equal(by('note').decision, 'silence', 'the call has neither');
      assert.equal(by('lock', [], true).decision, 'deny');
      assert.equal(by('unlock', [], true).decision, 'deny', 'the model was told nothing yet');
      assert.equal(by('unlock', keys, true).decision, 'notice');
      // The stop of the old name told both.
      assert.ok(keys.every((key) => first.reasons.some((reason) => reason.key === key)));
    });
  });

  it('gives the twin call, ready to send', () => {
    const twin: Contract = {
      name: 'search_raw',
      inputSchema: { type: 'object', properties: { payload: { type: 'string' } }, required: ['payload'] },
    };
    const found = verdict({ live: renamed, args: { query: 'x' }, tools: [renamed, twin] });
    assert.deepEqual(found.twin, { name: 'search_raw', arguments: { payload: '{"q":"x"}' } });
    const notATwin = { ...twin, inputSchema: { type: 'object', properties: { payload: { type: 'object' } } } };
    assert.equal(verdict({ live: renamed, args: { query: 'x' }, tools: [renamed, notATwin] }).twin, undefined);
  });

  it('gives no twin call for what the server would drop from within a parameter: the rest of it has to stay', () => {
    const twin: Contract = {
      name: 'search_raw',
      inputSchema: { type: 'object', properties: { payload: { type: 'string' } }, required: ['payload'] },
    };
    const text = { type: 'string' };
    const within = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
    const live = tool({ query: text, near: within({ since: text }) });
    const offered = (believed: Contract, args: JsonObject): string | undefined =>
      withValidTwin(verdict({ believed, live, args, tools: [live, twin] }), live, args).twin?.arguments.payload;
    const near = { since: '2026' };
    assert.equal(
      offered(tool({ query: text, region: text, near: within({ since: text }) }), { region: 'north', near }),
      JSON.stringify({ near }),
    );
    const inside = tool({ query: text, near: within({ since: text, region: text }) });
    assert.equal(offered(inside, { near: { ...near, region: 'north' } }), undefined);
  });

  it('names a successor only where there is evidence', () => {
    const successor = { ...before, name: 'SEARCH' };
    assert.equal(verdict({ live: null, args: {}, tools: [successor] }).successor, 'SEARCH');
    assert.equal(
      judge({
        believed: before,
        live: null,
        tools: [successor],
        earlier: new Set(['search', 'SEARCH']),
        args: {},
        policy: { mode: 'guard', trusted: false },
        settled: () => false,
      }).successor,
      undefined,
      'one that was there beside it',
    );
    assert.equal(
      verdict({ live: null, args: {}, tools: [tool({ id: { type: 'string' } }, {}, { name: 'other' })] }).successor,
      undefined,
    );
    const named = (name: string): Contract => tool({ id: { type: 'string' } }, {}, { name });
    const successorOf = (gone: string, came: string) =>
      verdict({ believed: named(gone), live: null, args: {}, tools: [named(came)] }).successor;
    assert.equal(successorOf('lock_door', 'unlock_door'), undefined, 'the opposite');
    assert.equal(successorOf('list_files', 'delete_files'), undefined, 'another act');
    assert.equal(successorOf('try_lock_door', 'lock_door'), undefined, 'a trial');
    assert.equal(successorOf('paint_door_frame', 'paint_door'), undefined, 'another thing');
    assert.equal(successorOf('lock_door', 'door_lock'), 'door_lock');
    const bare = (name: string): Contract => ({ name, inputSchema: { type: 'object' } });
    const ofBare = (gone: string, came: string) =>
      verdict({ believed: bare(gone), live: null, args: {}, tools: [bare(came)] }).successor;
    assert.equal(ofBare('start_backup', 'get_status'), undefined, 'equal contracts that say nothing');
    assert.equal(ofBare('start_backup', 'backup_now'), 'backup_now');
    assert.equal(successorOf('list_files', 'list_text_files'), 'list_text_files');
  });

  it('names the tool that took one of the values of a tool that is gone, or one that has a value for it', () => {
    const text = { type: 'string' };
    const of = (name: string, ...values: string[]): Contract =>
      tool({ id: text, ...(values.length > 0 ? { action: { enum: values } } : {}) }, {}, { name });
    const successorOf = (believed: Contract, args: JsonObject, ...tools: Contract[]) =>
      verdict({ believed, live: null, args, tools }).successor;
    const manage = of('manage_user', 'create', 'delete');
    const parts = [of('create_user'), of('delete_user'), of('delete_team')];
    assert.equal(successorOf(manage, { action: 'delete', id: 'x' }, ...parts), 'delete_user');
    assert.equal(successorOf(of('user', 'create', 'delete'), { action: 'create', id: 'x' }, ...parts), 'create_user');
    assert.equal(successorOf(manage, { action: 'delete', id: 'x', team: 'y' }, ...parts), undefined, 'it takes less');
    assert.equal(successorOf(manage, { action: 'list', id: 'x' }, ...parts), undefined, 'no value of it');
    assert.equal(successorOf(manage, { id: 'x' }, ...parts), undefined, 'no value is given');
    assert.equal(successorOf(manage, { action: 'delete', id: 'x' }, ...parts, of('user_delete')), undefined, 'two may');
    assert.equal(successorOf(of('manage_user', ''), { action: '', id: 'x' }, of('user')), undefined, 'no word');
    assert.equal(successorOf(of('user'), { id: 'x' }, of('user_audit', '', 'x')), undefined, 'no word');
    const power = of('vm_power', 'start', 'stop');
    assert.equal(successorOf(of('stop_vm'), { id: '1' }, power, of('list_vms')), 'vm_power');
    assert.equal(successorOf(of('pause_vm'), { id: '1' }, power), undefined, 'no such value');
    assert.equal(successorOf(of('stop_disk'), { id: '1' }, power), undefined, 'of something else');
    assert.equal(successorOf(of('stop_vm'), { id: '1', force: true }, power), undefined, 'it takes less');
  });
});

describe('a choice whose values are told by position', () => {
  const told = (values: Json[], words: Json[], key = 'enumDescriptions'): JsonObject => ({
    enum: values,
    [key]: words,
  });
  const KEEP = told(['a', 'b', 'c'], ['keep', 'delete', 'ask']);
  const one = (schema: JsonObject, rest: JsonObject = {}): Contract => tool({ m: schema }, rest);
  const inList = (items: JsonObject): Contract => tool({ m: { type: 'array', items } });
  const inDefinition = (mode: JsonObject): Contract => one({ $ref: '#/$defs/mode' }, { $defs: { mode } });
  const names = (values: Json[], words: Json[]): JsonObject => told(values, words, 'x-enum-varnames');
  const shown = (...values: Json[]): JsonObject => told(values, ['Keep', 'Delete', 'Ask'], 'x-captions');
  const around = (values: Json[]): Contract =>
    one({ type: 'array', items: { anyOf: [{ enum: values }, { type: 'null' }] }, 'x-captions': ['Keep', 'Delete'] });

  const cases: [string, Contract, Contract, JsonObject, Judgement['decision']][] = [
    ['only the values changed places', one(KEEP), one({ ...KEEP, enum: ['b', 'a', 'c'] }), { m: 'a' }, 'ask'],
    ['so did others than the one passed', one(KEEP), one({ ...KEEP, enum: ['b', 'a', 'c'] }), { m: 'c' }, 'notice'],
    ['and none is passed', one(KEEP), one({ ...KEEP, enum: ['b', 'a', 'c'] }), {}, 'silence'],
    ['only the words did', one(names([1, 2], ['LOW', 'HIGH'])), one(names([1, 2], ['HIGH', 'LOW'])), { m: 2 }, 'ask'],
    ['both did', one(KEEP), one(told(['c', 'b', 'a'], ['ask', 'delete', 'keep'])), { m: 'a' }, 'silence'],
    [
      'one value is told otherwise',
      one(KEEP),
      one(told(['a', 'b', 'c'], ['keep', 'archive', 'ask'])),
      { m: 'b' },
      'ask',
    ],
    [
      'another value is told otherwise',
      one(KEEP),
      one(told(['a', 'b', 'c'], ['keep', 'archive', 'ask'])),
      { m: 'a' },
      'notice',
    ],
    ['one value more, between the others', one(told(['a', 'c'], ['keep', 'ask'])), one(KEEP), { m: 'c' }, 'silence'],
    [
      'one value less, and the words of the rest stay behind',
      one(KEEP),
      one(told(['b', 'c'], ['keep', 'delete'])),
      { m: 'c' },
      'ask',
    ],
    [
      'one value more, and its words replace those of another',
      one(told(['a', 'b'], ['keep', 'delete'])),
      one(told(['a', 'b', 'c'], ['keep', 'ask', 'delete'])),
      { m: 'b' },
      'ask',
    ],
    [
      'the words say the same',
      one(told(['a', 'b'], ['keep the file', 'delete it'])),
      one(told(['a', 'b'], ['Keep the file.', 'delete it'])),
      { m: 'a' },
      'silence',
    ],
    ['in a list', inList(KEEP), inList({ ...KEEP, enum: ['b', 'a', 'c'] }), { m: ['c', 'b'] }, 'ask'],
    [
      'in a list, of others than those passed',
      inList(KEEP),
      inList({ ...KEEP, enum: ['b', 'a', 'c'] }),
      { m: ['c'] },
      'notice',
    ],
    ['in a definition', inDefinition(KEEP), inDefinition({ ...KEEP, enum: ['b', 'a', 'c'] }), { m: 'a' }, 'ask'],
    [
      'the value may be null, too',
      one({ anyOf: [KEEP, { type: 'null' }] }),
      one({ anyOf: [{ ...KEEP, enum: ['b', 'a', 'c'] }, { type: 'null' }] }),
      { m: 'a' },
      'ask',
    ],
    [
      'the list no longer has a place for each value',
      one(KEEP),
      one({ ...KEEP, enumDescriptions: ['keep', 'ask'] }),
      { m: 'a' },
      'ask',
    ],
    ['beside a list of another name', one(shown('b', 'a', 'c')), one(shown('c', 'a', 'b')), { m: 'c' }, 'ask'],
    ['beside one, where its own stands', one(shown('b', 'a', 'c')), one(shown('c', 'a', 'b')), { m: 'a' }, 'notice'],
    ['under a list around it', around(['x', 'y']), around(['y', 'x']), { m: ['y'] }, 'ask'],
    ['under a list around it, and it is not passed', around(['x', 'y']), around(['y', 'x']), {}, 'silence'],
  ];
  for (const [what, believed, live, args, decision] of cases)
    it(`${what}: ${decision}`, () => assert.equal(verdict({ believed, live, args }).decision, decision));

  it('is shown by its values', () => {
    const live = one({ ...KEEP, enum: ['b', 'a', 'c'] });
    assert.equal(
      verdict({ believed: one(KEEP), live, args: { m: 'a' } }).reasons[0]?.change?.message,
      '`enumDescriptions` changed: "a": "keep" → "delete"; "b": "delete" → "keep"',
    );
  });
});

describe('why a call is stopped', () => {
  const linesOf = (old: JsonObject, now: JsonObject, value: Json): string[] => {
    const [believed, live] = [tool({ value: old }), tool({ value: now })];
    return verdict({ believed, live, args: { value } }).reasons.map((reason) => reasonLine(reason, false));
  };
  const text = { type: 'string' };

  it('is told by the change that made the arguments wrong, not by another one of the parameter', () => {
    const when = { type: 'object', properties: { day: text }, required: ['day'] };
    assert.deepEqual(linesOf(text, when, 'today'), ['`value`: type changed: "string" → "object"']);
    assert.deepEqual(linesOf({ type: 'array', items: text }, { type: 'array', items: when }, ['x']), [
      '`value.*`: type changed: "string" → "object"',
    ]);
    const days = { type: 'object', properties: { days: { type: 'array', items: text, maxItems: 1 } } };
    assert.deepEqual(linesOf(text, { type: 'array', items: text }, 'x'), ['`value`: type changed: "string" → "array"']);
    assert.deepEqual(linesOf(text, days, 'x'), ['`value`: type changed: "string" → "object"']);
  });

  it('is told by the change of its place or of one around it, not by one of another name beside it', () => {
    const any = { type: 'object', additionalProperties: true };
    const closed = { type: 'object', properties: { age: { type: 'integer' } }, additionalProperties: false };
    const refused = '`value`: unknown parameters are refused now: `Height` is not a parameter of `value`';
    assert.deepEqual(linesOf(any, closed, { Height: 3 }), [refused]);
    assert.deepEqual(linesOf({ type: 'array', items: any }, { type: 'array', items: closed }, [{ Height: 3 }]), [
      '`value.*`: unknown parameters are refused now: `Height` is not a parameter of `value.0`',
    ]);
    // Both are wrong, and each is told.
    const listed = '`value.age`: `age` is listed now, and must be `integer`';
    assert.deepEqual(linesOf(any, closed, { Height: 3, age: 'x' }).sort(), [refused, listed].sort());
    const pair = (limit: JsonObject): JsonObject => ({
      type: 'object',
      properties: { day: { ...text, ...limit }, hour: { type: 'integer' } },
    });
    // It was refused before, too.
    assert.deepEqual(linesOf(pair({}), pair({ minLength: 2 }), { hour: 'x' }), ['`value.hour` must be integer']);
    const near = (names: JsonObject): JsonObject => ({
      type: 'object',
      properties: names,
      required: Object.keys(names),
    });
    assert.deepEqual(linesOf(near({ zip_code: text }), near({ zipCode: text }), { zip_code: 'x' }), [
      '`value.zip_code`: renamed: `zip_code` → `zipCode` (the same name in another spelling); a call without `zipCode` fails',
    ]);
  });

  it('is told with the bound that a value is beyond, also to a model that sees no new words', () => {
    const number = { type: 'integer' };
    assert.deepEqual(linesOf({ ...number, maximum: 90 }, { ...number, maximum: 50 }, 70), [
      '`value`: maximum changed (90 → 50): `value` must be at most 50',
    ]);
    assert.deepEqual(linesOf(text, { ...text, maxLength: 3 }, 'abcd'), [
      '`value`: maxLength changed (none → 3): `value` must be at most 3 characters long',
    ]);
  });
});

describe('what the model believes', () => {
  const old = before;
  const now = redescribed;
  const other = tool({ something: { type: 'string' } });
  const none = new Set<string>();

  it('is what it sees, where that is what the server runs, whatever the baseline says', () => {
    const belief = believe({ view: now, baseline: { contract: old, late: false }, live: now, past: none });
    assert.equal(belief.from, 'model view');
    assert.equal(viewHash(belief.contract as Contract), viewHash(now));
  });
  it('is what it sees, where that is an earlier contract of the source: a /clear shows what the client cached', () => {
    const belief = believe({
      view: old,
      baseline: { contract: now, late: false },
      live: now,
      past: new Set([viewHash(old)]),
    });
    assert.equal(viewHash(belief.contract as Contract), viewHash(old));
  });
  it('is the baseline, where the source shows the tool in other words than the server', () => {
    const belief = believe({
      view: other,
      baseline: { contract: old, late: false },
      live: old,
      past: none,
      gateway: true,
    });
    assert.equal(belief.from, 'baseline');
    assert.deepEqual(belief.contract, old);
  });
  it('keeps the hints that the model does not see from the baseline', () => {
    const baseline = { contract: { ...old, annotations: { readOnlyHint: true } }, late: false };
    const belief = believe({ view: old, baseline, live: old, past: none });
    assert.deepEqual(belief.contract?.annotations, { readOnlyHint: true });
  });
  it('is the baseline, where nothing shows what it saw, even a late one that differs from what the server runs', () => {
    for (const late of [false, true]) {
      const belief = believe({ baseline: { contract: old, late }, live: now, past: none });
      assert.deepEqual([belief.from, belief.contract], ['baseline', old]);
    }
  });
  it('is what it sees, where the baseline came too late to say that the source shows the tool differently', () => {
    const baseline = { contract: now, late: false, completed: true };
    const belief = believe({ view: old, baseline, live: now, past: none });
    assert.equal(viewHash(belief.contract as Contract), viewHash(old));
  });
  it('is what it sees, where a gateway may use other words and its baseline came too late to show that', () => {
    for (const late of [{ late: true }, { late: false, completed: true }]) {
      const baseline = { contract: now, ...late };
      const belief = believe({ view: old, baseline, live: now, past: none, gateway: true });
      assert.equal(belief.from, 'model view');
      assert.equal(viewHash(belief.contract as Contract), viewHash(old));
    }
  });
  const unknown: [string, Parameters<typeof believe>[0]][] = [
    ['neither view nor baseline', { live: now, past: none }],
    [
      'no view, and a baseline that is too late to tell',
      { baseline: { contract: now, late: true }, live: now, past: none },
    ],
    [
      'another view, no baseline, and an asker that sees all tools differently',
      { view: other, live: now, past: none, others: 'otherwise' },
    ],
  ];
  for (const [what, evidence] of unknown) {
    it(`is unknown: ${what}`, () => {
      const belief = believe(evidence);
      assert.equal(belief.from, 'unknown');
      assert.equal(belief.contract, undefined);
    });
  }
  it('is what it sees, where nothing speaks against comparing', () => {
    assert.equal(believe({ view: other, live: now, past: none, others: 'alike' }).from, 'model view');
    assert.equal(believe({ view: other, live: now, past: none }).from, 'model view');
  });
});

describe('a tool that could not be read', () => {
  it('is unchecked, with the reason, whether its list is of now or of the session’s start', () => {
    const unread: Contract = { name: 'search', inputSchema: { type: 'object' }, defect: 'its schema is odd' };
    const args = { terms: 'x' };
    for (const [believed, live] of [
      [before, unread],
      [unread, before],
    ] as const)
      for (const mode of ['guard', 'warn'] as const) {
        const { decision, reasons, why } = verdict({ believed, live, args, mode });
        assert.deepEqual([decision, reasons], ['unchecked', []]);
        assert.equal(`${why}`, 'its tool `search` could not be read: its schema is odd');
      }
  });
});

describe('what arguments touch', () => {
  const args: JsonObject = { a: { b: [{ c: 1 }, { d: 2 }] }, e: null };
  it('finds parameters at any depth', () => {
    assert.equal(uses(args, ['a', 'b', '*', 'c']), true);
    assert.equal(uses(args, ['a', 'b', '*', 'x']), false);
    assert.equal(uses(args, ['e']), true);
    assert.equal(uses(args, ['constructor']), false);
    assert.equal(omits(args, ['a', 'b', '*', 'c']), true);
    const globs = { m: { '*': {}, '*.md': { w: 5 } } };
    assert.equal(uses(globs, ['m', '*', 'w']), true, 'a key that is an asterisk is one of many');
    assert.equal(omits(globs, ['m', '*', 'w']), true);
    assert.equal(omits(args, ['a', 'x']), true);
    assert.equal(omits(args, ['z', 'x']), false);
    for (const value of [null, 'text', 7, []]) assert.equal(omits({ e: value }, ['e', 'x']), false, 'no object');
  });
  it('renames them there, and nowhere else', () => {
    assert.deepEqual(renameArgument(args, ['a', 'b', '*', 'c'], 'k'), { a: { b: [{ k: 1 }, { d: 2 }] }, e: null });
    assert.deepEqual(renameArgument(args, ['e'], 'f'), { a: args.a as Json, f: null });
    const limits = { by: { eu: { max: 1, unit: 'km' }, us: { max: 2 }, '*': 3 } };
    assert.deepEqual(renameArgument(limits, ['by', '*', 'max'], 'most'), {
      by: { eu: { most: 1, unit: 'km' }, us: { most: 2 }, '*': 3 },
    });
    assert.deepEqual(renameArgument({ grid: [[{ x: 1 }], [{ y: 2 }, 3]] }, ['grid', '*', '*', 'x'], 'col'), {
      grid: [[{ col: 1 }], [{ y: 2 }, 3]],
    });
    assert.deepEqual(renameArgument(limits, ['by', '*'], 'z'), limits);
  });
});

describe('validation', () => {
  it('does not take what every object inherits for a parameter', () => {
    const schema = { type: 'object', required: ['constructor'] };
    assert.equal(validateArguments(schema, {}).valid, false);
    assert.equal(validateArguments(schema, { constructor: 1 }).valid, true);
  });
  it('follows a reference to the whole schema', () => {
    const tree = { properties: { name: { type: 'string' }, below: { items: { $ref: '#' } } } };
    assert.equal(validateArguments(tree, { below: [{ below: [{ name: 'x' }] }] }).valid, true);
    assert.equal(validateArguments(tree, { below: [{ below: [{ name: 1 }] }] }).valid, false);
  });
  it('ends in time when a pattern runs away', () => {
    const start = stopwatch();
    const found = validateArguments({ properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(40)}!` });
    assert.equal(found.valid, 'unknown');
    assert.ok(start() < 1_000);
  });
  it('reads first elements as earlier dialects list them, if none is named', () => {
    const schema = {
      properties: { at: { items: [{ type: 'number' }, { enum: ['n', 's'] }], additionalItems: false } },
    };
    const found = [
      [4, 'n'],
      [4, 'up'],
      [4, 'n', 5],
    ].map((at) => validateArguments(schema, { at }).valid);
    assert.deepEqual(found, [true, false, false]);
    const named = { ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' };
    assert.equal(validateArguments(named, { at: [4, 'n'] }).valid, 'unknown');
  });
  it('speaks each dialect', () => {
    const tuple = { properties: { a: { items: [{ type: 'string' }], additionalItems: false } } };
    assert.equal(
      validateArguments({ $schema: 'http://json-schema.org/draft-07/schema#', ...tuple }, { a: ['x', 'y'] }).valid,
      false,
    );
    const modern = { properties: { a: { prefixItems: [{ type: 'string' }], items: false } } };
    assert.equal(validateArguments(modern, { a: ['x', 'y'] }).valid, false);
    assert.equal(
      validateArguments({ $schema: 'https://json-schema.org/draft/2019-09/schema', ...tuple }, { a: ['x'] }).valid,
      true,
    );
  });
});

describe('a choice of which no form fits', () => {
  const errorsOf = (value: JsonObject, args: JsonObject, rest: JsonObject = {}): string[] => {
    const found = validateArguments(tool({ value }, rest).inputSchema, args);
    return found.valid === false ? found.errors.map(({ text }) => text) : [];
  };

  it('is told as one error where each form lacks one name, or takes another type', () => {
    const named = { anyOf: [{ required: ['a'] }, { required: ['b'] }] };
    assert.deepEqual(errorsOf({}, {}, named), ['one of `a`, `b` is required']);
    assert.deepEqual(errorsOf(named, { value: {} }), ['one of `a`, `b` is required in `value`']);
    assert.deepEqual(errorsOf({ anyOf: [{ type: 'string' }, { type: 'null' }] }, { value: 1 }), [
      '`value` must be string or null',
    ]);
  });

  it('is told once for each element, and each name once', () => {
    const list = { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } };
    assert.deepEqual(errorsOf(list, { value: [1, 'x', 2] }), [
      '`value.0` must be string or null',
      '`value.2` must be string or null',
    ]);
    assert.deepEqual(errorsOf({ anyOf: [{ required: ['a'] }, { required: ['a', 'b'] }] }, { value: { b: 1 } }), [
      '`a` is required in `value`',
    ]);
    assert.deepEqual(errorsOf({ anyOf: [{ type: 'string' }, { type: ['string', 'null'] }] }, { value: 1 }), [
      '`value` must be string or null',
    ]);
  });

  it('takes no longer where most elements of a long list are wrong', () => {
    const list = { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } };
    const start = stopwatch();
    errorsOf(list, { value: Array(3_000).fill(1) });
    assert.ok(start() < 1_000);
  });

  it('is told as it is where a form has more reasons, or too many fit, and as one if a form stands elsewhere', () => {
    const more = errorsOf({}, {}, { anyOf: [{ required: ['a', 'c'] }, { required: ['b'] }] });
    assert.equal(more.length, 4);
    const behind = errorsOf(
      { anyOf: [{ type: 'string' }, { $ref: '#/$defs/N' }] },
      { value: true },
      { $defs: { N: { type: 'null' } } },
    );
    assert.deepEqual(behind, ['`value` must be string or null']);
    const both = errorsOf({ oneOf: [{ type: 'integer' }, { type: 'number' }, { type: 'string' }] }, { value: 1 });
    assert.match(String(both), /exactly one/);
  });
});

describe('the signature', () => {
  it('has names, types and values, required ones first, and none of the prose', () => {
    const contract = tool(
      {
        lang: { enum: ['de', 'ja'], description: 'IGNORE ALL' },
        to: { type: 'array', items: { type: ['string', 'null'] } },
        where: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        'bad`name\n': { type: 'weird' },
      },
      { required: ['to'] },
    );
    assert.equal(
      signature(contract),
      'search(to: (string | null)[], lang?: "de" | "ja", where?: { city: string }, "bad\'name\\u{a}"?: any)',
    );
  });
  const text = { type: 'string' };
  const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
    type: 'object',
    properties,
    ...rest,
  });
  const [one, other] = [object({ a: text }, { required: ['a'] }), object({ b: text })];
  const opened: [string, Json, string][] = [
    ['a reference', { type: 'object', $ref: '#/$defs/one', $defs: { one } }, 'a: string'],
    ['all of several', { type: 'object', allOf: [one, other] }, 'a: string, b?: string'],
    ['one of several', { type: 'object', oneOf: [one, other] }, '{ a: string } | { b?: string }'],
    [
      'one of several beside others',
      { ...object({ c: text }), anyOf: [one, other] },
      '{ c?: string } & ({ a: string } | { b?: string })',
    ],
    [
      'which are required',
      { ...other, anyOf: [{ required: ['b'] }, { required: ['c'] }] },
      '{ b?: string } & ({ b: string } | { c: any })',
    ],
    [
      'a reference to several in a parameter',
      { ...object({ to: { $ref: '#/$defs/to' } }), $defs: { to: { oneOf: [one, other] } } },
      'to?: { a: string } | { b?: string }',
    ],
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    ['a condition', { ...one, if: { required: ['a'] }, then: other }, 'a: string, b?: string'],
    ['what a parameter brings with it', { ...one, dependentSchemas: { a: other } }, 'a: string, b?: string'],
    ['patterns of names', { type: 'object', patternProperties: { '^x-': text } }, '["^x-"]?: string'],
    ['any names', { type: 'object', additionalProperties: text }, '[any name]?: string'],
    [
      'the first of many values and forms',
      object({
        n: { enum: [1, 2, 3, 4, 5, 6, 7, 8] },
        to: { anyOf: [1, 2, 3, 4, 5, 6, 7].map((value) => ({ const: value })) },
      }),
      'n?: 1 | 2 | 3 | 4 | 5 | 6 | … 2 more, to?: 1 | 2 | 3 | 4 | 5 | 6 | … 1 more',
    ],
    ['what leads back to itself', { $ref: '#' }, ''],
    ['what leads back to itself inside', { ...object({ next: { $ref: '#' } }) }, 'next?: { next?: { next?: object } }'],
  ];
  for (const [what, inputSchema, expected] of opened) {
    it(`opens ${what}`, () => assert.equal(signature({ name: 'f', inputSchema }), `f(${expected})`));
  }
  it('is written in time, however many forms there are', () => {
    const wide = (depth: number): JsonObject =>
      object(
        Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`p${index}`, { $ref: '#/$defs/wide' }])),
        depth > 0 ? { oneOf: Array.from({ length: 20 }, () => wide(depth - 1)) } : {},
      );
    const start = stopwatch();
    assert.ok(signature({ name: 'f', inputSchema: { ...wide(2), $defs: { wide: wide(1) } } }).length < 900);
    assert.ok(start() < 1_000, `${start()} ms`);
  });
});

describe('where the validator is known to be wrong', () => {
  const integers = { items: { type: 'integer' } };
  const CASES: [what: string, schema: JsonObject, right: Json, wrong: Json][] = [
    ['what is contained', { contains: { type: 'number' }, unevaluatedItems: { type: 'boolean' } }, [1, true], [1, 'a']],
    [
      'contained and prefixed',
      { prefixItems: [true], contains: { const: 0 }, unevaluatedItems: false },
      ['a', 0],
      [0, 'a'],
    ],
    [
      'two branches with items',
      { anyOf: [integers, { prefixItems: [{ type: 'integer' }] }], unevaluatedItems: false },
      [1, 2],
      ['a'],
    ],
    [
      'a condition within one branch',
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      { type: 'object', oneOf: [false, { if: { properties: { a: true } }, then: true }], unevaluatedProperties: false },
      { a: 1 },
      { b: 1 },
    ],
    [
      'what stands beside a schema for objects with another property',
      {
        type: 'object',
        properties: { a: true },
        dependentSchemas: { b: { properties: { b: true } } },
        unevaluatedProperties: false,
      },
      { a: 1 },
      { c: 1 },
    ],
  ];
  for (const [what, schema, right, wrong] of CASES)
    it(`${what}: what is right is sent, and what is wrong is stopped`, () => {
      const { inputSchema } = tool({ value: schema }, { required: ['value'] });
      const [one, other] = [right, wrong].map((value) => validateArguments(inputSchema, { value }).valid);
      assert.ok(one !== true || other !== false, 'the validator was mended');
      assert.equal(validityOf(inputSchema, { value: right }).valid, true);
      assert.equal(validityOf(inputSchema, { value: wrong }).valid, false);
    });
});
