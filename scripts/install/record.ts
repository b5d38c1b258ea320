import { join } from 'node:path';
import { isObject } from '../contract/types.ts';
import { readJson } from '../state/files.ts';
import { isLauncherRecord, type LauncherRecord } from './launchers.ts';

/** `<skill>/install.json`: what an installation did, so that it can be undone. Paths are relative to the skill. */
export interface InstallRecord {
  version: string | null;
  installed_at: string;
  /** Everything that was copied. */
  files: string[];
  /** Folders that did not exist before, outermost first. */
  folders: string[];
  /** The launchers; absent if there are none, and in records of older versions. */
  launchers?: LauncherRecord;
  settings: {
    existed: boolean;
    /** Hash of the file before: `absent` if there was none, null if that is no longer known. */
    before: string | null;
    /** Hash of the file as we wrote it. */
    after: string;
    /** The copy that has the hash `before`. */
    backup: string | null;
    /** JSON Pointers of the containers that were made for our hooks and rules. */
    made: string[];
    /** Rules that we added to `permissions.deny`, without those that were there before. */
    rules: string[];
    /** Servers that we added to `enabledMcpjsonServers`; absent in records of older versions. */
    enabled?: string[];
  };
  /** What was made in a project for the entry of the resident guard; absent if there is none. */
  mcp?: { made: string[] };
}

export const RECORD = 'install.json';

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isInside = (path: string): boolean => !path.startsWith('/') && !path.split(/[/\\]/).includes('..');

/** Whether these are folders above the installed one, relative to it. A record may name no others: they get removed. */
export const isFoldersAbove = (value: unknown): value is string[] =>
  isTexts(value) && value.every((folder) => /^\.\.(?:\/\.\.)*$/.test(folder));

/** The record of an installation; undefined if there is none, or a malformed one: it names files that will be removed. */
export const readRecord = (skill: string): InstallRecord | undefined => {
  const value = readJson(join(skill, RECORD));
  if (!isObject(value) || !isObject(value.settings)) return undefined;
  const { version, installed_at, files, folders, launchers, settings, mcp } = value;
  const { existed, before, after, backup, made, rules = [], enabled = [] } = settings as Record<string, unknown>;
  const sound =
    isTextOrNull(version) &&
    isText(installed_at) &&
    isTexts(files) &&
    files.every(isInside) &&
    isFoldersAbove(folders) &&
    (launchers === undefined || isLauncherRecord(launchers)) &&
    typeof existed === 'boolean' &&
    isTextOrNull(before) &&
    isText(after) &&
    (backup === null || (isText(backup) && /^[^/\\]+\.bak$/.test(backup))) &&
    isTexts(made) &&
    isTexts(rules) &&
    isTexts(enabled) &&
    (mcp === undefined || (isObject(mcp) && isTexts(mcp.made)));
  // Older versions added no rules, and recorded none.
  return sound ? ({ ...value, settings: { ...settings, rules, enabled } } as unknown as InstallRecord) : undefined;
};

/** A record as the text of its file. */
export const writtenRecord = (record: InstallRecord): string => `${JSON.stringify(record, null, 2)}\n`;
