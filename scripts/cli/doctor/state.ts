import { existsSync, mkdtempSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, writeAtomic } from '../../state/files.ts';
import { removeFile } from '../../state/in-use.ts';
import { plural } from '../../text/plural.ts';
import { quoteText } from '../../text/quote.ts';
import { shellWord } from '../../text/shell-word.ts';
import { visible } from '../../text/visible.ts';
import { type Check, note, ok, wrong } from './check.ts';

const MOST_FILES = 2_000;
/** The list of public keys that docs/company.md puts there, which fleets distribute readable by all. */
const PUBLIC = 'allowed_signers';

/** Throws if a folder that is not there yet cannot be made. Permissions do not say that for every file system: this tries. */
const assertCanBeMade = (path: string): void => {
  const above = dirname(path);
  if (above !== path && !existsSync(above)) assertCanBeMade(above);
  else rmdirSync(mkdtempSync(join(above, '.konnichiwagwan-')));
};

/** Checks whether the state folder is writable, and closed to other users. */
export const checkState = (home: string): Check => {
  const name = 'state';
  const isThere = existsSync(home);
  try {
    if (isThere) {
      makeFolder(home);
      writeAtomic(join(home, '.doctor'), '');
      removeFile(join(home, '.doctor'));
    } else assertCanBeMade(home);
  } catch (error) {
    const detail = `${home} cannot be ${isThere ? 'written' : 'made'} (${(error as NodeJS.ErrnoException).code})`;
    return wrong(name, detail, 'without it baselines are lost: make it a folder of yours');
  }
  if (!isThere) return note(name, `${home} does not exist yet: the first session creates it`);
  if (process.platform === 'win32') return ok(name, home);
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((file) => file !== PUBLIC)
    .slice(0, MOST_FILES);
  const open = files.filter((file) => existsSync(join(home, file)) && (statSync(join(home, file)).mode & 0o077) !== 0);
  if (open.length === 0 && (statSync(home).mode & 0o077) === 0) return ok(name, home);
  const which = open.length > 0 ? `${plural(open.length, 'file')}, ${quoteText(open[0] ?? '', 80)} first,` : home;
  return wrong(name, `${which} can be read by others`, `chmod -R go= ${shellWord(visible(home))}`);
};
