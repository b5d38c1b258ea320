// What the parts of a verdict tell, one by one: shifts of what a call relies on, doubts, twins, places in arguments.
// biome-ignore-all lint/suspicious/noThenProperty: the keyword of JSON Schema
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import type { FoundChange } from '../scripts/diff/types.ts';
import { believe, type Others } from '../scripts/judge/believe.ts';
import { shiftsFor } from '../scripts/judge/declared.ts';
import { doubted, isAsUnread } from '../scripts/judge/doubted.ts';
import { hasFormat } from '../scripts/judge/formats.ts';
import { type Judgement, judge, type Mode } from '../scripts/judge/judge.ts';
import { twinOf } from '../scripts/judge/repair.ts';
import type { Shift } from '../scripts/judge/shift.ts';
import { given, moveArgument, omits, withOldNames, without } from '../scripts/judge/touch.ts';
import { carriedBy, siblingName } from '../scripts/judge/twin.ts';
import { unfound } from '../scripts/judge/unfound.ts';
import { say } from '../scripts/text/shown.ts';
import { judgedCall } from './judged-call.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const contract = (inputSchema: Json, more: Partial<Contract> = {}): Contract => ({ name: 'put', inputSchema, ...more });

describe('words about a value are found wherever they stand', () => {
  const said = (words: string): JsonObject => ({ description: words });
  const elsewhere = { type: 'boolean', description: 'never meant' };
  const PLACES: [string, (words: string) => JsonObject, JsonObject, string[]][] = [
    ['in a property', (words) => object({ a: said(words) }), { a: 1 }, ['a']],
    [
      'behind a reference',
      (words) => object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: said(words) } }),
      { a: 1 },
      ['a'],
    ],
    ['in one of all parts', (words) => object({ a: { allOf: [{}, said(words)] } }), { a: 1 }, ['a']],
    ...['anyOf', 'oneOf'].flatMap((keyword): [string, (words: string) => JsonObject, JsonObject, string[]][] => [
      [`in a form of ${keyword}`, (words) => object({ a: { [keyword]: [elsewhere, said(words)] } }), { a: 1 }, ['a']],
      [
        `in a form of ${keyword} where none fits`,
        (words) => object({ a: { [keyword]: [elsewhere, { type: 'string', ...said(words) }] } }),
        { a: 1 },
        ['a'],
      ],
      [
        `below a form of ${keyword} of the whole`,
        (words) => ({ [keyword]: [object({ a: said(words) }), object({ b: said('b') }, { required: ['b'] })] }),
        { a: 1 },
        ['a'],
      ],
    ]),
    ['in a condition that holds', (words) => object({ a: { if: { minimum: 0, ...said(words) } } }), { a: 1 }, ['a']],
    [
      'in what follows from it',
      (words) => object({ a: { if: true, then: said(words), else: elsewhere } }),
      { a: 1 },
      ['a'],
    ],
    [
      'in what follows otherwise',
      (words) => object({ a: { if: false, then: elsewhere, else: said(words) } }),
      { a: 1 },
      ['a'],
    ],
    ...['dependentSchemas', 'dependencies'].map(
      (keyword): [string, (words: string) => JsonObject, JsonObject, string[]] => [
        `in the ${keyword} of a name that is there`,
        (words) => ({ type: 'object', [keyword]: { b: object({ a: said(words) }) }, properties: { b: true } }),
        { a: 1, b: 1 },
        ['a'],
      ],
    ),
    ['by a pattern', (words) => ({ type: 'object', patternProperties: { '^a': said(words) } }), { a: 1 }, ['a']],
    ['of any name', (words) => object({ b: true }, { additionalProperties: said(words) }), { a: 1 }, ['a']],
    ['of what is left', (words) => object({ b: true }, { unevaluatedProperties: said(words) }), { a: 1 }, ['a']],
    ['of elements', (words) => object({ a: { items: said(words) } }), { a: [1] }, ['a', '*']],
    ['of a first element', (words) => object({ a: { prefixItems: [said(words)] } }), { a: [1] }, ['a', '*']],
    ['of one in an older list', (words) => object({ a: { items: [said(words)] } }), { a: [1] }, ['a', '*']],
    ['of further ones', (words) => object({ a: { prefixItems: [{}], items: said(words) } }), { a: [1, 2] }, ['a', '*']],
    [
      'of further ones of an older list',
      (words) => object({ a: { items: [{}], additionalItems: said(words) } }),
      { a: [1, 2] },
      ['a', '*'],
    ],
    ['of elements that are left', (words) => object({ a: { unevaluatedItems: said(words) } }), { a: [1] }, ['a', '*']],
    ['of one that is contained', (words) => object({ a: { contains: said(words) } }), { a: [1] }, ['a', '*']],
    ['as a title', (words) => object({ a: { title: words } }), { a: 1 }, ['a']],
  ];
  for (const [what, at, args, way] of PLACES)
    it(what, () => {
      const shifts = shiftsFor(at('rows of a page'), at('pages of a book'), args);
      assert.deepEqual(shifts, [{ way, kind: 'reworded', before: ['rows of a page'], after: ['pages of a book'] }]);
      assert.deepEqual(shiftsFor(at('rows of a page'), at('rows of a page'), args), []);
    });
  it('and not where the value does not lead', () => {
    const at = (words: string): JsonObject => {
      const other = { type: 'boolean', ...said(words) };
      return object({
        a: { anyOf: [{}, other], oneOf: [{ type: 'number' }, other], if: true, else: said(words) },
        b: said(words),
        c: { prefixItems: [{}, said(words)], contains: other },
      });
    };
    assert.deepEqual(shiftsFor(at('rows of a page'), at('pages of a book'), { a: 1, c: [1] }), []);
  });
  it('words that are gone: whether anything else is said now', () => {
    const both = object({ a: { allOf: [said('one'), said('two')] } });
    const gone = shiftsFor(both, object({ a: said('two') }), { a: 1 });
    assert.deepEqual(gone, [{ way: ['a'], kind: 'reworded', before: ['one'], after: [] }]);
    const untold = shiftsFor(both, object({ a: {} }), { a: 1 });
    assert.deepEqual(untold, [{ way: ['a'], kind: 'reworded', before: ['one', 'two'], after: [], untold: true }]);
  });
  it('each annotation of several parts', () => {
    const at = (one: string, two: string): JsonObject =>
      object({ a: { type: 'number', allOf: [{ 'x-unit': one }, { 'x-unit': two }] } });
    const shifts = shiftsFor(at('m', 'km'), at('ft', 'km'), { a: 1 });
    assert.deepEqual(shifts, [{ way: ['a'], kind: 'annotated', keyword: 'x-unit', before: 'm', after: 'ft' }]);
  });
});

