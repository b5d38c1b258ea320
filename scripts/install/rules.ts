import { relative } from 'node:path';
import type { Here } from '../command/command.ts';
import { LOCKFILE } from '../lock/types.ts';
import { homeOf, staysBelow } from '../state/paths.ts';
import { type InstallPlace, reached, stateFolder } from './layout.ts';
import { type InstallRecord, readRecord } from './record.ts';

// Rules that keep the agent from approving contracts: only a person does that. Each spelling was tested with
// Claude Code 2.1.330 and 2.1.197 in the modes default, acceptEdits and bypassPermissions:
// - `Edit` covers Edit, Write, NotebookEdit and what Claude Code sees a shell command write (`>`, sed, cp, mv, rm).
//   Rules that name Write, NotebookEdit or MultiEdit are accepted, but have no effect.
// - `//**/` means any folder. `**/` means only those below the working folder in 2.1.197, `/` those next to the settings.
// - A `*` before a command also matches it behind npx, bash -c, script, setsid, env and a path; one inside of it matches
//   options, and `kwg.cjs`. 2.1.330 removes quotes first and looks into parentheses; 2.1.197 does neither.
const LOCK_RULE = `Edit(//**/${LOCKFILE})`;

/**
 * Matches every way to start our program, with or without options before the command, also behind `-c`. A space or slash
 * has to stand before `cli.cjs`, so that another program's file does not match.
 */
const APPROVE_RULES = [
  'Bash(*konnichiwagwan* approve*)',
  'Bash(*kwg* approve*)',
  'Bash(* cli.cjs* approve*)',
  'Bash(*/cli.cjs* approve*)',
];

/** Denies edits of the usual state folder; names no machine's folder, so that it can be committed. */
const USUAL_STATE = 'Edit(~/.claude/konnichiwagwan/**)';

/** The rule for a folder, whose path starts at the home folder, or at the root with one slash more. */
const folderRule = (folder: string, home: string): string => {
  const way = relative(home, folder);
  // C:\x is /c/x in rules.
  const absolute = folder.replace(/^([A-Za-z]):/, (_, drive: string) => `\\${drive.toLowerCase()}`);
  const path = way !== '' && staysBelow(way) ? `~/${way}` : `/${absolute}`;
  const slashed = process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
  return `Edit(${slashed.replace(/[\\*?[\]]/g, '\\$&')}/**)`;
};

/** Rules for the state folder by both its names: 2.1.197 does not apply a rule for the real path to a path with a link. */
const stateRules = (io: Here): string[] => {
  const folder = stateFolder(io);
  const home = homeOf(io.env);
  return [...new Set([folder, reached(folder)].map((one) => folderRule(one, home)))];
};

/** The state folder, if it is not at the usual place, where a project's rules protect it; else undefined. */
export const uncoveredState = (io: Here): string | undefined =>
  stateRules(io).includes(USUAL_STATE) ? undefined : stateFolder(io);

/** The deny rules of one installation. Those of a project name no machine's folders, because its settings are committed. */
export const approvalRules = (io: Here, project: boolean): string[] => [
  LOCK_RULE,
  ...(project ? [USUAL_STATE] : stateRules(io)),
  ...APPROVE_RULES,
];

/** Whether an installation in a project writes this rule, or one of an older version did. */
const isOfProject = (rule: string): boolean =>
  rule === LOCK_RULE || rule === USUAL_STATE || /^Bash\(\*.* approve\*\)$/.test(rule);

/** The record of an installation. A repository may bring its own: in a project it names no rules but ours as added. */
export const recordOf = ({ form, skill }: InstallPlace): InstallRecord | undefined => {
  const record = readRecord(skill);
  if (record === undefined || form === 'user') return record;
  return { ...record, settings: { ...record.settings, rules: record.settings.rules.filter(isOfProject) } };
};
