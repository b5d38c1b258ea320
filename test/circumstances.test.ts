// Stored facts hold only under the circumstances in which they were learned. The tests change each circumstance, and each
// pair of them: then nothing learned before may be used. `freshFor` is a minute, so that it would be used if it could.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { attempt } from '../scripts/contract/attempt.ts';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { ageOf, type Circumstances, keep, recall, thisMoment } from '../scripts/state/circumstances.ts';
import { remove } from '../scripts/state/in-use.ts';
import { drive, type Run, sandbox, tool, untilRecorded } from './sandbox.ts';

const takes = (name: string, parameter: string): Contract =>
  tool(name, { [parameter]: { type: 'string' } }, { required: [parameter], additionalProperties: false });

/** What the model sees and the server runs; what another model sees; and what runs elsewhere. */
const [A, Z, B] = [takes('weather', 'city'), takes('weather', 'place'), takes('weather', 'region')];

/** Where a call is made, and who makes it. */
interface Setting {
  path: string;
  base: string;
  tenant: string;
  account: string;
  header: string;
  session: string;
  agent?: string;
  server: string;
  tool: string;
  project: string;
  /** A released server whose last answer seems to come from a later time. */
  clock?: 'at' | 'up';
}

const LEARNED: Setting = {
  path: 'one',
  base: 'v1',
  tenant: 'a',
  account: 'a',
  header: 'a',
  session: 's1',
  server: 'demo',
  tool: 'weather',
  project: 'project',
};

const CHANGES: { [what: string]: Partial<Setting> } = {
  'the address in the settings': { path: 'two' },
  'a variable in the address': { base: 'v2' },
  'a variable in the query': { tenant: 'b' },
  'a variable in a header': { account: 'b' },
  'a header in the settings': { header: 'b' },
  'the session': { session: 's2' },
  'the conversation, to a subagent': { agent: 'agent1' },
  'the server': { server: 'demo2' },
  'the tool': { tool: 'forecast' },
  'the project': { project: 'project2' },
  'the clock of the calendar': { clock: 'at' },
  'the clock of the machine': { clock: 'up' },
};

/** A server that runs A where something was learned, and B under every other address, query and header. */
const startServer = async (test: Pick<TestContext, 'after'>) => {
  let [released, asked] = [false, 0];
  const http = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked++;
      const message = body === '' ? {} : (JSON.parse(body) as JsonObject);
      if (request.method !== 'POST') return void response.writeHead(405).end();
      if (message.id === undefined) return void response.writeHead(202).end();
      const known =
        request.url === '/v1/one?tenant=a' &&
        request.headers['x-account'] === 'a' &&
        request.headers['x-fixed'] === 'a';
      const tools = [known && !released ? A : B, takes('forecast', 'region')];
      const result =
        message.method === 'initialize'
          ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
          : message.method === 'tools/list'
            ? { tools }
            : undefined;
      const error = { code: -32601, message: 'unknown method' };
      const answer = { jsonrpc: '2.0', id: message.id, ...(result === undefined ? { error } : { result }) };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  test.after(() => {
    http.closeAllConnections();
    http.close();
  });
  return {
    origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    release: (now = true) => {
      released = now;
    },
    asked: () => asked,
  };
};

/** Whether an entry names another address, or other headers, than those with which the client connected at the session's start. */
const isElsewhere = (now: Setting): boolean =>
  now.session === LEARNED.session &&
  (now.project === LEARNED.project || now.server !== LEARNED.server) &&
  (['path', 'base', 'tenant', 'account', 'header'] as const).some((name) => now[name] !== LEARNED[name]);

const decision = ({ answer }: Run): string => answer?.hookSpecificOutput?.permissionDecision ?? 'none';

/** Dates the stored answers an hour into the future. */
const fromLater = (state: string, clock: 'at' | 'up'): void => {
  const folder = join(state, 'live');
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.head.json'))) {
    const {
      circumstances,
      at: _at,
      up: _up,
      checksum: _checksum,
      ...head
    } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const ahead = 3_600_000;
    if (clock === 'at') {
      head.checkedAt += ahead;
      head.freshUntil += ahead;
    } else head.checkedUp += ahead;
    keep(join(folder, file), circumstances, head);
  }
};

/** Dates a stored answer to this moment. */
const learnedJustNow = (path: string): void => {
  const { circumstances, at: _at, up: _up, checksum: _sum, ...head } = JSON.parse(readFileSync(path, 'utf8'));
  const now = thisMoment();
  const freshUntil = now.at + head.freshUntil - head.checkedAt;
  keep(path, circumstances, { ...head, checkedAt: now.at, checkedUp: now.up, freshUntil });
};