describe('what may be left out instead of asking a person', () => {
  const list = (words: string, more: Partial<Contract> = {}): Contract =>
    contract(object({ since: { type: 'integer', description: words }, state: { enum: ['open', 'all'] } }), {
      description: 'Lists the open items.',
      annotations: { readOnlyHint: true },
      ...more,
    });
  const omittable = (believed: Contract, live: Contract, args: JsonObject = { since: 3 }) => {
    const found = judgedCall(believed, live, args);
    assert.equal(found.decision, 'ask');
    return found.omittable;
  };
  const [days, hours] = ['Age in days', 'Age in hours'];

  it('a parameter that changed, of a tool that declares that it only reads', () => {
    assert.deepEqual(omittable(list(days), list(hours)), [['since']]);
    assert.deepEqual(omittable(list(days), list(hours), { since: 3, state: 'all' }), [['since']]);
  });

  for (const [what, had, has] of [
    ['not of a tool that says nothing of itself', { annotations: {} }, { annotations: {} }],
    ['not of one that may change something', { annotations: { readOnlyHint: false } }, { annotations: {} }],
    ['not of one that declares it only now', { annotations: {} }, {}],
    [
      'not of one whose hint is no boolean',
      { annotations: { readOnlyHint: 'true' } },
      { annotations: { readOnlyHint: 1 } },
    ],
  ] as [string, Partial<Contract>, Partial<Contract>][])
    it(what, () => assert.equal(omittable(list(days, had), list(hours, has)), undefined));

  it('nothing, where something else is asked about as well', () => {
    const live = list(hours, { description: 'Lists all items.' });
    assert.equal(omittable(list(days), live), undefined);
  });

  it('nothing, where the call would fail without it', () => {
    const required = (words: string) =>
      list(words, { inputSchema: object({ since: { type: 'integer', description: words } }, { required: ['since'] }) });
    assert.equal(omittable(required(days), required(hours)), undefined);
  });
});

