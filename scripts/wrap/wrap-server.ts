// Sits between a host and a server: an MCP server for the host, a host for the server.

import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { toJson } from '../contract/to-json.ts';
import { writeError } from '../guard/answer.ts';
import { NO_PROXY, PROXY } from '../servers/proxy-variables.ts';
import { Redactor, secretsIn, secretsOf, secretsOfRemote } from '../servers/secrets.ts';
import { staySmall } from '../state/engine.ts';
import { configPath, stateHome } from '../state/paths.ts';
import { quotePath, quoteText } from '../text/quote.ts';
import { behindInvokers } from './behind.ts';
import type { GuardLink } from './beside-guard.ts';
import { logCall } from './call-log.ts';
import { HotSwap } from './hot-swap.ts';
import type { JudgeSettings } from './judge-served.ts';
import type { WasListed } from './own-requests.ts';
import { startProgram } from './program.ts';
import { ListRecord } from './record.ts';
import { relay } from './relay.ts';
import type { ServerSide } from './server-side.ts';
import { readSettings, type WrapSettings, WrongUse } from './settings.ts';
import type { HeldCall, HostTools, Verdict } from './types.ts';

/** Variables that say whether we work, and where our settings are. */
const OURS = ['KONNICHIWAGWAN', 'KONNICHIWAGWAN_HOME', 'CLAUDE_CONFIG_DIR'];

const SIGNALS: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const WRONG_USE = 2;
/** How long the host may take to read what the server said last, in ms. */
const LAST_WORDS = 1_000;

/** What `wrap` needs of the process that it runs in. */
export interface WrapProcess {
  env: NodeJS.ProcessEnv;
  cwd(): string;
  stdin: Readable;
  stdout: Writable;
  exitCode?: NodeJS.Process['exitCode'];
  on(signal: NodeJS.Signals, heard: () => void): unknown;
  removeAllListeners(signal: NodeJS.Signals): unknown;
  pid: number;
  kill(pid: number, signal: NodeJS.Signals): boolean;
}

const settingsFrom = (words: string[], own: WrapProcess): WrapSettings | undefined => {
  try {
    return readSettings(words, own.env);
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error;
    writeError(`konnichiwagwan: ${error.message}\n  konnichiwagwan wrap --help`);
    own.exitCode = WRONG_USE;
    return undefined;
  }
};

const reach = async ({ target }: WrapSettings, env: NodeJS.ProcessEnv): Promise<ServerSide> =>
  'url' in target ? (await import('./remote/remote.ts')).reachRemote(target, env) : startProgram(target);

/** The tools behind an invoker, where that is wanted. */
const offerFor = async ({ name = '', invoker }: WrapSettings): Promise<HostTools | undefined> => {
  if (invoker === undefined) return undefined;
  const { typedTools } = await import('./typed/typed-tools.ts');
  return typedTools({ ...invoker, before: `mcp__${name}__`.length });
};

/** Secrets that we are started with, which are never kept. */
const secretsFor = ({ target }: WrapSettings, env: NodeJS.ProcessEnv): Redactor =>
  new Redactor([
    ...secretsIn(env),
    ...('url' in target
      ? secretsOfRemote(target.url.href, target.headers)
      : secretsOf({ type: 'stdio', ...target, env: {} })),
  ]);

/**
 * The environment that the user gave us. Any file that a host loads may say KONNICHIWAGWAN=off, so that switches nothing off
 * here: settings and `--off` do.
 */
const environmentFor = async (
  project: string,
  { env: given }: WrapProcess,
  isRemote: boolean,
): Promise<NodeJS.ProcessEnv> => {
  // A file of the folder must not choose the way to a server, either.
  const names = isRemote ? [...OURS, ...PROXY, ...NO_PROXY] : OURS;
  if (names.every((name) => given[name] === undefined)) return given;
  const { usersEnvironment } = await import('./users-environment.ts');
  const env = usersEnvironment(given, project, names, (name, file) =>
    writeError(`konnichiwagwan: ${name} is ignored: ${quotePath(file)} sets it, and that file is not yours`),
  );
  if (given.KONNICHIWAGWAN === 'off')
    writeError(
      'konnichiwagwan: KONNICHIWAGWAN=off does not switch wrap off, since a file of the folder may have set it; calls are checked\n' +
        `  to switch it off: "mode": "off" in ${quotePath(configPath(stateHome(env)))}, or --off in the entry`,
    );
  return env;
};

/**
 * Runs until one of the two sides ends. Sets the process's exit code.
 * @param words what follows `konnichiwagwan wrap`
 */
