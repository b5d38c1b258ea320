// Signatures of SSH, as git uses them, checked by ssh-keygen.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { remove } from '../state/in-use.ts';
import { visible } from '../text/visible.ts';
import type { Signed } from './signature.ts';

/** What a signature is made for: one that was made for git, or for another program, does not count. */
const NAMESPACE = 'konnichiwagwan';
/** In ms, for each run. */
const PATIENCE = 10_000;
/** How many names of one signer are tried. */
const MOST_NAMES = 8;

/** The time in the form that ssh-keygen reads, in UTC. */
const timeOf = (ms: number): string => `verify-time=${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;

/** What ssh-keygen says of a line of the list that it cannot use; empty if it says nothing. */
const oddLine = (said: string): string => {
  // Behind a further colon it names the time of the attempt.
  const [, line, what] = /^.*:(\d{1,6}): ([^:\n]+)/m.exec(said) ?? [];
  return line === undefined || what === undefined
    ? ''
    : `; line ${line} of allowedSigners: ${visible(what, { max: 100 })}`;
};

/**
 * Checks the signature of a text.
 * @param signers the path of a file in OpenSSH's form ALLOWED SIGNERS, which may limit a key to a time
 * @param at the time at which the key has to be valid, in ms since 1970; absent: now
 * @returns who signed it, as the file names them; or why it does not count
 */
export const sshSigner = (text: string, signature: string, signers: string, at?: number): Signed => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-signature-'));
  const file = join(folder, 'signature');
  const run = (args: string[], input = '') =>
    spawnSync('ssh-keygen', [...args, '-s', file, '-f', signers, ...(at === undefined ? [] : ['-O', timeOf(at)])], {
      // Some systems look for programs in the working folder first.
      cwd: homedir(),
      input,
      timeout: PATIENCE,
      killSignal: 'SIGKILL',
      maxBuffer: 1024 * 1024,
      encoding: 'utf8',
      windowsHide: true,
    });
  try {
    writeFileSync(file, signature, { mode: 0o600 });
    const found = run(['-Y', 'find-principals']);
    const code = (found.error as NodeJS.ErrnoException | undefined)?.code;
    if (code !== undefined) {
      const why = code === 'ENOENT' ? 'is not installed' : code === 'ETIMEDOUT' ? 'did not end' : `failed (${code})`;
      return { why: `its signature cannot be checked: ssh-keygen ${why}` };
    }
    const given = found.status === 0 ? found.stdout.split(/[\n,]/).map((name) => name.trim()) : [];
    const names = given.filter((name) => name !== '').slice(0, MOST_NAMES);
    const signer = names.find((name) => run(['-Y', 'verify', '-n', NAMESPACE, '-I', name], text).status === 0);
    if (signer !== undefined) return { signer };
    return {
      why:
        names.length === 0
          ? `no key that is allowed now has signed it${oddLine(found.stderr)}`
          : `its signature does not fit it, or was not made for ${NAMESPACE}`,
    };
  } finally {
    remove(folder);
  }
};