describe('what a call may be given instead of asking a person', () => {
  const run = (inputSchema: JsonObject): Contract => ({ name: 'run', description: 'Runs.', inputSchema });
  const givable = (before: JsonObject, after: JsonObject, args: JsonObject) => {
    const [believed, live] = [run(before), run(after)];
    const policy = { mode: 'guard', trusted: false } as const;
    const judged = judge({ believed, live, tools: [live], args, policy, settled: () => false });
    assert.equal(judged.decision, 'ask');
    return judged.givable;
  };
  const region = (value: Json) => object({ region: { type: 'string', default: value } });
  const force = { type: 'boolean', default: true };
  const tier = (value: string) => object({ tier: { enum: ['low', 'high'], default: value } });

  for (const [what, before, after, args, expected] of [
    ['its old default', region('eu'), region('us'), {}, [['region']]],
    ['the other value of a switch that came', object({ a: true }), object({ a: true, force }), { a: 1 }, [['force']]],
    ['a listed value', object({ tier: { enum: ['low', 'high'] } }), tier('high'), {}, [['tier']]],
    [
      'each element of a list that lacks it',
      object({ rows: { type: 'array', items: region('eu') } }),
      object({ rows: { type: 'array', items: region('us') } }),
      { rows: [{}, { region: 'eu' }] },
      [['rows', '*', 'region']],
    ],
    [
      'nothing, where the form of the call refuses it',
      object({ mode: { enum: ['x', 'y'] }, force: { type: 'boolean' } }, { required: ['mode'] }),
      object(
        { mode: { enum: ['x', 'y'] }, force },
        { required: ['mode'], if: { properties: { mode: { const: 'x' } } }, then: { properties: { force: false } } },
      ),
      { mode: 'x' },
      undefined,
    ],
    [
      'nothing, where more is asked about',
      object({ n: { type: 'integer', description: 'In seconds' }, region: { type: 'string', default: 'eu' } }),
      object({ n: { type: 'integer', description: 'In hours' }, region: { type: 'string', default: 'us' } }),
      { n: 1 },
      undefined,
    ],
    [
      'nothing, where its words changed as well',
      object({ n: { type: 'integer', description: 'In seconds', default: 1 } }),
      object({ n: { type: 'integer', description: 'In hours', default: 2 } }),
      {},
      undefined,
    ],
  ] as [string, JsonObject, JsonObject, JsonObject, string[][] | undefined][])
    it(what, () => assert.deepEqual(givable(before, after, args), expected));
});

describe('a default that stands elsewhere now', () => {
  const sort = (more: JsonObject, ofForm: JsonObject, keyword = 'anyOf'): Contract => {
    const forms = [{ enum: ['new', 'old'], ...ofForm }, ...(keyword === 'anyOf' ? [{ type: 'null' }] : [])];
    return { name: 'list', inputSchema: object({ sort: { ...more, [keyword]: forms } }) };
  };
  const judged = (believed: Contract, live: Contract, args: JsonObject = {}) =>
    judge({ believed, live, tools: [live], args, policy: { mode: 'guard', trusted: false }, settled: () => false });
  const isNew = { default: 'new' };
  const isOld = { default: 'old' };

  for (const keyword of ['anyOf', 'allOf']) {
    it(`is no change, if it is the same: ${keyword}`, () => {
      const [had, has] = [sort(isNew, {}, keyword), sort({}, isNew, keyword)];
      for (const args of [{}, { sort: 'old' }])
        for (const { decision, changes } of [judged(had, has, args), judged(has, had, args)]) {
          assert.ok(['silence', 'notice'].includes(decision));
          assert.deepEqual(
            changes.filter(({ rule }) => rule === 'input-property-default-changed'),
            [],
          );
        }
    });
    it(`is told with the new one, if it is another: ${keyword}`, () => {
      const { decision, reasons } = judged(sort(isNew, {}, keyword), sort({}, isOld, keyword));
      assert.equal(decision, 'ask');
      assert.deepEqual([...new Set(reasons.map(({ change }) => change?.message))], ['default changed: "new" → "old"']);
    });
  }
  it('is told as gone where it is', () => {
    const { decision, reasons } = judged(sort(isNew, {}), sort({}, {}));
    assert.deepEqual([decision, reasons[0]?.change?.message], ['ask', 'default changed: "new" → none']);
  });
});

describe('names that are refused now', () => {
  const save = (more: JsonObject): Contract => {
    const row = object({ id: { type: 'string' } }, more);
    return { name: 'save', inputSchema: object({ rows: { type: 'array', items: row } }) };
  };
  const [believed, live] = [save({}), save({ additionalProperties: false })];
  const judged = (args: JsonObject) =>
    judge({ believed, live, tools: [live], args, policy: { mode: 'guard', trusted: false }, settled: () => false });

  it('are all told in the one reason', () => {
    const { decision, reasons } = judged({ rows: [{ id: '1', tag: 2 }, { hue: 3 }] });
    assert.equal(decision, 'deny');
    assert.deepEqual(
      reasons.map(({ invalid }) => invalid?.text),
      ['`tag` is not a parameter of `rows.0`; `hue` is not a parameter of `rows.1`'],
    );
  });
  it('are none that a call does not give', () => assert.equal(judged({ rows: [{ id: '1' }] }).decision, 'silence'));
});

