import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { readFrom } from '../state/files.ts';
import type { Git } from './former.ts';

/** Largest file of allowed signers that is read, in bytes. */
const LARGEST = 1024 * 1024;
/** Longest address, and most stars in a pattern: matching more of them could take very long. */
const LONGEST_ADDRESS = 320;
const MOST_STARS = 3;

/** Git's name for an SSH key. */
const fingerprintOf = (key: string): string =>
  `SHA256:${createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64').replace(/=+$/, '')}`;

/** Whether an address fits a list of patterns in OpenSSH's form: `*` and `?` stand for characters, `!` takes some out again. */
const fits = (address: string, patterns: string): boolean => {
  const matching = patterns.split(',').filter((one) => {
    const pattern = one.replace(/^!/, '').replace(/\*+/g, '*').toLowerCase();
    if (pattern === '' || address.length > LONGEST_ADDRESS) return false;
    // What is not matched adds no address, and takes out any.
    if (pattern.split('*').length - 1 > MOST_STARS) return one.startsWith('!');
    const source = pattern
      .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replace(/\*/g, '.*')
      .replace(/\?/g, '.');
    return new RegExp(`^${source}$`, 's').test(address);
  });
  return matching.length > 0 && matching.every((one) => !one.startsWith('!'));
};

/** The owners of SSH keys, as patterns of addresses, by the keys' fingerprints: a file in OpenSSH's form ALLOWED SIGNERS. */
export const ownersIn = (text: string): Map<string, string[]> => {
  const owners = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [, patterns = '', key = ''] =
      /^\s*(?!#)"?([^\s"]+)"?\s.*?(?<=\s)(?:ssh-|ecdsa-|sk-)\S+\s+([A-Za-z0-9+/]+=*)/.exec(line) ?? [];
    if (key === '') continue;
    const fingerprint = fingerprintOf(key);
    owners.set(fingerprint, [...(owners.get(fingerprint) ?? []), patterns]);
  }
  return owners;
};

/** The address in the name of another key: of OpenPGP's `Name <address>`, or of a certificate's `/CN=Name/EMail=address`. */
const addressIn = (name: string): string | undefined =>
  (/<([^<>]*)>\s*$/.exec(name) ?? /[,/]e(?:mail(?:address)?)?=([^,/]+)/i.exec(name))?.[1]?.toLowerCase();

/**
 * Says whether a key belongs to an address. Git alone says only that a signature is good: anyone who may sign can write
 * another's address into a commit.
 */
export const keyOwners = (project: string, git: Git) => {
  const path = git(['config', '--type=path', '--get', 'gpg.ssh.allowedSignersFile'])?.trim();
  // Git reads a relative path from the top of the work tree.
  const top = git(['rev-parse', '--show-toplevel'])?.trim() || project;
  const text = path ? readFrom(resolve(top, path), 0, LARGEST)?.bytes.toString('utf8') : undefined;
  const owners = ownersIn(text ?? '');
  /** @param signer whose the key is, as git names them: for SSH a pattern, which counts if the file lists no such key; else a name with an address */
  return (address: string, key: string, signer: string): boolean =>
    key.startsWith('SHA256:')
      ? (owners.get(key) ?? [signer]).some((patterns) => fits(address, patterns))
      : addressIn(signer) === address;
};
