// Sits between a host and a server: an MCP server for the host, a host for the server.
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { writeError } from '../guard/answer.ts';
import { NO_PROXY, PROXY } from '../servers/proxy-variables.ts';
import { Redactor, secretsIn, secretsOf, secretsOfRemote } from '../servers/secrets.ts';
import { staySmall } from '../state/engine.ts';
import { configPath, stateHome } from '../state/paths.ts';
import { quotePath } from '../text/quote.ts';
import { behindInvokers } from './behind.ts';
import type { GuardLink } from './beside-guard.ts';
import { HotSwap } from './hot-swap.ts';
import type { JudgeSettings } from './judge-served.ts';
import { judgesOf } from './judges.ts';
import { startProgram } from './program.ts';
import { ListRecord } from './record.ts';
import { relay } from './relay.ts';
import { ReleaseWatch } from './release-watch.ts';
import type { ServerSide } from './server-side.ts';
import { readSettings, type WrapSettings, WrongUse } from './settings.ts';
import type { HostTools } from './types.ts';

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

/** Ends this process as the server has ended. */
const endLike = ({ code, signal }: Awaited<ServerSide['ended']>, own: WrapProcess): void => {
  for (const one of SIGNALS) own.removeAllListeners(one);
  own.exitCode = code ?? 1;
  own.stdin.destroy();
  if (signal === null) return;
  // Its last output goes out first, unless the host no longer reads.
  const end = (): boolean => own.kill(own.pid, signal);
  own.stdout.write('', end);
  setTimeout(end, LAST_WORDS);
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
  // A program is started before that: its host waits for it.
  const env = isRemote ? forRemote : await environmentFor(project, own, isRemote);
  const { name, trusted, lock, isOff } = settings;
  if (isOff) writeError('konnichiwagwan: --off: calls of this server are not checked');

  const secrets = secretsFor(settings, own.env);
  const memory = { told: new Map(), said: new Set<string>() };
  const isTyped = settings.invoker !== undefined;
  const judging: JudgeSettings = { name, trusted, env, project, memory, isTyped, secrets };
  const inner = await offerFor(settings);
  const hotSwap = settings.hotSwap ? new HotSwap(name, inner) : undefined;
  const offer = hotSwap ?? inner;
  const { approve, fits, judge, unapproved } = judgesOf(judging, hotSwap);
  const releases = new ReleaseWatch(judging, (tool) => secrets.text(tool));
  const record = settings.record === undefined ? undefined : new ListRecord(resolve(project, settings.record), name);

  let guard: GuardLink | undefined;
  const upstream = relay({
    host: { output: own.stdin, input: own.stdout },
    server,
    judge: isOff ? async () => ({ pass: true }) : judge,
    passed: (call) => releases.passed(call, !isOff && guard === undefined),
    guard: () => guard,
    ...(isOff ? {} : { behind: behindInvokers(judging, (called) => hotSwap?.ownName(called) ?? called), fits }),
    ...(lock === undefined || isOff ? {} : { approve: (call) => approve(call, lock) }),
    given: (tools) => {
      releases.given(tools);
      record?.add(secrets.value(tools));
    },
    ...(offer ? { offer } : {}),
  });
  own.stdin.once('end', () => server.hostDone(upstream.isAtWork));
  // Set by Claude Code for what it starts: no other host has our guard.
  if (env.CLAUDE_CODE_SESSION_ID !== undefined && !isOff)
    setImmediate(async () => {
      const { besideGuard } = await import('./beside-guard.ts');
      const place = { project, env, given: own.env, standsFor: () => hotSwap?.standsFor(), unapproved };
      guard = besideGuard(words, upstream, judge, place);
    });
  own.stdin.on('error', () => server.end());
  // The host no longer reads: the server gets the signal that it would get without us.
  own.stdout.on('error', () => server.output.destroy());
  const ended = await server.ended;
  guard?.close();
  endLike(ended, own);
};

/** The same for this process, which a host starts for each of its servers. */
export const start = (words: string[]): Promise<void> => {
  staySmall();
  return wrap(words, process);
};
