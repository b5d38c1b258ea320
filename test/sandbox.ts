import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { startGateway } from '../scripts/demo/loopback.ts';

export interface Run {
  stdout: string;
  stderr: string;
  code: number | null;
  /** The one JSON object that was printed; undefined for silence. */
  // biome-ignore lint/suspicious/noExplicitAny: what a hook printed is what the test is about
  answer: any;
}

/** Runs a built file with text on its standard input, in an environment that holds nothing else. */
export const runBuilt = (
  file: string,
  input: string | null,
  env: NodeJS.ProcessEnv,
  args: string[] = [],
  plain = false,
): Promise<Run> =>
  new Promise((done) => {
    const child = spawn(process.execPath, [resolve('dist', file), ...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: 20_000,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    child.on('close', (code) =>
      done({ stdout, stderr, code, answer: stdout === '' || plain ? undefined : JSON.parse(stdout) }),
    );
  });

/** A HOME, a state folder, a project and a gateway of a test's own. All are gone when the test ends. */
export const sandbox = async (test: TestContext, tools: Contract[], config: JsonObject = { freshFor: 0 }) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
  const gateway = await startGateway('1', tools);
  test.after(() => {
    gateway.close();
    rmSync(home, { recursive: true, force: true });
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
  return {
    home,
    state,
    project,
    transcript,
    gateway,
    env,
    input,
    release: (now: Contract[], version = '2') => gateway.set(version, now),
    /** Starts a session, and waits for its baseline: on a busy machine it is recorded after the hook has answered. */
    start: async (more: JsonObject = {}) => {
      const given = { ...common, hook_event_name: 'SessionStart', source: 'startup', ...more };
      const started = await runBuilt('session-start.cjs', JSON.stringify(given), env);
      const file = join(state, 'sessions', `${given.session_id}.json`);
      for (
        let waited = 0;
        waited < 5_000 && existsSync(file) && readFileSync(file, 'utf8').includes('"pending"');
        waited += 50
      ) {
        await sleep(50);
      }
      return started;
    },
    call: (tool: string, args: JsonObject = {}, more: JsonObject = {}, extra: NodeJS.ProcessEnv = {}) =>
      runBuilt('guard.cjs', JSON.stringify(input(tool, args, more)), { ...env, ...extra }),
    fail: (tool: string, args: JsonObject, error: string) =>
      runBuilt(
        'tool-failure.cjs',
        JSON.stringify(input(tool, args, { hook_event_name: 'PostToolUseFailure', error })),
        env,
      ),
    /** Appends what the client writes when a request shows the model these tools. */
    show: (shown: Contract[], shape: string, path = transcript, source = 'sdk') => {
      const inShape = shown.map(({ name, description, inputSchema }) => ({
        name: `mcp__demo__${name}`,
        ...(description === undefined ? {} : { description }),
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
