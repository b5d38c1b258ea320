// Descriptions that the client cut: which part the model saw, and what follows from the part that it did not see.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { knownHashes, looksLike, lookupHash, shownInBoth, withView } from '../scripts/contract/view.ts';
import { believe } from '../scripts/judge/believe.ts';
import { sandbox, tool } from './sandbox.ts';

const MARK = '… [truncated]';
const filler = (length: number, word = 'lorem '): string =>
  word.repeat(Math.ceil(length / word.length)).slice(0, length);
/** A description of this length with a sentence at a given place. */
const described = (sentence: string, at: number, length: number): string =>
  filler(at) + sentence + filler(length - at - sentence.length);
const wait = (description: string): Contract => tool('wait', { time: { type: 'number' } }, {}, { description });
const cut = (contract: Contract, cap: number): Contract => {
  const { description = '' } = contract;
  return description.length > cap ? { ...contract, description: description.slice(0, cap) + MARK } : contract;
};

describe('what the model was shown', () => {
  for (const cap of [300, 4_096, 10_000, 16_384]) {
    it(`is compared as far as it was shown: ${cap} characters`, () => {
      const [before, seen, unseen] = [
        wait(described(' given in minutes ', 200, 20_000)),
        wait(described(' given in hours ', 200, 20_000)),
        wait(`${described(' given in minutes ', 200, cap)}${filler(900, 'other ')}`),
      ];
      const view = cut(before, cap);
      assert.ok(looksLike(view, before));
      assert.ok(looksLike(view, unseen));
      assert.ok(!looksLike(view, seen));
      const belief = believe({ view, live: unseen, past: new Set() });
      assert.deepEqual(belief.contract, unseen);
      const stale = believe({ view, live: seen, past: new Set() });
      // Only the sentence differs, although everything after it moved.
      assert.equal(stale.contract?.description?.replace(' given in minutes ', ' given in hours '), seen.description);
    });
  }

  it('is all of a description that ends with the mark by itself, where the source is known to say so', () => {
    const [before, live] = [wait(`Waits.${MARK}`), wait('Waits. In hours.')];
    const unaware = believe({ view: before, live, past: new Set() });
    assert.equal(unaware.contract?.description, live.description);
    const aware = believe({ view: before, live, past: new Set(), baseline: { contract: before, late: false } });
    assert.equal(aware.contract?.description, before.description);
  });

  it('shortens no description that became shorter than what was shown', () => {
    const view = cut(wait(filler(6_000)), 4_096);
    assert.equal(withView(wait('Waits.'), view).description, filler(4_096));
    assert.ok(!looksLike(view, wait('Waits.')));
  });

  it('ends in another description at its last words, where they stand nearest', () => {
    const last = '0123456789'.repeat(4);
    const part = filler(4_056) + last;
    const other = filler(3_056, 'other ') + last + filler(1_060, 'other ') + last;
    assert.equal(withView(wait(`${other} The end.`), wait(part + MARK)).description, `${part} The end.`);
  });

  it('is compared between two conversations as far as both were shown', () => {
    const long = wait(filler(20_000));
    const alike = (a: Contract, b: Contract): boolean => {
      const [one, other] = shownInBoth(a, b);
      return one.description === other.description;
    };
    assert.ok(alike(cut(long, 4_096), cut(long, 16_384)));
    assert.ok(alike(cut(long, 16_384), long));
    assert.ok(!alike(cut(long, 4_096), cut(wait(described(' hours ', 100, 20_000)), 16_384)));
    assert.ok(!alike(wait('Waits.'), wait('Waits for it.')));
  });

  it('is found again among earlier contracts, cut or whole', () => {
    const long = wait(filler(9_000));
    for (const view of [long, cut(long, 4_096), cut(long, 1_500)])
      assert.ok(knownHashes(long).includes(lookupHash(view)));
    assert.ok(!knownHashes(long).includes(lookupHash(cut(wait(filler(9_000, 'other ')), 4_096))));
  });
});