const world = async (test: Pick<TestContext, 'after'>) => {
  const server = await startServer(test);
  const box = await sandbox(test, [], { freshFor: 60 });
  const folderOf = (project: string): string => join(box.home, project);
  mkdirSync(folderOf('project2'));
  const entry = (path: string, header: string): JsonObject => ({
    type: 'http',
    url: `${server.origin}/\${BASE}/${path}?tenant=\${TENANT}`,
    headers: { 'X-Account': `\${ACCOUNT}`, 'X-Fixed': header },
  });
  const configure = ({ path, header }: Setting): void => {
    const mcpServers = { demo: entry(path, header), demo2: entry(path, header) };
    // In the other project, a server of the same name has another address.
    const projects = { [folderOf('project2')]: { mcpServers: { demo: entry('two', header) } } };
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers, projects }));
  };
  const environment = ({ base, tenant, account, project }: Setting): NodeJS.ProcessEnv => ({
    ...box.env,
    GATEWAY_URL: undefined,
    CLAUDE_PROJECT_DIR: folderOf(project),
    BASE: base,
    TENANT: tenant,
    ACCOUNT: account,
  });
  const transcriptOf = ({ session, agent }: Setting): string =>
    agent === undefined
      ? join(box.home, `${session}.jsonl`)
      : join(box.home, session, 'subagents', `agent-${agent}.jsonl`);
  /** Settings in which the model was shown something else: another session, subagent or server. */
  const shownZ = ({ session, agent, server }: Setting): boolean =>
    session !== LEARNED.session || agent !== undefined || server !== LEARNED.server;
  const show = (setting: Setting): void => {
    const { server, session } = setting;
    mkdirSync(join(transcriptOf(setting), '..'), { recursive: true });
    const tools = [shownZ(setting) ? Z : A, takes('forecast', 'city')].map(({ name, inputSchema }) => ({
      name: `mcp__${server}__${name}`,
      input_schema: inputSchema,
    }));
    const shapeHash = `${server}${session}`;
    const lines = [
      { type: 'api-request-shape', shapeHash, shape: { system: [], tools } },
      { type: 'api-request', querySource: 'sdk', shapeHash },
    ];
    writeFileSync(transcriptOf(setting), lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { flag: 'a' });
  };
  const call = (setting: Setting): Promise<Run> => {
    const { session, agent, server, tool: name, project } = setting;
    const input = {
      session_id: session,
      transcript_path: join(box.home, `${session}.jsonl`),
      cwd: folderOf(project),
      hook_event_name: 'PreToolUse',
      tool_name: `mcp__${server}__${name}`,
      tool_input: { [name === 'weather' && shownZ(setting) ? 'place' : 'city']: 'Rabat' },
      tool_use_id: 'toolu_1',
      mcp_server: { name: server, source: project === 'project2' && server === 'demo' ? 'local' : 'user' },
      ...(agent === undefined ? {} : { agent_id: agent, agent_type: 'helper' }),
    };
    return drive('guard.cjs', JSON.stringify(input), environment(setting));
  };
  const start = (setting: Setting): Promise<Run> =>
    drive(
      'session-start.cjs',
      JSON.stringify({
        session_id: setting.session,
        transcript_path: transcriptOf(setting),
        cwd: folderOf(setting.project),
        hook_event_name: 'SessionStart',
        source: 'startup',
      }),
      environment(setting),
    );
  return { ...box, server, configure, show, call, start };
};

/** The contents of every file of a HOME. One that a process of the background has just removed is left out. */
const filesOf = (home: string): Map<string, string> =>
  new Map(
    readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .flatMap((path) => {
        const text = attempt(() => readFileSync(path, 'utf8'), undefined);
        return text === undefined ? [] : [[path, text] as const];
      }),
  );

const putBack = (home: string, files: Map<string, string>): void => {
  for (const path of filesOf(home).keys()) if (!files.has(path)) rmSync(path);
  for (const [path, text] of files) {
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  }
};

type World = Awaited<ReturnType<typeof world>>;

/** Makes a call that gets an answer: on a busy machine it can take longer than the guard waits, which is reported once. */
const callUntilHeard = async ({ home, call }: World, setting: Setting): Promise<Run> => {
  const before = filesOf(home);
  for (let tries = 0; ; tries++) {
    const ran = await call(setting);
    if (tries === 5 || !/no answer within/.test(ran.stdout)) return ran;
    putBack(home, before);
  }
};

/** A world in which something was learned, and that can be reset to that moment. */
const learnedWorld = async (test: Pick<TestContext, 'after'>) => {
  const box = await world(test);
  box.configure(LEARNED);
  await box.start(LEARNED);
  await untilRecorded(box.state, LEARNED.session);
  box.show(LEARNED);
  const callIsSilent = async (): Promise<void> =>
    assert.equal((await callUntilHeard(box, LEARNED)).stdout, '', 'fresh where it was learned');
  for (const _again of [1, 2]) await callIsSilent();
  const learned = filesOf(box.home);
  const takeBack = async (): Promise<void> => {
    box.server.release(false);
    putBack(box.home, learned);
    for (const path of learned.keys()) if (path.endsWith('.head.json')) learnedJustNow(path);
    const before = box.server.asked();
    await callIsSilent();
    assert.equal(box.server.asked(), before, 'what was learned would be used: nobody is asked');
  };
  return { ...box, takeBack };
};

