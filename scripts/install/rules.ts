import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { Io } from '../command/command.ts';
import { LOCKFILE } from '../lock/types.ts';
import { homeOf } from '../state/paths.ts';
import { stateFolder } from './layout.ts';

// What the agent is denied, so that only a person approves contracts. Each spelling was measured with Claude Code
// 2.1.330 and 2.1.197 in the modes default, acceptEdits and bypassPermissions:
// - `Edit` covers Edit, Write, NotebookEdit and what Claude Code sees a shell command write (`>`, sed, cp, mv, rm).
//   Rules that name Write, NotebookEdit or MultiEdit are accepted and never looked at.
// - `//**/` is any folder. `**/` is only those below the working folder in 2.1.197, `/` those beside the settings.
// - A `*` in front of a command finds it behind npx, bash -c, script, setsid, env and a path as well; one within it finds
//   options, and `kwg.cjs`. Quotes are taken off first, and brackets looked into; in 2.1.197 neither.
const LOCK_RULE = `Edit(//**/${LOCKFILE})`;

/**
 * Whatever starts our program, with options before the command or without, and the words behind `-c`. With a space or a
 * slash before `cli.cjs`, so that no other program's file is meant.
 */
const APPROVE_RULES = [
  'Bash(*konnichiwagwan* approve*)',
  'Bash(*kwg* approve*)',
  'Bash(* cli.cjs* approve*)',
  'Bash(*/cli.cjs* approve*)',
];

/** The folder that holds the state where nothing moves it; fits a file that is committed. */
const USUAL_STATE = 'Edit(~/.claude/konnichiwagwan/**)';

const inside = (way: string): boolean => way !== '' && !/^\.\.(?:[/\\]|$)/.test(way) && !isAbsolute(way);

/** A folder as a rule names it: from the home folder, or from the root with one slash more. */
const folderRule = (folder: string, home: string): string => {
  const way = relative(home, folder);
  // C:\x is /c/x in rules.
  const absolute = folder.replace(/^([A-Za-z]):/, (_, drive: string) => `\\${drive.toLowerCase()}`);
  const path = inside(way) ? `~/${way}` : `/${absolute}`;
  const slashed = process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
  return `Edit(${slashed.replace(/[\\*?[\]]/g, '\\$&')}/**)`;
};

/** Where a folder really is, also if it is not there yet. */
const realFolder = (folder: string): string => {
  try {
    return realpathSync(folder);
  } catch {
    const parent = dirname(folder);
    return parent === folder ? folder : join(realFolder(parent), basename(folder));
  }
};

/** A link is followed to what is denied, and not back: 2.1.197 lets the folder's other name through. */
const stateRules = (io: Pick<Io, 'env' | 'cwd'>): string[] => {
  const folder = stateFolder(io);
  const home = homeOf(io.env);
  return [...new Set([folder, realFolder(folder)].map((one) => folderRule(one, home)))];
};

/** The state folder, if it was moved to where a project's rules do not reach. */
export const uncoveredState = (io: Pick<Io, 'env' | 'cwd'>): string | undefined =>
  stateRules(io).includes(USUAL_STATE) ? undefined : stateFolder(io);

/** The rules of one installation. A project's settings are committed, so that they name no machine's folders. */
export const approvalRules = (io: Pick<Io, 'env' | 'cwd'>, project: boolean): string[] => [
  LOCK_RULE,
  ...(project ? [USUAL_STATE] : stateRules(io)),
  ...APPROVE_RULES,
];
