import { answerJson, type HookAnswer } from '../guard/answer.ts';
import { checkCall } from '../guard/check-call.ts';
import { onError, switchedOff, trace } from '../guard/failure.ts';
import { BadInput, toToolInput } from '../guard/input.ts';
import { forgetRepository } from '../servers/environment.ts';
import { thisMoment } from '../state/circumstances.ts';
import { stateHome } from '../state/paths.ts';

type Fields = Record<string, unknown>;

/**
 * Whether the model calls the hook's tool itself. The client says by which of the model's calls a request was caused; it says
 * nothing for a hook, whose input names the call that it is about (2.1.330 and 2.1.197). No model knows the id of a call that
 * it is about to make.
 */
export const isDirect = (fields: Fields, meta: Record<string, unknown>): boolean => {
  const cause = meta['claudecode/toolUseId'];
  return cause !== undefined && cause !== fields.tool_use_id;
};

/** A field of the hook's input, as the client fills it in: what is missing there is an empty text. */
const field = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  if (value !== undefined && typeof value !== 'string')
    throw new BadInput(`"${name}" of the hook input is not a string`);
  return value === '' ? undefined : value;
};

const argumentsIn = (fields: Fields): unknown => {
  const text = field(fields, 'tool_input') ?? '{}';
  try {
    return JSON.parse(text);
  } catch {
    throw new BadInput('"tool_input" of the hook input is not JSON');
  }
};

/** The environment of one call: what a repository may have set to control us is taken out of what this process was given. */
const environment = (given: NodeJS.ProcessEnv, cwd: string): NodeJS.ProcessEnv => {
  const env = { ...given };
  forgetRepository(env, env.CLAUDE_PROJECT_DIR || cwd);
  return env;
};

/** The answer to a hook: the same that the command hook would give. */
export const answerOf = async (fields: Fields, given: NodeJS.ProcessEnv): Promise<object> => {
  const since = thisMoment();
  const event = field(fields, 'hook_event_name') ?? '';
  const cwd = field(fields, 'cwd') ?? '';
  const env = environment(given, cwd || process.cwd());
  if (switchedOff(env)) return {};
  const around = { home: stateHome(env), project: env.CLAUDE_PROJECT_DIR || cwd, env, since };
  const record = {
    session_id: field(fields, 'session_id'),
    transcript_path: field(fields, 'transcript_path'),
    cwd,
    hook_event_name: event,
    tool_name: field(fields, 'tool_name'),
    tool_input: argumentsIn(fields),
    tool_use_id: field(fields, 'tool_use_id'),
    mcp_server: { name: field(fields, 'mcp_server') },
    agent_id: field(fields, 'agent_id'),
  };
  let answer: HookAnswer = {};
  if (event === 'PreToolUse') answer = await checkCall(toToolInput(record), String(fields.tool_input), around);
  return answerJson(event, answer);
};

/** The answer to a hook that an error of ours cut off: see `onError`. */
export const failureOf = (error: unknown, fields: Fields, given: NodeJS.ProcessEnv): object => {
  trace('error', error instanceof Error ? error.stack : String(error));
  const text = (name: string): string | undefined =>
    typeof fields[name] === 'string' ? String(fields[name]) : undefined;
  const event = text('hook_event_name') || 'PreToolUse';
  let env = given;
  try {
    env = environment(given, text('cwd') || process.cwd());
  } catch {
    // Then by what the process was given.
  }
  return answerJson(event, onError(event, error, text('tool_name'), env));
};
