// Who signed the commits that changed the lockfile: a record in the file is a claim, a signature is not.
import type { FoundChange } from '../diff/types.ts';
import { quoteText } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { plainChange } from './compare.ts';
import { type Git, gitIn } from './former.ts';
import { keyOwners } from './key-owners.ts';
import { isSameRecord } from './records.ts';
import { type ApprovalRules, identity } from './rules.ts';
import { type Approved, type Consent, LOCKFILE, type Lock, type Pins } from './types.ts';

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

/** Good signatures of commits that touch the lockfile. Git's own settings say which keys count. @param range as git names it */
const signersIn = (project: string, range: string): Signer[] => {
  const git = gitIn(project, 60_000);
  const lines = git([...ownCheckers(git), 'log', '--format=%G?%x00%ae%x00%GF%x00%GS', range, '--', LOCKFILE]) ?? '';
  const isOf = keyOwners(project, git);
  return lines.split('\n').flatMap((line) => {
    const [state, address = '', key = '', signer = ''] = line.split('\0');
    const email = address.toLowerCase();
    return state === 'G' && key !== '' ? [{ email, key, isTheirs: isOf(email, key, signer) }] : [];
  });
};

/** Good signatures since a revision, and those up to it: git checks each of the latter, so it is asked only if needed. */
interface SignedCommits {
  since: readonly Signer[];
  before: () => readonly Signer[];
}

const unsigned = (tool: string, message: Shown): FoundChange =>
  plainChange(tool, 'approval-unsigned', 'unclassified', message);

/** Those who said yes in a record. The second yes is to what the first one says. */
const consentsIn = (approved: Approved): Consent[] => [approved, ...(approved.second ? [approved.second] : [])];

/** How many yeses of a record, from the first one on, an earlier record of the same contract has. */
const knownIn = (approved: Approved, earlier: Approved | undefined): number => {
  if (earlier === undefined) return 0;
  if (isSameRecord(approved, earlier)) return consentsIn(approved).length;
  const [{ second: _now, ...first }, { second: _then, ...other }] = [approved, earlier];
  return isSameRecord(first, other) ? 1 : 0;
};

const ofRecord = (
  tool: string,
  approved: Approved,
  earlier: Approved | undefined,
  { since, before }: SignedCommits,
): FoundChange[] => {
  const given = consentsIn(approved);
  const known = knownIn(approved, earlier);
  if (known === given.length) return [];
  const inTheirName = given.map(({ by }, at) =>
    [...since, ...(at < known ? before() : [])].filter(({ email }) => email === identity(by)),
  );
  const signed = inTheirName.map((commits) => commits.filter(({ isTheirs }) => isTheirs));
  // A yes that the revision has was given under its rules, perhaps unsigned.
  const missing = signed.findIndex((commits, at) => at >= known && commits.length === 0);
  if (missing !== -1) {
    const name = quoteText(given[missing]?.by ?? '', 100);
    const why =
      inTheirName[missing]?.length === 0
        ? say`and no commit with a good signature of theirs changes the lockfile`
        : say`and the commits in that name are signed with a key that git does not list for that address`;
    return [unsigned(tool, say`approved by ${name}, ${why}`)];
  }
  const keys = new Set(signed.flatMap((of) => of.map(({ key }) => key)));
  return keys.size < signed.filter((commits) => commits.length > 0).length
    ? [unsigned(tool, say`its approvals are signed with one key: they count as one person's`)]
    : [];
};

const ofServer = (before: Pins | undefined, now: Pins, signers: SignedCommits): FoundChange[] => [
  ...[...now].flatMap(([tool, { hash, approved }]) => {
    const old = before?.get(tool);
    return approved ? ofRecord(tool, approved, old?.hash === hash ? old.approved : undefined, signers) : [];
  }),
  ...[...(now.removed ?? [])].flatMap(([tool, { approved }]) => {
    // A tool that is pinned again may keep an older removal.
    if (now.has(tool)) return [];
    return ofRecord(tool, approved, before?.has(tool) ? undefined : before?.removed?.get(tool)?.approved, signers);
  }),
];

/** Approvals that are new since a revision and unsigned, by server. @param base the commit to look from */
export const unsignedSince = (project: string, base: string, before: Lock, now: Lock): Map<string, FoundChange[]> => {
  let earlier: Signer[] | undefined;
  const signers: SignedCommits = {
    since: signersIn(project, `${base}..HEAD`),
    before: () => {
      earlier ??= signersIn(project, base);
      return earlier;
    },
  };
  return new Map([...now].map(([server, pins]) => [server, ofServer(before.get(server), pins, signers)]));
};

/** What we say if rules name people, but no signature confirms who they were. */
export const claimsOnly = ({ people, by, signatures }: ApprovalRules): Shown[] =>
  signatures || (people === 1 && by.length === 0)
    ? []
    : [
        say`the names in the records are claims: nothing signed says who approved. "approvals": {"signatures": true} asks for signed commits`,
      ];
