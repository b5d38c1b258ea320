// How `npm run windows` evaluates a run: tests by the names of their suites, and which results are new.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';

const { faultsOf, unexpected, testsOf } = await import(pathToFileURL(resolve('scripts/dev/windows/results.mjs')).href);

const event = (file: string, nesting: number, name: string, passed = true, more = {}) => ({
  file: `Z:\\x\\.build\\windows\\${file}.test.mjs`,
  nesting,
  name,
  passed,
  error: passed ? '' : 'why',
  ...more,
});

describe('the tests of a run', () => {
  it('are named by their suites; suites are none', () => {
    const told = [
      event('a', 2, 'deep', false),
      event('b', 0, 'of another file'),
      event('a', 1, 'inner', false),
      event('a', 1, 'beside', true, { skip: 'no shell' }),
      event('a', 0, 'outer', false),
      event('a', 1, 'deep'),
      event('a', 0, 'second'),
      event('a', 0, 'alone'),
    ];
    assert.deepEqual(
      testsOf(told).map(({ file, test, outcome }: Record<string, string>) => [file, test, outcome]),
      [
        ['a', 'outer › inner › deep', 'failed'],
        ['a', 'outer › beside', 'skipped'],
        ['a', 'second › deep', 'passed'],
        ['a', 'alone', 'passed'],
        ['b', 'of another file', 'passed'],
      ],
    );
  });

  it('count with a file that did not end, and a suite that did not begin', () => {
    const told = [
      event('a', 0, 'x'),
      event('a', 0, 'Z:\\x\\.build\\windows\\a.test.mjs', false),
      event('b', 0, 'a suite', false),
    ];
    assert.deepEqual(
      testsOf(told).map(({ test, outcome }: Record<string, string>) => [test, outcome]),
      [
        ['x', 'passed'],
        ['the file', 'failed'],
        ['a suite', 'failed'],
      ],
    );
  });
});

describe('what a run reports', () => {
  const tests = [
    { file: 'a', test: 'one', outcome: 'failed' },
    { file: 'a', test: 'two', outcome: 'passed' },
    { file: 'b', test: 'one', outcome: 'failed' },
  ];
  const named = (list: { file: string; test: string }[]) => list.map(({ file, test }) => `${file}: ${test}`);

  it('are failures that are not listed, and listed ones that did not happen', () => {
    const known = [
      { file: 'a', test: 'one' },
      { file: 'a', test: 'two' },
      { file: 'a', test: 'gone' },
      { file: 'not run', test: 'one' },
    ];
    const { unlisted, mended } = unexpected(tests, known);
    assert.deepEqual([named(unlisted), named(mended)], [['b: one'], ['a: two', 'a: gone']]);
  });
});

describe('the list of known failures', () => {
  const known = JSON.parse(readFileSync('test/windows/known.json', 'utf8'));
  const one = { file: 'a', test: 'b', reason: 'c', windows: 'd' };

  it('is as it should be', () => assert.deepEqual(faultsOf(known), []));

  it('says of each why, and what Windows does; and it is short', () => {
    assert.deepEqual(faultsOf(Array(40).fill(one)), []);
    assert.equal(faultsOf(Array(41).fill(one)).length, 1);
    assert.equal(
      faultsOf([
        { ...one, reason: '' },
        { file: 'a', test: 'b', reason: 'c' },
      ]).length,
      2,
    );
  });
});
