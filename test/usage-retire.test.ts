// Whether a legacy tool can be removed: by which sessions, and which calls of them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retire } from '../scripts/usage/retire.ts';
import { type NamedUse, sorter } from '../scripts/usage/summary.ts';
import type { Use } from '../scripts/usage/tally.ts';

const DAY = 86_400_000;
/** Calls of a tool of `demo`, all of which went out. */
const used = (session: string, tool: string, day: number, more: Partial<Use> = {}): NamedUse => ({
  server: 'demo',
  tool,
  use: { session, tool: `mcp__demo__${tool}`, calls: 1, first: day * DAY, last: day * DAY, days: [], sent: 1, ...more },
});
type Offered = Parameters<typeof retire>[0]['offered'];
const asked = (uses: NamedUse[], wanted: number, offered: Offered = []) =>
  retire(
    { uses, offered, own: new Set(['demo']), logged: new Set(), gaps: [] },
    { server: 'demo', tool: 'note' },
    wanted,
  );

describe('a legacy tool', () => {
  it('is judged by the sessions that called its server last, each by its last call', () => {
    // Session `a` called the tool on day 1, and went on after `b`.
    const uses = [used('a', 'other', 9), used('a', 'note', 1), used('b', 'note_raw', 5), used('c', 'note', 2)];
    const { answer, legacy, from, to } = asked(uses, 2);
    assert.deepEqual([answer, legacy.sessions, from, to], ['no', 1, 5 * DAY, 9 * DAY]);
  });
  it('can go when only older sessions called it; its last call ever is named', () => {
    const uses = [used('a', 'note', 1), used('b', 'note_raw', 2), used('c', 'note_raw', 3)];
    const { answer, legacy } = asked(uses, 2);
    assert.deepEqual([answer, legacy.calls, legacy.last], ['yes', 0, DAY]);
    assert.equal(asked(uses, 3).answer, 'no');
  });
  it('may be meant by a name that no server is known to offer: a gateway may use names of its own', () => {
    const through = used('a', 'Note', 1, { through: 1 });
    const offering = (gateway: boolean): Offered => [
      { source: 'demo', gateway, tools: new Set(['Note']), contracts: [] },
    ];
    const answers = [[], offering(true), offering(false)].map(
      (offered) => asked([through, used('a', 'note_raw', 2)], 1, offered).answer,
    );
    assert.deepEqual(answers, ['not-enough-data', 'not-enough-data', 'yes']);
  });
});

it('a tool named like a twin is one only if the tool that it would stand for is there', () => {
  const roles = (...tools: string[]) => {
    const named = tools.map((tool) => ({ server: 'demo', tool }));
    return named.map(sorter(named, [], {}));
  };
  assert.deepEqual(roles('note', 'note_raw'), ['legacy', 'twin']);
  assert.deepEqual(roles('note_raw', 'list'), ['other', 'other']);
});
