// Whether a source describes the tools of a server in other words than the client shows them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract } from '../scripts/contract/types.ts';
import { compareOthers, type Described } from '../scripts/judge/others.ts';
import { tool } from './sandbox.ts';

const saying = (name: string, description: string): Contract => ({
  ...tool(name, { q: { type: 'string' } }),
  description,
});
/** A tool that the client shows as `view`, and its source as `live`, since the session started if not said otherwise. */
const described = (name: string, view: string, live: string, atStart: string | null = live): Described => ({
  view: saying(name, view),
  live: saying(name, live),
  ...(atStart === null ? {} : { atStart: saying(name, atStart) }),
});
const added = (name: string, atStart?: string | null): Described =>
  described(name, `Does ${name}.`, `Does ${name}. By the gateway.`, atStart);
/** With a parameter that the client does not show. */
const more = ({ view, live }: Described): Described => {
  const its = { ...live, inputSchema: tool('', { q: { type: 'string' }, page: { type: 'integer' } }).inputSchema };
  return { view, live: its, atStart: its };
};
const same = (name: string): Described => described(name, `Does ${name}.`, `Does ${name}.`);

describe('a source, by its other tools,', () => {
  const cases: [string, Described[], ReturnType<typeof compareOthers>][] = [
    ['describes them alike, if it does so for one', [added('b'), same('c')], 'alike'],
    ['describes them otherwise, if all differ in the same way', [added('b'), added('c')], 'otherwise'],
    ['is not known to, if one differs in another way', [added('b'), described('c', 'Does c.', 'Does d.')], 'unknown'],
    ['is not known to, if all differ in another way', [described('b', 'Does b.', 'Does c.')], 'unknown'],
    ['is not known to, if only the end is alike', [described('b', 'Does b.', 'Says b. By the gateway.')], 'unknown'],
    ['is not known to, if only the beginning is', [described('b', 'Does b.', 'Does b. By the hub.')], 'unknown'],
    ['is not known to, if the end is another one', [described('b', 'Does b.', 'Does  By the gateway.it')], 'unknown'],
    ['is not known to, if one has another parameter, too', [added('b'), more(added('c'))], 'unknown'],
    ['is not known to, if one changed since the start', [added('b'), added('c', 'Does c.')], 'unknown'],
    ['is not known to, if one was not there at the start', [added('b'), added('c', null)], 'unknown'],
    ['is not known to, without others', [], 'unknown'],
  ];
  for (const [name, others, expected] of cases)
    it(name, () => {
      assert.equal(compareOthers(added('a'), others), expected);
    });

  it('describes them otherwise, if all differ in the same way before or in their words', () => {
    for (const words of [(name: string) => `Here: does ${name}.`, (name: string) => `Does here ${name}.`]) {
      const [one, other] = ['a', 'b'].map((name) => described(name, `Does ${name}.`, words(name)));
      assert.equal(compareOthers(one as Described, [other as Described]), 'otherwise');
    }
  });
});