const names = Object.keys(CHANGES);
const cases = names.flatMap((one, index) => [[one], ...names.slice(index + 1).map((other) => [one, other])]);

describe('nothing that was learned is used elsewhere', { concurrency: 4 }, () => {
  const ends: (() => void)[] = [];
  after(() => {
    for (const end of ends) end();
  });
  const free: Awaited<ReturnType<typeof learnedWorld>>[] = [];
  const take = async () => {
    const box = free.pop();
    await box?.takeBack();
    return box ?? learnedWorld({ after: (end) => void ends.push(end as () => void) });
  };

  for (const what of cases.filter(([one, other]) => !(one?.includes('clock') && other?.includes('clock')))) {
    it(`after a change of ${what.join(' and ')}`, async () => {
      const box = await take();
      const changed: Setting = Object.assign({ ...LEARNED }, ...what.map((name) => CHANGES[name]));
      box.configure(changed);
      if (changed.agent !== undefined || changed.session !== LEARNED.session || changed.server !== LEARNED.server)
        box.show(changed);
      if (changed.clock !== undefined) {
        fromLater(box.state, changed.clock);
        box.server.release();
      }
      const stopped = await callUntilHeard(box, changed);
      if (isElsewhere(changed)) assert.match(stopped.stdout, /could not check .* entry in the settings changed/);
      else assert.equal(decision(stopped), 'deny', `a stale call: ${stopped.stdout}${stopped.stderr}`);

      if (changed.clock === undefined) {
        box.configure(LEARNED);
        if (changed.session === LEARNED.session && changed.agent === undefined) box.show(LEARNED);
        const again = await callUntilHeard(box, LEARNED);
        assert.equal(again.stdout, '', 'still fresh where it was learned');
      }
      free.push(box);
    });
  }
});

describe('a kept file', () => {
  const folder = (test: TestContext): string => {
    const path = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
    test.after(() => remove(path));
    return path;
  };
  const learned: Required<Circumstances> = {
    session: 's',
    agent: 'a',
    source: 'k',
    server: 'v',
    scope: 'c',
    tool: 't',
    about: 'x',
    project: '/p',
    client: 1,
  };
  const changed: Circumstances = { ...learned, client: 2 };
  for (const name of Object.keys(learned)) if (name !== 'client') Object.assign(changed, { [name]: 'other' });
  const all = Object.keys(learned) as (keyof Circumstances)[];

  it('is read back under the same circumstances, in whatever order they are named', (test) => {
    const path = join(folder(test), 'kept.json');
    keep(path, learned, { value: 1 });
    const reversed = Object.fromEntries(Object.entries(learned).reverse());
    assert.equal(recall(path, reversed)?.value, 1);
  });

  it('is as good as absent under any other, one or two of them changed or left out', (test) => {
    const path = join(folder(test), 'kept.json');
    keep(path, learned, { value: 1 });
    for (const one of all) {
      for (const other of all) {
        const elsewhere = { ...learned, [one]: changed[one], [other]: changed[other] };
        assert.equal(recall(path, elsewhere), undefined, `${one} and ${other} changed`);
        assert.equal(recall(path, { ...learned, [one]: undefined, [other]: undefined }), undefined, `${one}, ${other}`);
      }
    }
  });

  it('is as good as absent where anything in it was changed', (test) => {
    const path = join(folder(test), 'kept.json');
    keep(path, learned, { value: 1, list: [1, 2] });
    const text = readFileSync(path, 'utf8');
    for (let at = 0; at < text.length; at++) {
      const other = String.fromCharCode(text.charCodeAt(at) ^ 1);
      writeFileSync(path, text.slice(0, at) + other + text.slice(at + 1));
      assert.equal(recall(path, learned), undefined, `character ${at}`);
      writeFileSync(path, text.slice(0, at));
      assert.equal(recall(path, learned), undefined, `cut after ${at}`);
    }
  });

  it('has an age by the clock that says longer, and none where a clock was set back', () => {
    const now = thisMoment();
    assert.equal(ageOf({ at: now.at - 5, up: now.up - 3 }, now), 5);
    assert.equal(ageOf({ at: now.at - 3, up: now.up - 5 }, now), 5, 'the calendar was set back a little');
    assert.equal(ageOf({ at: now.at + 1, up: now.up - 5 }, now), undefined, 'the calendar was set back');
    assert.equal(ageOf({ at: now.at - 5, up: now.up + 1 }, now), undefined, 'the machine was started again');
  });
});
