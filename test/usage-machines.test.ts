// Which machines have to have reported before a company retires a tool, and which did not.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { CommandError } from '../scripts/command/command.ts';
import { remove } from '../scripts/state/in-use.ts';
import { escaped, isAddress } from '../scripts/usage/exports/files.ts';
import { expectedMachines, missingMachines, missingText } from '../scripts/usage/exports/machines.ts';

describe('the machines that are expected', () => {
  const list = (test: TestContext, text: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-machines-'));
    test.after(() => remove(folder));
    const path = join(folder, 'machines.txt');
    writeFileSync(path, text);
    return expectedMachines('machines.txt', path);
  };

  it('are a number', () => assert.equal(expectedMachines('12', '/nowhere'), 12));

  it('are the names in a file, each once, without comments and empty lines', (test) => {
    const text = '# the office\r\nada\r\ngrace  # on leave\n\nada\nbuild#7\n';
    assert.deepEqual(list(test, text), ['ada', 'grace', 'build#7']);
  });

  it('are never nothing: neither zero, nor a file without a name, nor one that is not there', (test) => {
    assert.throws(() => expectedMachines('0', '/nowhere'), CommandError);
    assert.throws(() => list(test, '# none\n\n'), /names no machine/);
    assert.throws(() => expectedMachines('machines.txt', '/nowhere/machines.txt'), /could not be read/);
    assert.throws(() => list(test, 'x'.repeat(4 * 1024 * 1024 + 1)), /too large/);
  });
});

describe('the machines that are missing', () => {
  const until = '2026-03-02';
  const machines = new Map([
    ['ada', '2026-03-03'],
    ['grace', '2026-03-02'],
    ['old', '2026-01-01'],
  ]);

  it('reported nothing after the last day: on that day more may have come', () => {
    const expected = ['ada', 'grace', 'linus'];
    assert.deepEqual(missingMachines({ until, machines, expected }), {
      expected: 3,
      complete: 1,
      missing: [
        { machine: 'grace', last: '2026-03-02' },
        { machine: 'linus', last: null },
      ],
    });
    assert.deepEqual(missingText({ until, machines, expected }), [
      '1 of 3 machines reported after 2026-03-02; these did not, and last reported: grace (2026-03-02), linus (never)',
    ]);
  });

  it('are none where all of those that are named reported, whatever others did', () => {
    assert.deepEqual(missingText({ until, machines, expected: ['ada'] }), []);
  });

  it('are as many as a number says; with enough, one that stopped reporting was perhaps not expected', () => {
    assert.equal(missingText({ until, machines, expected: 2 }).length, 1);
    assert.deepEqual(missingText({ until, machines, expected: 1 }), []);
  });

  it('are not known where nothing is expected: that is a reason, too', () => {
    const [why, ...more] = missingText({ until, machines });
    assert.match(why ?? '', /which machines are expected is not known/);
    assert.deepEqual(more, []);
  });

  it('are named up to twenty', () => {
    const expected = Array.from({ length: 23 }, (_, at) => `m${at}`);
    const [why] = missingText({ until, machines, expected });
    assert.match(why ?? '', /^0 of 23 machines .* m19 \(never\) and 3 more$/);
  });
});

it('a path of exports is no pattern, and an address is no path', () => {
  assert.equal(escaped('/logs/[2026]/*?.jsonl'), '/logs/[[]2026]/[*][?].jsonl');
  assert.deepEqual(['s3://bucket/logs', 'https://c.test/x', 'C:\\logs', './logs', 'logs'].map(isAddress), [
    true,
    true,
    false,
    false,
    false,
  ]);
});
