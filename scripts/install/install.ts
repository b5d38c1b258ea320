import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Io } from '../command/command.ts';
import { defined, present } from '../contract/defined.ts';
import { GUARD_SERVER } from '../servers/own-guard.ts';
import { removeFile } from '../state/in-use.ts';
import { writeWhole } from '../state/write-whole.ts';
import { keepsGuards } from './client.ts';
import {
  type FolderPlan,
  isFolderChanged,
  missingFolders,
  ownFiles,
  planFolder,
  recoverFolder,
  removeEmpty,
  removeIfEmpty,
  swapFolder,
} from './folder.ts';
import { type HookRegistration, registrations } from './hooks.ts';
import { IGNORED_HINT, ignoredBy, ignoredPrograms } from './ignored.ts';
import { type LauncherPlan, planLaunchers, removeLaunchers, writeLaunchers } from './launchers.ts';
import { type InstallPlace, placeOf, samePath, staysInProject, userFolder } from './layout.ts';
import { addItems, DENY, ENABLED, type ListPath, listed, removeItems } from './lists.ts';
import { isMcpChanged, type McpPlan, planMcp } from './mcp-file.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { nodeInPlace, ownNode, withNode } from './own-node.ts';
import { type InstallRecord, RECORD, writtenRecord } from './record.ts';
import { approvalRules, recordOf, uncoveredState } from './rules.ts';
import {
  checkSettings,
  containers,
  filled,
  hooksDisabled,
  isRegistered,
  namesFolder,
  register,
  unregister,
} from './settings.ts';
import { freeBackupName, readSettings, type SettingsFile, sha256, writeSettings } from './settings-file.ts';
import { type InstallSource, isWholePlugin, readSource } from './source.ts';

export interface InstallPlan {
  place: InstallPlace;
  version: string | null;
  folder: FolderPlan;
  files: Map<string, Buffer>;
  /** Whether Claude Code loads the folder itself, with its hooks and the resident guard: then none are registered. */
  asPlugin: boolean;
  hooks: HookRegistration[];
  /** Rules that deny things to the agent; some may have been there before. */
  rules: string[];
  settings: SettingsFile;
  /** The settings as they will be; unchanged if they are already right. */
  text: string;
  /** Name of the backup of the settings, which is made before the first change; null if none is needed. */
  backup: string | null;
  /** The project's `.mcp.json`, which starts the resident guard; undefined for all projects. */
  mcp: McpPlan | undefined;
  launchers: LauncherPlan | undefined;
  record: InstallRecord;
  recordChanged: boolean;
  warnings: string[];
}

const warningsOf = (
  place: InstallPlace,
  node: string,
  files: readonly string[],
  settings: SettingsFile,
  io: Io,
): string[] => {
  const path = (io.env.PATH ?? '').split(delimiter).filter(Boolean);
  const isFound = path.some((folder) => existsSync(join(folder, 'node')) || existsSync(join(folder, 'node.exe')));
  const ignored = ignoredPrograms(place, files, io.env);
  const uncovered = place.form === 'project' ? uncoveredState(io) : undefined;
  const other = join(place.form === 'user' ? join(io.cwd, '.claude') : userFolder(io), 'skills', 'konnichiwagwan');
  return present([
    node === 'node' &&
      !isFound &&
      '`node` is not on the PATH: Claude Code could not start the hooks and would block every MCP call.',
    hooksDisabled(settings.text) && `${settings.file} has "disableAllHooks": true, so the guard will not run.`,
    ignored !== undefined &&
      `Git ignores the programs (${ignored}), so they would not be committed with the hooks that start them, and every MCP call of other people in this project would be stopped. ${IGNORED_HINT}`,
    uncovered !== undefined &&
      `The rules of a project name no folder of this machine: ${uncovered} is not protected by them.`,
    existsSync(join(other, RECORD)) &&
      !samePath(other, place.skill) &&
      `Installed in ${other} as well: both guards will look at every call made in this project.`,
  ]);
};

/** The settings before the installation: as first recorded if only we have written them since, else as they are now. */
const originOf = (
  settings: SettingsFile,
  backup: string | null,
  old: InstallRecord | undefined,
): Pick<InstallRecord['settings'], 'existed' | 'before' | 'backup'> => {
  const now = settings.bytes ? sha256(settings.bytes) : 'absent';
  if (old && now === old.settings.after) {
    const { existed, before, backup: kept } = old.settings;
    return { existed, before, backup: kept };
  }
  // If they already hold parts of ours, the original is unknown: uninstall then edits our parts out.
  const ours = old ? listed(filled(settings.text), DENY, old.settings.rules) : [];
  if (isRegistered(settings.text) || ours.length > 0)
    return { existed: old?.settings.existed ?? true, before: null, backup: null };
  return { existed: settings.bytes !== null, before: now, backup };
};

