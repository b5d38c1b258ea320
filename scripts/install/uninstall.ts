import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Io } from '../command/command.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { sameJson } from '../contract/same.ts';
import type { Json } from '../contract/types.ts';
import { remove, removeFile } from '../state/in-use.ts';
import { isLink, ownFiles, recoverFolder, removeEmpty, removeIfEmpty } from './folder.ts';
import { ownLaunchers, removeLaunchers } from './launchers.ts';
import { type InstallPlace, NAME, placeOf, stateFolder, staysInProject, userFolder } from './layout.ts';
import { DENY, ENABLED, listed, removeItems } from './lists.ts';
import { isMcpChanged, type McpPlan, planMcp } from './mcp-file.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { type PurgePlan, planPurge, purge } from './purge.ts';
import { type InstallRecord, RECORD } from './record.ts';
import { approvalRules, recordOf } from './rules.ts';
import { filled, isEmptyObject, parseSettings, unregister } from './settings.ts';
import { backupsOf, readSettings, type SettingsFile, sha256, writeSettings } from './settings-file.ts';
import { COMPILED_HERE, listFiles } from './source.ts';

export interface UninstallPlan {
  place: InstallPlace;
  settings: SettingsFile;
  /** `restore`: back to the exact bytes from before; `edit`: only our hooks and rules are removed. */
  action: 'none' | 'restore' | 'edit' | 'delete';
  /** The new content of the settings file; null if it is removed. */
  bytes: Buffer | null;
  text: string;
  files: string[];
  /** Paths of the commands that a shell finds. */
  launchers: string[];
  /** Paths that stay in the skill folder; an empty path is the folder itself. */
  foreign: string[];
  backups: string[];
  /** Rules like ours that stay, because it is not known that we added them. */
  keptRules: string[];
  /** The project's `.mcp.json` without our entry; undefined for all projects, and where there is none. */
  mcp: McpPlan | undefined;
  record: InstallRecord | undefined;
  purge: PurgePlan | null;
}

/** The settings before the installation, if unchanged since; null if there were none, undefined if unknown. */
const originalOf = (
  place: InstallPlace,
  settings: SettingsFile,
  record: InstallRecord | undefined,
): Buffer | null | undefined => {
  if (!record || !settings.bytes || sha256(settings.bytes) !== record.settings.after) return undefined;
  const { before, backup } = record.settings;
  if (before === 'absent') return null;
  const file = backup === null ? undefined : join(place.claude, backup);
  if (before === null || file === undefined || !statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  const bytes = readFileSync(file);
  return sha256(bytes) === before ? bytes : undefined;
};

/** Whether two JSON texts have the same value. */
const saysTheSame = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((text) => parsedJson(filled(text).replace(/^\ufeff/, '')) as Json | undefined);
  return a !== undefined && b !== undefined && sameJson(a, b);
};

const planSettings = (
  place: InstallPlace,
  settings: SettingsFile,
  record: InstallRecord | undefined,
): Pick<UninstallPlan, 'action' | 'bytes' | 'text'> => {
  const { bytes, text } = settings;
  if (!bytes) return { action: 'none', bytes, text };
  parseSettings(text, settings.file);
  const full = filled(text);
  const made = record?.settings.made;
  const lists = [
    [ENABLED, record?.settings.enabled ?? []],
    [DENY, record?.settings.rules ?? []],
  ] as const;
  const unlisted = lists.reduce((now, [path, items]) => removeItems(now, path, items, made ?? []), full);
  const left = unregister(unlisted, made);
  const original = originalOf(place, settings, record);
  // A repository may bring its own record and backup: trust them for the layout of the text, not for its content.
  if (original === null && isEmptyObject(left)) return { action: 'delete', bytes: null, text: '' };
  if (original && saysTheSame(original.toString('utf8'), left))
    return { action: 'restore', bytes: original, text: original.toString('utf8') };
  if (left === full) return { action: 'none', bytes, text };
  if (record && !record.settings.existed && isEmptyObject(left)) return { action: 'delete', bytes: null, text: '' };
  return { action: 'edit', bytes: Buffer.from(left), text: left };
};

/** Plans to uninstall; writes nothing. */
const planUninstall = (place: InstallPlace, withState: boolean, io: Io): UninstallPlan => {
  const project = place.form === 'project';
  const record = recordOf(place);
  const settings = readSettings(place.settings);
  const files = ownFiles(place.skill, record);
  const change = planSettings(place, settings, record);
  const mcp = place.mcp === undefined ? undefined : planMcp(readSettings(place.mcp), false, record?.mcp?.made);
  // State that the user's own installation still needs is not removed with a project's.
  const shared = project && existsSync(join(userFolder(io), 'skills', 'konnichiwagwan', RECORD));
  return {
    place,
    settings,
    ...change,
    keptRules: change.action === 'delete' ? [] : listed(filled(change.text), DENY, approvalRules(io, project)),
    files,
    launchers: ownLaunchers(place, io),
    foreign: isLink(place.skill) ? [''] : listFiles(place.skill).filter((path) => !files.includes(path)),
    backups: backupsOf(place.settings),
    mcp: mcp && isMcpChanged(mcp) ? mcp : undefined,
    record,
    purge: withState ? planPurge(stateFolder(io), userFolder(io), io, shared) : null,
  };
};

/** Whether there is anything to uninstall. */
export const isInstalled = (plan: UninstallPlan): boolean =>
  plan.action !== 'none' ||
  plan.mcp !== undefined ||
  plan.files.length + plan.backups.length + plan.launchers.length > 0;

/** Hooks first, then the files that they name, folders last: wherever it is killed, no hook names a missing file. */
const applyUninstall = (plan: UninstallPlan, folders: readonly string[], io: Io): void => {
  const { place, settings } = plan;
  if (plan.action === 'delete') removeFile(settings.target);
  else if (plan.action !== 'none' && plan.bytes) writeSettings(settings, plan.bytes);
  if (plan.mcp?.text !== undefined) writeSettings(plan.mcp.file, plan.mcp.text);
  else if (plan.mcp) removeFile(plan.mcp.file.target);
  removeLaunchers(plan.launchers, plan.record?.launchers, io);
  // The record goes last: without it, the rest of the folder could not be recognised as ours.
  const files = [...plan.files.filter((path) => path !== RECORD), ...plan.files.filter((path) => path === RECORD)];
  for (const path of files) removeFile(join(place.skill, path));
  if (!isLink(place.skill)) remove(join(place.skill, COMPILED_HERE));
  removeEmpty(place.skill);
  // Claude Code makes this folder for each plugin that it loads; we write nothing there.
  removeIfEmpty(join(place.claude, 'plugins/data', `${NAME}-skills-dir`));
  for (const name of plan.backups) removeFile(join(place.claude, name));
  if (plan.purge) purge(plan.purge);
  for (const path of folders.toReversed()) removeIfEmpty(join(place.skill, path));
};

/** Uninstalls, or only plans it in a dry run. `withState`: removes our state, too. @throws CommandError if it fails */
export const runUninstall = (project: boolean, withState: boolean, dryRun: boolean, io: Io): UninstallPlan => {
  const place = placeOf(io, project);
  staysInProject(place);
  if (dryRun) return planUninstall(place, withState, io);
  return oneAtATime(place, ({ inherited, note }) => {
    recoverFolder(place.skill);
    const plan = planUninstall(place, withState, io);
    const folders = plan.record?.folders ?? inherited ?? [];
    note(folders);
    applyUninstall(plan, folders, io);
    return plan;
  });
};
