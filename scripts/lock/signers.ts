// Who signed the commits that changed the lockfile: a record in the file is a claim, a signature is not.
import type { FoundChange } from '../diff/types.ts';
import { quoteText } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { plainChange } from './compare.ts';
import { type Git, gitIn } from './former.ts';
import { keyOwners } from './key-owners.ts';
import { type ApprovalRules, identity } from './rules.ts';
import { type Consent, LOCKFILE, type Lock, type Pins } from './types.ts';

/** A commit whose signature git found good. */
interface Signer {
  /** The address in the commit, in lower case: who made the commit could write any. */
  email: string;
  /** The key's fingerprint. */
  key: string;
  /** Whether the key is listed for this address. */
  isTheirs: boolean;
}

/** The programs with which git checks signatures, where no settings name others. */
const CHECKERS = { 'gpg.openpgp.program': 'gpg', 'gpg.x509.program': 'gpgsm', 'gpg.ssh.program': 'ssh-keygen' };
const NAMED_CHECKER = /^(?:global|system)\t(gpg\.\w+\.program|gpg\.program) (.+)$/;

/** Settings of git by which it checks signatures with a person's own programs, and never with one that the repository names. */
const ownCheckers = (git: Git): string[] => {
  const named = git(['config', '--show-scope', '--type=path', '--get-regexp', '^gpg\\..*program$']) ?? '';
  const own = named.split('\n').flatMap((line): [string, string][] => {
    const [, name = '', program] = NAMED_CHECKER.exec(line) ?? [];
    // The older name of the same setting.
    return program === undefined ? [] : [[name === 'gpg.program' ? 'gpg.openpgp.program' : name, program]];
  });
  const all = { ...CHECKERS, ...Object.fromEntries(own) };
  return Object.entries(all).flatMap(([name, program]) => ['-c', `${name}=${program}`]);
};

/** Good signatures of commits since a revision that touch the lockfile. Git's own settings say which keys count. */
const signersSince = (project: string, base: string): Signer[] => {
  const git = gitIn(project, 60_000);
  const lines =
    git([...ownCheckers(git), 'log', '--format=%G?%x00%ae%x00%GF%x00%GS', `${base}..HEAD`, '--', LOCKFILE]) ?? '';
  const isOf = keyOwners(project, git);
  return lines.split('\n').flatMap((line) => {
    const [state, address = '', key = '', signer = ''] = line.split('\0');
    const email = address.toLowerCase();
    return state === 'G' && key !== '' ? [{ email, key, isTheirs: isOf(email, key, signer) }] : [];
  });
};

const unsigned = (tool: string, message: Shown): FoundChange =>
  plainChange(tool, 'approval-unsigned', 'unclassified', message);

const ofPin = (tool: string, given: readonly Consent[], signers: readonly Signer[]): FoundChange[] => {
  const inTheirName = given.map(({ by }) => signers.filter(({ email }) => email === identity(by)));
  const signed = inTheirName.map((commits) => commits.filter(({ isTheirs }) => isTheirs));
  const missing = signed.findIndex((commits) => commits.length === 0);
  if (missing !== -1) {
    const name = quoteText(given[missing]?.by ?? '', 100);
    const why =
      inTheirName[missing]?.length === 0
        ? say`and no commit with a good signature of theirs changes the lockfile`
        : say`and the commits in that name are signed with a key that git does not list for that address`;
    return [unsigned(tool, say`approved by ${name}, ${why}`)];
  }
  const keys = new Set(signed.flatMap((of) => of.map(({ key }) => key)));
  return keys.size < given.length
    ? [unsigned(tool, say`its approvals are signed with one key: they count as one person's`)]
    : [];
};

const ofServer = (before: Pins | undefined, now: Pins, signers: readonly Signer[]): FoundChange[] =>
  [...now].flatMap(([tool, { hash, approved }]) => {
    if (approved === undefined || before?.get(tool)?.hash === hash) return [];
    return ofPin(tool, [approved, ...(approved.second ? [approved.second] : [])], signers);
  });

/** Unsigned approvals of pins that changed since a revision, by server. @param base the commit to look from */
export const unsignedSince = (project: string, base: string, before: Lock, now: Lock): Map<string, FoundChange[]> => {
  const signers = signersSince(project, base);
  return new Map([...now].map(([server, pins]) => [server, ofServer(before.get(server), pins, signers)]));
};

/** What we say if rules name people, but no signature confirms who they were. */
export const claimsOnly = ({ people, by, signatures }: ApprovalRules): Shown[] =>
  signatures || (people === 1 && by.length === 0)
    ? []
    : [
        say`the names in the records are claims: nothing signed says who approved. "approvals": {"signatures": true} asks for signed commits`,
      ];
