import { answerJson, type HookAnswer } from '../guard/answer.ts';
import { checkCall } from '../guard/check-call.ts';
import type { CallPlace } from '../guard/fast-path.ts';
import { BadInput, type HookInput, type ToolInput, toHookInput, toToolInput } from '../guard/input.ts';
import { mergeAnswers } from '../guard/invoker/merge-answers.ts';
import type { UnsettledPlace } from '../guard/judge-call.ts';
import { onError, switchedOff, trace } from '../guard/run-hook.ts';
import { forgetRepository } from '../servers/environment.ts';
import { thisMoment } from '../state/circumstances.ts';
import { takenCalls } from '../state/judging.ts';
import { type Marks, takeBack } from '../state/markers.ts';
import { stateHome } from '../state/paths.ts';
import { sendInBackground, sendWhenIdle } from '../telemetry/start.ts';
import { baselineCopy } from './baseline-copy.ts';
import { type Fields, field, tellsArguments, toRecord } from './hook-fields.ts';
import { knownSources } from './knowledge.ts';
import { SentCalls } from './sent-calls.ts';
import { openThreads, type Threads } from './threads.ts';
import type { Results } from './work.ts';

/** How long after a call's answer the server may still announce a change that it made before the answer, in ms. */
const LATE_WORD = 1_000;
/** How long a verdict may take in all, in ms: the client waits two seconds longer. */
const LONGEST_WORK = 8_000;

/** The environment of one call: this process's own, without what a repository may have set to control us. */
const environment = (given: NodeJS.ProcessEnv, cwd: string | undefined): NodeJS.ProcessEnv => {
  const env = { ...given };
  forgetRepository(env, env.CLAUDE_PROJECT_DIR || cwd || process.cwd());
  return env;
};

/** Answers hooks for as long as a session lasts. */
export class ResidentGuard {
  readonly #given: NodeJS.ProcessEnv;
  readonly #threads: Threads;
  readonly #sent: SentCalls;
  readonly #sources: ReturnType<typeof knownSources>;
  readonly #baseline = baselineCopy(__filename);
  readonly #taken = takenCalls();
  /** Hooks whose answer reaches no one: the client gave up waiting for it, or a person interrupted the model. */
  readonly #unread = new WeakSet<Fields>();
  /** Where the last hook ran. */
  #last: [home: string, project: string, env: NodeJS.ProcessEnv] | undefined;

  /** @param given the environment that the client gave this process */
  constructor(given: NodeJS.ProcessEnv) {
    this.#given = given;
    this.#threads = openThreads((key, head, deadline) => this.#sources.again(key, head, deadline), given);
    this.#sent = new SentCalls(this.#threads, () => this.#sources.known().ran);
    this.#sources = knownSources(this.#threads, (input, call) => this.#sent.add(input, call));
    this.#threads.begin();
  }

