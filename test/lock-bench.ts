// Shared by the tests of the lockfile and of its commands.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { parseLock } from '../scripts/lock/read.ts';
import { makePin } from '../scripts/lock/seal.ts';
import { LOCKFILE, type Lock } from '../scripts/lock/types.ts';
import { drive, sandbox, tool } from './sandbox.ts';

export const DRAFT = 'http://json-schema.org/draft-07/schema#';

export const lockOf = (servers: Record<string, Contract[]>): Lock =>
  new Map(
    Object.entries(servers).map(([server, tools]) => [
      server,
      new Map(tools.map((one) => [one.name, makePin(server, one)])),
    ]),
  );

export const parsed = (text: string): Lock => {
  const result = parseLock(text);
  assert.ok('lock' in result, 'why' in result ? result.why : '');
  return result.lock;
};

export const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  '1',
  '01',
  'a/b',
  'a~b',
  '"',
  '\u202e',
  ' ',
  'é',
  '道具',
  '\ud800',
];

export const SEARCH = tool(
  'search',
  { query: { type: 'string' } },
  { required: ['query'] },
  { description: 'Finds things.' },
);
export const FETCH = tool('fetch', { url: { type: 'string' } });
export const RENAMED = tool('search', { q: { type: 'string' } }, { required: ['q'] }, { description: 'Finds things.' });

/** Runs the commands in a separate project. */
export const workbench = async (test: TestContext, tools: Contract[] = [SEARCH, FETCH], config?: JsonObject) => {
  const box = await sandbox(test, tools, config);
  const path = join(box.project, LOCKFILE);
  const run = (args: string[], env: NodeJS.ProcessEnv = {}, input: string | null = null) =>
    drive('cli.cjs', input, { ...box.env, ...env }, args, true);
  const envelope = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
    const ran = await run([...args, '--json'], env);
    assert.equal(ran.stderr, '');
    const { ok, data, error, warnings } = JSON.parse(ran.stdout);
    assert.equal(ok, ran.code === 0);
    return { code: ran.code, data, error, warnings };
  };
  const pinned = async (): Promise<string> => {
    // The gateway runs in this process, where other tests can hold it up.
    const { code, data, error } = await envelope(['pin', '--timeout', '60']);
    assert.equal(code, 0, JSON.stringify(error));
    return data.servers[0].server;
  };
  const file = (content: object, called = 'answer.json'): string => {
    const to = join(box.home, called);
    writeFileSync(to, JSON.stringify(content));
    return to;
  };
  return { ...box, path, run, envelope, pinned, file, lockText: () => readFileSync(path, 'utf8') };
};
