// What a session says of a source when it starts and when it is asked. What the client may still show from before a `/clear`.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SourceBaseline } from '../scripts/baseline/sessions.ts';
import { stateText } from '../scripts/cli/status/names.ts';
import type { Contract } from '../scripts/contract/types.ts';
import { freshnessOf } from '../scripts/session/compare-baseline.ts';
import { carriedOn, driftBetween } from '../scripts/session/what-changed.ts';
import type { Live } from '../scripts/sources/live.ts';
import { tool } from './sandbox.ts';

const weather = tool('weather', { city: { type: 'string' } });
const renamed = tool('weather', { place: { type: 'string' } });
const offer = (name: string, description: string): Contract => ({ ...tool(name, {}), description });

const before = (more: Partial<SourceBaseline>): SourceBaseline => ({
  name: 'demo',
  where: 'http://127.0.0.1:1',
  recorded_at: '2026-01-02T03:04:05.000Z',
  late: false,
  tools: [weather],
  ...more,
});
const live = (more: Partial<Live>): Live => ({
  key: 'a',
  answeredAt: 1,
  digest: 'b',
  tools: [weather],
  mismatched: [],
  past: {},
  ...more,
});
const named = (old: Partial<SourceBaseline>, now: Partial<Live>): string[] | undefined =>
  driftBetween(before(old), live(now), undefined)?.changes.map((change) => change.tool);

describe('what a greeting says of a source', () => {
  it('is nothing where nothing changed', () => {
    assert.equal(named({}, {}), undefined);
  });
  it('has tools and templates of resources, but no resources: these come and go like files', () => {
    const [file, template] = ['resource file:///a.txt', 'resource template file:///{name}'];
    const offers = [offer(file, 'A file.'), offer(template, 'Files.')];
    assert.equal(named({ offers }, { offers: offers.slice(1) }), undefined);
    assert.deepEqual(named({ offers }, { offers: [] }), [template]);
    assert.deepEqual([...new Set(named({ offers }, { offers, tools: [renamed] }))], ['weather']);
  });
  it('has a tool whose name begins like that of a resource', () => {
    const [had, has] = [tool('resource lookup', { id: { type: 'string' } }), tool('resource lookup', {})];
    assert.deepEqual([...new Set(named({ tools: [had] }, { tools: [has] }))], ['resource lookup']);
  });
  it('has no upgrade of a library where few tools changed, whatever version the server gives', () => {
    const identity = { name: 'demo', version: '1' };
    const now = live({ tools: [renamed], identity: { ...identity, version: '2' } });
    const { changes, upgrade } = driftBetween(before({ identity }), now, undefined) ?? {};
    assert.deepEqual([(changes ?? []).length > 0, upgrade], [true, undefined]);
  });
});

describe('what is known of the lists of a server', () => {
  const compared = (old: Partial<SourceBaseline>, now: Partial<Live>) => {
    const basis = { name: 'demo', where: 'http://127.0.0.1:1', kind: 'server' } as const;
    const head = { name: 'demo', checkedAt: 1, checkedUp: 1, freshUntil: 2, digest: 'b' };
    return freshnessOf(basis, before(old), { status: 'live', live: live(now), head });
  };

  it('says of tools that they changed, if their names begin like those of prompts and resources', () => {
    for (const name of ['prompt review', 'resource lookup']) {
      const [had, has] = [tool(name, { id: { type: 'string' } }), tool(name, {})];
      const { lists, note } = compared({ tools: [had], offers: [] }, { tools: [has], offers: [] });
      assert.deepEqual(lists, { tools: 'pending', prompts: 'current', resources: 'current' });
      assert.doesNotMatch(note, /tools did not/);
    }
  });
  it('says so of a prompt beside a tool of its name', () => {
    const [same, prompt] = [tool('prompt review', {}), offer('prompt review', 'Looks at a change.')];
    const now = { ...prompt, description: 'Looks at a whole branch.' };
    const { lists, note } = compared({ tools: [same], offers: [prompt] }, { tools: [same], offers: [now] });
    assert.deepEqual(lists, { tools: 'current', prompts: 'pending', resources: 'current' });
    assert.match(note, /The prompts of .* changed .* tools did not/);
  });
  it('is nothing of one that could not be read when the session started, or cannot now', () => {
    const unread = { prompts: 'it changed while it was read' };
    assert.equal(compared({ offers: [], unread }, { offers: [] }).lists?.prompts, 'unknown');
    assert.equal(compared({ offers: [] }, { offers: [], unread }).lists?.prompts, 'unread');
    assert.equal(compared({ offers: [], unread }, { offers: [] }).lists?.resources, 'current');
  });
  it('is nothing of one that was not asked for when the session started, or is not now', () => {
    const rows: [Partial<SourceBaseline>, Partial<Live>, string][] = [
      [{}, { offers: [] }, 'unknown'],
      [{ offers: [] }, {}, 'unknown'],
      [{ offers: [] }, { offers: [] }, 'current'],
    ];
    for (const [old, now, known] of rows)
      assert.deepEqual(compared(old, now).lists, { tools: 'current', prompts: known, resources: known });
  });
});

