// How long a copy of shared approvals counts, when it is fetched again, and where the list of its signers is.
import assert from 'node:assert/strict';
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { sha256 } from '../scripts/contract/canonical.ts';
import { renderLock } from '../scripts/lock/render.ts';
import {
  addressOf,
  isDue,
  isProven,
  isTooOld,
  readAbout,
  type SharedFacts,
  sharedApprovals,
  sharedUntil,
  sharedWith,
  signersPath,
  withParts,
  writeKept,
} from '../scripts/shared/kept.ts';
import { refreshShared } from '../scripts/shared/shared-refresh.ts';
import { remove } from '../scripts/state/in-use.ts';
import { FETCH, lockOf, RENAMED, SEARCH } from './lock-bench.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 24 * 3_600_000];
const settings = { url: 'https://approvals.test/mcp.json', allowedSigners: 'signers' };

/** A state folder with a copy that was confirmed and looked for some time ago, in ms. */
const world = (test: TestContext) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-kept-'));
  test.after(() => remove(home));
  const signers = join(home, 'signers');
  writeFileSync(signers, 'ada');
  const written = (age: number): void => utimesSync(signers, (Date.now() - age) / 1_000, (Date.now() - age) / 1_000);
  written(30 * DAY);
  const copy = (confirmed: number): SharedFacts['copy'] => ({
    signature: 'x',
    signer: 'ada',
    signers: sha256('ada'),
    provenAt: Date.now() - confirmed,
    confirmedAt: Date.now() - confirmed,
    length: 0,
    parts: [],
  });
  const keep = (tried: number, confirmed?: number, more: Partial<SharedFacts> = {}): void => {
    const kept = confirmed === undefined ? {} : { copy: copy(confirmed) };
    const about = { address: addressOf(settings), triedAt: Date.now() - tried, ...kept, ...more } as SharedFacts;
    writeKept(home, { about, body: Buffer.alloc(0) });
  };
  return { home, signers, written, copy, keep, due: (env = {}) => isDue(home, settings, env) };
};

describe('shared approvals are fetched', () => {
  it('where there is no copy, or one of another address', (test) => {
    const { keep, due } = world(test);
    assert.equal(due(), true);
    keep(MINUTE, MINUTE, { address: addressOf({ ...settings, url: 'https://other.test/mcp.json' }) });
    assert.equal(due(), true);
  });

  it('every hour, ten minutes after a failure, and at once where a clock put the last time into the future', (test) => {
    const { keep, due } = world(test);
    const problem = { why: 'no answer', since: Date.now() };
    for (const [tried, more, is] of [
      [59 * MINUTE, {}, false],
      [61 * MINUTE, {}, true],
      [9 * MINUTE, { problem }, false],
      [11 * MINUTE, { problem }, true],
      [-DAY, {}, true],
    ] as const) {
      keep(tried, HOUR, more);
      assert.equal(due(), is, `${tried} ms ago`);
    }
  });

  it('at once where the list of signers was written since, and not for ever where its time is of the future', (test) => {
    const { keep, due, written } = world(test);
    keep(10 * MINUTE, HOUR);
    written(5 * MINUTE);
    assert.equal(due(), true);
    written(-DAY);
    assert.equal(due(), false);
    // Without a copy there is nothing to prove.
    keep(10 * MINUTE);
    written(5 * MINUTE);
    assert.equal(due(), false);
  });

  it('and why they were not is kept, also the first time', async (test) => {
    const { home, signers } = world(test);
    remove(signers);
    await refreshShared(home, settings, {}, true);
    const { copy, problem } = readAbout(home, settings) ?? {};
    assert.deepEqual([copy, problem?.why], [undefined, 'the file of allowed signers does not exist']);
  });
});

describe('what shared approvals say holds', () => {
  const inMinutes = (until: number): number => Math.round((until - Date.now()) / MINUTE);

  it('until they are fetched again, or are too old; not at all where nothing is known of them', (test) => {
    const { home, keep } = world(test);
    assert.equal(sharedUntil(home, settings), 0);
    keep(10 * MINUTE, 10 * MINUTE);
    assert.equal(inMinutes(sharedUntil(home, settings)), 50);
    assert.equal(inMinutes(sharedUntil(home, { ...settings, maxAge: 1_200 })), 10);
    // Already too old: the next change is when they are fetched.
    assert.equal(inMinutes(sharedUntil(home, { ...settings, maxAge: 60 })), 50);
    keep(10 * MINUTE);
    assert.equal(inMinutes(sharedUntil(home, settings)), 50);
  });

  it('for a week after they were confirmed, or for as many seconds as the settings say, by either clock', (test) => {
    const { copy } = world(test);
    const isOld = (confirmed: number, maxAge?: number): boolean =>
      isTooOld({ copy: copy(confirmed) ?? assert.fail() }, { ...settings, ...(maxAge ? { maxAge } : {}) });
    assert.deepEqual([isOld(6 * DAY), isOld(8 * DAY), isOld(-8 * DAY)], [false, true, true]);
    assert.deepEqual([isOld(2 * HOUR, 3_600), isOld(HOUR / 2, 3_600)], [true, false]);
  });

  it('for each server by its own part, and as a whole in the bytes that were published', (test) => {
    const { home, copy } = world(test);
    const lock = lockOf({ demo: [SEARCH, FETCH], größe: [RENAMED], other: [FETCH] });
    const text = `${renderLock(lock)}\n`;
    const { body, ...places } = withParts(text, lock);
    const about = { address: addressOf(settings), triedAt: Date.now(), copy: { ...copy(0), ...places } };
    writeKept(home, { about: about as SharedFacts, body });
    for (const [server, pins] of lock)
      assert.deepEqual(sharedWith(home, settings, {}, server)?.lock, new Map([[server, pins]]));
    assert.deepEqual(sharedWith(home, settings, {}, 'none')?.lock, new Map());
    assert.equal(sharedApprovals(home, settings, {})?.text, text);
  });

  it('not at all where the text of the copy was lost', (test) => {
    const { home, keep } = world(test);
    keep(MINUTE, MINUTE);
    assert.equal(sharedApprovals(home, settings, {}), undefined);
  });

  it('only for the list of signers that they were proven by', (test) => {
    const { home, signers, copy } = world(test);
    const found = copy(0) ?? assert.fail();
    assert.equal(isProven(home, settings, {}, found), true);
    writeFileSync(signers, 'eve');
    assert.equal(isProven(home, settings, {}, found), false);
    remove(signers);
    assert.equal(isProven(home, settings, {}, found), false);
  });
});

it('the list of signers is at its path, below the home folder, or below the state folder', () => {
  const env = { HOME: '/home/ada', USERPROFILE: '/home/ada' };
  const at = (allowedSigners: string): string => signersPath('/state', { ...settings, allowedSigners }, env);
  assert.equal(at('~/keys/signers'), join('/home/ada', 'keys/signers'));
  assert.equal(at('keys/signers'), join('/state', 'keys/signers'));
  assert.equal(at('/etc/signers'), '/etc/signers');
});
