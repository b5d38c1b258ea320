import { parsedJson } from '../contract/parsed-json.ts';
import { answerJson, type HookAnswer } from '../guard/answer.ts';
import { checkCall } from '../guard/check-call.ts';
import type { CallPlace } from '../guard/fast-path.ts';
import { BadInput, type ToolInput, toHookInput, toToolInput } from '../guard/input.ts';
import { mergeAnswers } from '../guard/invoker/merge-answers.ts';
import type { HandOver } from '../guard/judge-call.ts';
import { onError, switchedOff, trace } from '../guard/run-hook.ts';
import { forgetRepository } from '../servers/environment.ts';
import { thisMoment } from '../state/circumstances.ts';
import { takenCalls } from '../state/judging.ts';
import { stateHome } from '../state/paths.ts';
import { sendInBackground, sendWhenIdle } from '../telemetry/start.ts';
import { baselineCopy } from './baseline-copy.ts';
import { knownSources } from './knowledge.ts';
import { SentCalls } from './sent-calls.ts';
import { openThreads } from './threads.ts';

type Fields = Record<string, unknown>;

/** How many ms after a call's answer a server has announced each change that came before the answer. */
const LATE_WORD = 1_000;
/** How long a verdict may take in all, in ms: the client waits two seconds longer. */
const LONGEST_WORK = 8_000;

/**
 * Whether the model calls the hook's tool itself. The client says by which of the model's calls a request was caused; it says
 * nothing for a hook, whose input names the call that it is about (2.1.330 and 2.1.197). No model knows the id of a call that
 * it is about to make.
 */
export const isDirect = (fields: Fields, meta: Record<string, unknown>): boolean => {
  const cause = meta['claudecode/toolUseId'];
  return cause !== undefined && cause !== fields.tool_use_id;
};

/** A field of the hook's input, as the client fills it in: an empty text if it is missing. */
const field = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  if (value !== undefined && typeof value !== 'string')
    throw new BadInput(`"${name}" of the hook input is not a string`);
  return value === '' ? undefined : value;
};

const argumentsIn = (fields: Fields): unknown => {
  const value = parsedJson(field(fields, 'tool_input') ?? '{}');
  if (value === undefined) throw new BadInput('"tool_input" of the hook input is not JSON');
  return value;
};

/** The fields in the form in which a hook that is a command gets them. */
const toRecord = (fields: Fields): Fields => ({
  session_id: field(fields, 'session_id'),
  transcript_path: field(fields, 'transcript_path'),
  cwd: field(fields, 'cwd'),
  hook_event_name: field(fields, 'hook_event_name'),
  tool_name: field(fields, 'tool_name'),
  tool_input: argumentsIn(fields),
  tool_use_id: field(fields, 'tool_use_id'),
  mcp_server: { name: field(fields, 'mcp_server'), source: field(fields, 'mcp_source') },
  agent_id: field(fields, 'agent_id'),
});

/** The environment of one call: this process's own, without what a repository may have set to control us. */
const environment = (given: NodeJS.ProcessEnv, cwd: string | undefined): NodeJS.ProcessEnv => {
  const env = { ...given };
  forgetRepository(env, env.CLAUDE_PROJECT_DIR || cwd || process.cwd());
  return env;
};

