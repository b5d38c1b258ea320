import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonObject } from '../contract/types.ts';
import { readJson } from '../state/files.ts';

/** What a hook answered, as Claude Code reads it. */
export interface Answered {
  decision?: 'deny' | 'ask';
  reason?: string;
  message?: string;
  context?: string;
  exit: number | null;
  /** The hook printed something that is not JSON. */
  garbled: boolean;
}

/** Runs a hook file with this Node; see `runHookProgram`. */
export const runHookFile = (file: string, input: JsonObject, env: NodeJS.ProcessEnv): Promise<Answered> =>
  runHookProgram(process.execPath, [file], input, env);

/** Runs a hook as Claude Code does: its input on standard input, its answer on standard output. Ends it after 10 s. */
export const runHookProgram = (
  command: string,
  args: readonly string[],
  input: JsonObject,
  env: NodeJS.ProcessEnv,
): Promise<Answered> =>
  new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'], timeout: 10_000, windowsHide: true });
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(input));
    child.on('error', () => resolve({ exit: null, garbled: false }));
    child.on('close', (exit) => resolve({ ...readAnswered(printed), exit }));
  });

/** Reads an answer from standard output, or from a hook's tool. */
export const readAnswered = (printed: string): Omit<Answered, 'exit'> => {
  if (printed === '') return { garbled: false };
  try {
    const { systemMessage, hookSpecificOutput } = JSON.parse(printed);
    return {
      decision: hookSpecificOutput?.permissionDecision,
      reason: hookSpecificOutput?.permissionDecisionReason,
      context: hookSpecificOutput?.additionalContext,
      message: systemMessage,
      garbled: false,
    };
  } catch {
    return { garbled: true };
  }
};

/** A PreToolUse input for a tool of the server `demo`. */
export const preToolUse = (session: string, cwd: string, tool: string, args: JsonObject): JsonObject => ({
  session_id: session,
  transcript_path: '',
  cwd,
  hook_event_name: 'PreToolUse',
  permission_mode: 'default',
  tool_name: `mcp__demo__${tool}`,
  tool_input: args,
  tool_use_id: `toolu_${tool}`,
  mcp_server: { name: 'demo', source: 'user' },
});

/** A SessionStart input. */
export const sessionStart = (session: string, cwd: string): JsonObject => ({
  session_id: session,
  transcript_path: '',
  cwd,
  hook_event_name: 'SessionStart',
  source: 'startup',
});

/**
 * Starts a session with a built hook, and waits for its baseline: on a busy machine it is recorded after the hook has
 * answered.
 * @param folder of the built hooks
 * @param home from which `sandbox` made `env`
 */
export const startSession = async (
  folder: string,
  session: string,
  home: string,
  env: NodeJS.ProcessEnv,
): Promise<void> => {
  await runHookFile(join(folder, 'session-start.cjs'), sessionStart(session, home), env);
  await untilRecorded(session, home);
};

/** Waits up to 5 s for a session's baseline. */
export const untilRecorded = async (session: string, home: string): Promise<void> => {
  for (let waited = 0; waited < 5_000; waited += 50) {
    const baseline = readJson(join(home, 'state/sessions', `${session}.json`));
    if (isObject(baseline) && isObject(baseline.sources) && Object.keys(baseline.sources).length > 0) return;
    await sleep(50);
  }
};

/** An environment in which hooks use no folder but `home`, and ask only the gateway at this URL. */
export const sandbox = (env: NodeJS.ProcessEnv, home: string, gateway: string): NodeJS.ProcessEnv => ({
  PATH: env.PATH,
  SystemRoot: env.SystemRoot,
  // The client passes this on to hooks, too.
  NODE_OPTIONS: env.NODE_OPTIONS,
  HOME: home,
  CLAUDE_PROJECT_DIR: home,
  KONNICHIWAGWAN_HOME: `${home}/state`,
  GATEWAY_URL: gateway,
});