/** A list of the settings with the items that are wanted, and without those that an older version added. */
const settledList = (
  text: string,
  path: ListPath,
  wanted: readonly string[],
  old: readonly string[],
): { text: string; made: string[]; ours: string[] } => {
  const recorded = listed(text, path, old);
  const retired = recorded.filter((item) => !wanted.includes(item));
  // New items are added before retired ones are removed: a list that is never empty keeps its place and layout.
  const full = addItems(text, path, wanted);
  return {
    text: removeItems(full.text, path, retired, wanted.length > 0 ? [] : [`/${path.join('/')}`]),
    made: full.made,
    ours: wanted.filter((item) => recorded.includes(item) || full.added.includes(item)),
  };
};

/** The settings with our hooks and items, the containers made for these, and the items that are ours. */
const merged = (
  text: string,
  hooks: readonly HookRegistration[],
  wanted: { rules: readonly string[]; enabled: readonly string[] },
  old: InstallRecord | undefined,
): { text: string; made: string[]; rules: string[]; enabled: string[] } => {
  const registered =
    hooks.length > 0 ? register(text, hooks) : { text: unregister(filled(text), old?.settings.made), made: [] };
  const denied = settledList(registered.text, DENY, wanted.rules, old?.settings.rules ?? []);
  const enabled = settledList(denied.text, ENABLED, wanted.enabled, old?.settings.enabled ?? []);
  return {
    text: enabled.text,
    made: [...registered.made, ...denied.made, ...enabled.made],
    rules: denied.ours,
    enabled: enabled.ours,
  };
};

/**
 * A plan that keeps the programs of an older version if the current hooks name them: running sessions still start these.
 * The next installation removes them.
 */
const withoutNamed = (plan: FolderPlan, { programs }: InstallPlace, text: string): FolderPlan => {
  if (programs === 'dist' || !namesFolder(text, 'dist')) return plan;
  const isNamed = (path: string): boolean => path.startsWith('dist/');
  return {
    ...plan,
    remove: plan.remove.filter((path) => !isNamed(path)),
    same: [...plan.same, ...plan.remove.filter(isNamed)],
  };
};

/**
 * Whether a project gets a resident guard, which Claude Code starts by `.mcp.json`: only if the client can keep one, and
 * colleagues get the file. Their clients are unknown here; their `doctor` names one that is too old.
 */
const canStay = (place: InstallPlace, { files }: InstallSource, io: Io): boolean =>
  place.mcp !== undefined &&
  files.has(`${place.programs}/resident.cjs`) &&
  keepsGuards(io.env) &&
  ignoredBy(dirname(place.mcp), [place.mcp], io.env).length === 0;

/** Plans an installation; writes nothing. @throws CommandError if it would not work */
const planInstall = (root: string, place: InstallPlace, io: Io, inherited?: string[]): InstallPlan => {
  const project = place.form === 'project';
  const asPlugin = !project && isWholePlugin(root) && keepsGuards(io.env);
  const read = readSource(root, place.programs, asPlugin);
  const own = ownNode(place, io.env);
  const source = { ...read, files: withNode(read.files, own) };
  const inPlace = samePath(root, place.skill);
  const node = inPlace ? nodeInPlace(place, own) : own.command;
  const settings = readSettings(place.settings);
  const stays = canStay(place, source, io);
  const known = registrations(place.hookFolder, project, stays ? GUARD_SERVER : undefined, node);
  const hooks = asPlugin ? [] : known;
  checkSettings(
    settings.text,
    place.settings,
    known.map(({ event }) => event),
  );
  const old = recordOf(place);
  const folder: FolderPlan = inPlace
    ? { folder: place.skill, create: [], update: [], remove: [], same: ownFiles(realpathSync(root), old), foreign: [] }
    : withoutNamed(planFolder(place.skill, source.files), place, settings.text);
  const rules = approvalRules(io, project);
  const mcp = place.mcp === undefined ? undefined : planMcp(readSettings(place.mcp), stays, old?.mcp?.made);
  const wanted = { rules, enabled: stays ? [GUARD_SERVER] : [] };
  const { text, made, rules: added, enabled } = merged(settings.text, hooks, wanted, old);
  const changed = settings.bytes === null || text !== settings.text;
  const backup = changed && settings.bytes ? freeBackupName(place.settings) : null;
  const launchers = planLaunchers(place, io, old?.launchers, node);
  const record: InstallRecord = {
    version: source.version,
    installed_at: new Date().toISOString(),
    files: [...new Set([...folder.same, ...(inPlace ? [] : source.files.keys())])]
      .filter((path) => path !== RECORD)
      .sort(),
    // Folders that a killed installer made before it could record them are ours, too (`inherited`).
    folders: old?.folders ?? inherited ?? missingFolders(place.skill),
    ...defined({ launchers: launchers?.record }),
    settings: {
      ...originOf(settings, backup, old),
      after: sha256(text),
      // If an installation left hooks but no record, we assume that the containers are ours.
      made: [...new Set([...(old?.settings.made ?? (isRegistered(settings.text) ? containers(text) : [])), ...made])],
      rules: added,
      enabled,
    },
    ...(stays && mcp ? { mcp: { made: mcp.made } } : {}),
  };
  const { installed_at: _, ...facts } = record;
  const { installed_at: __, ...oldFacts } = old ?? { installed_at: '' };
  const recordChanged = JSON.stringify(facts) !== JSON.stringify(oldFacts);
  const occupied = launchers?.occupied ?? [];
  const warnings = [
    ...warningsOf(place, node, record.files, settings, io),
    ...occupied.map((path) => `${path} is something else, and stays: that name does not start konnichiwagwan.`),
  ];
  return {
    place,
    version: source.version,
    folder,
    files: source.files,
    asPlugin,
    hooks,
    rules,
    settings,
    text,
    backup,
    mcp,
    launchers,
    record,
    recordChanged,
    warnings,
  };
};