/** Answers hooks for as long as a session lasts. `given`: the environment that the client gave this process. */
export const answering = (given: NodeJS.ProcessEnv) => {
  const threads = openThreads((key, head, deadline) => sources.again(key, head, deadline), given);
  const sent = new SentCalls(threads, () => sources.known().ran);
  const baseline = baselineCopy(__filename);
  const taken = takenCalls();
  const sources = knownSources(threads, (input, call) => sent.add(input, call));
  const { knowledge } = sources;

  /** The rest of the guard, for a call that the fast path did not settle. */
  const judge = async (input: ToolInput, { home, project, env, since, asked }: HandOver): Promise<HookAnswer> => {
    const where = { home, project, env, since };
    const work = { kind: 'judge', input, where, asked, known: sources.known() } as const;
    const result = await threads.run(input.server ?? input.toolName, work, LONGEST_WORK);
    sources.asked(result.asked, where, input.session);
    if (result.judged !== undefined) knowledge.judged(input, result.judged);
    return result.answer;
  };

  const onCall = async (input: ToolInput, around: CallPlace): Promise<HookAnswer> => {
    const { home } = around;
    const { session, toolUseId } = input;
    taken.take(home, session, toolUseId);
    baseline.restore(home, session);
    sent.recall(home, input);
    sent.settle(home, sources.isTold);
    const answer = await checkCall(input, JSON.stringify(input.arguments), around, judge);
    const isStopped = answer.decision === 'deny' || answer.decision === 'ask';
    const messages = await sent.messages(input, around, sources.isTold, input, isStopped);
    setImmediate(() => baseline.keep(home, session));
    taken.answered(home, session, toolUseId, sent.noteOn(session, toolUseId));
    return mergeAnswers(answer, messages);
  };

  const events: Record<string, (record: Fields, around: CallPlace) => HookAnswer | Promise<HookAnswer>> = {
    PreToolUse: (record, around) => onCall(toToolInput(record), around),
    UserPromptSubmit: async (record, around) => {
      const input = toHookInput(record);
      const { session } = input;
      taken.announce(around.home, session);
      sent.recall(around.home, input);
      sent.settle(around.home, sources.isTold);
      // The model thinks, and its next call will need these answers.
      threads.begin();
      await sources.prompted({ session });
      return sent.messages({ session }, around, sources.isTold);
    },
    PostToolUse: (record, around) => {
      const input = toToolInput(record);
      sources.succeeded(input.toolUseId);
      return onAnswer(input, around);
    },
    PostToolUseFailure: (record, around) => onAnswer(toToolInput(record), around),
  };

  const onAnswer = (input: ToolInput, { home }: CallPlace): HookAnswer => {
    const { session, agent, toolUseId } = input;
    sent.recall(home, input);
    const { digests, reads } = sent.answered(session, toolUseId) ?? { digests: new Map(), reads: false };
    sources.answered({ session, agent }, digests.keys(), reads);
    // Later changes did not happen during this call.
    setTimeout(() => sent.settle(home, sources.isTold), LATE_WORD).unref();
    return {};
  };

  /** Where the last hook ran. */
  let last: [home: string, project: string, env: NodeJS.ProcessEnv] | undefined;

  threads.begin();
  return {
    /** The answer to a hook: what the command would print, and what is new about calls that were sent before. */
    answer: async (fields: Fields): Promise<object> => {
      const since = thisMoment();
      const record = toRecord(fields);
      const event = String(record.hook_event_name);
      const env = environment(given, field(fields, 'cwd'));
      if (switchedOff(env)) return {};
      const project = env.CLAUDE_PROJECT_DIR || (field(fields, 'cwd') ?? '');
      last = [stateHome(env), project, env];
      sendWhenIdle(...last);
      const answerTo = events[event];
      if (answerTo === undefined) throw new BadInput('"hook_event_name" of the hook input has an unexpected form');
      return answerJson(event, await answerTo(record, { home: stateHome(env), project, env, since, knowledge }));
    },
    /** The client gave up waiting for a hook, and does not send its call. */
    cancelled: ({ session_id: session, tool_use_id: toolUseId, hook_event_name: event }: Fields): void => {
      if (event === 'PreToolUse' && typeof session === 'string' && typeof toolUseId === 'string')
        sent.withdraw(session, toolUseId);
    },
    close: async (): Promise<void> => {
      if (last !== undefined) sendInBackground(...last, true);
      threads.close();
      await sources.close();
    },
    /** What a tool takes now, for the model. */
    contract: async (tool: unknown): Promise<string> => {
      const env = environment(given, undefined);
      const project = env.CLAUDE_PROJECT_DIR || process.cwd();
      const session = env.CLAUDE_CODE_SESSION_ID || 'unknown';
      const where = { home: stateHome(env), project, env, since: thisMoment() };
      const work = { kind: 'contract', tool, session, where, known: sources.known() } as const;
      const { text, asked } = await threads.run(String(tool), work, LONGEST_WORK);
      sources.asked(asked, where, session);
      return text;
    },
    /** The answer to a hook that an error of ours cut off: see `onError`. */
    failed: (error: unknown, fields: Fields): object => {
      trace('error', error instanceof Error ? error.stack : String(error));
      const text = (name: string): string | undefined =>
        typeof fields[name] === 'string' && fields[name] !== '' ? fields[name] : undefined;
      const event = text('hook_event_name') ?? 'PreToolUse';
      let env = given;
      try {
        env = environment(given, text('cwd'));
      } catch {
        // Otherwise use the environment that the process was given.
      }
      return answerJson(event, onError(event, error, text('tool_name'), env));
    },
  };
};
