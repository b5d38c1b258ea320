import { statSync } from 'node:fs';
import { parse as parseToml, TomlError } from 'smol-toml';
import { CommandError, type Here } from '../command/command.ts';
import { isObject, own } from '../contract/types.ts';
import {
  childOf,
  type JsonChild,
  JsonTextError,
  lenientValueAt,
  memberOf,
  positionOf,
  readJsonText,
} from '../install/json-text.ts';
import { readSettings, type SettingsFile } from '../install/settings-file.ts';
import { isGuardServer } from '../servers/own-guard.ts';
import { LARGEST_STATE } from '../servers/read.ts';
import { type HostPlace, hostPlaces } from './hosts.ts';

/** An entry of a server in the configuration of a host. */
export interface HostEntry {
  place: HostPlace;
  name: string;
  value: unknown;
  file: SettingsFile;
  /** Where it stands in the file; undefined in TOML. */
  child?: JsonChild;
  /** The whole file as a value, since hosts describe an entry in other places, too. */
  whole: unknown;
}

type ParsedFile = { file: SettingsFile; whole: unknown; root?: ReturnType<typeof readJsonText> };

/** A file's contents; a text says what is wrong with it. Undefined if it is absent or empty. */
const readFile = (path: string): ParsedFile | string | undefined => {
  let file: SettingsFile;
  try {
    // A repository may hold anything under this name.
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > LARGEST_STATE) return `${path} is larger than ${LARGEST_STATE} bytes`;
    file = readSettings(path);
  } catch (error) {
    // An absent file is fine; any other error is reported.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return error instanceof CommandError ? error.message : `${path} cannot be read (${code ?? 'unknown reason'})`;
  }
  if (file.bytes === null || file.text.trim() === '') return undefined;
  try {
    if (path.endsWith('.toml')) return { file, whole: parseToml(file.text.replace(/^\ufeff/, '')) };
    const root = readJsonText(file.text, true);
    return { file, root, whole: lenientValueAt(file.text, root) };
  } catch (error) {
    if (error instanceof TomlError) return `${path}, line ${error.line}: not valid TOML`;
    if (!(error instanceof JsonTextError)) throw error;
    return `${path}, ${positionOf(file.text, error.offset)}: not valid JSON: ${error.problem}`;
  }
};

/** The places of one kind, for every folder that Claude Code keeps servers of. */
const inEveryFolder = (place: HostPlace, read: ParsedFile): HostPlace[] => {
  if (place.scope !== 'local') return [place];
  const projects = own(read.whole, 'projects');
  const folders = isObject(projects) ? Object.keys(projects) : [];
  return folders.map((folder) => ({ ...place, path: ['projects', folder, 'mcpServers'] }));
};

const entriesAt = (place: HostPlace, { file, whole, root }: ParsedFile): HostEntry[] => {
  const servers = place.path.reduce<unknown>((value, key) => own(value, key), whole);
  const node = root && place.path.reduce<typeof root | undefined>(memberOf, root);
  return (isObject(servers) ? Object.entries(servers) : []).flatMap(([name, value]) => {
    // Our own guard needs no guard.
    if (isGuardServer(name, value)) return [];
    const child = childOf(node, name);
    return [{ place, name, value, file, whole, ...(child ? { child } : {}) }];
  });
};

/**
 * Every entry that hosts have, which are started in this folder, and what is wrong with files that cannot be read.
 * @param everywhere also what Claude Code keeps for other folders
 */
export const hostEntries = (io: Here, everywhere = false): { entries: HostEntry[]; problems: string[] } => {
  const reads = new Map<string, ParsedFile | string | undefined>();
  const entries = new Map<string, HostEntry>();
  for (const known of hostPlaces(io)) {
    if (!reads.has(known.file)) reads.set(known.file, readFile(known.file));
    const read = reads.get(known.file);
    if (read === undefined || typeof read === 'string') continue;
    const places = everywhere ? inEveryFolder(known, read) : [known];
    for (const entry of places.flatMap((place) => entriesAt(place, read))) {
      // In the home folder, one file is both the user's and the project's.
      const key = JSON.stringify([entry.place.file, entry.place.path, entry.name]);
      if (!entries.has(key)) entries.set(key, entry);
    }
  }
  return { entries: [...entries.values()], problems: [...reads.values()].filter((read) => typeof read === 'string') };
};
