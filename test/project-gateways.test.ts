// A gateway in a project's settings: we send nothing to it before the user agrees to its address.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { loadConfig } from '../scripts/config/config.ts';
import { agreedTo, rememberAgreed } from '../scripts/config/project-gateways.ts';
import { atTerminal, whyNoPerson } from './at-terminal.ts';
import { drive, sandbox, tool } from './sandbox.ts';

const SEARCH = tool('search', { query: { type: 'string' } });
const NEW = tool('search', { q: { type: 'string' } });

const world = async (test: TestContext) => {
  let tools = [SEARCH];
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(JSON.stringify(request.headers));
    response.end(JSON.stringify({ schema_version: '1', tools }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const box = await sandbox(test, [], { freshFor: 0 });
  delete box.env.GATEWAY_URL;
  mkdirSync(join(box.project, '.claude'), { recursive: true });
  const settings = (gateways: object): void =>
    writeFileSync(join(box.project, '.claude/konnichiwagwan.json'), JSON.stringify({ gateways }));
  const env = { ...box.env, CLAUDE_PROJECT_DIR: box.project };
  const probe = async () => {
    const { answer, code } = await drive('cli.cjs', null, env, ['probe', '--json']);
    return { code, sources: answer.data.sources, warnings: (answer.warnings as string[]).join() };
  };
  const agree = (reply: string) => atTerminal(env, ['approve', '--gateways'], [reply]);
  const release = (now: (typeof SEARCH)[]): void => {
    tools = now;
  };
  return { box, url, asked, settings, probe, agree, release };
};

describe('a gateway of a project', { concurrency: 2 }, () => {
  it('is not asked, and is told, until somebody agrees', async (test) => {
    const { box, url, asked, settings, probe } = await world(test);
    settings({ team: { url } });
    await box.start();
    const { sources, warnings } = await probe();
    assert.deepEqual([sources[0].state, asked], ['not-configured', []]);
    assert.match(
      warnings,
      new RegExp(
        `the gateway "team" \\("${url}"\\) is not asked until you agree to it once: konnichiwagwan approve --gateways`,
      ),
    );
  });

  it('changes nothing of the one in GATEWAY_URL by having its name, also where somebody agreed to it', async (test) => {
    const { box, url, settings } = await world(test);
    const gateway = { url, servers: ['nothing'], timeout: 1 };
    settings({ GATEWAY_URL: gateway });
    rememberAgreed(box.state, box.project, 'GATEWAY_URL', gateway, true);
    const own = 'http://127.0.0.1:1';
    const gatewaysWith = (env: NodeJS.ProcessEnv) => loadConfig(box.state, box.project, env).user.gateways;
    assert.deepEqual(gatewaysWith({ ...box.env, GATEWAY_URL: own }), { GATEWAY_URL: { url: own } });
    assert.deepEqual(gatewaysWith(box.env), {});
  });

  it('may hold no headers, variables and credentials', async (test) => {
    const { asked, settings, probe, url } = await world(test);
    for (const gateway of [
      { url, headers: { 'x-key': 'a' } },
      { url: `${url}/\${HOME}` },
      { url: url.replace('//', '//me:secret@') },
      { url: url.replace('//', '//me@') },
      { url: url.replace('//', '//:secret@') },
      { url: 'file:///etc/passwd' },
      { url: 7 },
    ]) {
      settings({ team: gateway });
      const { warnings } = await probe();
      assert.match(warnings, /is not a setting|must be an http or https address/, JSON.stringify(gateway));
      assert.doesNotMatch(warnings, /secret/);
    }
    assert.deepEqual(asked, []);
  });

  it('is asked after a yes at a terminal, and guards calls; a no is silent', { skip: whyNoPerson }, async (test) => {
    const { box, url, asked, settings, probe, agree, release } = await world(test);
    settings({ team: { url } });
    const no = await agree('n\r');
    assert.match(
      no.screen,
      /name the gateway "team":\s+http:\/\/127[\s\S]*Ask it, from now on\? \[y\/N\][\s\S]*"team": is not asked/u,
    );
    assert.deepEqual([(await probe()).warnings, asked], ['', []]);
    assert.match((await agree('y\r')).screen, /"team": is asked from now on/);
    await box.start();
    assert.equal(asked.length > 0, true);
    assert.equal((await box.call('search', { query: 'x' })).stdout, '');
    release([NEW]);
    const stopped = await box.call('search', { query: 'x' }, { tool_use_id: 'toolu_2' });
    assert.equal(stopped.answer.hookSpecificOutput.permissionDecision, 'deny');
    // Another address is another question, and the answers are in no file of the project.
    const before = asked.length;
    settings({ team: { url: `${url}/elsewhere` } });
    assert.match((await probe()).warnings, /is not asked until you agree/);
    assert.equal(asked.length, before);
    assert.match(readFileSync(join(box.state, 'agreed.json'), 'utf8'), /"agreed":true/);
  });

  it('is not asked about where the settings name none: that is said', { skip: whyNoPerson }, async (test) => {
    const { agree } = await world(test);
    const { code, screen } = await agree('y\r');
    assert.equal(code, 0);
    assert.match(screen, /The settings of this project name no gateway\./);
  });

  it('of the user has the name, whatever the project says', async (test) => {
    const { box, url, asked, settings, probe } = await world(test);
    writeFileSync(join(box.state, 'config.json'), JSON.stringify({ freshFor: 0, gateways: { team: { url } } }), {
      mode: 0o600,
    });
    settings({ team: { url: 'http://127.0.0.1:9' } });
    const { sources, warnings } = await probe();
    assert.deepEqual([sources[0].name, sources[0].state, warnings], ['team', 'no-baseline', '']);
    assert.equal(asked.length > 0, true);
  });

  it('has an answer of its own, whatever is said about another one of the project', async (test) => {
    const { state, project } = await sandbox(test, []);
    const [first, second] = [{ url: 'http://127.0.0.1:1' }, { url: 'http://127.0.0.1:2' }];
    // The first answer may come before there is a state folder.
    rmSync(state, { recursive: true });
    rememberAgreed(state, project, 'first', first, false);
    rememberAgreed(state, project, 'second', second, true);
    assert.equal(agreedTo(state, project, 'first', first), false);
    assert.equal(agreedTo(state, project, 'second', second), true);
  });

  it('is asked about the servers that its user agreed to, and no others; a no is to its address', async (test) => {
    const { state, project } = await sandbox(test, []);
    const url = 'http://127.0.0.1:3';
    const of = (...servers: string[]) => ({ url, servers });
    const said = (gateway: { url: string; servers?: string[] }) => agreedTo(state, project, 'docs', gateway);
    rememberAgreed(state, project, 'docs', of('b', 'a'), true);
    assert.deepEqual(
      [said(of('a', 'b')), said(of('a')), said(of('a', 'c')), said({ url })],
      [true, true, undefined, undefined],
    );
    assert.equal(said(of('a,b')), undefined);
    rememberAgreed(state, project, 'docs', { url }, true);
    assert.deepEqual([said({ url }), said(of('a'))], [true, true]);
    rememberAgreed(state, project, 'docs', of('a'), false);
    assert.equal(said(of('c')), false);
  });

  it('needs a new yes where an earlier one does not say for which servers', async (test) => {
    const { state, project } = await sandbox(test, []);
    const url = 'http://127.0.0.1:4';
    rememberAgreed(state, project, 'docs', { url }, true);
    const path = join(state, 'agreed.json');
    const said = JSON.parse(readFileSync(path, 'utf8'), (key, value) => (key === 'servers' ? undefined : value));
    writeFileSync(path, JSON.stringify(said));
    for (const gateway of [{ url }, { url, servers: ['a'] }])
      assert.equal(agreedTo(state, project, 'docs', gateway), undefined);
  });
});
