// Whose a signing key is: by git's file of allowed signers for SSH, by the name in the key for others; and what it signs.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { contractHash } from '../scripts/contract/canonical.ts';
import { defined } from '../scripts/contract/defined.ts';
import { keyOwners, ownersIn } from '../scripts/lock/key-owners.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { NO_RULES } from '../scripts/lock/rules.ts';
import { makePin, makeRemoved } from '../scripts/lock/seal.ts';
import { unsignedSince } from '../scripts/lock/signers.ts';
import { type Approved, LOCKFILE, type Lock, type Pin, toPins } from '../scripts/lock/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { headOf, initGit, keyOf, noGit } from './git.ts';
import { FETCH, lockOf, RENAMED, SEARCH } from './lock-bench.ts';

const KEY = Buffer.from('a key').toString('base64');
const PRINT = `SHA256:${createHash('sha256').update('a key').digest('base64').replace(/=+$/, '')}`;

const isOf = (test: { after(end: () => void): void }, file: string | undefined) => {
  const project = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
  test.after(() => remove(project));
  if (file !== undefined) writeFileSync(join(project, 'signers'), file);
  return keyOwners('/nowhere', ([command]) =>
    command === 'rev-parse' ? `${project}\n` : file === undefined ? undefined : 'signers\n',
  );
};

describe('the owner of an SSH key', () => {
  for (const [line, yes, no] of [
    [`a@x.org ssh-ed25519 ${KEY}`, ['a@x.org'], ['b@x.org', 'aa@x.org', 'a@x.org.evil']],
    [`a@x.org,b@x.org ssh-ed25519 ${KEY} comment`, ['a@x.org', 'b@x.org'], ['c@x.org']],
    [`*@x.org namespaces="git, x",valid-after="20200101" ssh-rsa ${KEY}`, ['a@x.org'], ['a@y.org']],
    [`*@x.org,!b@x.org sk-ssh-ed25519@openssh.com ${KEY}`, ['a@x.org'], ['b@x.org']],
    [`"A@X.org" ecdsa-sha2-nistp256 ${KEY}`, ['a@x.org'], ['b@x.org']],
    [`a?@x.org ssh-ed25519 ${KEY}`, ['ab@x.org'], ['a@x.org']],
    [`a.b@x.org ssh-ed25519 ${KEY}`, ['a.b@x.org'], ['acb@x.org']],
    [`# a@x.org ssh-ed25519 ${KEY}`, [], ['a@x.org']],
    [`a@x.org ssh-ed25519 ${Buffer.from('another').toString('base64')}`, [], ['a@x.org']],
    [`${'*a'.repeat(50)} ssh-ed25519 ${KEY}`, [], ['a'.repeat(100)]],
  ] as const)
    it(line.slice(0, 70), (test) => {
      const found = isOf(test, `# who may sign\n\n${line}\n`);
      assert.deepEqual(
        yes.map((address) => found(address, PRINT, '')),
        yes.map(() => true),
      );
      assert.deepEqual(
        no.map((address) => found(address, PRINT, '')),
        no.map(() => false),
      );
    });

  it('is also the one that git names', (test) => {
    const found = isOf(test, undefined);
    assert.deepEqual([found('a@x.org', PRINT, 'a@x.org'), found('b@x.org', PRINT, 'a@x.org')], [true, false]);
    assert.equal(found('b@x.org', PRINT, ''), false);
  });

  it('is what the file says, also where git names only a part of the line', (test) => {
    const found = isOf(test, `*@x.org,!b@x.org ssh-ed25519 ${KEY}\n`);
    assert.deepEqual([found('a@x.org', PRINT, '*@x.org'), found('b@x.org', PRINT, '*@x.org')], [true, false]);
    const many = isOf(test, `*@x.org,!*a*b*c*d* ssh-ed25519 ${KEY}\n`);
    assert.equal(many('abcd@x.org', PRINT, '*@x.org'), false);
  });

  it('may stand in several lines', () => {
    const text = `a@x.org ssh-ed25519 ${KEY}\r\nb@x.org ssh-ed25519 ${KEY}\r\n`;
    assert.deepEqual([...ownersIn(text)], [[PRINT, ['a@x.org', 'b@x.org']]]);
  });
});