describe('what becomes of a parameter that a call gives or leaves out', () => {
  const known = object({ a: true, b: true });
  const TABLE: [string, Json, Json, JsonObject, Shift['kind'][]][] = [
    ['it is gone', known, object({ b: true }), { a: 1 }, ['gone']],
    [
      'it is gone, and others are refused',
      known,
      object({ b: true }, { additionalProperties: false }),
      { a: 1 },
      ['gone'],
    ],
    [
      'it is gone, and others are taken',
      known,
      object({ b: true }, { additionalProperties: true }),
      { a: 1 },
      ['gone'],
    ],
    ['it never was there', object({ b: true }), object({ b: true }), { a: 1 }, []],
    ['a dynamic reference may declare it', known, object({ b: true }, { $dynamicRef: '#x' }), { a: 1 }, ['unknown']],
    ['a recursive reference may', known, object({ b: true }, { $recursiveRef: '#' }), { a: 1 }, ['unknown']],
    ['a reference that leads nowhere may', known, object({ b: true }, { $ref: '#/$defs/x' }), { a: 1 }, ['unknown']],
    ['its default changed', object({ a: { default: 1 } }), object({ a: { default: 2 } }), {}, ['default']],
    [
      'its default changed, and it is given',
      object({ a: { default: 1 } }),
      object({ a: { default: 2 } }),
      { a: 3 },
      [],
    ],
    [
      'a default in what the server fills in',
      object({ a: { default: {}, properties: { b: { default: 1 } } } }),
      object({ a: { default: {}, properties: { b: { default: 2 } } } }),
      {},
      ['default'],
    ],
  ];
  for (const [what, before, after, args, kinds] of TABLE)
    it(what, () =>
      assert.deepEqual(
        shiftsFor(before, after, args)?.map(({ kind }) => kind),
        kinds,
      ),
    );

  it('a new name holds in its own object only', () => {
    const at = (name: string, words: string): JsonObject => object({ [name]: { description: words } });
    const before = object({ x: at('from', 'the one'), y: at('from', 'the one') });
    const after = object({ x: at('to', 'another'), y: object({ to: true, from: { description: 'the one' } }) });
    const shifts = shiftsFor(before, after, { x: { to: 1 }, y: { to: 1 } }, [{ way: ['x', 'from'], to: 'to' }]);
    assert.deepEqual(shifts, [{ way: ['x', 'from'], kind: 'reworded', before: ['the one'], after: ['another'] }]);
  });
  it('nothing is told of arguments that are nested too deep, and the call is judged all the same', () => {
    const deep = (levels: number): Json => (levels === 0 ? 1 : { a: deep(levels - 1) });
    const at = (words: string): JsonObject => object({ a: { $ref: '#' } }, { description: words });
    assert.equal(shiftsFor(at('x'), at('y'), { a: deep(300) }), undefined);
    assert.notEqual(shiftsFor(at('x'), at('y'), { a: deep(100) }), undefined);
  });
});

