// If a server repeats its secrets, they appear in none of the guard's files, and everything else still works.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Contract } from '../scripts/contract/types.ts';
import { diffText } from '../scripts/install/preview.ts';
import { credentialsOf } from '../scripts/servers/secrets.ts';
import type { Launch } from '../scripts/servers/types.ts';
import { hidden, hideFromNowOn } from '../scripts/state/hidden.ts';
import { type Offer, startMcp } from './mcp-servers.ts';
import { drive, sandbox, tool, untilRecorded } from './sandbox.ts';

const HEADER = 'tok_9f8e7d6c5b4a3f2e1d0c';
const QUERY = 'q"5c4b3a2f1e0d9c8b7a6f';
const VARIABLE = 'v_0a1b2c3d4e5f60718293';
const SECRETS = [HEADER, QUERY, VARIABLE];

const text = { type: 'string' };
const echoing = (words: string, parameter = 'city'): Contract => ({
  ...tool('weather', { [parameter]: { ...text, description: SECRETS.join(' ') } }, { required: [parameter] }),
  description: `${words} ${SECRETS.join(' ')}`,
});

const filesWith = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => {
      const written = readFileSync(path, 'utf8');
      return SECRETS.some((one) => written.includes(one) || written.includes(JSON.stringify(one).slice(1, -1)));
    });

describe('a secret that a server repeats', () => {
  it('is kept nowhere: a session, calls, changes, status', async (test) => {
    const offer: Offer = { tools: [echoing('Weather.')] };
    const server = await startMcp('modern', offer);
    test.after(server.close);
    const box = await sandbox(test, []);
    delete box.env.GATEWAY_URL;
    box.env.MY_API_KEY = VARIABLE;
    const url = `${server.url}?key=${encodeURIComponent(QUERY)}`;
    const entry = { type: 'http', url, headers: { Authorization: `Bearer ${HEADER}` } };
    writeFileSync(
      join(box.home, '.claude.json'),
      JSON.stringify({ mcpServers: { demo: entry }, projects: { [box.project]: { hasTrustDialogAccepted: true } } }),
    );
    await box.start();
    box.show([echoing('Weather.')], 'one');
    const first = await box.call('weather', { city: 'x' });
    assert.equal(first.stdout, '', 'what is unchanged is silent');
    assert.deepEqual(filesWith(box.state), []);
    const status = await drive('cli.cjs', '', box.env, ['probe', '--json', '--session', 's1']);
    assert.match(status.stdout, /"fresh"/);

    offer.tools = [echoing('Weather.', 'place')];
    const stopped = await box.call('weather', { city: 'x' }, { tool_use_id: 'toolu_2' });
    assert.match(stopped.stdout, /"deny"/);
    await untilRecorded(box.state, 's1');
    assert.deepEqual(filesWith(box.state), []);
  });

  it('is hidden as a whole where another one is part of it', () => {
    const [part, whole] = ['b2c3d4e5f6', 'a1-b2c3d4e5f6-a7'];
    hideFromNowOn([part, whole]);
    const text = hidden(`one ${part}, two ${whole}.`);
    assert.match(text, /^one konnichiwagwan-hidden-[0-9a-f]{16}, two konnichiwagwan-hidden-[0-9a-f]{16}\.$/);
  });
});

describe('a secret that a program is started with', () => {
  const launch = (args: string[], env: Record<string, string> = {}) =>
    ({ type: 'stdio', command: 'node', args, env }) as Launch;
  const found = (one: Launch): string[] => [...new Set(credentialsOf(one).map(([, value]) => value))].sort();

  it('is found in addresses and behind names that say so, and nowhere else', () => {
    assert.deepEqual(
      found(
        launch([
          'pg.js',
          'postgres://app:pa%40ss_9f8e7d@db:5432/x?a=b',
          '--api-key',
          'k_77665544',
          '--port',
          '54320000',
        ]),
      ),
      ['k_77665544', 'pa%40ss_9f8e7d', 'pa@ss_9f8e7d'],
    );
    assert.deepEqual(
      found(launch(['--auth-token=t_11223344', '--verbose-keyboard', '--url', 'https://docs.test/a:b@c'])),
      ['t_11223344'],
    );
    assert.deepEqual(found(launch(['--token', '--other', 'not_a_value'])), []);
    assert.deepEqual(
      found(launch([], { DATABASE_URL: 'mysql://root:rootpw_556677@db', EDITOR_NAME: 'long-enough-name' })),
      ['rootpw_556677'],
    );
  });

  it('is in no preview of a change', () => {
    const before =
      '{\n  "args": [\n    "postgres://app:hunter22@db/x",\n    "--token",\n    "t_11223344",\n    "--key=k_77665544"\n  ]\n}\n';
    const lines = diffText(before, before.replace('{', '{\n  "a": 1,'), 9).join('\n');
    assert.doesNotMatch(lines, /hunter22|t_11223344|k_77665544/);
    assert.match(lines, /postgres:\/\/app:…@db\/x/);
  });

  it('is in no preview of a change, with several in one line', () => {
    const args = '["--Api-Key=a_1","--session-token=a_2","--auth","a_3","--passwd","a_4"]';
    const line = `{"args":${args},"env":{"NPM_TOKEN":"a_5","COOKIE":"a_6","PLACE":"here"}}`;
    assert.deepEqual(diffText('', `${line}\n`), [
      '+{"args":["--Api-Key=…","--session-token=…","--auth","…","--passwd","…"],' +
        '"env":{"NPM_TOKEN":"…","COOKIE":"…","PLACE":"here"}}',
    ]);
  });
});

it('a secret that is the beginning of another one leaves nothing of that behind', () => {
  const [short, long] = ['k3y-0123456789', 'k3y-0123456789-and-the-rest'];
  hideFromNowOn([short, long]);
  assert.doesNotMatch(hidden(JSON.stringify({ a: long, b: short, c: `${short}${long}` })), /k3y|rest/);
});