  /** The answer to a hook: what the command would print, and what is new about calls that were sent before. */
  async answer(fields: Fields): Promise<object> {
    const since = thisMoment();
    const event = String(fields.hook_event_name);
    const env = environment(this.#given, field(fields, 'cwd'));
    if (switchedOff(env)) return {};
    const home = stateHome(env);
    const { knowledge } = this.#sources;
    const project = env.CLAUDE_PROJECT_DIR || (field(fields, 'cwd') ?? '');
    this.#last = [home, project, env];
    sendWhenIdle(...this.#last);
    return answerJson(event, await this.#answerTo(event, fields, { home, project, env, since, knowledge }));
  }

  /** The client gave up waiting for a hook, and does not send its call. */
  cancelled(fields: Fields): void {
    this.#unread.add(fields);
    const { session_id: session, tool_use_id: toolUseId, hook_event_name: event } = fields;
    if (event === 'PreToolUse' && typeof session === 'string' && typeof toolUseId === 'string')
      this.#sent.withdraw(session, toolUseId);
  }

  /** What a tool takes now, for the model. */
  async contract(tool: unknown): Promise<string> {
    const env = environment(this.#given, undefined);
    const project = env.CLAUDE_PROJECT_DIR || process.cwd();
    const session = env.CLAUDE_CODE_SESSION_ID || 'unknown';
    const where = { home: stateHome(env), project, env, since: thisMoment() };
    const work = { kind: 'contract', tool, session, where, known: this.#sources.known() } as const;
    const { text, asked } = await this.#threads.run(String(tool), work, LONGEST_WORK);
    this.#sources.asked(asked, where, session);
    return text;
  }

  /** The answer to a hook that an error of ours cut off: see `onError`. */
  failed(error: unknown, fields: Fields): object {
    trace('error', error instanceof Error ? error.stack : String(error));
    const text = (name: string): string | undefined =>
      typeof fields[name] === 'string' && fields[name] !== '' ? fields[name] : undefined;
    const event = text('hook_event_name') ?? 'PreToolUse';
    let env = this.#given;
    try {
      env = environment(this.#given, text('cwd'));
    } catch {
      // Otherwise use the environment that the process was given.
    }
    return answerJson(event, onError(event, error, text('tool_name'), env));
  }

  async close(): Promise<void> {
    if (this.#last !== undefined) sendInBackground(...this.#last, true);
    this.#threads.close();
    await this.#sources.close();
  }

  #answerTo(event: string, fields: Fields, around: CallPlace): HookAnswer | Promise<HookAnswer> {
    const record = toRecord(fields);
    const isUnread = (): boolean => this.#unread.has(fields);
    switch (event) {
      case 'PreToolUse':
        return this.#onCall(toToolInput(record), around, isUnread);
      case 'UserPromptSubmit':
        return this.#onPrompt(toHookInput(record), around, isUnread);
      case 'PostToolUse': {
        const input = toToolInput(record);
        this.#sources.succeeded(input.toolUseId);
        return this.#onAnswer(input, around, isUnread, tellsArguments(fields));
      }
      case 'PostToolUseFailure':
        return this.#onAnswer(toToolInput(record), around, isUnread, false);
      default:
        throw new BadInput('"hook_event_name" of the hook input has an unexpected form');
    }
  }

  async #onCall(input: ToolInput, around: CallPlace, isUnread: () => boolean): Promise<HookAnswer> {
    const { home } = around;
    const { session, toolUseId } = input;
    const { isSubscribed } = this.#sources;
    this.#taken.take(home, session, toolUseId);
    this.#sources.begun(toolUseId);
    this.#baseline.restore(home, session);
    this.#sent.recall(home, input);
    this.#sent.settle(home, isSubscribed);
    let marks: Marks | undefined;
    const answer = await checkCall(input, JSON.stringify(input.arguments), around, async (...call) => {
      const result = await this.#judge(...call);
      marks = result.judged?.marks;
      return result.answer;
    });
    const judged = { current: input, decision: answer.decision };
    const messages = await this.#sent.messages(input, around, isSubscribed, judged, isUnread);
    if (isUnread() && marks !== undefined) takeBack(marks);
    setImmediate(() => this.#baseline.keep(home, session));
    this.#taken.answered(home, session, toolUseId, this.#sent.noteOn(session, toolUseId));
    return mergeAnswers(answer, messages);
  }

  /** The rest of the guard, for a call that the fast path did not settle. */
  async #judge(
    input: ToolInput,
    { home, project, env, since, asked }: UnsettledPlace,
  ): Promise<Pick<Results['judge'], 'answer' | 'judged'>> {
    const where = { home, project, env, since };
    const work = { kind: 'judge', input, where, asked, known: this.#sources.known() } as const;
    const result = await this.#threads.run(input.server ?? input.toolName, work, LONGEST_WORK);
    this.#sources.asked(result.asked, where, input.session);
    if (result.judged !== undefined) this.#sources.knowledge.judged(input, result.judged);
    return result;
  }

  async #onPrompt(input: HookInput, around: CallPlace, isUnread: () => boolean): Promise<HookAnswer> {
    const { home } = around;
    const { session } = input;
    const { isSubscribed } = this.#sources;
    this.#taken.announce(home, session);
    this.#sent.recall(home, input);
    this.#sent.settle(home, isSubscribed);
    // The model thinks, and its next call will need these answers.
    this.#threads.begin();
    await this.#sources.prompted({ session });
    return this.#sent.messages({ session }, around, isSubscribed, {}, isUnread);
  }

  async #onAnswer(
    input: ToolInput,
    around: CallPlace,
    isUnread: () => boolean,
    tellsArguments: boolean,
  ): Promise<HookAnswer> {
    const { home } = around;
    const { session, agent, toolUseId } = input;
    this.#sent.recall(home, input);
    const wasNoted = this.#sent.noteOn(session, toolUseId) !== undefined;
    const { digests, reads } = this.#sent.answered(session, toolUseId) ?? { digests: new Map(), reads: false };
    // A person said yes: only now is the call known as sent.
    const note = wasNoted ? undefined : this.#sent.noteOn(session, toolUseId);
    if (note !== undefined) this.#taken.answered(home, session, toolUseId, note);
    this.#sources.answered({ session, agent }, digests.keys(), reads);
    // Later changes did not happen during this call.
    setTimeout(() => this.#sent.settle(home, this.#sources.isSubscribed), LATE_WORD).unref();
    const rewritten = tellsArguments ? await this.#sent.sentAs(input, around) : {};
    return isUnread() ? {} : mergeAnswers(rewritten, this.#sent.due(input, home, { current: input }));
  }
}