describe('a shift that no rule found is told as the rule would', () => {
  const told = (shift: Shift, validity: Parameters<typeof unfound>[3] = { valid: true }) =>
    unfound('put', [shift], [], validity);
  const refused = { valid: false as const, errors: [{ at: ['a'], keyword: 'additionalProperties', text: say`no` }] };
  it('a parameter that is gone', () => {
    const [one] = told({ kind: 'gone', way: ['a'] });
    assert.deepEqual([one?.level, one?.effect], ['silent', { when: 'used', verdict: 'deny' }]);
    assert.equal(one?.message, 'removed: `a` (no longer listed; still accepted, like any unknown name)');
    const [other] = told({ kind: 'gone', way: ['a'] }, refused);
    assert.deepEqual([other?.level, other?.message], ['breaking', 'removed: `a` (the server refuses it now)']);
    for (const way of [['b'], ['a', 'b']]) {
      const [kept] = told({ kind: 'gone', way }, refused);
      assert.deepEqual([kept?.level, kept?.message], ['silent', `removed: \`${way.at(-1)}\` (no longer listed)`]);
    }
  });
  it('a parameter that another form still lists', () => {
    const shift: Shift = { kind: 'gone', way: ['a'], isElsewhere: true };
    const has = 'the form that this call takes no longer lists `a`';
    assert.equal(told(shift)[0]?.message, `${has}; still accepted, like any unknown name`);
    assert.equal(told(shift, refused)[0]?.message, `${has}; the server refuses it now`);
    const form = (kind: string, more: JsonObject) => object({ kind: { const: kind }, ...more }, { required: ['kind'] });
    const [size, cut] = [{ size: { type: 'string' } }, { cut: { type: 'string' } }];
    const before = { type: 'object', oneOf: [form('a', { ...size, ...cut }), form('b', size)] };
    const shifts = (after: JsonObject) => shiftsFor(before, after, { kind: 'a', size: 'x', cut: 'y' });
    assert.deepEqual(shifts({ type: 'object', oneOf: [form('a', cut), form('b', size)] }), [
      { kind: 'gone', way: ['size'], isElsewhere: true },
    ]);
    assert.deepEqual(shifts({ type: 'object', oneOf: [form('a', cut), form('b', {})] }), [
      { kind: 'gone', way: ['size'] },
    ]);
    assert.deepEqual(shifts({ type: 'object', oneOf: [form('a', { ...size, ...cut }), form('b', {})] }), []);
  });
  it('other words', () => {
    const way = ['a', '*'];
    const [one] = told({ kind: 'reworded', way, before: ['rows of a page'], after: ['pages of a book'] });
    assert.deepEqual(
      [one?.path, one?.before, one?.after, one?.effect],
      [
        '/inputSchema/properties/a/items/description',
        'rows of a page',
        'pages of a book',
        { when: 'used', verdict: 'ask' },
      ],
    );
    assert.match(String(one?.message), /rows of a page.*pages of a book/s);
    const [names] = told({
      kind: 'reworded',
      way,
      before: ['rows of a page'],
      after: ['pages of a book'],
      ofNames: true,
    });
    assert.equal(names?.path, '/inputSchema/properties/a/propertyNames/description');
    assert.equal(names?.brief, 'the description of its names changed');
    const [whole] = told({ kind: 'reworded', way: [], before: ['rows of a page'], after: ['pages of a book'] });
    assert.deepEqual([whole?.path, whole?.effect?.when], ['/inputSchema/description', 'always']);
    assert.equal(whole?.parameter, undefined);
  });
  it('words that are gone with all others, about which nobody is asked unless they told a unit', () => {
    const lost = { kind: 'reworded', way: ['a'], before: ['rows of a page'], after: [] } as const;
    assert.notEqual(told({ ...lost, way: ['a'], before: [...lost.before], after: [] })[0]?.effect, undefined);
    const [untold] = told({ ...lost, way: ['a'], before: [...lost.before], after: [], untold: true });
    assert.deepEqual([untold?.level, untold?.effect], ['semantic', undefined]);
    const [unit] = told({ ...lost, way: ['a'], before: ['Rows in thousands of bytes'], after: [], untold: true });
    assert.deepEqual(unit?.effect, { when: 'used', verdict: 'ask' });
  });
  it('words that say the same are not told', () =>
    assert.deepEqual(
      told({ kind: 'reworded', way: ['a'], before: ['Rows of a page.'], after: ['rows of a page'] }),
      [],
    ));
  it('another default', () => {
    const [one] = told({ kind: 'default', way: ['a'], before: 1, after: 2 });
    assert.deepEqual([one?.level, one?.effect], ['silent', { when: 'omitted', verdict: 'ask' }]);
    const [gone] = told({ kind: 'default', way: ['a'], before: 1, after: undefined, isGone: true });
    assert.deepEqual(gone?.effect, { when: 'always', verdict: 'ask' });
    assert.match(String(gone?.message), /\(the parameter is gone\)$/);
  });
  it('what cannot be known is not told, and the same is told once', () => {
    assert.deepEqual(told({ kind: 'unknown', way: ['a'] }), []);
    const shift: Shift = { kind: 'gone', way: ['a', '*'] };
    assert.equal(unfound('put', [shift, { ...shift }], [], { valid: true }).length, 1);
  });
});

