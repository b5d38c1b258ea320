// What git holds of a lockfile and of its rules: at the commit where a branch began, in the last commit, and before.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { CommandError } from '../scripts/command/command.ts';
import type { Contract } from '../scripts/contract/types.ts';
import {
  atRevision,
  committedLock,
  committedRules,
  heldRules,
  nearerSince,
  pinnedBefore,
} from '../scripts/lock/at-revision.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { NO_RULES, PROJECT_SETTINGS, projectRules } from '../scripts/lock/rules.ts';
import { makePin } from '../scripts/lock/seal.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { headOf, initGit, noGit } from './git.ts';
import { FETCH, lockOf, RENAMED, SEARCH } from './lock-bench.ts';
import { noLinks } from './posix.ts';

/** A project that lies in a folder of a repository. */
const repository = (test: Pick<TestContext, 'after'>) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'konnichiwagwan-revision-')));
  test.after(() => remove(root));
  const project = join(root, 'service');
  mkdirSync(project);
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', project, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  initGit(project);
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), text);
  };
  const commit = (message: string): string => {
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', message);
    return headOf(project);
  };
  const pin = (...tools: Contract[]): void => write(LOCKFILE, renderLock(lockOf({ demo: tools })));
  const rule = (approvals: object): void => write(PROJECT_SETTINGS, JSON.stringify({ approvals }));
  return { root, project, git, write, commit, pin, rule };
};

const hashOf = (tool: Contract): string => makePin('demo', tool).hash;
const hashes = (lock: ReturnType<typeof lockOf> | undefined): string[] =>
  [...(lock?.get('demo')?.values() ?? [])].map(({ hash }) => hash);

it('rules of the last commit hold beside weaker ones that were written since', { skip: noGit }, (test) => {
  const { root, project, rule, commit } = repository(test);
  rule({ why: true, people: 2 });
  commit('two people, with a reason');
  rule({ signatures: true });
  const held = heldRules(join(root, 'state'), project);
  assert.deepEqual(held, { rules: { ...NO_RULES, why: true, people: 2, signatures: true }, warnings: [] });
});

it('where git cannot read a repository, we say that the last commit’s rules are not known', { skip: noGit }, (test) => {
  const { root, project, rule, commit } = repository(test);
  const state = join(root, 'state');
  rule({ people: 2 });
  assert.deepEqual(heldRules(state, project).warnings, [], 'no commit yet');
  commit('two people');
  rule({ why: true });
  writeFileSync(join(root, 'service', '.git', 'config'), '[core');
  const { rules, warnings } = heldRules(state, project);
  assert.deepEqual(rules, { ...NO_RULES, why: true });
  assert.match(
    warnings.join(),
    /git cannot read the repository of .*service.*the rules of its last commit are not known/,
  );
});

it('a lockfile takes the place of another only below it, and once', { skip: noGit }, (test) => {
  const { project, write, commit } = repository(test);
  const lockIn = (folder: string): void => write(join(folder, LOCKFILE), renderLock(lockOf({ demo: [FETCH] })));
  const middle = join(project, 'packages');
  lockIn('beside');
  const first = commit('one beside it');
  lockIn('packages');
  const second = commit('one in a folder');
  assert.deepEqual(nearerSince(middle, first, [project]), []);
  assert.deepEqual(nearerSince(project, first, []), []);
  lockIn('packages/a b');
  lockIn('elsewhere');
  commit('one below it, and another one beside it');
  assert.deepEqual(nearerSince(middle, second, [project]), [`a b/${LOCKFILE}`]);
  assert.deepEqual(nearerSince(join(middle, 'a b'), second, [middle, project]), [LOCKFILE]);
  assert.deepEqual(nearerSince(middle, headOf(project), [project]), []);
});

