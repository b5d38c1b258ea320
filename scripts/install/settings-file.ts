import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CommandError } from '../command/command.ts';
import { removeLeftoversOf } from '../state/leftovers.ts';
import { behindLinks, writeWhole } from '../state/write-whole.ts';

/** A settings file as it was read. */
export interface SettingsFile {
  /** The path that Claude Code uses. */
  file: string;
  /** The path behind links: people keep settings in a dotfiles repository and link to them. */
  target: string;
  bytes: Buffer | null;
  text: string;
  stats: Stats | null;
}

/** SHA-256 in lower-case hex. */
export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Reads a settings file; `bytes` is null if there is none. @throws CommandError if it is not a file, or not UTF-8 text */
export const readSettings = (file: string): SettingsFile => {
  const target = behindLinks(file);
  if (target === undefined)
    throw new CommandError('settings-link', `${file} is a link that leads nowhere`, 'Repair the link.');
  const stats = statSync(target, { throwIfNoEntry: false }) ?? null;
  if (stats === null) return { file, target, bytes: null, text: '', stats };
  if (!stats.isFile()) throw new CommandError('settings-not-a-file', `${file} is not a file`, 'Nothing was changed.');
  const bytes = readFileSync(target);
  if (!isUtf8(bytes))
    throw new CommandError('settings-invalid', `${file}: not UTF-8 text.`, 'Save it as UTF-8. Nothing was changed.');
  return { file, target, bytes, text: bytes.toString('utf8'), stats };
};

/** Writes settings through links, and keeps mode and owner. @throws CommandError if the file changed since it was read */
export const writeSettings = (settings: SettingsFile, bytes: Buffer | string): void => {
  const now = readSettings(settings.file);
  if (
    now.target !== settings.target ||
    (now.bytes && sha256(now.bytes)) !== (settings.bytes && sha256(settings.bytes))
  ) {
    throw new CommandError('settings-changed', `another program changed ${settings.file} just now`, 'Try again.');
  }
  // Only installers write it like this, one at a time.
  removeLeftoversOf(settings.target, true);
  writeWhole(settings.target, bytes, 0o644);
};

const backupName = (file: string, date: Date): string =>
  `${basename(file)}.konnichiwagwan-${date.toISOString().replace(/[-:]|\.\d+/g, '')}.bak`;

/** An unused name for a backup next to the file. */
export const freeBackupName = (file: string, date = new Date()): string => {
  const name = backupName(file, date);
  return existsSync(join(dirname(file), name)) ? freeBackupName(file, new Date(date.getTime() + 1000)) : name;
};

/** The names of our backups of a settings file, the oldest first. */
export const backupsOf = (file: string): string[] => {
  const pattern = /^\.konnichiwagwan-\d{8}T\d{6}Z\.bak$/;
  const folder = dirname(file);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(basename(file)) && pattern.test(name.slice(basename(file).length)))
    .sort();
};