it('the owner of another key is in the name that git shows', (test) => {
  const found = isOf(test, undefined);
  const key = 'A'.repeat(40);
  assert.equal(found('a@x.org', key, 'One <A@x.org>'), true);
  assert.equal(found('a@x.org', key, '/CN=One/emailAddress=a@x.org'), true);
  assert.equal(found('a@x.org', key, '/C=DE/CN=One/EMail=A@x.org'), true);
  assert.equal(found('a@x.org', key, 'a@x.org <b@x.org>'), false);
  assert.equal(found('a@x.org', key, '/CN=a@x.org/EMail=b@x.org'), false);
  assert.equal(found('a@x.org', key, ''), false);
});

const noKeys = noGit || (spawnSync('ssh-keygen', ['-?']).error !== undefined && 'there is no ssh-keygen');

/** A repository whose people have a key each, and who signs a lockfile in it. */
const signing = (test: TestContext, people: readonly string[]) => {
  const project = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
  test.after(() => remove(project));
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', project, ...args], { stdio: 'pipe', encoding: 'utf8' }).trim();
  const signers = join(project, 'signers');
  const lines = people.map((name) => `${name}@example.org ${keyOf(name).open}\n`);
  writeFileSync(signers, lines.join(''));
  initGit(project);
  appendFileSync(
    join(project, '.git', 'config'),
    `[gpg]\n\tformat = ssh\n[gpg "ssh"]\n\tallowedSignersFile = ${JSON.stringify(signers)}\n`,
  );
  // Later commits take it without another start.
  writeFileSync(join(project, LOCKFILE), '');
  git('add', LOCKFILE);
  /** @returns the commit */
  const commit = (lock: Lock, email: string, key?: string): string => {
    writeFileSync(join(project, LOCKFILE), renderLock(lock));
    const who = ['-c', 'user.name=x', '-c', `user.email=${email}`];
    git(
      ...who,
      'commit',
      '--allow-empty',
      '-qam',
      'x',
      ...(key === undefined ? [] : [`--gpg-sign=${keyOf(key).path}`]),
    );
    return headOf(project);
  };
  const unsigned = (base: string, before: Lock, now: Lock): string[] =>
    [...unsignedSince(project, base, before, now, NO_RULES).values()].flat().map(({ message }) => message);
  return { git, signers, commit, unsigned };
};

