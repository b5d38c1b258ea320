// Stands between a host and a server: an MCP server to the one, a host to the other.
import { stateHome } from '../state/paths.ts';
import type { GuardLink } from './beside-guard.ts';
import { logCall } from './call-log.ts';
import { HotSwap } from './hot-swap.ts';
import type { JudgeSettings } from './judge-served.ts';
import { startProgram } from './program.ts';
import { Record } from './record.ts';
import { type HeldCall, type Offer, relay, type Verdict } from './relay.ts';
import type { ServerSide } from './server-side.ts';
import { readSettings, type WrapSettings, WrongUse } from './settings.ts';

const SIGNALS: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const WRONG_USE = 2;

const settingsFrom = (words: string[]): WrapSettings | undefined => {
  try {
    return readSettings(words, process.env);
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error;
    process.stderr.write(`konnichiwagwan: ${error.message}\n  konnichiwagwan wrap --help\n`);
    process.exitCode = WRONG_USE;
    return undefined;
  }
};

const reach = async ({ target }: WrapSettings): Promise<ServerSide> =>
  'url' in target ? (await import('./remote.ts')).reachRemote(target) : startProgram(target);

/** The tools behind an invoker, where that is wanted. */
const offerFor = async ({ name = '', invoker }: WrapSettings): Promise<Offer | undefined> => {
  if (invoker === undefined) return undefined;
  const { typedTools } = await import('./typed/typed-tools.ts');
  return typedTools({ ...invoker, before: `mcp__${name}__`.length });
};

/** Runs until one of the two sides ends. @param words what follows `konnichiwagwan wrap` */
export const wrap = async (words: string[]): Promise<void> => {
  const settings = settingsFrom(words);
  if (settings === undefined) return;
  const server = await reach(settings);
  for (const signal of SIGNALS) process.on(signal, () => server.signal(signal));
  const { env } = process;
  const { name, trusted, lock } = settings;
  const project = env.CLAUDE_PROJECT_DIR || process.cwd();
  const judging: JudgeSettings = { name, trusted, env, project, memory: { told: new Set(), said: new Set() } };
  const inner = await offerFor(settings);
  const hotSwap = settings.hotSwap ? new HotSwap(name, inner) : undefined;
  const offer = hotSwap ?? inner;
  const judge = async (call: HeldCall): Promise<Verdict> => {
    if (env.KONNICHIWAGWAN === 'off' && (await import('./beside-guard.ts')).isSwitchedOff(project))
      return { pass: true };
    const { judgeFailed, judgeServed, withNewName } = await import('./judge-served.ts');
    try {
      const verdict = judgeServed(call, judging);
      return hotSwap === undefined ? verdict : withNewName(verdict, hotSwap.nameFor(call, verdict));
    } catch (error) {
      return judgeFailed(call, judging, error);
    }
  };
  const approve = async (call: HeldCall, lockfile: string): Promise<Verdict> => {
    const { approveServed, judgeFailed } = await import('./judge-served.ts');
    try {
      return approveServed(call, lockfile, judging);
    } catch (error) {
      return judgeFailed(call, judging, error);
    }
  };
  const passed = (call: HeldCall): void => logCall(stateHome(env), name, call.name, { verdict: 'silence' });
  const host = { output: process.stdin, input: process.stdout };
  const record = settings.record === undefined ? undefined : new Record(settings.record, name);
  let guard: GuardLink | undefined;
  const upstream = relay({
    host,
    server,
    judge,
    passed,
    guard: () => guard,
    ...(lock === undefined ? {} : { approve: (call) => approve(call, lock) }),
    ...(record ? { given: (tools) => record.add(tools) } : {}),
    ...(offer ? { offer } : {}),
  });
  process.stdin.once('end', () => server.hostDone(upstream.isAtWork));
  // Set by Claude Code for what it starts: no other host has our guard.
  if (env.CLAUDE_CODE_SESSION_ID !== undefined)
    setImmediate(async () => {
      const { besideGuard } = await import('./beside-guard.ts');
      guard = besideGuard(words, upstream, judge);
    });
  process.stdin.on('error', () => server.end());
  // Nobody reads what it says: it is told as it would be without us.
  process.stdout.on('error', () => server.output.destroy());
  const { code, signal } = await server.ended;
  guard?.close();
  for (const one of SIGNALS) process.removeAllListeners(one);
  process.exitCode = code ?? 1;
  process.stdin.destroy();
  // What it said last goes out first.
  if (signal !== null) process.stdout.write('', () => process.kill(process.pid, signal));
};
