// What commands print at terminals of different widths, and with what colours.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ProcessLike, run } from '../scripts/cli/run.ts';
import { sandbox } from './sandbox.ts';

const at = async (args: string[], env: NodeJS.ProcessEnv, isTTY: boolean, columns = 80) => {
  let printed = '';
  const stdout = {
    isTTY,
    columns,
    write: (text: string): void => {
      printed += text;
    },
  };
  const stdin = (async function* () {})() as ProcessLike['stdin'];
  await run(args, { env, cwd: () => env.HOME ?? '/', stdin, stdout, stderr: { write: () => {} } });
  return printed;
};
const COLOUR = /\[(?:3\d|1)m/;

describe('at a terminal', () => {
  it('help and doctor fit into 80 and 50 columns, commands are never broken', async (test) => {
    const { env } = await sandbox(test, []);
    for (const columns of [80, 50]) {
      for (const line of (await at(['--help'], env, true, columns)).split('\n'))
        assert.ok(line.length <= columns || !line.includes('  '), `${columns}: ${line}`);
      const doctor = await at(['doctor'], { ...env, NO_COLOR: '1' }, true, columns);
      for (const line of doctor.split('\n'))
        assert.ok(line.length <= columns || line.includes('→') || !/\S\s+\S+\s/.test(line.slice(columns)), line);
    }
    assert.match(await at(['--help'], env, true, 50), /^Guard your servers:\n {2}install +/m);
  });

  it('-v is --version', async () => {
    assert.match(await at(['-v'], {}, false), /^\d+\.\d+\.\d+\n$/);
  });

  it('colours: at a terminal that can, where nobody forbids or forces them', async (test) => {
    const { env } = await sandbox(test, []);
    const cases: [NodeJS.ProcessEnv, boolean, boolean][] = [
      [{}, true, true],
      [{}, false, false],
      [{ TERM: 'dumb' }, true, false],
      [{ NO_COLOR: '1' }, true, false],
      [{ FORCE_COLOR: '1' }, false, true],
      [{ FORCE_COLOR: '0' }, true, false],
      [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
      [{ FORCE_COLOR: '1', TERM: 'dumb' }, true, true],
    ];
    for (const [more, isTTY, expected] of cases)
      assert.equal(COLOUR.test(await at(['doctor'], { ...env, ...more }, isTTY)), expected, JSON.stringify(more));
  });

  it('every command stands in one group of the help', async (test) => {
    const { env } = await sandbox(test, []);
    const help = await at(['--help'], env, false);
    const named = [...help.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name]) => name);
    assert.equal(new Set(named).size, named.length);
    assert.equal(named.length, 21);
  });
});