describe('a lockfile at a revision', { skip: noGit }, () => {
  it('is that of the commit where the branch left it, under the rules of the revision itself', (test) => {
    const { project, git, commit, pin, rule } = repository(test);
    pin(SEARCH);
    const base = commit('pinned');
    git('checkout', '-q', '-b', 'feature');
    pin(RENAMED);
    rule({ people: 1 });
    commit('approved on the branch, and its rules loosened');
    git('checkout', '-q', 'main');
    pin(FETCH);
    rule({ people: 2, why: true });
    commit('something else on the other branch');
    git('checkout', '-q', 'feature');
    const found = atRevision(project, 'main');
    assert.equal(found.base, base);
    assert.deepEqual(hashes(found.lock), [hashOf(SEARCH)]);
    assert.deepEqual(found.rules, { ...NO_RULES, people: 2, why: true });
    assert.deepEqual(hashes(committedLock(project)), [hashOf(RENAMED)]);
  });

  it('is unknown where a clone left its content out: that is no missing file, and no missing rule', (test) => {
    const { root, project, git, commit, pin, rule } = repository(test);
    pin(SEARCH);
    rule({ people: 2 });
    commit('rules');
    git('checkout', '-q', '-b', 'feature');
    pin(RENAMED);
    rule({ people: 1 });
    commit('approved on the branch, and its rules loosened');
    git('config', 'uploadpack.allowFilter', 'true');
    const clone = join(root, 'clone');
    git('clone', '-q', '--filter=blob:none', '-b', 'feature', `file://${project}`, clone);
    assert.throws(
      () => atRevision(clone, 'origin/main'),
      ({ code, message }: CommandError) =>
        code === 'unreadable' && /of commit [0-9a-f]{12} cannot be read/.test(message),
    );
    assert.deepEqual(committedRules(clone), NO_RULES);
    for (const file of [PROJECT_SETTINGS, LOCKFILE])
      execFileSync('git', ['-C', clone, 'show', `origin/main:${file}`], { stdio: 'ignore' });
    assert.equal(atRevision(clone, 'origin/main').rules.people, 2);
    assert.equal(atRevision(project, 'main').rules.people, 2);
  });

  it('has the rules behind a link, as the folder has; and none in a blank file, or behind a link to nothing', {
    skip: noLinks,
  }, (test) => {
    const { project, write, commit, pin } = repository(test);
    const rules = { ...NO_RULES, people: 2 };
    pin(SEARCH);
    write('shared/konnichiwagwan.json', JSON.stringify({ approvals: { people: 2 } }));
    symlinkSync('shared', join(project, '.claude'));
    commit('the folder is a link');
    assert.deepEqual(projectRules(project), rules);
    assert.deepEqual([committedRules(project), atRevision(project, 'HEAD').rules], [rules, rules]);
    rmSync(join(project, '.claude'));
    mkdirSync(join(project, '.claude'));
    symlinkSync('../shared/konnichiwagwan.json', join(project, PROJECT_SETTINGS));
    commit('the file is one');
    assert.deepEqual([projectRules(project), committedRules(project)], [rules, rules]);
    write('shared/konnichiwagwan.json', '\n');
    commit('nothing in it');
    assert.deepEqual([projectRules(project), committedRules(project)], [NO_RULES, NO_RULES]);
    rmSync(join(project, 'shared'), { recursive: true });
    commit('nothing behind it');
    assert.deepEqual([projectRules(project), committedRules(project)], [NO_RULES, NO_RULES]);
    rmSync(join(project, PROJECT_SETTINGS));
    symlinkSync(join(project, LOCKFILE), join(project, PROJECT_SETTINGS));
    commit('a link that git cannot follow');
    assert.throws(() => committedRules(project), { code: 'unreadable' });
  });

  it('is empty where there was none, and no rules are none', (test) => {
    const { project, commit, pin } = repository(test);
    const before = commit('nothing yet');
    pin(SEARCH);
    commit('pinned');
    assert.deepEqual(atRevision(project, before), { lock: new Map(), base: before, rules: NO_RULES });
  });

  it('is refused where git does not know the revision, or has nothing in common with it', (test) => {
    const { project, git, commit, pin } = repository(test);
    pin(SEARCH);
    commit('pinned');
    for (const revision of ['nowhere', '-all', '--output=x', '', 'HEAD~7'])
      assert.throws(() => atRevision(project, revision), { code: 'no-such-revision' }, revision);
    git('checkout', '-q', '--orphan', 'other');
    commit('another history');
    assert.throws(() => atRevision(project, 'main'), /have in common/);
  });

  it('that cannot be read is never taken for an empty one', (test) => {
    const { root, project, git, write, commit } = repository(test);
    write(LOCKFILE, '{"lockfileVersion": 99}');
    commit('from a later version');
    assert.throws(() => atRevision(project, 'HEAD'), { code: 'unreadable-lockfile' });
    assert.equal(committedLock(project), undefined);
    rmSync(join(project, LOCKFILE));
    mkdirSync(join(project, LOCKFILE));
    write(`${LOCKFILE}/x`, 'x');
    commit('a folder of that name');
    assert.throws(() => atRevision(project, 'HEAD'), { code: 'unreadable' });
    assert.throws(() => committedLock(project), { code: 'unreadable' });
    git('rm', '-rq', LOCKFILE);
    write(PROJECT_SETTINGS, '{');
    commit('rules that are not valid');
    assert.throws(() => committedRules(project), /not valid JSON/);
    assert.throws(() => atRevision(root, 'HEAD^{tree}'), { code: 'no-such-revision' });
  });
});

describe('the last commit', { skip: noGit }, () => {
  it('counts, and no edit of the folder', (test) => {
    const { project, commit, pin, rule } = repository(test);
    assert.deepEqual([committedLock(project), committedRules(project)], [undefined, NO_RULES]);
    pin(SEARCH);
    rule({ people: 2 });
    commit('pinned');
    pin(RENAMED);
    rule({});
    assert.deepEqual(hashes(committedLock(project)), [hashOf(SEARCH)]);
    assert.deepEqual(committedRules(project), { ...NO_RULES, people: 2 });
  });
});

describe('a contract that was pinned before', { skip: noGit }, () => {
  it('is found by its hash in any commit, for its own server and tool alone', (test) => {
    const { project, commit, pin, write } = repository(test);
    pin(SEARCH, FETCH);
    commit('pinned');
    write(LOCKFILE, 'damaged');
    commit('damaged');
    pin(RENAMED);
    commit('approved');
    const find = pinnedBefore(project);
    assert.deepEqual(find('demo', 'search', hashOf(SEARCH))?.inputSchema, SEARCH.inputSchema);
    assert.deepEqual(find('demo', 'search', hashOf(RENAMED))?.inputSchema, RENAMED.inputSchema);
    for (const [server, tool, hash] of [
      ['other', 'search', hashOf(SEARCH)],
      ['demo', 'fetch', hashOf(SEARCH)],
      ['demo', 'search', hashOf(FETCH)],
    ] as const)
      assert.equal(find(server, tool, hash), undefined, `${server} ${tool}`);
  });

  it('is not known in a folder that is in no repository', (test) => {
    const { root } = repository(test);
    assert.equal(pinnedBefore(root)('demo', 'fetch', hashOf(FETCH)), undefined);
  });

  it('does not count where its pin was edited by hand', (test) => {
    const { project, commit, write } = repository(test);
    const text = renderLock(lockOf({ demo: [SEARCH] }));
    const edited = text.replace('Finds things.', 'Finds anything.');
    assert.notEqual(edited, text);
    write(LOCKFILE, edited);
    commit('edited');
    assert.equal(pinnedBefore(project)('demo', 'search', hashOf(SEARCH)), undefined);
  });
});