describe('what is asked about if it is not known whether a call is valid', () => {
  const change = (path: string, more: Partial<FoundChange> = {}): FoundChange => ({
    tool: 'put',
    path: `/inputSchema${path}`,
    rule: 'input-constraint-changed',
    level: 'breaking',
    message: say`changed`,
    brief: say`changed`,
    parameter: ['a'],
    ways: [['a']],
    ...more,
  });
  const at = '/properties/a/pattern';
  const used = { when: 'used', verdict: 'ask' } as const;
  const TABLE: [string, FoundChange, string[] | undefined, FoundChange['effect']][] = [
    ['a change, if anything may be unread', change(at), undefined, used],
    ['one that no rule explains', change(at, { level: 'unclassified' }), undefined, used],
    ['one at what is unread', change(at), ['/properties/a/pattern'], used],
    ['one around it', change('/properties/a'), ['/properties/a/pattern'], used],
    ['one inside it', change('/properties/a/pattern/x'), ['/properties/a/pattern'], used],
    ['one elsewhere, no', change(at), ['/properties/b/pattern'], undefined],
    ['one at a name that begins alike, no', change(at), ['/properties/a/pat'], undefined],
    ['one elsewhere and one here', change(at), ['/properties/b/pattern', '/properties/a/pattern'], used],
    ['one in another form', change('/anyOf/0/minProperties'), ['/anyOf/1/properties/b/pattern'], used],
    ['one beside a condition', change('/then/minProperties'), ['/if/properties/b/pattern'], used],
    ['one in another part of all, no', change('/allOf/0/minProperties'), ['/allOf/1/pattern'], undefined],
    ['a harmless one, no', change(at, { level: 'compatible' }), undefined, undefined],
    ['one outside of what a call gives, no', { ...change(at), path: '/outputSchema/type' }, undefined, undefined],
    ['one of the whole', change(at, { parameter: [] }), undefined, { when: 'always', verdict: 'ask' }],
    [
      'one that asks for more',
      change('/properties/a', { rule: 'input-property-became-required' }),
      undefined,
      { when: 'omitted', verdict: 'ask' },
    ],
    [
      'one with an effect of its own keeps it',
      change(at, { effect: { when: 'used', verdict: 'deny' } }),
      undefined,
      { when: 'used', verdict: 'deny' },
    ],
  ];
  for (const [what, found, unread, effect] of TABLE)
    it(what, () => assert.deepEqual(doubted(found, unread), effect ? { ...found, effect } : found));

  const root = (pattern: string): JsonObject => object({ a: { pattern } });
  const refers = (more: JsonObject): JsonObject => object({ a: { $ref: '#/$defs/x' } }, more);
  for (const [what, place, before, after, expected] of [
    ['the same pattern', at, root('('), root('('), true],
    ['another pattern', at, root('(?'), root('('), false],
    ['what is nowhere', '/properties/b/pattern', root('('), root('('), false],
    ['a reference that led nowhere before', '/properties/a/$ref', refers({}), refers({}), true],
    ['one that led somewhere', '/properties/a/$ref', refers({ $defs: { x: true } }), refers({}), false],
  ] as [string, string, Json, Json, boolean][])
    it(`whether it was unread before: ${what}`, () => assert.equal(isAsUnread(place, before, after), expected));
});

describe('a twin', () => {
  const payload = object({ payload: { type: 'string' } });
  const twin = (description: string, more: Partial<Contract> = {}): Contract =>
    contract(payload, { name: 'put_raw', description, ...more });
  const verdict = (believed: Contract, live: Contract | null, mode: Mode, more: object = {}): Judgement =>
    judge({
      believed,
      live,
      tools: live ? [live] : [],
      args: { payload: '{}' },
      policy: { mode, trusted: false },
      settled: () => false,
      ...more,
    });
  it('is known by its name and what it takes', () => {
    for (const [name, schema, expected] of [
      ['put_raw', payload, 'put'],
      ['_raw', payload, undefined],
      ['put', payload, undefined],
      ['put_raw', object({ payload: { type: 'string' }, b: true }), undefined],
      ['put_raw', object({ payload: { type: 'object' } }), undefined],
      ['put_raw', object({ text: { type: 'string' } }), undefined],
    ] as [string, Json, string | undefined][])
      assert.equal(siblingName(contract(schema, { name })), expected, `${name} ${JSON.stringify(schema)}`);
  });
  it('carries what its payload holds, if that can be read', () => {
    const tool = twin('Puts.');
    for (const [args, expected] of [
      [{ payload: '{"a":1}' }, { a: 1 }],
      [{ payload: '[1]' }, undefined],
      [{ payload: '{' }, undefined],
      [{ payload: { a: 1 } }, undefined],
      [{ payload: `${'{"a":'.repeat(200)}1${'}'.repeat(200)}` }, undefined],
    ] as [JsonObject, JsonObject | undefined][])
      assert.deepEqual(carriedBy(tool, args), expected ?? args);
    assert.deepEqual(carriedBy(contract(true), { payload: '{"a":1}' }), { payload: '{"a":1}' });
  });
  it('is not stale by its words alone, even where every change stops a call', () => {
    assert.notEqual(verdict(twin('Puts a page.'), twin('Removes all books.'), 'strict').decision, 'deny');
    const other = { ...twin('Puts a page.'), annotations: { destructiveHint: true } };
    assert.equal(verdict(twin('Puts a page.'), other, 'strict').decision, 'deny');
    const plain = (words: string): Contract => contract(object({ a: true }), { description: words });
    assert.equal(verdict(plain('Puts a page.'), plain('Removes all books.'), 'strict').decision, 'deny');
  });
  it('that is gone stops a call, whatever became of the tool that it stands for', () => {
    const sibling = { believed: contract(object({ a: true })), live: contract(object({ b: true })) };
    const found = verdict(twin('Puts.'), null, 'guard', { sibling });
    assert.deepEqual([found.decision, found.reasons.length], ['deny', 1]);
  });
  it('is offered for arguments that can be written, if there is one', () => {
    const deep = (levels: number): Json => (levels === 0 ? 1 : { a: deep(levels - 1) });
    const tools = [contract(true), twin('Puts.')];
    assert.deepEqual(twinOf('put', tools, { a: 1 }), { name: 'put_raw', arguments: { payload: '{"a":1}' } });
    assert.equal(twinOf('put', tools, { a: deep(1000) }), undefined);
    assert.equal(twinOf('other', tools, { a: 1 }), undefined);
    assert.equal(twinOf('put', [contract(object({ a: true }), { name: 'put_raw' })], { a: 1 }), undefined);
  });
});

