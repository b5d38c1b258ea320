// Full tier: parallel starts.
// Two installers at once, on a busy machine: one result holds, complete, and files of others stay.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';

const ROUNDS = 20;
const ORIGINAL = `{
  "model": "opus",
  "permissions": {
    "deny": ["Read(./.env)"]
  },
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo hi"}]}
    ]
  }
}
`;
const LOCK = '.konnichiwagwan-install.lock';

const newHome = (test: TestContext) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
  test.after(() => remove(home));
  const claude = join(home, '.claude');
  const settings = join(claude, 'settings.json');
  mkdirSync(claude);
  writeFileSync(settings, ORIGINAL);
  return { home, claude, settings, skill: join(claude, 'skills/konnichiwagwan') };
};

const run = (home: string, command: string, killAfter?: number): Promise<{ code: number | null; stderr: string }> =>
  new Promise((done) => {
    const child = spawn(process.execPath, [resolve('dist/cli.cjs'), command], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      done({ code, stderr });
    });
  });

interface Hook {
  command: string;
  args?: string[];
}

/** Whether the settings and the folder are those of a complete installation, or of none; anything else fails. */
const stateOf = ({ claude, settings, skill }: ReturnType<typeof newHome>): 'installed' | 'not installed' => {
  const text = readFileSync(settings, 'utf8');
  const found = JSON.parse(text);
  assert.equal(found.model, 'opus');
  assert.ok(found.permissions.deny.includes('Read(./.env)'));
  assert.ok(JSON.stringify(found.hooks.PreToolUse).includes('echo hi'));
  const hooks = (Object.values(found.hooks) as { hooks: Hook[] }[][]).flat().flatMap((group) => group.hooks);
  const ours = hooks.flatMap(({ args }) => args ?? []).filter((arg) => arg.endsWith('.cjs'));
  if (ours.length === 0) {
    assert.equal(text, ORIGINAL);
    assert.deepEqual(readdirSync(claude), ['settings.json']);
    return 'not installed';
  }
  assert.equal(ours.length, 7);
  assert.ok(found.permissions.deny.length > 1);
  for (const file of ours) assert.ok(existsSync(file), file);
  const record = JSON.parse(readFileSync(join(skill, 'install.json'), 'utf8')) as { files: string[] };
  for (const file of record.files) assert.ok(existsSync(join(skill, file)), file);
  assert.deepEqual(readdirSync(join(claude, 'skills')), ['konnichiwagwan']);
  return 'installed';
};

describe('installers at once', () => {
  const burners: ChildProcess[] = [];
  before(() => {
    for (let core = 0; core < 2; core++)
      burners.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore', timeout: 300_000 }));
  });
  after(() => {
    for (const burner of burners) burner.kill('SIGKILL');
  });

  it(`an install against an uninstall, ${ROUNDS} times: one of both results holds completely`, async (test) => {
    const place = newHome(test);
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const first = round % 2 === 0 ? 'install' : 'uninstall';
      const commands = [first, first === 'install' ? 'uninstall' : 'install'];
      const runs = await Promise.all(commands.map((command) => run(place.home, command)));
      for (const { code, stderr } of runs) assert.deepEqual([code, stderr], [0, '']);
      seen.add(stateOf(place));
    }
    assert.equal((await run(place.home, 'uninstall')).code, 0);
    assert.equal(stateOf(place), 'not installed');
    assert.deepEqual(readdirSync(place.home), ['.claude']);
  });

  it('several installs at once leave one installation, and one uninstall takes it back', async (test) => {
    const place = newHome(test);
    for (let round = 0; round < 3; round++) {
      const runs = await Promise.all(Array.from({ length: 4 }, () => run(place.home, 'install')));
      for (const { code, stderr } of runs) assert.deepEqual([code, stderr], [0, '']);
      assert.equal(stateOf(place), 'installed');
      assert.equal((await run(place.home, 'uninstall')).code, 0);
      assert.equal(stateOf(place), 'not installed');
    }
  });

  it('killed anywhere while another one runs, the next one puts everything right', async (test) => {
    const place = newHome(test);
    for (let round = 0; round < ROUNDS; round++) {
      const command = round % 2 === 0 ? 'install' : 'uninstall';
      const [, whole] = await Promise.all([run(place.home, command, 60 + round * 25), run(place.home, 'install')]);
      assert.deepEqual([whole.code, whole.stderr], [0, '']);
      JSON.parse(readFileSync(place.settings, 'utf8'));
      assert.deepEqual(await run(place.home, 'install'), { code: 0, stderr: '' });
      assert.equal(stateOf(place), 'installed');
    }
    assert.equal((await run(place.home, 'uninstall')).code, 0);
    assert.equal(stateOf(place), 'not installed');
    assert.deepEqual(readdirSync(place.home), ['.claude']);
  });
});

