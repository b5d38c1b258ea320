// Calls of real tools with real changes: those that are right now pass, and the others are stopped.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { type Judgement, judge } from '../scripts/judge/judge.ts';
import { callsOf, captures, checksOf, pairs } from './corpus-pairs.ts';
import { random } from './random-schema.ts';

/** Calls per pair; also decides whether all versions are compared with each other, or each only with the next. */
const CALLS = Number(process.env.KONNICHIWAGWAN_CALLS ?? 2);
const ALL = process.env.KONNICHIWAGWAN_CALLS !== undefined;

const judged = (believed: Contract, live: Contract, args: JsonObject, told: ReadonlySet<string> = new Set()) =>
  judge({
    believed,
    live,
    tools: [live],
    args,
    policy: { mode: 'guard', trusted: false },
    settled: (key) => told.has(key),
  });
const isStop = ({ decision }: Judgement): boolean => decision === 'deny' || decision === 'ask';

/** Rules about a changed meaning: one stop for such a change is right. */
const MEANING = new Set(['input-property-words-changed', 'input-property-default-changed', 'tool-hint-changed']);

describe('calls of tools that really changed', { skip: captures.skip }, () => {
  it('what is right now passes, at once or when it was told; what is not is stopped; what is proposed is accepted', (test) => {
    const counts = { pairs: 0, right: 0, stopped: 0, beyond: 0, wrong: 0, corrected: 0 };
    const beyond: string[] = [];
    for (const [index, [before, after]] of pairs(ALL).entries()) {
      const [had, has] = [checksOf(before), checksOf(after)];
      if (had === undefined || has === undefined) continue;
      counts.pairs++;
      const source = random(index);
      const what = (args: JsonObject, found: Judgement): string =>
        JSON.stringify({ tool: after.name, index, args, why: found.reasons.map(({ key }) => key) });
      for (const args of [...callsOf(source, after, has, CALLS), ...callsOf(source, before, had, CALLS)]) {
        const found = judged(before, after, args);
        if (!has.takes(args as Json)) {
          counts.wrong++;
          assert.ok(isStop(found) || found.decision === 'unchecked', `not stopped: ${what(args, found)}`);
          if (found.corrected === undefined) continue;
          counts.corrected++;
          const told = new Set(found.reasons.map(({ key }) => key));
          const again = judged(before, after, found.corrected, told);
          assert.ok(!isStop(again), `proposed and stopped: ${what(found.corrected, again)}`);
        } else if (has.declares(args as Json)) {
          counts.right++;
          if (!isStop(found)) continue;
          counts.stopped++;
          const told = new Set(found.reasons.map(({ key }) => key));
          assert.ok(!isStop(judged(before, after, args, told)), `stopped for ever: ${what(args, found)}`);
          if (found.decision === 'ask' && found.reasons.every(({ change }) => change && MEANING.has(change.rule)))
            continue;
          counts.beyond++;
          beyond.push(what(args, found));
        } else if (had.declares(args as Json)) {
          assert.ok(isStop(found), `uses what is gone, and is sent: ${what(args, found)}`);
        }
      }
    }
    test.diagnostic(JSON.stringify(counts));
    assert.ok(counts.right > 500 && counts.wrong > 40, JSON.stringify(counts));
    assert.ok(
      counts.beyond <= counts.right / 100,
      `${counts.beyond} of ${counts.right}: ${beyond.slice(0, 5).join('\n')}`,
    );
  });
});
