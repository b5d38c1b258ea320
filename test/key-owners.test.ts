// Whose a signing key is: by git's file of allowed signers for SSH, by the name in the key for others; and what it signs.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { contractHash } from '../scripts/contract/canonical.ts';
import { keyOwners, ownersIn } from '../scripts/lock/key-owners.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { makePin } from '../scripts/lock/seal.ts';
import { unsignedSince } from '../scripts/lock/signers.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { noGit } from './git.ts';
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

describe('the signature of an approval', { skip: noKeys }, () => {
  it('counts, in whatever letters the commit spells the address of its author', (test) => {
    const project = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
    test.after(() => remove(project));
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', project, ...args], { stdio: 'pipe', encoding: 'utf8' }).trim();
    const key = join(project, 'key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key], { stdio: 'pipe' });
    const signers = join(project, 'signers');
    writeFileSync(signers, `ada@example.org ${readFileSync(`${key}.pub`, 'utf8')}`);
    git('init', '-q', '-b', 'main');
    for (const [name, value] of Object.entries({
      'user.name': 'Ada',
      'user.email': 'Ada@Example.ORG',
      'gpg.format': 'ssh',
      'gpg.ssh.allowedSignersFile': signers,
    }))
      git('config', name, value);
    const before = lockOf({ demo: [SEARCH, FETCH] });
    writeFileSync(join(project, LOCKFILE), renderLock(before));
    git('add', LOCKFILE);
    git('commit', '-qm', 'pinned');
    const base = git('rev-parse', 'HEAD');
    const [from, to] = [contractHash(SEARCH), contractHash(RENAMED)];
    const approved = { by: 'Ada <ada@example.org>', at: '2026-05-04T08:00:00.000Z', diff: from, from, to };
    const now = new Map([['demo', new Map([['search', makePin('demo', RENAMED, approved)]])]]);
    writeFileSync(join(project, LOCKFILE), renderLock(now));
    const unsigned = () =>
      unsignedSince(project, base, before, now)
        .get('demo')
        ?.map(({ rule }) => rule);
    git('commit', '-qam', 'approved');
    assert.deepEqual(unsigned(), ['approval-unsigned']);
    git('commit', '-q', '--amend', '--no-edit', `--gpg-sign=${key}`);
    assert.deepEqual(unsigned(), []);
  });
});