describe('an uninstaller', () => {
  it('killed at whatever it removes, leaves what the next installer knows as ours', async (test) => {
    const place = newHome(test);
    const preload = join(place.home, 'kill.cjs');
    // Kills the process right before the given removal.
    const text = `const fs = require('node:fs'); const { rmSync } = fs; let left = Number(process.env.KILL_AT);
      fs.rmSync = (...args) => { if (--left === 0) process.kill(process.pid, 'SIGKILL'); rmSync(...args); };`;
    const uninstall = (killAt: number) =>
      new Promise<NodeJS.Signals | null>((done) => {
        writeFileSync(preload, text);
        const env = { PATH: process.env.PATH, HOME: place.home, KILL_AT: String(killAt) };
        const args = ['-r', preload, resolve('dist/cli.cjs'), 'uninstall'];
        const child = spawn(process.execPath, args, { cwd: place.home, env, stdio: 'ignore' });
        child.on('close', (_code, signal) => {
          rmSync(preload);
          done(signal);
        });
      });
    let killAt = 1;
    for (; ; killAt += 2) {
      assert.deepEqual(await run(place.home, 'install'), { code: 0, stderr: '' }, `killed at removal ${killAt - 2}`);
      assert.equal(stateOf(place), 'installed');
      if ((await uninstall(killAt)) === null) break;
    }
    assert.ok(killAt > 20, `${killAt} removals`);
    assert.equal(stateOf(place), 'not installed');
  });
});

describe('the lock of an installer', () => {
  it('tells the next one which folders a killed one has made: they go with the installation', async (test) => {
    for (const next of ['install', 'uninstall']) {
      const place = newHome(test);
      // Killed after creating the folder and before recording it; half of a second note was written.
      writeFileSync(join(place.home, LOCK), `999999999 ${hostname()} x\n["..","../.."]\n["..`);
      mkdirSync(join(place.claude, 'skills'));
      assert.deepEqual(await run(place.home, next), { code: 0, stderr: '' });
      if (next === 'install') assert.equal((await run(place.home, 'uninstall')).code, 0);
      assert.equal(stateOf(place), 'not installed');
      assert.deepEqual(readdirSync(place.home), ['.claude']);
    }
  });

  it('a folder that was there before any installation stays', async (test) => {
    const place = newHome(test);
    mkdirSync(join(place.claude, 'skills'));
    for (const command of ['install', 'uninstall']) {
      writeFileSync(join(place.home, LOCK), `999999999 ${hostname()} x\n["../../../.ssh"]`);
      assert.deepEqual(await run(place.home, command), { code: 0, stderr: '' });
    }
    assert.deepEqual(readdirSync(place.claude).sort(), ['settings.json', 'skills']);
  });

  it('whose process is gone is taken over at once', async (test) => {
    const place = newHome(test);
    writeFileSync(join(place.home, LOCK), `999999999 ${hostname()} x`);
    const since = performance.now();
    assert.deepEqual(await run(place.home, 'install'), { code: 0, stderr: '' });
    assert.ok(performance.now() - since < 10_000);
    assert.equal(stateOf(place), 'installed');
    assert.deepEqual(readdirSync(place.home), ['.claude', '.local']);
  });

  it('that is held by nobody who could still be at work is taken over, whatever process has its number now', async (test) => {
    const place = newHome(test);
    const lock = join(place.home, LOCK);
    writeFileSync(lock, `${process.pid} ${hostname()} x`);
    const hourAgo = Date.now() / 1000 - 3_600;
    utimesSync(lock, hourAgo, hourAgo);
    assert.deepEqual(await run(place.home, 'install'), { code: 0, stderr: '' });
    assert.deepEqual(readdirSync(place.home), ['.claude', '.local']);
  });

  it('that is held is waited for, and then named', async (test) => {
    const place = newHome(test);
    const lock = join(place.home, LOCK);
    writeFileSync(lock, `${process.pid} ${hostname()} x`);
    const waiting = run(place.home, 'install');
    await new Promise((wait) => setTimeout(wait, 1_500));
    assert.equal(stateOf(place), 'not installed');
    rmSync(lock);
    assert.deepEqual(await waiting, { code: 0, stderr: '' });
    assert.equal(stateOf(place), 'installed');
    writeFileSync(lock, `${process.pid} ${hostname()} x`);
    const { code, stderr } = await run(place.home, 'uninstall');
    assert.equal(code, 2);
    assert.match(stderr, /another install or uninstall is under way.*install\.lock.*\n.*remove that file/);
    rmSync(lock);
    assert.equal(stateOf(place), 'installed');
  });
});