describe('places in arguments', () => {
  const args = { a: 1, list: [{ b: 1 }, { c: 2 }], map: { x: { b: 3 } } };
  it('what is there', () => {
    for (const [path, expected] of [
      [[], [args]],
      [['a'], [1]],
      [['list', '*', 'b'], [1]],
      [['map', '*', 'b'], [3]],
      [['a', '*'], []],
      [['list', 'b'], []],
      [['none', 'b'], []],
    ] as [string[], Json[]][])
      assert.deepEqual(given(args, path), expected, path.join('/'));
  });
  it('what is left out', () => {
    for (const [path, expected] of [
      [[], false],
      [['a'], false],
      [['b'], true],
      [['list', '*'], false],
      [['list', '*', 'b'], true],
      [['map', '*', 'b'], false],
      [['none', 'b'], false],
      [['a', 'b'], false],
    ] as [string[], boolean][])
      assert.equal(omits(args, path), expected, path.join('/'));
  });
  it('without one, the others stay', () => {
    assert.deepEqual(without(args, ['list', '*', 'b']), { ...args, list: [{}, { c: 2 }] });
    assert.deepEqual(without(args, ['map', '*', 'b']), { ...args, map: { x: {} } });
    const { a: _a, ...rest } = args;
    assert.deepEqual(without(args, ['a']), rest);
    assert.deepEqual(without({ one: { b: 1 }, two: { b: 1 } }, ['one', 'b']), { one: {}, two: { b: 1 } });
  });
  it('old names for new ones, unless both are there', () => {
    const names = [
      { way: ['page', 'rows'], to: 'lines' },
      { way: ['page'], to: 'sheet' },
    ];
    assert.deepEqual(withOldNames({ sheet: { lines: 1 } }, names), { page: { rows: 1 } });
    assert.deepEqual(withOldNames({ page: { lines: 1 } }, names), { page: { rows: 1 } });
    assert.deepEqual(withOldNames({ page: 1, sheet: 2 }, names), { page: 1, sheet: 2 });
    assert.deepEqual(withOldNames({ other: 1 }, names), { other: 1 });
  });
  it('a value moves into objects that are made for it, and not over another one', () => {
    const move = { from: ['old', 'x'], to: ['new', 'x'] };
    assert.deepEqual(moveArgument({ old: { x: 1 } }, move), { new: { x: 1 } });
    assert.deepEqual(moveArgument({ old: { x: 1, y: 2 } }, move), { old: { y: 2 }, new: { x: 1 } });
    assert.deepEqual(moveArgument({ old: { x: 1 }, new: { z: 3 } }, move), { new: { z: 3, x: 1 } });
    assert.equal(moveArgument({ old: { x: 1 }, new: { x: 3 } }, move), undefined);
    assert.equal(moveArgument({ old: { x: 1 }, new: 3 }, move), undefined);
    assert.deepEqual(moveArgument({ other: 1 }, move), { other: 1 });
  });
  it('whether a text has a format', () => {
    for (const [text, format, expected] of [
      ['2024-02-29', 'date', true],
      ['2023-02-29', 'date', false],
      ['a@example.com', 'email', true],
      ['a', 'email', false],
      ['aGk=', 'byte', false],
      ['a', 'binary', false],
      ['a', 'toString', false],
      ['a', 'password', true],
      [`${'a'.repeat(2_000)}@example.com`, 'email', false],
      ['a', 'sku', false],
    ] as [string, string, boolean][])
      assert.equal(hasFormat(text, format), expected, `${text.slice(0, 20)} ${format}`);
  });
  it('whether a text has a format that a library writes', () => {
    const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ';
    const uuid = '0F8FAD5B-D9CB-469F-A165-70867728950E';
    for (const [format, its, others] of [
      ['base64', ['Z29vZCBkYXk=', 'Z29vZCBkYXlz', image, ''], ['good', 'goodbye!', 'production12', image.slice(1)]],
      ['base64', [], ['5d41402abc4b2a76b9719d911017c592', 'Z29vZCBkYXk', 'a===']],
      ['base64url', ['Z29vZCBkYXk', `${image.slice(0, 30)}-_`], ['good', 'my-slug', 'Z29vZCBkYXk=']],
      ['jwt', ['eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.'], ['a.b.c', 'eyJhbGciOiJub25lIn0']],
      ['cuid', ['ckopqwooh000001la8mbi2im9'], ['x1', 'no cuid']],
      ['cuid2', ['pfh0haxfpzowht3oi213cqos'], ['Draft', 'a-b']],
      ['ulid', ['01HZY7Q0X3G8V5N2M4K6J8W9ZR'], ['81HZY7Q0X3G8V5N2M4K6J8W9ZR', '01HZY7Q0X3G8V5N2M4K6J8W9ZU']],
      ['nanoid', ['Uakgb_J5m9g-0JDMbcJqL'], ['Uakgb_J5m9g-0JDMbcJq']],
      ['emoji', ['🎉', '👩‍💻', '🇩🇪'], ['12', 'party', '']],
      ['e164', ['+4930123456'], ['030 123456', '+0123456789']],
      ['cidrv4', ['192.168.0.0/16'], ['192.168.0.0', '192.168.0.0/33', '192.168.0.0/16/1', '192.168.0.0/']],
      ['cidrv6', ['2001:db8::/32'], ['2001:db8::/129', '10.0.0.0/8']],
      ['ipvanyaddress', ['192.168.0.1', '::1'], ['localhost', '192.168.0.0/16']],
      ['ipvanynetwork', ['192.168.0.0/16', '::1'], ['lan']],
      ['guid', [uuid], [uuid.slice(1)]],
      ['uuid7', [uuid], ['7']],
      ['mac', ['00:1b:44:11:3a:b7'], ['001b.4411.3ab7']],
      ['lowercase', ['ab c', 'ä1'], ['aB']],
      ['uppercase', ['EUR'], ['Eur']],
      ['color', ['#0af', '#00AAFF', 'rgb(0, 10, 255)', 'navy'], ['#0af0a', 'a nice blue', '12']],
      ['json-string', ['{"a": [1]}', '[]'], ['{a: 1}', 'true', '5', 'text', `[${' '.repeat(2_000)}]`]],
      ...['path', 'file-path', 'directory-path', 'markdown', 'textarea', 'multi-line', 'password'].map(
        (any): [string, string[], string[]] => [any, ['', 'any *text*', '/etc/hosts'], []],
      ),
    ] as [string, string[], string[]][]) {
      for (const text of its) assert.equal(hasFormat(text, format), true, `${text} ${format}`);
      for (const text of others) assert.equal(hasFormat(text, format), false, `${text} ${format}`);
    }
  });
  it('whether a long text has one, in time', () => {
    for (const part of ['a', 'aA1', '+', '🎉', '1.', 'eyJ.', '#', '[', ':']) {
      const [text, begin] = [part.repeat(2_000_000), performance.now()];
      for (const format of ['base64', 'base64url', 'jwt', 'emoji', 'color', 'cidrv6', 'json-string', 'lowercase'])
        hasFormat(text, format);
      assert.ok(performance.now() - begin < 2_000, part);
    }
    assert.equal(hasFormat('aGVsbG8='.repeat(1_000_000), 'base64'), false);
    assert.equal(hasFormat('Z29vZCBkYXlz'.repeat(1_000_000), 'base64'), true);
  });
});

