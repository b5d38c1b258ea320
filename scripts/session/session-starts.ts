import { pruneSessions } from '../baseline/baseline.ts';
import { aboutHashes, aboutRelease, hashLine, outcome } from '../baseline/drift-line.ts';
import { type LoadedConfig, policyFor } from '../config/config.ts';
import { MODES } from '../config/settings.ts';
import { present } from '../contract/defined.ts';
import type { HookAnswer } from '../guard/answer.ts';
import { readSessionInput } from '../guard/input.ts';
import type { Mode } from '../judge/judge.ts';
import { countText } from '../reports/changes.ts';
import { refreshLater } from '../shared/refresh-later.ts';
import { sharedProblems } from '../shared/told.ts';
import { forgetTraces } from '../state/call-trace.ts';
import { tidyState } from '../state/leftovers.ts';
import { firstTime, unmarkAll } from '../state/markers.ts';
import { asTyped } from '../state/own-command.ts';
import { stateHome } from '../state/paths.ts';
import { sendInBackground } from '../telemetry/start.ts';
import { plural } from '../text/plural.ts';
import { quoteName, quotePath } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { offerOf } from './first-contact.ts';
import { keepBaseline } from './keep-baseline.ts';
import { tellLeftOut } from './left-out.ts';
import { type SourceDrift, type Start, type Started, startSession, worst } from './start.ts';

/** How long the session's start waits for its sources, in ms; slower ones are asked by a process in the background. */
const BUDGET = 800;
const DEADLINE_AFTERWARDS = 20_000;

const driftLines = ({ bumped, ...drift }: SourceDrift): Shown[] => {
  const { name, since, changes, upgrade } = drift;
  const when = since === 'last session' ? ', since the last session' : '';
  return present([
    bumped !== undefined && say`konnichiwagwan: ${quoteName(name)}${when}: ${bumped}`,
    (bumped === undefined || changes.length > 0 || upgrade !== undefined) && changesLine(drift),
  ]);
};

const changesLine = ({ name, since, changes, upgrade }: Omit<SourceDrift, 'bumped'>): Shown => {
  if (changes.length === 0) return say`konnichiwagwan: ${quoteName(name)} ${upgrade ?? ''}.`;
  const names = new Set(changes.map((change) => change.tool));
  const tools = plural(names.size, [...names].some((each) => /^(prompt|resource) /.test(each)) ? 'contract' : 'tool');
  const first = worst(changes);
  return say`konnichiwagwan: ${tools} of ${quoteName(name)} changed since ${
    since === 'last session' ? 'the last session' : since
  } (${countText(changes)})${first ? say`; ${quoteName(first.tool)}: ${first.message}` : ''}.${upgrade === undefined ? '' : say` Besides, it ${upgrade}.`}`;
};

/** What the model is told of servers that changed, by the mode in which their calls are judged. */
const contextFor = (drifts: readonly SourceDrift[], mode: Mode, config: LoadedConfig): Shown[] => {
  const some = drifts.filter(({ name }) => policyFor(config, name).mode === mode);
  const tools = new Set(some.flatMap(({ changes }) => changes.map((change) => quoteName(change.tool))));
  if (some.length === 0) return [];
  const then = outcome(mode, say`A call that no longer fits`, say`stopped and explained`);
  return [
    say`konnichiwagwan: since this conversation learned its tools, these changed on the server: ${joined([...tools].slice(0, 20), ', ')}. ${then}`,
  ];
};

/**
 * What the person and the model are told when a session starts. A source without a baseline is not in it: that is reported
 * once, with the first call that is unchecked for it.
 * @param unwritten the state folder and the code of the error if the baseline could not be written
 * @param shared problems with the approvals that a company shares
 * @param leftOut the message if the client does not start our guard
 */
