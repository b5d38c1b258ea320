// Which machines have to have reported before a company retires a tool, and which did not.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { CommandError } from '../scripts/command/command.ts';
import { nothingRead } from '../scripts/state/history.ts';
import { remove } from '../scripts/state/in-use.ts';
import { takeApart } from '../scripts/usage/exports/batches.ts';
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

it('a batch of log records is read as the lines of an activity log', (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-batches-'));
  test.after(() => remove(folder));
  const [path, to] = [join(folder, 'logs.jsonl'), join(folder, 'lines.jsonl')];
  const at = Date.UTC(2026, 4, 6, 7, 8, 9);
  const record = (attributes: { [name: string]: string | boolean | number }, time = at) => ({
    timeUnixNano: String(time * 1e6),
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value:
        typeof value === 'string'
          ? { stringValue: value }
          : typeof value === 'number'
            ? { intValue: String(value) }
            : { boolValue: value },
    })),
  });
  const ours = (more: { [name: string]: string | boolean | number }) =>
    record({ 'konnichiwagwan.server': 'the sea', 'konnichiwagwan.session': 's7', ...more });
  const logRecords = [
    ours({ 'gen_ai.tool.name': 'read tide', 'konnichiwagwan.verdict': 'deny', 'konnichiwagwan.replaces': true }),
    ours({ 'gen_ai.tool.name': 'mcp__far__go', 'konnichiwagwan.replaces': false, 'konnichiwagwan.count': 12 }),
    ours({
      'konnichiwagwan.inner.tool': 'dive',
      'konnichiwagwan.inner.server': 'reef',
      'konnichiwagwan.machine': 'ada',
      'konnichiwagwan.event.id': 'e1',
    }),
    record({ 'gen_ai.tool.name': 'of another program' }),
  ];
  const batch = { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
  writeFileSync(path, `${JSON.stringify(batch)}\n{"at":"a line of an activity log"}\n{"resourceLogs":\n`);
  const read = nothingRead();
  takeApart({ path, machine: 'grace', parquet: false }, to, 5, read);
  const same = { at: new Date(at).toISOString(), session: 's7', server: 'the sea' };
  assert.deepEqual(
    readFileSync(to, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [
      { ...same, machine: 'grace', tool: 'mcp__the_sea__read_tide', verdict: 'deny', again: true, count: '1', id: '' },
      { ...same, machine: 'grace', tool: 'mcp__far__go', again: false, count: '12', id: '' },
      { ...same, machine: 'ada', again: false, inner: { server: 'reef', tool: 'dive' }, count: '1', id: 'e1' },
    ],
  );
  assert.deepEqual([read.tooLong, read.damaged, read.unread], [1, 1, 0]);
});