describe('the signature of an approval', { skip: noKeys }, () => {
  it('counts, in whatever letters the commit spells the address of its author', (test) => {
    const { git, signers, commit, unsigned } = signing(test, ['ada']);
    const before = lockOf({ demo: [SEARCH, FETCH] });
    const base = commit(before, 'x@example.org');
    const [from, to] = [contractHash(SEARCH), contractHash(RENAMED)];
    const approved = { by: 'Ada <ada@example.org>', at: '2026-05-04T08:00:00.000Z', diff: from, from, to };
    const now = new Map([['demo', new Map([['search', makePin('demo', RENAMED, approved)]])]]);
    commit(now, 'Ada@Example.ORG');
    assert.match(unsigned(base, before, now).join(), /no commit with a good signature of theirs/);
    git('reset', '-q', '--soft', base);
    commit(now, 'Ada@Example.ORG', 'ada');
    assert.deepEqual(unsigned(base, before, now), []);
    // Git does not call the signature good where the key did not count any more.
    writeFileSync(signers, readFileSync(signers, 'utf8').replace(' ', ' valid-before="20200101" '));
    assert.match(unsigned(base, before, now).join(), /no commit with a good signature of theirs/);
  });

  const yes = (name: string) => ({ by: `${name} <${name}@example.org>`, at: '2026-05-04T08:00:00.000Z' });
  const record = (from: string | undefined, to: string | undefined) => ({
    ...yes('ada'),
    diff: '0'.repeat(64),
    ...defined({ from, to }),
  });
  const pinned = (approved?: Approved): Lock =>
    new Map([['demo', toPins(new Map([['fetch', makePin('demo', FETCH, approved)]]))]]);

  it('is asked for where the contract stayed, and where it went', (test) => {
    const { git, commit, unsigned } = signing(test, ['ada']);
    const hash = contractHash(FETCH);
    const approved = record(hash, undefined);
    const gone: Lock = new Map([
      ['demo', toPins(new Map(), new Map([['fetch', makeRemoved('demo', 'fetch', { approved })]]))],
    ]);
    for (const [before, now] of [
      [pinned(), pinned(record(undefined, hash))],
      [pinned(), gone],
      [gone, pinned(record(undefined, hash))],
    ] as const) {
      const base = commit(before, 'x@example.org');
      commit(now, 'ada@example.org');
      assert.equal(unsigned(base, before, now).length, 1);
      git('reset', '-q', '--soft', base);
      commit(now, 'ada@example.org', 'ada');
      assert.deepEqual(unsigned(base, before, now), []);
      assert.deepEqual(unsigned('HEAD', now, now), [], 'what was there needs no new signature');
    }
  });

  it('is asked for of the second yes alone, where the first one was there; one key counts once', (test) => {
    const { git, signers, commit, unsigned } = signing(test, ['ada', 'grace']);
    // A key that is listed for both can be either's, but not both's.
    const [line = ''] = readFileSync(signers, 'utf8').split('\n');
    appendFileSync(signers, line.replace('ada@', 'grace@'));
    const first = record(undefined, contractHash(FETCH));
    const [before, now] = [pinned(first), pinned({ ...first, second: yes('grace') })];
    for (const [firstKey, secondKey, found] of [
      ['ada', undefined, /approved by "grace .* no commit with a good signature/],
      ['ada', 'ada', /signed with one key/],
      ['ada', 'grace', undefined],
      [undefined, 'grace', undefined],
    ] as const) {
      git('checkout', '-q', '--orphan', `${firstKey}-${secondKey}`);
      const base = commit(before, 'ada@example.org', firstKey);
      commit(now, 'grace@example.org', secondKey);
      const messages = unsigned(base, before, now);
      assert.equal(messages.length, found === undefined ? 0 : 1, `${firstKey}, ${secondKey}`);
      if (found !== undefined) assert.match(messages[0] ?? '', found);
    }
  });

  it('is that of the commit which records the yes, and is asked for of each step', (test) => {
    const { git, commit, unsigned } = signing(test, ['ada']);
    const [first, second] = ['one', 'two'].map((description) => ({ ...FETCH, description }));
    assert.ok(first && second);
    const [old, middle, last] = [FETCH, first, second].map(contractHash);
    const before = lockOf({ demo: [SEARCH, FETCH] });
    const base = commit(before, 'x@example.org');
    const step = makePin('demo', first, record(old, middle));
    const [search, was] = [makePin('demo', SEARCH), makePin('demo', FETCH)];
    const other = makePin('demo', RENAMED, record(search.hash, contractHash(RENAMED)));
    const lock = (...pins: Pin[]): Lock =>
      new Map([['demo', toPins(new Map(pins.map((pin) => [pin.contract.name, pin])))]]);
    // Ada signs one yes; the other one is added in her name, before or after that.
    commit(lock(other, was), 'ada@example.org', 'ada');
    const now = lock(other, step);
    commit(now, 'x@example.org');
    assert.match(unsigned(base, before, now).join('\n'), /^approved by "ada .* and no commit .* records that$/);
    git('reset', '-q', '--hard', base);
    commit(lock(search, step), 'x@example.org');
    commit(now, 'ada@example.org', 'ada');
    assert.equal(unsigned(base, before, now).length, 1);
    // The last yes of a chain is to the last change alone.
    const whole = lock(search, makePin('demo', second, record(middle, last), [record(old, middle)]));
    git('reset', '-q', '--hard', base);
    commit(lock(search, step), 'x@example.org');
    commit(whole, 'ada@example.org', 'ada');
    assert.equal(unsigned(base, before, whole).length, 1);
    git('reset', '-q', '--hard', base);
    commit(lock(search, step), 'ada@example.org', 'ada');
    commit(whole, 'ada@example.org', 'ada');
    assert.deepEqual(unsigned(base, before, whole), []);
    git('reset', '-q', '--hard', base);
    commit(whole, 'ada@example.org', 'ada');
    assert.deepEqual(unsigned(base, before, whole), [], 'both in one commit');
  });
});
