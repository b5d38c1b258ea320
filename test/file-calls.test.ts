// How often an unchanged call accesses the file system: each access is a system call, and adds to every call of a tool.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { describe, it } from 'node:test';
import { runProgram, sandbox, tool, untilRecorded } from './sandbox.ts';

/** Loaded before a program: records each of its calls of node:fs, with the function's name and the path. */
const COUNTER = `
  const fs = require('node:fs');
  const { appendFileSync } = fs;
  const [calls, paths] = [[], new Map()];
  for (const name of Object.keys(fs)) {
    const real = fs[name];
    // These are made of the others, which are counted.
    if (!/Sync$/.test(name) || /^(?:append|write|read)FileSync$|^exists/.test(name) || typeof real !== 'function') continue;
    fs[name] = Object.assign((...args) => {
      const path = typeof args[0] === 'number' ? paths.get(args[0]) : args[0];
      calls.push([name, String(path)]);
      const result = real(...args);
      if (name === 'openSync') paths.set(result, args[0]);
      return result;
    }, real);
  }
  process.on('exit', () => appendFileSync(process.env.COUNTED, JSON.stringify(calls)));
`;

describe('an unchanged call', () => {
  it('turns to files of ours 12 times at most, and to no file twice in vain', async (test) => {
    const box = await sandbox(test, [tool('weather', { city: { type: 'string' } })], { freshFor: 60 });
    await box.start();
    await untilRecorded(box.state, 's1');
    const [counter, counted] = [join(box.home, 'counter.cjs'), join(box.home, 'counted.json')];
    writeFileSync(counter, COUNTER);
    const env = { ...box.env, CLAUDE_PID: String(process.pid), COUNTED: counted };
    const call = async (id: string, ...flags: string[]): Promise<void> => {
      const input = JSON.stringify(box.input('weather', { city: 'a' }, { tool_use_id: id }));
      const ran = await runProgram(process.execPath, [...flags, resolve('dist/guard.cjs')], { input, env });
      assert.deepEqual([ran.code, ran.stdout, ran.stderr], [0, '', '']);
    };
    // The first call is judged, and leaves the memo for the fast path.
    await call('toolu_1');
    assert.equal(existsSync(counted), false);
    await call('toolu_2', '--require', counter);
    const calls: [string, string][] = JSON.parse(readFileSync(counted, 'utf8'));
    const ours = calls.filter(([, path]) => path.startsWith(box.state + sep) && !path.endsWith('config.json'));
    assert.ok(ours.length > 3 && ours.length <= 12, JSON.stringify(ours, null, 1));
    const opened = calls.filter(([name]) => name === 'openSync').map(([, path]) => path);
    assert.deepEqual(opened, [...new Set(opened)]);
    assert.ok(calls.length <= 50, `${calls.length} in all`);
  });
});
