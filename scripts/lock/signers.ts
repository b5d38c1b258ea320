// Who signed the commits that changed the lockfile: a record in the file is a claim, a signature is not.
import type { FoundChange } from '../diff/types.ts';
import { quoteText } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { lockReader } from './at-revision.ts';
import { plainChange } from './compare.ts';
import { type Git, gitIn } from './former.ts';
import { keyOwners } from './key-owners.ts';
import { recordsOf } from './newest-record.ts';
import { isSameRecord, recordsBetween } from './records.ts';
import { type ApprovalRules, identity } from './rules.ts';
import { type Approved, consentsIn, LOCKFILE, type Lock, type Pins } from './types.ts';

/** A commit whose signature git found good. */
interface Signer {
  commit: string;
  parents: string[];
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
  const format = '--format=%G?%x00%H%x00%P%x00%ae%x00%GF%x00%GS';
  const lines = git([...ownCheckers(git), 'log', format, range, '--', LOCKFILE]) ?? '';
  const isOf = keyOwners(project, git);
  return lines.split('\n').flatMap((line) => {
    const [state, commit = '', parents = '', address = '', key = '', signer = ''] = line.split('\0');
    const email = address.toLowerCase();
    if (state !== 'G' || key === '') return [];
    return [{ commit, parents: parents.split(' ').filter(Boolean), email, key, isTheirs: isOf(email, key, signer) }];
  });
};

/** Good signatures since a revision, and those up to it: git checks each of the latter, so it is asked only if needed. */
interface SignedCommits {
  since: readonly Signer[];
  before: () => readonly Signer[];
  /** The lockfile of a commit, if it has a readable one. */
  lockOf: (commit: string) => Lock | undefined;
}

const unsigned = (tool: string, message: Shown): FoundChange =>
  plainChange(tool, 'approval-unsigned', 'unclassified', message);

/** How many yeses of a record, from the first one on, an earlier record of the same contract has. */
const knownIn = (approved: Approved, earlier: Approved | undefined): number => {
  if (earlier === undefined) return 0;
  if (isSameRecord(approved, earlier)) return consentsIn(approved).length;
  const [{ second: _now, ...first }, { second: _then, ...other }] = [approved, earlier];
  return isSameRecord(first, other) ? 1 : 0;
};

/**
 * Whether a commit is the one that records a yes: its parents lack it. A signature of another commit says nothing about it, for
 * anyone can add a record in that person's name.
 * @param at which yes of the record
 */
const recordsYes = (
  { commit, parents }: Signer,
  [server, tool]: readonly [string, string],
  approved: Approved,
  at: number,
  lockOf: SignedCommits['lockOf'],
): boolean => {
  const has = (one: string): boolean => {
    const pins = lockOf(one)?.get(server);
    const records = [pins?.get(tool), pins?.removed?.get(tool)].flatMap((entry) => recordsOf(entry ?? {}));
    return records.some((record) => knownIn(approved, record) > at);
  };
  return has(commit) && !parents.some(has);
};

const ofRecord = (
  label: readonly [server: string, tool: string],
  approved: Approved,
  earlier: Approved | undefined,
  { since, before, lockOf }: SignedCommits,
): FoundChange[] => {
  const [, tool] = label;
  const given = consentsIn(approved);
  const known = knownIn(approved, earlier);
  if (known === given.length) return [];
  const inTheirName = given.map(({ by }, at) => {
    const theirs = (all: readonly Signer[]) => all.filter(({ email }) => email === identity(by));
    if (at < known) return theirs([...since, ...before()]);
    return theirs(since).filter((one) => recordsYes(one, label, approved, at, lockOf));
  });
  const signed = inTheirName.map((commits) => commits.filter(({ isTheirs }) => isTheirs));
  // A yes that the revision has was given under its rules, perhaps unsigned.
  const missing = signed.findIndex((commits, at) => at >= known && commits.length === 0);
  if (missing !== -1) {
    const name = quoteText(given[missing]?.by ?? '', 100);
    const why =
      inTheirName[missing]?.length === 0
        ? say`and no commit with a good signature of theirs records that`
        : say`and the commits in that name are signed with a key that git does not list for that address`;
    return [unsigned(tool, say`approved by ${name}, ${why}`)];
  }
  const keys = new Set(signed.flatMap((of) => of.map(({ key }) => key)));
  return keys.size < signed.filter((commits) => commits.length > 0).length
    ? [unsigned(tool, say`its approvals are signed with one key: they count as one person's`)]
    : [];
};

const ofServer = (
  server: string,
  before: Pins | undefined,
  now: Pins,
  rules: ApprovalRules,
  signers: SignedCommits,
): FoundChange[] => {
  // A tool that is pinned again may keep an older removal.
  const entries = [...now, ...[...(now.removed ?? [])].filter(([tool]) => !now.has(tool))];
  return entries.flatMap(([tool, entry]) => {
    const old = before?.get(tool);
    const hash = now.get(tool)?.hash;
    const label = [server, tool] as const;
    if (old?.hash === hash) {
      const earlier = (old ?? before?.removed?.get(tool))?.approved;
      return entry.approved ? ofRecord(label, entry.approved, earlier, signers) : [];
    }
    // Each step from the old pin to the new one: the last yes is to its own change alone.
    const steps = recordsBetween(old, entry, hash, rules) ?? (entry.approved ? [entry.approved] : []);
    return steps.flatMap((approved) => ofRecord(label, approved, undefined, signers));
  });
};

/** Approvals that are new since a revision and unsigned, by server. @param base the commit to look from */
export const unsignedSince = (
  project: string,
  base: string,
  before: Lock,
  now: Lock,
  rules: ApprovalRules,
): Map<string, FoundChange[]> => {
  let earlier: Signer[] | undefined;
  const signers: SignedCommits = {
    since: signersIn(project, `${base}..HEAD`),
    before: () => {
      earlier ??= signersIn(project, base);
      return earlier;
    },
    lockOf: lockReader(gitIn(project, 60_000)),
  };
  return new Map(
    [...now].map(([server, pins]) => [server, ofServer(server, before.get(server), pins, rules, signers)]),
  );
};

/** What we say if rules name people, but no signature confirms who they were. */
export const claimsOnly = ({ people, by, signatures }: ApprovalRules): Shown[] =>
  signatures || (people === 1 && by.length === 0)
    ? []
    : [
        say`the names in the records are claims: nothing signed says who approved. "approvals": {"signatures": true} asks for signed commits`,
      ];
