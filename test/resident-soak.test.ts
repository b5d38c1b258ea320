// Full tier: long sessions of a process.
// Many calls with changes in between: each verdict of the resident guard equals the command's.
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { answerJson } from '../scripts/guard/answer.ts';
import { checkCall } from '../scripts/guard/check-call.ts';
import { readToolInput } from '../scripts/guard/input.ts';
import { thisMoment } from '../scripts/state/circumstances.ts';
import { sessionFolder } from '../scripts/state/paths.ts';
import { residentProcess } from './resident-client.ts';
import { runBuilt, sandbox, tool } from './sandbox.ts';

const CALLS = Number(process.env.KONNICHIWAGWAN_SOAK ?? 250);
/** A few more MB are temporary garbage. */
const MOST_GROWTH = 30;

const text = { type: 'string' };
const exact = (...required: string[]): JsonObject => ({ required, additionalProperties: false });
const reading = { annotations: { readOnlyHint: true } };
/** The tool's contract in different releases; undefined: it did not exist. */
const WEATHER: (Contract | undefined)[] = [
  tool('weather', { city: text }, exact('city'), reading),
  tool('weather', { location: text }, exact('location'), reading),
  tool('weather', { city: text, units: { enum: ['c', 'f'] } }, exact('city', 'units'), reading),
  tool('weather', { city: { ...text, description: 'Postal code' } }, exact('city'), reading),
  tool('weather', { city: text, days: { type: 'integer' } }, { required: ['city'] }),
  undefined,
];
const PAY: Contract[] = [
  tool('pay', { amount: { type: 'integer', description: 'Euros' }, to: text }, exact('amount', 'to')),
  tool('pay', { amount: { type: 'integer', description: 'Cents' }, to: text }, exact('amount', 'to')),
  tool('pay', { amount: { type: 'string' }, to: text }, exact('amount', 'to')),
];
const ARGUMENTS: Record<string, JsonObject[]> = {
  weather: [{ city: 'a' }, { location: 'a' }, { city: 'a', units: 'c' }, { city: 'a', days: 3 }, {}],
  pay: [{ amount: 5, to: 'b' }, { amount: '5', to: 'b' }, { amount: 5 }],
};

/** The same numbers for the same seed. */
const random = (seed: number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
};

/** Resident memory of a process, in MB; undefined if the system does not report it. */
const memoryOf = (pid: number): number | undefined => {
  try {
    const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found ? Number(found[1]) / 1024 : undefined;
  } catch {
    return undefined;
  }
};

it(`${CALLS} calls with changes in between are judged as the command judges them`, async (t) => {
  const next = random(7);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const listed = (): Contract[] => [pick(WEATHER), pick(PAY)].filter((one) => one !== undefined);
  const box = await sandbox(t, [WEATHER[0] as Contract, PAY[0] as Contract]);
  await box.start();
  // The same session in a separate state folder: each of the two has to give every notice itself.
  const apart = join(box.home, 'apart');
  mkdirSync(apart);
  copyFileSync(join(box.state, 'config.json'), join(apart, 'config.json'));
  const env = { ...box.env, KONNICHIWAGWAN_HOME: apart };
  const begin = { ...box.input('', {}), hook_event_name: 'SessionStart', source: 'startup' };
  await runBuilt('session-start.cjs', JSON.stringify(begin), env);
  const guard = await residentProcess(t, box.env);
  const said = sessionFolder(box.state, 's1');

  const prompt = () => guard.hook({ ...box.input('', {}), hook_event_name: 'UserPromptSubmit', tool_name: '' });
  const decisions = new Map<string, number>();
  let early: number | undefined;
  for (let call = 0; call < CALLS; call++) {
    if (next() < 0.15) {
      box.release(listed(), String(call));
      // Answers from before the prompt are not from this thinking time; without a prompt, they would do for a reading tool.
      await prompt();
    }
    if (next() < 0.05) box.show(listed(), `shape${call}`);
    // Only the resident tells of calls that were sent before a change, and what it told counts for later calls.
    if (existsSync(said)) cpSync(said, sessionFolder(apart, 's1'), { recursive: true });
    const name = pick(['weather', 'pay']);
    const input = box.input(name, pick(ARGUMENTS[name] as JsonObject[]), { tool_use_id: `toolu_${call}` });
    const raw = JSON.stringify(input);
    const around = { home: apart, project: box.project, env, since: thisMoment() };
    const expected = answerJson('PreToolUse', await checkCall(readToolInput(raw), raw, around)) as JsonObject;
    const found = ((await guard.hook(input)) ?? {}) as JsonObject;
    // News about earlier calls comes after the verdict on this one.
    const own = (part: JsonObject) => {
      const specific = (part.hookSpecificOutput ?? {}) as JsonObject;
      return [specific.permissionDecision, specific.permissionDecisionReason];
    };
    assert.deepEqual(own(found), own(expected), `call ${call}: ${raw}`);
    assert.ok(String(found.systemMessage ?? '').startsWith(String(expected.systemMessage ?? '')), `call ${call}`);
    const decision = String(own(expected)[0] ?? (expected.systemMessage === undefined ? 'silence' : 'notice'));
    decisions.set(decision, (decisions.get(decision) ?? 0) + 1);
    // A stopped call has no answer; a person says yes to half of the questions.
    if (decision !== 'deny' && (decision !== 'ask' || next() < 0.5)) {
      const block = { type: 'tool_result', tool_use_id: input.tool_use_id ?? '', content: 'served' };
      const line = { type: 'user', message: { role: 'user', content: [block] } };
      appendFileSync(box.transcript, `${JSON.stringify(line)}\n`);
      await guard.hook({ ...input, hook_event_name: 'PostToolUse' });
    }
    if (next() < 0.1) await prompt();
    if (call === Math.floor(CALLS / 2)) early = memoryOf(guard.pid());
  }
  t.diagnostic(JSON.stringify(Object.fromEntries(decisions)));
  for (const decision of ['silence', 'notice', 'ask', 'deny'])
    assert.ok((decisions.get(decision) ?? 0) > 0, `no call came to ${decision}`);
  const late = memoryOf(guard.pid());
  if (early !== undefined && late !== undefined) {
    t.diagnostic(`resident memory: ${early.toFixed(0)} MB half way, ${late.toFixed(0)} MB at the end`);
    assert.ok(late - early < MOST_GROWTH, `it grew from ${early} to ${late} MB`);
  }
});