/** What Claude Code 2.1.330 was seen to show of these texts. */
const SHOWN: [sent: string, shown: string][] = [
  ['\u57ce\u5e02\uff0c\u4f8b\u5982\uff1a\uff08\u5317\u4eac\uff09', '\u57ce\u5e02,\u4f8b\u5982:(\u5317\u4eac)'],
  ['10 m\u00b2\u2026 \u2122', '10 m2... TM'],
  ['a\u200bb\u00adc\ufeffd\u200de\u{e0041}', 'abcde'],
  ['a\ue000b\u0378c\ufffe', 'abc'],
  ['a\ud800b\udc00', 'ab'],
  ['e\u200b\u0301', '\u00e9'],
  ['\uff71\u200b\uff9e', '\u30a2\u3099'],
  ['a\ufe0f\u0007\u0085\u2028', 'a\ufe0f\u0007\u0085\u2028'],
];

describe('texts that the client cleans', () => {
  const unit = (text: string, more: Partial<Contract> = {}): Contract =>
    tool('area', { unit: { type: 'string', enum: ['x', text], description: text }, [text]: { const: text } }, {}, more);
  const evidence = { past: new Set<string>() };

  for (const [sent, shown] of SHOWN)
    it(`are those of the contract: ${JSON.stringify(shown)}`, () => {
      const [own, view] = [unit(sent, { description: sent }), unit(shown, { description: shown })];
      assert.ok(looksLike(view, own));
      assert.ok(knownHashes(own).includes(lookupHash(view)));
      for (const baseline of [undefined, { contract: own, late: false }, { contract: own, late: true }])
        assert.deepEqual(believe({ view, live: own, ...evidence, ...(baseline && { baseline }) }).contract, own);
      // A client that cleans nothing shows the contract itself.
      assert.deepEqual(believe({ view: own, live: own, ...evidence }).contract, own);
    });

  it('are compared as far as they were shown, if they were cut', () => {
    const own = unit('\uff1a', { description: `${filler(3_000, '\u2026 ')}\u2122` });
    const shown = filler(6_000, '... ');
    const view = unit(':', { description: `${shown.slice(0, 4_096)}${MARK}` });
    assert.ok(looksLike(view, own));
    assert.ok(knownHashes(own).includes(lookupHash(view)));
    assert.deepEqual(believe({ view, live: own, ...evidence }).contract, own);
    assert.ok(!looksLike(unit(':', { description: `${filler(4_096, 'x.. ')}${MARK}` }), own));
  });

  it('hide no change: only what changed is believed to be otherwise', () => {
    const [view, live] = [unit('1 m2', { description: 'Old...' }), unit('1 m\u00b2', { description: 'New\u2026' })];
    const expected = { ...live, description: 'Old...' };
    assert.deepEqual(believe({ view, live, ...evidence }).contract, expected);
    assert.ok(!looksLike(view, live));
    // An enum has a value more, before the others.
    const { inputSchema, ...rest } = live;
    const more = structuredClone(inputSchema) as { properties: { unit: { enum: string[] } } };
    more.properties.unit.enum = ['new', '1 m\u00b2', 'x'];
    const grown = { ...rest, description: 'Old\u2026', inputSchema: more } as unknown as Contract;
    assert.deepEqual(believe({ view, live: grown, ...evidence }).contract, { ...grown, inputSchema });
  });

  it('are those of the baseline, if live differs from it by what is not shown', () => {
    const [plain, square] = [unit('m2'), unit('m\u00b2')];
    const of = (contract: Contract, live: Contract): Contract | undefined =>
      believe({ view: plain, live, ...evidence, baseline: { contract, late: false } }).contract;
    assert.deepEqual(of(plain, square), plain);
    assert.deepEqual(of(square, plain), plain);
    assert.deepEqual(of(unit('m\u00b2\u200b'), square), unit('m\u00b2\u200b'));
  });

  it('are not cleaned by a client that showed them otherwise', () => {
    assert.ok(!looksLike(unit('m\u00b2'), unit('m2')));
    assert.ok(!looksLike(unit('m2'), unit('m3')));
  });

  it('may end with the mark by themselves', () => {
    const [before, live] = [wait(`Waits.${MARK}`), wait('Waits. In hours.')];
    const view = wait('Waits.... [truncated]');
    const belief = believe({ view, live, ...evidence, baseline: { contract: before, late: false } });
    assert.equal(belief.contract?.description, before.description);
  });
});