describe('whose words a model is taken to know', () => {
  const at = (description: string): Contract => contract(object({ a: true }), { description });
  const [view, start, live] = [at('what the client shows'), at('what the source said'), at('what it says now')];
  const believed = (gateway: boolean, others: Others, baseline: object = {}) =>
    believe({ view, live, past: new Set(), gateway, others, baseline: { contract: start, late: false, ...baseline } });
  for (const [gateway, others, from] of [
    [true, 'alike', 'model view'],
    [true, 'unknown', 'baseline'],
    [true, 'otherwise', 'baseline'],
    [false, 'alike', 'model view'],
    [false, 'unknown', 'model view'],
    [false, 'otherwise', 'baseline'],
  ] as const)
    it(`${gateway ? 'a gateway' : 'a server'} whose other tools are ${others}: the ${from}`, () => {
      const found = believed(gateway, others);
      assert.deepEqual([found.from, found.doubt !== undefined], [from, from === 'baseline']);
    });
  for (const baseline of [{ late: true }, { completed: true }])
    it(`a baseline that may not be of the start proves nothing: ${Object.keys(baseline)}`, () => {
      assert.equal(believed(false, 'otherwise', baseline).from, 'unknown');
      assert.equal(believed(true, 'unknown', baseline).from, 'model view');
    });
});