export const wrap = async (words: string[], own: WrapProcess): Promise<void> => {
  const settings = settingsFrom(words, own);
  if (settings === undefined) return;
  const project = own.env.CLAUDE_PROJECT_DIR || own.cwd();
  const isRemote = 'url' in settings.target;
  const forRemote = isRemote ? await environmentFor(project, own, isRemote) : {};
  const server = await reach(settings, forRemote);
  for (const signal of SIGNALS) own.on(signal, () => server.signal(signal));
  const { name, trusted, lock, isOff } = settings;
  // A program is started before that: its host waits for it.
  const env = isRemote ? forRemote : await environmentFor(project, own, isRemote);
  if (isOff) writeError('konnichiwagwan: --off: calls of this server are not checked');
  const secrets = secretsFor(settings, own.env);
  const memory = { told: new Set<string>(), said: new Set<string>() };
  const isTyped = settings.invoker !== undefined;
  const judging: JudgeSettings = { name, trusted, env, project, memory, isTyped, secrets };
  const inner = await offerFor(settings);
  const hotSwap = settings.hotSwap ? new HotSwap(name, inner) : undefined;
  const offer = hotSwap ?? inner;
  const ownName = (called: string): string => hotSwap?.ownName(called) ?? called;
  const judge = async (call: HeldCall): Promise<Verdict> => {
    if (isOff) return { pass: true };
    const { judgeFailed, judgeServed, withNewName } = await import('./judging.ts');
    try {
      const verdict = judgeServed(call, judging);
      return hotSwap === undefined ? verdict : withNewName(verdict, hotSwap.nameFor(call, verdict));
    } catch (error) {
      return judgeFailed(call, judging, false, error);
    }
  };
  const approve = async (call: HeldCall, lockfile: string): Promise<Verdict> => {
    const { approveServed, judgeFailed } = await import('./judging.ts');
    try {
      // People approve tools, not the new names that we give them.
      return approveServed({ ...call, name: ownName(call.name) }, lockfile, judging);
    } catch (error) {
      return judgeFailed(call, judging, true, error);
    }
  };
  const fits = async (call: HeldCall): Promise<Verdict> => (await import('./judging.ts')).fitTyped(call, judging);
  /** The last list that the host was given, and the last one that was compared with it. */
  let given: readonly unknown[] | undefined;
  let compared: unknown;
  /** Whether a list is new to us and differs from what the host was given. With a guard, the guard compares. */
  const isReleased = (listed: WasListed): boolean => {
    if (isOff || guard !== undefined || listed === compared) return false;
    compared = listed;
    return toJson(given) !== toJson(listed.tools);
  };
  const log = (call: HeldCall, verdict: 'silence' | 'notice'): void =>
    logCall(env, name, { name: secrets.text(call.name) }, { verdict });
  /** Tells the person of a release, once, with the first call after it. */
  const tellOfRelease = async (
    call: HeldCall,
    before: readonly unknown[],
    after: readonly unknown[],
  ): Promise<void> => {
    const { releaseLine } = await import('./judging.ts');
    const line = releaseLine(name, before, after);
    if (line !== undefined) writeError(line);
    log(call, line === undefined ? 'silence' : 'notice');
  };
  const passed = (call: HeldCall): void => {
    const { listed } = call;
    if (listed.failed === undefined && given !== undefined && isReleased(listed))
      // The call was sent, and its tool is unchanged: a failure here is reported and ends nothing.
      tellOfRelease(call, given, listed.tools).catch((error) => {
        const why = quoteText(String(error).slice(0, 300));
        writeError(`konnichiwagwan: the server's list changed, and could not be compared (${why})`);
        log(call, 'notice');
      });
    else log(call, 'silence');
  };
  let guard: GuardLink | undefined;
  const host = { output: own.stdin, input: own.stdout };
  const record = settings.record === undefined ? undefined : new ListRecord(resolve(project, settings.record), name);
  const upstream = relay({
    host,
    server,
    judge,
    passed,
    guard: () => guard,
    ...(isOff ? {} : { behind: behindInvokers(judging, ownName), fits }),
    ...(lock === undefined || isOff ? {} : { approve: (call) => approve(call, lock) }),
    given: (tools) => {
      given = tools;
      compared = undefined;
      record?.add(secrets.value(tools));
    },
    ...(offer ? { offer } : {}),
  });
  own.stdin.once('end', () => server.hostDone(upstream.isAtWork));
  // Set by Claude Code for what it starts: no other host has our guard.
  if (env.CLAUDE_CODE_SESSION_ID !== undefined && !isOff)
    setImmediate(async () => {
      const { besideGuard } = await import('./beside-guard.ts');
      guard = besideGuard(words, upstream, judge, {
        project,
        env,
        given: own.env,
        standsFor: () => hotSwap?.standsFor(),
        unapproved: async (call, mode) => {
          const { stopUnapproved } = await import('./judging.ts');
          return stopUnapproved({ ...call, name: ownName(call.name) }, mode, judging);
        },
      });
    });
  own.stdin.on('error', () => server.end());
  // The host no longer reads: the server gets the signal that it would get without us.
  own.stdout.on('error', () => server.output.destroy());
  const { code, signal } = await server.ended;
  guard?.close();
  for (const one of SIGNALS) own.removeAllListeners(one);
  own.exitCode = code ?? 1;
  own.stdin.destroy();
  if (signal === null) return;
  // Its last output goes out first, unless the host no longer reads.
  const end = (): boolean => own.kill(own.pid, signal);
  own.stdout.write('', end);
  setTimeout(end, LAST_WORDS);
};

/** The same for this process, which a host starts for each of its servers. */
export const start = (words: string[]): Promise<void> => {
  staySmall();
  return wrap(words, process);
};
