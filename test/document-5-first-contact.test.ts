// "The fix: a lockfile for tool contracts": "On first contact, take a SHA-256 of each tool's canonical contract and pin it."
// The first session of a person in a project offers it, once.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from '../scripts/contract/types.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { firstEver } from '../scripts/state/once.ts';
import { initGit, noGit } from './git.ts';
import { drive, needProcesses, sandbox, tool } from './sandbox.ts';

const SEARCH = tool('search', { query: { type: 'string' } });

/** Makes a folder a repository with several authors. */
const shared = (folder: string): void => {
  initGit(folder);
  appendFileSync(join(folder, '.git', 'config'), '[remote "origin"]\n\turl = ../there\n');
};

/** A session that a person starts at a terminal, unless the variables say otherwise. */
const world = async (test: TestContext, tools = [SEARCH], config: JsonObject = { freshFor: 0 }) => {
  const box = await sandbox(test, tools, config);
  shared(box.project);
  let count = 0;
  const told = async (env: NodeJS.ProcessEnv = {}, more: JsonObject = {}): Promise<string> => {
    const before = { ...box.env };
    Object.assign(box.env, { CLAUDE_CODE_ENTRYPOINT: 'cli', ...env });
    const { code, answer } = await box.greet({ session_id: `first-${++count}`, ...more });
    Object.assign(box.env, Object.fromEntries(Object.keys(box.env).map((name) => [name, before[name]])));
    assert.equal(code, 0);
    assert.equal(answer?.hookSpecificOutput, undefined, 'nothing of it is for the model');
    return answer?.systemMessage ?? '';
  };
  const servers = (mcpServers: JsonObject): void =>
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers }));
  const cli = (...args: string[]) => {
    const { CLAUDE_CODE_ENTRYPOINT: _, ...env } = box.env;
    return drive('cli.cjs', null, env, args, true);
  };
  return { ...box, told, servers, cli };
};

const OFFER =
  'konnichiwagwan: your team can agree on the MCP tools of this repository, and be told when one changes. To write down what they are now, in mcp-contracts.lock.json: kwg pin. This is said once.';