describe('what is said of a server whose contracts are the same', () => {
  const said = (old: Partial<SourceBaseline>, now: Partial<Live>) => {
    const basis = { name: 'demo', where: 'http://127.0.0.1:1', kind: 'server' } as const;
    const head = { name: 'demo', checkedAt: 1, checkedUp: 1, freshUntil: 2, digest: 'b' };
    return freshnessOf(basis, before(old), { status: 'live', live: live(now), head });
  };
  const broken = (name: string): Contract => ({ ...tool(name, {}), defect: `${name} is odd` });

  it('is since when, and what changed while it was read', () => {
    assert.equal(said({}, {}).note, '1 tool as this session learned them');
    assert.equal(said({ late: true }, {}).note, '1 tool as recorded on 2026-01-02');
    assert.deepEqual([said({}, {}), said({ late: true }, {})].map(stateText), ['fresh', 'unchanged']);
    assert.equal(said({}, {}).upgrade, undefined);
    const { upgrade } = said({}, { signals: ['tools', 'prompts', 'resources'], unread: { prompts: 'it is odd' } });
    assert.equal(upgrade, 'its tools, resources changed while being read, and were read once more');
  });
  it('is what could not be read, each tool once', () => {
    const { unread = [] } = said(
      { tools: [weather, broken('a'), broken('b')] },
      { tools: [weather, broken('a'), tool('b', {})], unread: { prompts: 'they are odd' } },
    );
    assert.deepEqual(unread, [
      'they are odd',
      'its tool `a` could not be read: a is odd',
      'its tool `b` could not be read when the session started: b is odd',
    ]);
    assert.equal(said({}, {}).unread, undefined);
  });
  it('is which tools list no schema, up to eight, and a version that lies in the future', () => {
    const flat = (count: number): string => {
      const tools = Array.from({ length: count }, (_, at) => ({ ...tool(`t${at}`, {}), schemaless: true as const }));
      return (said({ tools }, { tools }).remarks ?? []).join();
    };
    assert.match(flat(8), /without an input schema.*`t7`$/);
    assert.match(flat(9), /`t7` and 1 more$/);
    const of = (schemaVersion: string) => said({ schema_version: schemaVersion }, { schemaVersion }).remarks;
    assert.deepEqual(of('2026-01-01'), []);
    assert.deepEqual(of('2999-01-01'), ['its version 2999-01-01 lies in the future: it is no date of a change']);
  });
});

describe('how an answer stands to the baseline', () => {
  const compared = (kind: 'server' | 'gateway', old: Partial<SourceBaseline>, now: Partial<Live>) => {
    const head = { name: 'sea', checkedAt: 1, checkedUp: 1, freshUntil: 2, digest: 'b' };
    const basis = { name: 'sea', where: 'https://sea.example', kind };
    return freshnessOf(basis, before(old), { status: 'live', live: live(now), head });
  };
  const [tides, ports] = [tool('tides', { hour: { type: 'integer' } }), tool('ports', {})];
  const dive = offer('prompt dive', 'Plans a dive.');
  const deep = { ...dive, description: 'Plans a dive below 30 m.' };

  it('is fresh, with the same hash, where the tools come in another order', () => {
    const { state, contracts } = compared('gateway', { tools: [tides, ports] }, { tools: [ports, tides] });
    assert.deepEqual([state, contracts], ['fresh', undefined]);
  });
  it('is silent drift of prompts only under a version that stayed', () => {
    const states = [
      [undefined, undefined],
      ['2026-01-01', '2026-01-01'],
      ['2026-01-01', '2026-01-02'],
    ].map(([was, is]) => {
      const old = { offers: [dive], ...(was ? { schema_version: was } : {}) };
      return compared('server', old, { offers: [deep], ...(is ? { schemaVersion: is } : {}) }).state;
    });
    assert.deepEqual(states, ['drift', 'silent-drift', 'drift']);
  });
  it('counts each tool that changed once, and no prompt', () => {
    const now = tool('tides', { minute: { type: 'string' } }, { required: ['minute'] });
    const tools = { tools: [tides, ports], offers: [dive] };
    const { state, changed, note } = compared('server', tools, { tools: [now, ports], offers: [deep] });
    assert.deepEqual([state, changed], ['drift', 1]);
    assert.match(note, /^⚠️ 1 tool of `sea` changed/);
  });
  it('says whether the baseline was recorded late', () => {
    const late = (is: boolean) => compared('server', { late: is }, {}).late;
    assert.deepEqual([late(true), late(false)], [true, undefined]);
  });
});

describe('contracts that are carried over a /clear', () => {
  it('are those that changed since the client listed them', () => {
    const other = tool('other', {});
    assert.deepEqual(carriedOn(before({ tools: [weather, other] }), [renamed, other]), [weather]);
  });
  it('stay carried over the next one, though nothing changes meanwhile', () => {
    const carried = carriedOn(before({}), [renamed]);
    assert.deepEqual(carriedOn(before({ tools: [renamed], carried }), [renamed]), [weather]);
  });
});
