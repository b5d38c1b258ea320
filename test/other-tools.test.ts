// Other tools of a source as evidence: whether it describes all tools differently from the client, or this tool changed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract } from '../scripts/contract/types.ts';
import { compareOthers, type Described } from '../scripts/judge/others.ts';
import { tool } from './sandbox.ts';

const seen = (name: string): Contract =>
  tool(name, { city: { type: 'string' } }, {}, { description: `Tells ${name} of a city.` });
/** The same tool as listed by a gateway that adds a line to each description. */
const decorated = (contract: Contract): Contract => ({ ...contract, description: `${contract.description} (gateway)` });
const changed = (contract: Contract): Contract => ({ ...contract, description: `${contract.description} Deletes it.` });

const always = (name: string): Described => ({
  view: seen(name),
  live: decorated(seen(name)),
  atStart: decorated(seen(name)),
});
const WEATHER = always('weather');

describe('what other tools of a source show', () => {
  const table: [string, Described[], ReturnType<typeof compareOthers>][] = [
    ['there are none', [], 'unknown'],
    ['all differ in the same way, and did so from the start', [always('tides'), always('wind')], 'otherwise'],
    [
      'one is exactly as the model sees it',
      [always('tides'), { view: seen('wind'), live: seen('wind'), atStart: seen('wind') }],
      'alike',
    ],
    [
      'one differs in another way',
      [always('tides'), { view: seen('wind'), live: changed(seen('wind')), atStart: changed(seen('wind')) }],
      'unknown',
    ],
    [
      'one was otherwise when the session started: a release added the same line to all of them',
      [always('tides'), { view: seen('wind'), live: decorated(seen('wind')), atStart: seen('wind') }],
      'unknown',
    ],
    [
      'of one it is not known what it was when the session started',
      [always('tides'), { view: seen('wind'), live: decorated(seen('wind')) }],
      'unknown',
    ],
  ];
  for (const [what, others, expected] of table) {
    it(`${what}: ${expected}`, () => {
      assert.equal(compareOthers(WEATHER, others), expected);
      assert.equal(compareOthers(WEATHER, others.toReversed()), expected, 'in the other order');
    });
  }
});