/** Whether the settings file has to be written. */
export const isSettingsChanged = (plan: InstallPlan): boolean =>
  plan.settings.bytes === null || plan.text !== plan.settings.text;

/** Whether there is anything to do. */
export const isChanged = (plan: InstallPlan): boolean =>
  isSettingsChanged(plan) ||
  isFolderChanged(plan.folder) ||
  plan.recordChanged ||
  (plan.mcp !== undefined && isMcpChanged(plan.mcp)) ||
  (plan.launchers?.write.length ?? 0) > 0;

/** Backup first, then files, hooks last: wherever it is killed, no hook names a missing file. */
const applyInstall = (plan: InstallPlan, io: Io): void => {
  const { place, settings, folder } = plan;
  const isNew = !existsSync(place.skill);
  try {
    mkdirSync(dirname(place.skill), { recursive: true, mode: 0o755 });
    if (plan.backup && settings.bytes) {
      writeFileSync(join(place.claude, plan.backup), settings.bytes, {
        flag: 'wx',
        mode: settings.stats ? settings.stats.mode & 0o777 : 0o600,
      });
    }
    if (isFolderChanged(folder)) swapFolder(folder, plan.files, writtenRecord(plan.record));
    else if (plan.recordChanged) writeWhole(join(place.skill, RECORD), writtenRecord(plan.record), 0o644);
    if (plan.launchers) writeLaunchers(plan.launchers);
    // Written before the hooks that ask this server, and removed after them.
    if (plan.mcp?.text !== undefined && isMcpChanged(plan.mcp)) writeSettings(plan.mcp.file, plan.mcp.text);
    if (isSettingsChanged(plan)) writeSettings(settings, plan.text);
    if (plan.mcp?.text === undefined && plan.mcp && isMcpChanged(plan.mcp)) removeFile(plan.mcp.file.target);
  } catch (error) {
    // Not if another installer was faster: its hooks need the files.
    if (isNew && !isRegistered(readSettings(place.settings).text)) undo(plan, io);
    throw error;
  }
};

/** Undoes a first installation that could not be completed: the disk is full, or the settings cannot be written. */
const undo = ({ place, backup, record, files, launchers, mcp }: InstallPlan, io: Io): void => {
  removeLaunchers(launchers?.write ?? [], record.launchers, io);
  for (const path of [...files.keys(), RECORD]) removeFile(join(place.skill, path));
  if (backup) removeFile(join(place.claude, backup));
  if (mcp && isMcpChanged(mcp)) {
    if (mcp.file.bytes === null) removeFile(mcp.file.target);
    else writeWhole(mcp.file.target, mcp.file.bytes, 0o644);
  }
  removeEmpty(place.skill);
  for (const path of record.folders.toReversed()) removeIfEmpty(join(place.skill, path));
};

/** Installs from the package at `root`, or only plans it in a dry run. @throws CommandError if it does not work */
export const runInstall = (root: string, project: boolean, dryRun: boolean, io: Io): InstallPlan => {
  const place = placeOf(io, project);
  staysInProject(place);
  if (dryRun) return planInstall(root, place, io);
  return oneAtATime(place, ({ inherited, note }) => {
    recoverFolder(place.skill);
    const plan = planInstall(root, place, io, inherited);
    if (isChanged(plan)) {
      note(plan.record.folders);
      applyInstall(plan, io);
    }
    return plan;
  });
};