const text = { type: 'string' };
const whole = { type: 'integer' };
const form = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
});
const ANY = 'Provide parameters for at least one of';
const ONE = 'Provide parameters for exactly one of';
const ALL = 'all listed parameters apply together (flattened from a JSON Schema allOf).';
const GROUPS = 'the documented parameter groups (flattened from a JSON Schema';

/** What Claude Code 2.1.330 was seen to make of these schemas. */
const FLATTENED: [what: string, schema: JsonObject, constraint: string, shown: JsonObject][] = [
  [
    'one of two forms with a kind',
    {
      oneOf: [
        { ...form({ kind: { const: 'a' }, n: text }, ['kind', 'n']), additionalProperties: false },
        form({ kind: { const: 'b' }, i: whole }, ['i', 'kind']),
      ],
    },
    `${ONE}: (kind, n) or (i, kind).`,
    form({ kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, n: text, i: whole }, ['kind']),
  ],
  [
    'parameters of which one is needed',
    { ...form({ a: text, b: whole }), additionalProperties: false, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    `${ANY}: (a) or (b).`,
    { ...form({ a: text, b: whole }), additionalProperties: false },
  ],
  [
    'the parameters of forms that need none, and forms that are none',
    {
      anyOf: [form({ a: text, c: true }), form({ a: text }), true, { type: 'string' }, { anyOf: [form({ d: text })] }],
    },
    `${ANY}: (a).`,
    form({ a: text }),
  ],
  [
    'all of several forms, the first of each name',
    { ...form({ z: text }, ['z', 'y']), allOf: [form({ a: text, z: whole }, ['a']), form({ a: whole, b: text })] },
    ALL,
    form({ z: text, a: text, b: text }, ['z', 'a']),
  ],
  [
    'definitions, as far as they are followed',
    {
      $defs: { a: form({ a: text }, ['a']), b: { $ref: '#/$defs/a' } },
      definitions: { c: form({ c: whole }) },
      anyOf: [
        { $ref: '#/$defs/a', ...form({ no: text }) },
        { $ref: '#/$defs/b' },
        { $ref: '#/definitions/c' },
        { $ref: '#' },
      ],
    },
    `${ANY}: (a) or (c).`,
    {
      $defs: { a: form({ a: text }, ['a']), b: { $ref: '#/$defs/a' } },
      definitions: { c: form({ c: whole }) },
      ...form({ a: text, c: whole }),
    },
  ],
  [
    'all three keywords',
    {
      anyOf: [form({ k: text })],
      oneOf: [form({ k: whole }, ['k'])],
      allOf: [form({ k: { type: 'boolean' }, l: text }, ['l'])],
    },
    `${ONE}: (k).`,
    form({ k: { anyOf: [text, whole] }, l: text }, ['k', 'l']),
  ],
  ['no forms', { ...form({ a: text }), oneOf: [] }, `${ONE} ${GROUPS} oneOf).`, form({ a: text })],
  [
    'what else stands at the root',
    {
      title: 'T',
      description: 'R\u2026',
      minProperties: 1,
      not: { required: ['x'] },
      anyOf: [form({ '\u00b2': text }, ['\u00b2'])],
    },
    `${ANY}: (2).`,
    { title: 'T', description: 'R...', ...form({ 2: text }, ['2']) },
  ],
];

describe('a schema with forms at its root, which the client flattens,', () => {
  const past = new Set<string>();
  const own = (inputSchema: JsonObject, description?: string): Contract => ({
    name: 'put',
    ...(description === undefined ? {} : { description }),
    inputSchema: { type: 'object', ...inputSchema },
  });
  const shownAs = (schema: JsonObject, constraint: string, description?: string): Contract =>
    own(
      { required: [], additionalProperties: true, ...schema },
      `Input constraint: ${constraint}${description === undefined ? '' : `\n\n${description}`}`,
    );

  for (const [what, schema, constraint, flat] of FLATTENED)
    it(`is the contract's own: ${what}`, () => {
      for (const description of [undefined, 'Puts it.', filler(9_000)]) {
        const [live, view] = [own(schema, description), cut(shownAs(flat, constraint, description), 4_096)];
        assert.ok(looksLike(view, live));
        assert.ok(knownHashes(live).includes(lookupHash(view)));
        assert.deepEqual(believe({ view, live, past }).contract, live);
        assert.deepEqual(believe({ view: live, live, past }).contract, live);
        const other = own(schema, 'Drops it.');
        assert.ok(!looksLike(view, other));
        if (description === 'Puts it.') {
          // Only the description differs.
          assert.deepEqual(believe({ view, live: other, past }).contract, live);
          assert.deepEqual(
            believe({ view, live: other, past, baseline: { contract: live, late: false } }).contract,
            live,
          );
        }
      }
    });

  it('is another one if its forms go together in another way', () => {
    const [, schema, constraint, flat] = FLATTENED[0] as (typeof FLATTENED)[number];
    const view = shownAs(flat, constraint, 'Puts it.');
    const [first, second] = schema.oneOf as JsonObject[];
    assert.ok(!looksLike(view, own({ anyOf: [first, second] } as JsonObject, 'Puts it.')));
    assert.ok(!looksLike(view, own({ oneOf: [first, { ...second, required: ['kind'] }] } as JsonObject, 'Puts it.')));
  });

  it('is that of the baseline, if live differs from it by what is not shown', () => {
    const [, schema, constraint, flat] = FLATTENED[0] as (typeof FLATTENED)[number];
    const [before, live] = [own(schema, 'Puts it.'), own({ ...schema, minProperties: 3 }, 'Puts it.')];
    const view = shownAs(flat, constraint, 'Puts it.');
    assert.deepEqual(believe({ view, live, past, baseline: { contract: before, late: false } }).contract, before);
  });

  it('is silent in the built guard while nothing changed, and not after that', async (t) => {
    const [, schema, constraint, flat] = FLATTENED[0] as (typeof FLATTENED)[number];
    const box = await sandbox(t, [own(schema, 'Puts it.')], { mode: 'strict', freshFor: 0 });
    await box.start();
    box.show([shownAs(flat, constraint, 'Puts it.')], 'shape-1');
    for (let time = 0; time < 2; time++) assert.equal((await box.call('put', { kind: 'b', i: 1 })).stdout, '');
    const [first] = schema.oneOf as JsonObject[];
    const needsMore = form({ kind: { const: 'b' }, i: whole, force: { type: 'boolean' } }, ['kind', 'i', 'force']);
    box.release([own({ oneOf: [first, needsMore] } as JsonObject, 'Puts it.')], '1');
    const { answer } = await box.call('put', { kind: 'b', i: 1 });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'deny');
  });
});