const greeting = (
  { drifts, problems, config, mismatched }: Started,
  unwritten: { home: string; code: string } | undefined,
  shared: readonly Shown[],
  offer: Shown | undefined,
  leftOut: Shown | undefined,
): HookAnswer => {
  const lines = present([
    leftOut,
    ...drifts.flatMap(driftLines),
    ...mismatched.map(({ name, live }) => hashLine(name, live.mismatched)),
    ...config.problems.map((problem) => say`konnichiwagwan: ${visible(problem, { max: 500 })}.`),
    // Problems in Claude Code's own configuration are left to it; a call that is unchecked because of them is reported.
    ...problems
      .filter(({ kind }) => kind === 'gateway')
      .map(
        ({ name, why }) =>
          say`konnichiwagwan: gateway ${quoteName(name)} cannot be asked: ${visible(why, { max: 500 })}.`,
      ),
    unwritten !== undefined &&
      say`konnichiwagwan: the baseline could not be written to ${quotePath(unwritten.home)} (${visible(unwritten.code, { max: 100 })}); drift may go unseen. Run: konnichiwagwan doctor`,
    ...shared,
    offer,
  ]);
  const known = drifts.filter(({ since }) => since !== 'last session');
  const context = present([leftOut, ...MODES.flatMap((mode) => contextFor(known, mode, config))]);
  return {
    ...(lines.length > 0 ? { systemMessage: joined(lines, '\n') } : {}),
    ...(context.length > 0 ? { context: joined(context, '\n') } : {}),
  };
};

/** Notes what the person reads in the greeting: the first call need not tell of it again. */
const noteGreeted = ({ home, session }: Start, { drifts, mismatched }: Started): void => {
  for (const { release } of drifts)
    if (release) firstTime(home, 'release', { session, source: release.source, about: aboutRelease(release.digest) });
  for (const { key, live } of mismatched)
    firstTime(home, 'release', { session, source: key, about: aboutHashes(live) });
};

/**
 * What the hook at a session's start answers: it records what every source runs now, and says what changed.
 * @param finishLater makes `finish` ask the slow sources after the answer
 */
export const sessionStarts = async (
  raw: string,
  env: NodeJS.ProcessEnv,
  finishLater: (start: Start) => void,
): Promise<HookAnswer> => {
  const input = readSessionInput(raw);
  const start: Start = {
    home: stateHome(env),
    project: env.CLAUDE_PROJECT_DIR || input.cwd,
    env,
    session: input.session,
    source: input.source,
    cwd: input.cwd,
    client: Number(env.CLAUDE_PID) || process.ppid,
  };
  // A summary takes the place of what the model was told, and the client shows it the old words again.
  if (input.source === 'compact')
    for (const kind of ['told', 'warned'] as const) unmarkAll(start.home, kind, start.session);
  const started = await startSession(start, BUDGET, DEADLINE_AFTERWARDS);
  const { sources, programs } = started.baseline;
  const worthKeeping = Object.keys(sources).length + started.pending.length > 0 || programs !== undefined;
  const code = worthKeeping ? await keepBaseline(start, started.baseline) : undefined;
  const unwritten = code === undefined ? undefined : { home: start.home, code };
  pruneSessions(start.home, Date.now());
  tidyState(start.home);
  sendInBackground(start.home, start.project, env);
  if (!started.config.user.trace) forgetTraces(start.home);
  if (started.pending.length > 0) finishLater(start);
  const shared = sharedProblems(start.home, started.config, env);
  refreshLater(start.home, started.config.user.shared, env);
  noteGreeted(start, started);
  const { systemMessage, ...rest } = greeting(started, unwritten, shared, offerOf(start, started), tellLeftOut(start));
  return systemMessage === undefined ? rest : { ...rest, systemMessage: asTyped(systemMessage, env) };
};

/** Completes the baseline of a session that was started, with what the slow sources answer. @throws if that fails */
export const finish = async (start: Start): Promise<void> => {
  const started = await startSession({ ...start, finishing: true }, DEADLINE_AFTERWARDS, DEADLINE_AFTERWARDS);
  await keepBaseline({ ...start, finishing: true }, started.baseline);
};
