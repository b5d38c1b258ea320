// SessionStart: records what every source runs now, and says what changed since the last session.
import { spawn } from 'node:child_process';
import { pruneSessions, writeBaseline } from '../scripts/baseline/baseline.ts';
import { noteFinisher, readBaseline } from '../scripts/baseline/sessions.ts';
import type { HookAnswer } from '../scripts/guard/answer.ts';
import { runHook, switchedOff } from '../scripts/guard/failure.ts';
import { readSessionInput, readStdin } from '../scripts/guard/input.ts';
import { countText } from '../scripts/reports/changes.ts';
import { offerToPin } from '../scripts/session/first-contact.ts';
import { type Drift, type Start, type Started, startSession, worst } from '../scripts/session/start.ts';
import { tidyState } from '../scripts/state/leftovers.ts';
import { stateHome } from '../scripts/state/paths.ts';
import { plural } from '../scripts/text/plural.ts';
import { quoteName } from '../scripts/text/quote.ts';
import { joined, type Shown, say } from '../scripts/text/shown.ts';
import { visible } from '../scripts/text/visible.ts';

/** How long the session's start waits for its sources, in ms; slower ones are asked by a process in the background. */
const BUDGET = 800;
const DEADLINE_AFTERWARDS = 20_000;

const driftLine = ({ name, since, changes, bumped, upgrade }: Drift): Shown => {
  if (bumped !== undefined) return say`konnichiwagwan: ${quoteName(name)}: ${bumped}`;
  if (changes.length === 0) return say`konnichiwagwan: ${quoteName(name)} ${upgrade ?? ''}.`;
  const names = new Set(changes.map((change) => change.tool));
  const tools = plural(names.size, [...names].some((each) => /^(prompt|resource) /.test(each)) ? 'contract' : 'tool');
  const first = worst(changes);
  return say`konnichiwagwan: ${tools} of ${quoteName(name)} changed since ${
    since === 'last session' ? 'the last session' : since
  } (${countText(changes)})${first ? say`; ${quoteName(first.tool)}: ${first.message}` : ''}.${upgrade === undefined ? '' : say` Besides, it ${upgrade}.`}`;
};

// A source without a baseline is not in the greeting: it is reported once, with the first call that is unchecked for it.
const greeting = (
  { drifts, problems, config }: Started,
  unwritten: string | undefined,
  offer: Shown | undefined,
): HookAnswer => {
  const lines = [
    ...drifts.map(driftLine),
    ...config.problems.map((problem) => say`konnichiwagwan: ${visible(problem, { max: 500 })}.`),
    // Problems in Claude Code's own configuration are left to it; a call that is unchecked because of them is reported.
    ...problems
      .filter(({ kind }) => kind === 'gateway')
      .map(
        ({ name, why }) =>
          say`konnichiwagwan: gateway ${quoteName(name)} cannot be asked: ${visible(why, { max: 500 })}.`,
      ),
    ...(unwritten === undefined
      ? []
      : [
          say`konnichiwagwan: the baseline could not be written (${visible(unwritten, { max: 100 })}); drift may go unseen. Run: konnichiwagwan doctor`,
        ]),
    ...(offer === undefined ? [] : [offer]),
  ];
  const known = drifts.filter(({ since }) => since !== 'last session');
  const tools = new Set(known.flatMap(({ changes }) => changes.map((change) => quoteName(change.tool))));
  return {
    ...(lines.length > 0 ? { systemMessage: joined(lines, '\n') } : {}),
    ...(known.length > 0
      ? {
          context: say`konnichiwagwan: since this conversation learned its tools, these changed on the server: ${joined(
            [...tools].slice(0, 20),
            ', ',
          )}. A call that no longer fits is stopped and explained.`,
        }
      : {}),
  };
};

/** Starts a background process that goes on asking slow sources. */
const finishLater = (start: Start): void => {
  const child = spawn(process.execPath, [__filename, '--finish', JSON.stringify({ ...start, env: undefined })], {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  });
  child.unref();
  if (child.pid !== undefined) noteFinisher(start.home, start.session, child.pid);
};

const write = (start: Start, started: Started): string | undefined => {
  try {
    writeBaseline(start.home, started.baseline, start.finishing);
    pruneSessions(start.home, Date.now());
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown error';
  }
};

const hook = async (): Promise<HookAnswer> => {
  const { env } = process;
  const input = readSessionInput(readStdin());
  const start: Start = {
    home: stateHome(env),
    project: env.CLAUDE_PROJECT_DIR || input.cwd,
    env,
    session: input.session,
    source: input.source,
    cwd: input.cwd,
    client: Number(env.CLAUDE_PID) || process.ppid,
  };
  const started = await startSession(start, BUDGET, DEADLINE_AFTERWARDS);
  const { sources, programs } = started.baseline;
  const worthKeeping = Object.keys(sources).length + started.pending.length > 0 || programs !== undefined;
  const unwritten = worthKeeping ? write(start, started) : undefined;
  tidyState(start.home);
  if (started.pending.length > 0) finishLater(start);
  return greeting(started, unwritten, offerToPin(start, started));
};

const finish = async (argument: string): Promise<void> => {
  const start = { ...(JSON.parse(argument) as Start), env: process.env, finishing: true };
  const started = await startSession(start, DEADLINE_AFTERWARDS, DEADLINE_AFTERWARDS);
  // What another process recorded meanwhile is from an earlier moment, and is kept.
  const sources = { ...started.baseline.sources, ...readBaseline(start.home, start.session)?.sources };
  write(start, { ...started, baseline: { ...started.baseline, sources } });
};

if (process.argv[2] === '--finish') {
  if (!switchedOff(process.env)) {
    finish(process.argv[3] ?? '').then(
      () => process.exit(0),
      () => process.exit(1),
    );
  }
} else {
  // A source that is still being asked must not keep the process running.
  runHook('SessionStart', hook).then(() => process.exit());
}