describe('a call of a tool with texts that the client cleans, by the built guard', () => {
  const city = (description: string, said = '\u67e5\u8be2\u5929\u6c14\uff0c\u8fd4\u56de\u6e29\u5ea6\u3002'): Contract =>
    tool('weather', { city: { type: 'string', description } }, { required: ['city'] }, { description: said });
  const sent = city('\u57ce\u5e02\u540d\u79f0\uff0c\u4f8b\u5982\uff1a\u5317\u4eac');
  const shown = city(
    '\u57ce\u5e02\u540d\u79f0,\u4f8b\u5982:\u5317\u4eac',
    '\u67e5\u8be2\u5929\u6c14,\u8fd4\u56de\u6e29\u5ea6\u3002',
  );

  for (const mode of ['guard', 'strict'] as const)
    it(`is silent while nothing changed, and not after that: ${mode}`, async (t) => {
      const box = await sandbox(t, [sent], { mode, freshFor: 0 });
      await box.start();
      box.show([shown], 'shape-1');
      for (let time = 0; time < 2; time++) assert.equal((await box.call('weather', { city: 'x' })).stdout, '');
      const needsDay = tool('weather', { city: { type: 'string' }, day: { type: 'string' } }, { required: ['day'] });
      box.release([needsDay], '1');
      const { answer } = await box.call('weather', { city: 'x' });
      assert.equal(answer.hookSpecificOutput.permissionDecision, 'deny');
    });
});

