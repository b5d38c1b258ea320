import type Os from 'node:os';
import { isAbsolute, join, sep } from 'node:path';

/**
 * Whether a path from a folder, as `relative` returns it, leads to that folder or below it. On Windows the path to another
 * drive is absolute.
 */
export const staysBelow = (way: string): boolean => way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);

/** The PATH; a copy of Windows' environment may spell it differently. */
export const pathIn = ({ PATH, Path }: NodeJS.ProcessEnv): string => PATH ?? Path ?? '';

/**
 * The user's home folder, as the client finds it: on Windows a HOME, which Git or a company may set, leads to another one.
 * If a variable names it, as is usual, no module is loaded to find it. With an empty HOME `os.homedir` gives nothing:
 * the user's settings would then be sought in the project's folder, which anybody may have written.
 */
export const homeOf = ({ HOME, USERPROFILE }: NodeJS.ProcessEnv, platform = process.platform): string =>
  (platform === 'win32' && USERPROFILE) || HOME || (require('node:os') as typeof Os).userInfo().homedir;

/** The state folder, which most functions here get as `home`: `KONNICHIWAGWAN_HOME`, or a folder in Claude Code's own. */
export const stateHome = (env: NodeJS.ProcessEnv): string =>
  env.KONNICHIWAGWAN_HOME || join(claudeHome(env), 'konnichiwagwan');

/** Claude Code's own folder: `CLAUDE_CONFIG_DIR`, or `~/.claude`. */
export const claudeHome = (env: NodeJS.ProcessEnv): string => env.CLAUDE_CONFIG_DIR || join(homeOf(env), '.claude');

/** The names of the folders in the state folder. */
export const STATE_FOLDERS = [
  'sessions',
  'live',
  'told',
  'contracts',
  'activity',
  'telemetry',
  'wrap',
  'locks',
  'shared',
] as const;
/** The names of its files. */
export const STATE_FILES = [
  'config.json',
  'session_schema.json',
  'trace.jsonl',
  'trace.before.jsonl',
  'agreed.json',
  'wrapped.json',
] as const;
/** A path in the state folder. Only these names can be built, so that `uninstall --purge` misses none. */
export const inState: (
  home: string,
  name: (typeof STATE_FOLDERS | typeof STATE_FILES)[number],
  ...below: string[]
) => string = join;

/** The user's own settings for us. */
export const configPath = (home: string): string => inState(home, 'config.json');
/** The project's settings for us, which can only make things stricter. */
export const projectConfigPath = (project: string): string => join(project, '.claude', 'konnichiwagwan.json');
/** The project's lockfile. */
export const lockPath = (project: string): string => join(project, 'mcp-contracts.lock.json');
/** The baseline of the session that started last, in the form of a gateway's answer. */
export const newestPath = (home: string): string => inState(home, 'session_schema.json');
/** The folder of all sessions. */
export const sessionsPath = (home: string): string => inState(home, 'sessions');
/** The baseline of one session, by its id. */
export const sessionPath = (home: string, session: string): string => inState(home, 'sessions', `${session}.json`);
/** The folder of one session's memos and markers. */
export const sessionFolder = (home: string, session: string): string => inState(home, 'sessions', session);
/** Names the calls that the session's resident guard has taken. */
export const takenPath = (home: string, session: string): string => join(sessionFolder(home, session), 'taken.jsonl');
/** Names the process that completes the session's baseline. */
export const finishingPath = (home: string, session: string): string =>
  join(sessionFolder(home, session), 'finishing.json');
/** What the status line concluded from the session's baseline and the last answers. */
export const standingPath = (home: string, session: string): string =>
  join(sessionFolder(home, session), 'standing.json');
/** What a conversation learned about a source's lists other than tools. */
export const learnedPath = (
  home: string,
  session: string,
  agent: string | undefined,
  source: string,
  kind: string,
): string => join(sessionFolder(home, session), `${agent ?? 'main'}.${source}.${kind}.json`);
/** The last answer of a source, by its key. */
export const livePath = (home: string, source: string): string => inState(home, 'live', `${source}.json`);
/** The part of a source's last answer that the fast path needs: when it was checked, and its digest. */
export const headPath = (home: string, source: string): string => inState(home, 'live', `${source}.head.json`);
/** What a source last listed of one kind other than tools. */
export const offeredPath = (home: string, source: string, kind: string): string =>
  inState(home, 'live', `${source}.${kind}.json`);
/** The MCP session that a client's hooks share with a source. It holds the session's id, which is a secret. */
export const sessionPathOf = (home: string, source: string, client: number): string =>
  inState(home, 'live', `${source}.${client}.session.json`);
/** Exists while a process asks the source, so that others wait for its answer. */
export const askingPath = (home: string, source: string): string => inState(home, 'live', `${source}.asking`);
/** Exists once something was told that is told only once on this machine. */
export const toldPath = (home: string, key: string): string => inState(home, 'told', key);
/** The folder of contracts that `logs --diff` compares. */
export const contractsPath = (home: string): string => inState(home, 'contracts');
/** One of them, by its hash. */
export const contractPath = (home: string, hash: string): string => join(contractsPath(home), `${hash}.json`);
/** The activity log of one day, `YYYY-MM-DD`. */
export const activityPath = (home: string, day: string): string => inState(home, 'activity', `${day}.jsonl`);
/** What the sending of events remembers: its files, by their names. */
export const telemetryPath = (home: string, file: string): string => inState(home, 'telemetry', file);
/** The last calls with contracts and arguments, if the user's settings ask for them; and those before them. */
export const tracePaths = (home: string): { now: string; before: string } => ({
  now: inState(home, 'trace.jsonl'),
  before: inState(home, 'trace.before.jsonl'),
});
/** What running wraps say about themselves, and what the guard tells them: a folder for each, by its process. */
export const wrapsPath = (home: string): string => inState(home, 'wrap');
/** The folder of one of them. */
export const wrapFolder = (home: string, pid: number): string => inState(home, 'wrap', String(pid));
