import type Os from 'node:os';
import { join } from 'node:path';

/** The user's own folder. Where HOME names it, as it mostly does, no module is loaded for it. */
export const homeOf = (env: NodeJS.ProcessEnv): string => env.HOME || (require('node:os') as typeof Os).homedir();

/** Where state lives: `KONNICHIWAGWAN_HOME`, or a folder in Claude Code's own. */
export const stateHome = (env: NodeJS.ProcessEnv): string =>
  env.KONNICHIWAGWAN_HOME || join(claudeHome(env), 'konnichiwagwan');

export const claudeHome = (env: NodeJS.ProcessEnv): string => env.CLAUDE_CONFIG_DIR || join(homeOf(env), '.claude');

export const configPath = (home: string): string => join(home, 'config.json');
export const projectConfigPath = (project: string): string => join(project, '.claude', 'konnichiwagwan.json');
/** The contracts that people approved, in the project. */
export const lockPath = (project: string): string => join(project, 'mcp-contracts.lock.json');
export const newestPath = (home: string): string => join(home, 'session_schema.json');
export const sessionsPath = (home: string): string => join(home, 'sessions');
export const sessionPath = (home: string, session: string): string => join(home, 'sessions', `${session}.json`);
/** Small files of one session: what the guard remembers about each tool, and what was said or asked already. */
export const sessionFolder = (home: string, session: string): string => join(home, 'sessions', session);
/** Which process completes the session's baseline. */
export const finishingPath = (home: string, session: string): string =>
  join(sessionFolder(home, session), 'finishing.json');
/** What a conversation learned of what a source lists besides tools. */
export const learnedPath = (
  home: string,
  session: string,
  agent: string | undefined,
  source: string,
  kind: string,
): string => join(sessionFolder(home, session), `${agent ?? 'main'}.${source}.${kind}.json`);
export const livePath = (home: string, source: string): string => join(home, 'live', `${source}.json`);
/** The few bytes of a live answer that the fast path needs: when it was checked, and its digest. */
export const headPath = (home: string, source: string): string => join(home, 'live', `${source}.head.json`);
/** What a source listed last besides its tools, of one kind. */
export const offeredPath = (home: string, source: string, kind: string): string =>
  join(home, 'live', `${source}.${kind}.json`);
/** There while a process asks the source, so that others wait for its answer. */
export const askingPath = (home: string, source: string): string => join(home, 'live', `${source}.asking`);
export const activityPath = (home: string, day: string): string => join(home, 'activity', `${day}.jsonl`);