describe('a call of a tool with a long description, by the built guard', () => {
  const minutes = (at: number): Contract => wait(described(' The time is given in minutes. ', at, 20_000));
  const hours = (at: number): Contract => wait(described(' The time is given in hours. ', at, 20_000));
  for (const [how, cap, at, told] of [
    ['at the start, within what was shown', 4_096, 4_000, true],
    ['at the start, behind what was shown', 4_096, 5_500, false],
    ['by tool search, within what was shown', 16_384, 5_500, true],
    ['by tool search, behind what was shown', 16_384, 17_000, false],
  ] as const) {
    it(`is ${told ? '' : 'not '}told of a change: ${how}`, async (t) => {
      const box = await sandbox(t, [minutes(at)]);
      await box.start();
      if (cap === 4_096) box.show([cut(minutes(at), cap)], 'shape-1');
      else {
        box.show([], 'shape-1');
        const [entry] = [cut(minutes(at), cap)].map(({ name, description, inputSchema }) => ({
          name: `mcp__demo__${name}`,
          description,
          input_schema: inputSchema,
        }));
        const record = { type: 'attachment', attachment: { type: 'deferred_tools_record', entries: [entry] } };
        appendFileSync(box.transcript, `${JSON.stringify(record)}\n`);
      }
      assert.equal((await box.call('wait', { time: 5 })).stdout, '');
      box.release([hours(at)], '1');
      const { answer, stdout } = await box.call('wait', { time: 5 });
      if (!told) return assert.equal(stdout, '');
      assert.equal(answer.hookSpecificOutput.permissionDecision, 'ask');
      assert.match(answer.systemMessage, /minutes[\s\S]*hours/);
    });
  }
});

describe('a conversation whose requests show no contracts', () => {
  const note = tool('note', { text: { type: 'string' } }, { additionalProperties: false });
  const renamed = tool('note', { body: { type: 'string' } }, { additionalProperties: false });
  const blind = (box: Awaited<ReturnType<typeof sandbox>>, tools: string[], shape = 'shape-1'): void => {
    const shown = tools.map((name) => ({ name, description: 'Runs.', input_schema: { type: 'object' } }));
    appendFileSync(
      box.transcript,
      `${JSON.stringify({ type: 'api-request-shape', shapeHash: shape, shape: { system: [], tools: shown } })}\n` +
        `${JSON.stringify({ type: 'api-request', querySource: 'sdk', shapeHash: shape })}\n`,
    );
  };

  for (const tools of [[], ['RunCode'], ['Bash', 'Read', 'Script']]) {
    it(`is not called fresh, and that is said once: ${tools.join(', ') || 'no tools'}`, async (t) => {
      const box = await sandbox(t, [note, tool('other', {})]);
      await box.start();
      blind(box, tools);
      const first = await box.call('note', { text: 'x' });
      assert.match(first.answer.systemMessage, /does not record which tool contracts it shows the model/);
      assert.equal(first.answer.hookSpecificOutput, undefined);
      assert.equal((await box.call('note', { text: 'x' })).stdout, '');
      assert.equal((await box.call('other')).stdout, '');
      box.release([renamed]);
      const stale = await box.call('note', { text: 'x' });
      assert.equal(stale.answer.hookSpecificOutput.permissionDecision, 'deny');
    });
  }

  it('has each call asked about in mode strict', async (t) => {
    const box = await sandbox(t, [note], { freshFor: 0, mode: 'strict' });
    await box.start();
    blind(box, []);
    const { answer } = await box.call('note', { text: 'x' });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'ask');
    assert.match(answer.hookSpecificOutput.permissionDecisionReason, /does not record/);
  });

  it('is another one than a conversation that has not loaded the tool yet', async (t) => {
    const box = await sandbox(t, [note]);
    await box.start();
    blind(box, ['Bash', 'ToolSearch']);
    assert.equal((await box.call('note', { text: 'x' })).stdout, '');
  });

  it('is another one than a conversation that was not shown one tool, because its schema is invalid', async (t) => {
    const broken = tool('broken', { text: { type: 'strin' } });
    const box = await sandbox(t, [note, broken]);
    await box.start();
    box.show([note], 'shape-1');
    const { stdout } = await box.call('broken', { text: 'x' });
    assert.doesNotMatch(stdout, /gone|removed|no longer/);
    box.release([renamed, broken], '2');
    assert.doesNotMatch((await box.call('broken', { text: 'x' })).stdout, /gone|deny/);
  });
});
