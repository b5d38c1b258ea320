import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../scripts/contract/defined.ts';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { startGateway } from '../scripts/demo/loopback.ts';
import { keep, thisMoment } from '../scripts/state/circumstances.ts';
import { withFile } from '../scripts/state/files.ts';
import { remove } from '../scripts/state/in-use.ts';
import { drive } from './drive.ts';
import type { Run } from './run-program.ts';

export { drive, runBuilt } from './drive.ts';
export { needProcesses } from './programs-here.ts';
export { type Ran, type Run, runProgram } from './run-program.ts';

const isPending = (state: string, session: string): boolean => {
  try {
    return readFileSync(join(state, 'sessions', `${session}.json`), 'utf8').includes('"status":"pending"');
  } catch {
    return false;
  }
};

/**
 * Waits for the baseline of a started session: on a busy machine, a process that the hook left behind records it after the
 * hook has answered.
 */
export const untilRecorded = async (state: string, session: string): Promise<void> => {
  for (let waited = 0; waited < 25_000 && isPending(state, session); waited += 50) await sleep(50);
};

/**
 * Starts a session whose sources answer before the hook does. On a busy machine they may not: that start is undone, so that
 * nothing was learned or told by it, and repeated; at last with a hook that waits longer.
 * @param start is given more variables for the hook
 */
