// Calls of real tools that really changed: those that are right now are let through, and those that are not are stopped.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readToolList } from '../scripts/contract/read.ts';
import { sameJson } from '../scripts/contract/same.ts';
import { type Contract, isObject, type Json, type JsonObject } from '../scripts/contract/types.ts';
import { type Judgement, judge } from '../scripts/judge/judge.ts';
import { closedRoot, compile } from './ajv-judge.ts';
import { instance, type Random, random } from './random-schema.ts';
import { readJsonFile, shared } from './shared.ts';

const captures = shared('corpus/captures');
/** Calls a pair, and whether all versions are compared with each other or each with the next alone. */
const CALLS = Number(process.env.KONNICHIWAGWAN_CALLS ?? 2);
const ALL = process.env.KONNICHIWAGWAN_CALLS !== undefined;
const DEEPEST = 9;

/** Every tool that differs between two versions of a server, each pair of contracts once. */
const pairs = (): [Contract, Contract][] => {
  const found = new Map<string, [Contract, Contract]>();
  for (const server of readdirSync(captures.path).sort()) {
    const versions = readdirSync(`${captures.path}/${server}`).filter((file) => file.endsWith('.json'));
    const lists = versions
      .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
      .map((file) => readToolList(readJsonFile(`${captures.path}/${server}/${file}`) as Json).tools);
    for (const [index, before] of lists.entries()) {
      for (const after of lists.slice(index + 1, ALL ? lists.length : index + 2)) {
        for (const old of before) {
          const now = after.find(({ name }) => name === old.name);
          if (now && !sameJson(old as never, now as never)) found.set(JSON.stringify([old, now]), [old, now]);
        }
      }
    }
  }
  return [...found.values()];
};

type Check = (value: Json) => boolean;

/** What a tool takes, and what it takes of parameters that it declares. */
const checksOf = ({ inputSchema }: Contract): { takes: Check; declares: Check } | undefined => {
  if (!isObject(inputSchema)) return undefined;
  try {
    return {
      takes: compile(inputSchema as JsonObject) as Check,
      declares: compile(closedRoot(inputSchema as JsonObject)) as Check,
    };
  } catch {
    return undefined;
  }
};

/** Calls that a tool takes and that use what it declares alone. */
const callsOf = (source: Random, { inputSchema }: Contract, { takes, declares }: { takes: Check; declares: Check }) => {
  const calls: JsonObject[] = [];
  for (let tries = 0; tries < CALLS * 6 && calls.length < CALLS; tries++) {
    const args = instance(source, inputSchema, inputSchema as JsonObject, DEEPEST);
    if (isObject(args) && takes(args as Json) && declares(args as Json)) calls.push(args as JsonObject);
  }
  return calls;
};

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

/** What says of itself that the meaning changed: a stop for it, once, is right. */
const MEANING = new Set(['input-property-words-changed', 'input-property-default-changed', 'tool-hint-changed']);

describe('calls of tools that really changed', { skip: captures.skip }, () => {
  it('what is right now passes, at once or when it was told; what is not is stopped; what is proposed is accepted', (test) => {
    const counts = { pairs: 0, right: 0, stopped: 0, beyond: 0, wrong: 0, corrected: 0 };
    const beyond: string[] = [];
    for (const [index, [before, after]] of pairs().entries()) {
      const [had, has] = [checksOf(before), checksOf(after)];
      if (had === undefined || has === undefined) continue;
      counts.pairs++;
      const source = random(index);
      const what = (args: JsonObject, found: Judgement): string =>
        JSON.stringify({ tool: after.name, index, args, why: found.reasons.map(({ key }) => key) });
      for (const args of [...callsOf(source, after, has), ...callsOf(source, before, had)]) {
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
