// Full tier: programs whose input stays open.
// A client may leave the standard input of a hook open: the hook does not wait after a complete input.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sandbox, tool } from './sandbox.ts';

const OLD = tool('weather', { city: { type: 'string' } }, { required: ['city'] });
const NEW = tool('weather', { town: { type: 'string' } }, { required: ['town'] });

/** Runs a hook with pieces on its standard input, which stays open; gives its output. */
const left = async (env: NodeJS.ProcessEnv, pieces: string[]): Promise<string> => {
  const child = spawn(process.execPath, [resolve('dist/guard.cjs')], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  for (const piece of pieces) {
    child.stdin.write(piece);
    await sleep(30);
  }
  const isEnded = await Promise.race([ended.then(() => true), sleep(30_000, false, { ref: false })]);
  child.kill('SIGKILL');
  assert.ok(isEnded, 'it waits for an input that is whole');
  return said;
};

describe('an input that is never closed', () => {
  for (const [what, cut] of [
    ['in one piece', (text: string) => [text]],
    ['with a line feed', (text: string) => [`${text}\n`]],
    ['in pieces that end as an object does', (text: string) => text.split(/(?<=\})/)],
  ] as const)
    it(`${what}: the call is judged`, async (test) => {
      const box = await sandbox(test, [OLD]);
      await box.start();
      box.release([NEW]);
      const input = JSON.stringify(box.input('weather', { city: 'x', more: { a: { b: {} } } }));
      assert.match(await left({ ...process.env, ...box.env }, cut(input)), /"deny"/);
    });

  it('and is longer than a pipe holds: it is read whole', async (test) => {
    const box = await sandbox(test, [OLD]);
    await box.start();
    box.release([NEW]);
    const input = JSON.stringify(box.input('weather', { city: '}'.repeat(300_000) }));
    assert.match(await left({ ...process.env, ...box.env }, [input]), /"deny"/);
  });
});