export const startInTime = async <T>(
  state: string,
  session: string,
  start: (more: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> => {
  const kept = `${state}.before`;
  cpSync(state, kept, { recursive: true });
  const finisher = (): string | undefined => {
    const path = join(state, 'sessions', session, 'finishing.json');
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  const before = finisher();
  for (let tries = 1; ; tries++) {
    const started = await start(
      tries < 4 ? {} : { NODE_OPTIONS: `--require ${JSON.stringify(resolve('test/patient.cjs'))}` },
    );
    // The process that goes on may have ended by now, too.
    const isLate = isPending(state, session) || finisher() !== before;
    await untilRecorded(state, session);
    if (!isLate) return started;
    assert.ok(tries < 10, 'its sources never answer in time');
    remove(state);
    cpSync(kept, state, { recursive: true });
  }
};

/** Repeats a call for which, on a busy machine, no answer came in time; for tests in which nothing remembers that. */
export const inTime = async (call: () => Promise<Run>): Promise<Run> => {
  let ran = await call();
  for (let tries = 0; tries < 10 && ran.stdout.includes('no answer within'); tries++) ran = await call();
  return ran;
};

const headsIn = (state: string): string[] => {
  const folder = join(state, 'live');
  const heads = readdirSync(folder).filter((name) => name.endsWith('.head.json'));
  assert.ok(heads.length > 0, 'there is no answer');
  return heads.map((name) => join(folder, name));
};

/** Makes every answer of a source an hour older: no test has to wait until one is too old to count as live. */
export const ageAnswers = (state: string): void => {
  for (const path of headsIn(state)) {
    const { checksum: _checksum, circumstances, ...head } = JSON.parse(readFileSync(path, 'utf8'));
    const older = { checkedAt: head.checkedAt - 3_600_000, freshUntil: head.freshUntil - 3_600_000 };
    keep(path, circumstances, { ...head, ...older });
  }
};

/**
 * Dates every answer of a source, and every failure, to this moment: a busy machine may take longer for the next call than it
 * counts.
 */
export const renewAnswers = (state: string): void => {
  for (const path of headsIn(state)) {
    const { checksum: _checksum, circumstances, ...head } = JSON.parse(readFileSync(path, 'utf8'));
    const { at, up } = thisMoment();
    keep(path, circumstances, {
      ...head,
      checkedAt: at,
      checkedUp: up,
      freshUntil: at + head.freshUntil - head.checkedAt,
    });
  }
};

/** The processor time that work takes, in ms. */
const processorTime = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

/** Some work of the kind that is measured, and how long it takes on the machine that the limits are for, in ms. */
const sample = (): number => {
  const words = Array.from({ length: 20_000 }, (_, at) => `w${(at * 7_919) % 20_011}`);
  const text = JSON.stringify(words.sort());
  return (JSON.parse(text) as string[]).join(' ').replace(/w(\d)/g, 'v$1 ').split(' ').length;
};
const SAMPLE_TAKES = 16;

let measured = { at: -Infinity, pace: 1 };
/** How many times as long such work takes here and now, measured once a second: shared machines slow down for minutes. */
const pace = (): number => {
  if (performance.now() - measured.at > 1_000) {
    let took = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 3 && took > SAMPLE_TAKES; tries++) took = Math.min(took, processorTime(sample));
    measured = { at: performance.now(), pace: Math.max(1, took / SAMPLE_TAKES) };
  }
  return measured.pace;
};

/**
 * A clock for work in this process, in ms of processor time of the machine that the limits are for. Unlike wall time, it does
 * not go on while other programs make the work wait.
 */
export const stopwatch = (): (() => number) => {
  const [wall, cpu] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    const took = Math.min(performance.now() - wall, (user + system) / 1_000);
    // No limit is that short.
    return took < 100 ? took : took / pace();
  };
};

/** How many times as long as on a free, fast machine work in this process takes now. */
const contention = (): number => {
  const [wall, cpu] = [performance.now(), process.cpuUsage()];
  for (;;) {
    const { user, system } = process.cpuUsage(cpu);
    const worked = (user + system) / 1_000;
    if (worked > 50) return Math.max(1, (performance.now() - wall) / worked) * pace();
  }
};

/**
 * Begins to look how many times as long as on a free machine work takes; the result is the most that was seen. For limits on
 * wall time where no processor time can be measured.
 */
export const slownessOf = (): (() => number) => {
  let most = contention();
  return () => {
    most = Math.max(most, contention());
    return most;
  };
};

/** A separate HOME, state folder, project and gateway. All are removed when the test ends. */
export const sandbox = async (
  test: Pick<TestContext, 'after'>,
  tools: Contract[],
  config: JsonObject = { freshFor: 0 },
) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
  const gateway = await startGateway('1', tools);
  test.after(() => {
    gateway.close();
    // A separate process may still finish the session's start there.
    remove(home);
  });
  const state = join(home, 'state');
  const project = join(home, 'project');
  const transcript = join(home, 'transcript.jsonl');
  mkdirSync(state, { recursive: true, mode: 0o700 });
  mkdirSync(join(project, '.claude'), { recursive: true });
  writeFileSync(join(state, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const env: NodeJS.ProcessEnv = {
    HOME: home,
    KONNICHIWAGWAN_HOME: state,
    GATEWAY_URL: gateway.url,
    CLAUDE_PROJECT_DIR: project,
  };
  const common = { session_id: 's1', transcript_path: transcript, cwd: project };
  const input = (tool: string, args: JsonObject, more: JsonObject = {}): JsonObject => ({
    ...common,
    hook_event_name: 'PreToolUse',
    permission_mode: 'default',
    tool_name: `mcp__demo__${tool}`,
    tool_input: args,
    tool_use_id: 'toolu_1',
    mcp_server: { name: 'demo', source: 'user' },
    ...more,
  });
  /** The client's record of one more request, which shows the model the same tools. */
  const nextRequest = (path: string): void => {
    // Some tests give a folder, a device, or gigabytes.
    const read = withFile(path, (file, size) => (size > 1e7 ? '' : readFileSync(file, 'utf8')));
    const last = read?.split('\n').findLast((line) => line.startsWith('{"type":"api-request",'));
    if (last !== undefined) appendFileSync(path, `${last}\n`);
  };
  /** Starts a session, and does not wait for its baseline. */
  const begin = (more: JsonObject = {}, extra: NodeJS.ProcessEnv = {}): Promise<Run> =>
    drive(
      'session-start.cjs',
      JSON.stringify({ ...common, hook_event_name: 'SessionStart', source: 'startup', ...more }),
      { ...env, ...extra },
    );
  return {
    home,
    state,
    project,
    transcript,
    gateway,
    env,
    input,
    /** Other contracts, by default under the same version: a new version would add a line of its own. */
    release: (now: Contract[], version = '1') => gateway.set(version, now),
    begin,
    /** Starts a session whose sources answer in time, so that the hook says what changed. */
    greet: (more: JsonObject = {}) =>
      startInTime(state, String(more.session_id ?? common.session_id), (extra) => begin(more, extra)),
    /** Starts a session, and waits for its baseline. */
    start: async (more: JsonObject = {}) => {
      const started = await begin(more);
      await untilRecorded(state, String(more.session_id ?? common.session_id));
      return started;
    },
    /** A call. A model that is told why it was stopped reads that with its next request. */
    call: async (tool: string, args: JsonObject = {}, more: JsonObject = {}, extra: NodeJS.ProcessEnv = {}) => {
      const given = input(tool, args, more);
      const run = await drive('guard.cjs', JSON.stringify(given), { ...env, ...extra });
      if (run.answer?.hookSpecificOutput?.permissionDecision === 'deny') nextRequest(String(given.transcript_path));
      return run;
    },
    fail: (tool: string, args: JsonObject, error: string, more: JsonObject = {}) =>
      drive(
        'tool-failure.cjs',
        JSON.stringify(input(tool, args, { hook_event_name: 'PostToolUseFailure', error, ...more })),
        env,
      ),
    /** Appends the client's record of a request that shows the model these tools. */
    show: (shown: Contract[], shape: string, path = transcript, source = 'sdk') => {
      const inShape = shown.map(({ name, description, inputSchema }) => ({
        name: `mcp__demo__${name}`,
        ...defined({ description }),
        input_schema: inputSchema,
      }));
      appendFileSync(
        path,
        `${JSON.stringify({ type: 'api-request-shape', sessionId: 's1', shapeHash: shape, shape: { system: [], tools: inShape } })}\n` +
          `${JSON.stringify({ type: 'api-request', sessionId: 's1', querySource: source, shapeHash: shape })}\n`,
      );
    },
  };
};

/** A tool with the given parameters. */
export const tool = (
  name: string,
  properties: JsonObject,
  rest: JsonObject = {},
  more: Partial<Contract> = {},
): Contract => ({
  name,
  inputSchema: { type: 'object', properties, ...rest },
  ...more,
});