describe('The fix: a lockfile for tool contracts: first contact', { concurrency: 2, skip: noGit }, () => {
  it('the first session of a person offers to pin, once for each project, with the command', async (test) => {
    const box = await world(test);
    assert.equal(await box.told(), OFFER);
    for (const source of ['startup', 'resume', 'clear']) assert.equal(await box.told({}, { source }), '');
    const link = join(box.home, 'link');
    symlinkSync(box.project, link);
    assert.equal(await box.told({ CLAUDE_PROJECT_DIR: link }), '', 'by another path it is the same project');
    const other = join(box.home, 'other');
    mkdirSync(other);
    assert.equal(await box.told({ CLAUDE_PROJECT_DIR: other }), '', 'nobody else works there');
    shared(other);
    assert.equal(await box.told({ CLAUDE_PROJECT_DIR: other }), OFFER);
    // The offered command works, and there is no second offer.
    assert.equal((await box.cli('pin')).code, 0);
    assert.ok(existsSync(join(box.project, LOCKFILE)));
  });

  it('two sessions that start at once: one of them', async (test) => {
    needProcesses(test);
    const box = await world(test);
    box.env.CLAUDE_CODE_ENTRYPOINT = 'cli';
    const runs = await Promise.all(['a', 'b', 'c', 'd'].map((session_id) => box.start({ session_id })));
    assert.equal(runs.filter(({ answer }) => answer !== undefined).length, 1);
  });

  it('nothing where nobody sits: headless, in CI, in a client that does not say; and the person is told later', async (test) => {
    const box = await world(test);
    for (const env of [
      { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' },
      { CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' },
      { CLAUDE_CODE_ENTRYPOINT: undefined },
      { CI: 'true' },
      { CI: '1' },
    ])
      assert.equal(await box.told(env), '', JSON.stringify(env));
    assert.equal(await box.told({}, { source: 'compact' }), '', 'in the middle of work');
    assert.equal(await box.told({ CI: 'false' }), OFFER);
  });

  it('nothing where there is no server that can be pinned', async (test) => {
    const box = await world(test, []);
    assert.equal(await box.told(), '', 'a gateway without tools');
    box.env.GATEWAY_URL = undefined;
    assert.equal(await box.told(), '', 'no server at all');
    box.servers({ away: { type: 'http', url: 'http://127.0.0.1:9/mcp' } });
    assert.equal(await box.told(), '', 'one that does not answer');
    writeFileSync(
      join(box.project, '.mcp.json'),
      JSON.stringify({ mcpServers: { theirs: { type: 'stdio', command: process.execPath, args: ['-e', ''] } } }),
    );
    assert.equal(await box.told(), '', 'one of the repository, which nobody approved');
    box.servers({ program: { type: 'stdio', command: process.execPath, args: ['-e', ''] } });
    assert.match(await box.told(), /`program` is new and not guarded/, 'first things first');
    assert.equal(await box.told(), '', 'one that only this person has');
    const config = { mcpServers: { program: { type: 'stdio', command: process.execPath, args: ['-e', ''] } } };
    writeFileSync(join(box.project, '.mcp.json'), JSON.stringify(config));
    const approved = { hasTrustDialogAccepted: true, enabledMcpjsonServers: ['program'] };
    writeFileSync(
      join(box.home, '.claude.json'),
      JSON.stringify({ projects: { [realpathSync(box.project)]: approved } }),
    );
    assert.match(await box.told(), /`program` is new and not guarded: kwg wrap --add program/);
    const offer = await box.told();
    assert.match(offer, /: kwg pin --spawn \(it starts those that are programs, to ask them\)\./);
    assert.equal(await box.told(), '');
  });

  it('nothing where something is pinned, or was: that is not the first contact', async (test) => {
    const box = await world(test);
    assert.equal((await box.cli('pin')).code, 0);
    assert.equal(await box.told(), '');
    const below = join(box.project, 'below');
    mkdirSync(below);
    assert.equal(await box.told({ CLAUDE_PROJECT_DIR: below }), '', 'in a folder below a lockfile');
    rmSync(join(box.project, LOCKFILE));
    assert.equal(await box.told(), '', 'it is gone, and the guard says that');
  });

  it('nothing where the lockfile is unreadable, or git has it', async (test) => {
    const box = await world(test);
    writeFileSync(join(box.project, LOCKFILE), '{');
    assert.equal(await box.told(), '');
    rmSync(join(box.project, LOCKFILE));
    assert.equal((await box.cli('pin')).code, 0);
    execFileSync('git', ['-C', box.project, 'add', '-A']);
    rmSync(join(box.project, LOCKFILE));
    remove(join(box.state, 'locks'));
    assert.equal(await box.told(), '');
  });

  it('nothing in the home folder, and nothing where the guard is off', async (test) => {
    const box = await world(test);
    // Some keep their settings in git, and share them.
    shared(box.home);
    assert.equal(await box.told({ CLAUDE_PROJECT_DIR: box.home }), '');
    writeFileSync(join(box.state, 'config.json'), JSON.stringify({ mode: 'off' }));
    assert.equal(await box.told(), '');
    writeFileSync(join(box.state, 'config.json'), JSON.stringify({ mode: 'warn' }));
    assert.equal(await box.told(), OFFER);
  });

  it('beside what else there is to say, and last', async (test) => {
    const box = await world(test);
    await box.told({ CI: '1' });
    box.release([{ ...SEARCH, description: 'Now with words.' }]);
    assert.match(await box.told(), /^konnichiwagwan: 1 tool of .*\nkonnichiwagwan: your team can agree/);
  });

  it('never where it could not be remembered: it would be said every day', async (test) => {
    const box = await world(test);
    writeFileSync(join(box.state, 'told'), 'no folder');
    assert.equal(await box.told(), '');
  });

  it('what is remembered is bounded, empty, for its owner alone, and goes with uninstall --purge', async (test) => {
    const box = await world(test);
    await box.told();
    const folder = join(box.state, 'told');
    const [only, ...more] = readdirSync(folder);
    assert.match(only ?? '', /^pin-[0-9a-f]{24}$/);
    assert.equal(more.length, 0);
    for (let at = 0; at < 1_010; at++) {
      writeFileSync(join(folder, `x${at}`), '');
      utimesSync(join(folder, `x${at}`), 1e9 + at, 1e9 + at);
    }
    assert.equal(firstEver(box.state, 'one-more'), true);
    assert.equal(firstEver(box.state, 'one-more'), false);
    assert.equal(readdirSync(folder).length, 1_000);
    assert.ok(existsSync(join(folder, only ?? '')) && !existsSync(join(folder, 'x0')));
    assert.equal((await box.cli('uninstall', '--purge')).code, 0);
    assert.equal(existsSync(folder), false);
  });
});
