import type { Here } from '../command/command.ts';
import { isObject } from '../contract/types.ts';
import { removeIfEmpty } from '../install/folder.ts';
import { placeOf, stateFolder } from '../install/layout.ts';
import { oneAtATime } from '../install/one-at-a-time.ts';
import { type SettingsFile, sha256, writeSettings } from '../install/settings-file.ts';
import { makeFolder, readJson, writeAtomic } from '../state/files.ts';
import { removeFile } from '../state/in-use.ts';
import { inState } from '../state/paths.ts';

// Of each file whose entries were rewritten: its hash before the first change and after the last one. They tell whether it
// holds its first bytes again, or something else changed it in between.

interface Hashes {
  before: string;
  after: string;
}

const pathOf = (io: Here): string => inState(stateFolder(io), 'wrapped.json');

const readHashes = (io: Here): Map<string, Hashes> => {
  const value = readJson(pathOf(io));
  const sound = (one: unknown): one is Hashes =>
    isObject(one) && typeof one.before === 'string' && typeof one.after === 'string';
  return new Map(
    Object.entries(isObject(value) ? value : {}).filter((pair): pair is [string, Hashes] => sound(pair[1])),
  );
};

const keepHashes = (io: Here, hashes: Map<string, Hashes>): void => {
  if (hashes.size > 0) {
    makeFolder(stateFolder(io));
    writeAtomic(pathOf(io), `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`);
    return;
  }
  removeFile(pathOf(io));
  removeIfEmpty(stateFolder(io));
};

/** A file that was rewritten, and what it holds now. */
export interface Rewritten {
  file: string;
  /** `first`: the bytes from before any change of ours; `changed`: something else changed it in between. */
  state: 'first' | 'changed' | 'other';
}

/** The message about a file that was put back. */
export const BACK: Record<Rewritten['state'], string> = {
  first: 'the file has the same bytes as before',
  changed: 'other parts of the file have changed since then, and stay as they are',
  other: 'the rest of the file stays as it is',
};

/** The state of a file after its text is replaced, and what to remember of it. */
const after = (known: Hashes | undefined, now: string, next: string): { state: Rewritten['state']; keep?: Hashes } => {
  if (known?.before === next) return { state: 'first' };
  const unchanged = known?.after === now;
  return {
    state: known === undefined || unchanged ? 'other' : 'changed',
    keep: { before: unchanged ? known.before : now, after: next },
  };
};

/** Replaces files. @throws CommandError if one was changed since it was read */
export const writeRewritten = (files: readonly { file: SettingsFile; text: string }[], io: Here): Rewritten[] => {
  if (files.length === 0) return [];
  return oneAtATime(placeOf(io, false), () => {
    const hashes = readHashes(io);
    return files.map(({ file, text }) => {
      writeSettings(file, text);
      const { state, keep } = after(hashes.get(file.target), sha256(file.bytes ?? ''), sha256(text));
      if (keep) hashes.set(file.target, keep);
      else hashes.delete(file.target);
      try {
        keepHashes(io, hashes);
      } catch {
        // From then on we cannot know whether the original bytes are back; the entries can still be put back.
      }
      return { file: file.file, state };
    });
  });
};

/** Forgets the files that are not named: nothing of ours is left in them. */
export const forgetRewritten = (io: Here, left: ReadonlySet<string>): void => {
  if (readHashes(io).size === 0) return;
  oneAtATime(placeOf(io, false), () => {
    keepHashes(io, new Map([...readHashes(io)].filter(([file]) => left.has(file))));
  });
};
