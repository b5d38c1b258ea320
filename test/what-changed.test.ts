// What a starting session says of a source, and which contracts the client may still show from before a `/clear`.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SourceBaseline } from '../scripts/baseline/sessions.ts';
import type { Contract } from '../scripts/contract/types.ts';
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
