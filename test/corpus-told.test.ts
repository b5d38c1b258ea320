// How often right calls of real tools with real changes lead to a question or a notice.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../scripts/contract/types.ts';
import { judge } from '../scripts/judge/judge.ts';
import { callsOf, captures, checksOf, pairs } from './corpus-pairs.ts';
import { random } from './random-schema.ts';

/** Calls for each pair of contracts. */
const CALLS = 3;

describe('right calls of tools that really changed', { skip: captures.skip }, () => {
  it('are seldom asked about or told of', (test) => {
    const counts: Record<string, number> = {};
    let all = 0;
    for (const [index, [before, after]] of pairs(true).entries()) {
      const [had, has] = [checksOf(before), checksOf(after)];
      if (had === undefined || has === undefined) continue;
      for (const args of callsOf(random(index), before, had, CALLS)) {
        if (!has.takes(args as Json) || !has.declares(args as Json)) continue;
        const policy = { mode: 'guard', trusted: false } as const;
        const question = { believed: before, live: after, tools: [after], args, policy, settled: () => false };
        const { decision } = judge(question);
        counts[decision] = (counts[decision] ?? 0) + 1;
        all++;
      }
    }
    const { silence = 0, ask = 0, deny = 0 } = counts;
    test.diagnostic(`${all} right old calls: ${JSON.stringify(counts)}`);
    assert.ok(all > 1_000, `${all} calls`);
    assert.equal(deny, 0);
    assert.ok(ask <= all * 0.06, `${ask} of ${all} are asked about`);
    assert.ok(all - silence <= all * 0.4, `${all - silence} of ${all} are told of something`);
  });
});
