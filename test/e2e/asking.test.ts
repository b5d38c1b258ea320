// The real client, with servers that answer it but not us: its calls go out in time, and we leave nothing behind.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { slownessOf } from '../sandbox.ts';
import { asInstalled, type Case, INSTALL, isSilent, titleOf } from './forms.ts';
import { editSettings, type HeadlessRun, removeSandboxes, runHeadless, type Sandbox, sandbox } from './run.ts';
import type { Answer, Json } from './stub-model.ts';

const SECRET = 's3cr3t-TOKEN-0123456789';
const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const BEGUN = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'x', version: '1' },
};

type Message = { id?: number; method?: string; params?: { arguments?: Json } };

const results: Record<string, (message: Message) => Json> = {
  initialize: () => BEGUN,
  'tools/list': () => ({ tools: [{ name: 'weather', description: 'Weather.', inputSchema }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'served weather' }] }),
};

const replyTo = (message: Message): Json => ({
  jsonrpc: '2.0',
  id: message.id,
  ...(results[message.method ?? '']
    ? { result: results[message.method ?? '']?.(message) }
    : { error: { code: -32601, message: 'no' } }),
});

/** Which requests a server leaves without an answer. */
type Hang = (request: IncomingMessage, message: Message) => boolean;

/** We use the client's name, but not its user-agent. */
const isOurs = ({ headers }: IncomingMessage): boolean => !/^claude-code\//.test(headers['user-agent'] ?? '');

class Server {
  readonly calls: unknown[] = [];
  hung = 0;
  private readonly streams = new Map<string, ServerResponse>();
  private readonly http = createServer((request, response) => void this.answer(request, response));

  constructor(private readonly hang: Hang = () => false) {}

  async start(): Promise<string> {
    await new Promise<void>((done) => this.http.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  close(): void {
    this.http.closeAllConnections();
    this.http.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const message = (body === '' ? {} : JSON.parse(body)) as Message;
    const url = new URL(request.url ?? '', 'http://x');
    if (this.hang(request, message)) {
      this.hung++;
      return;
    }
    if (message.method === 'tools/call') this.calls.push(message.params?.arguments);
    if (url.pathname === '/sse' && request.method === 'GET') {
      const id = String(this.streams.size);
      this.streams.set(id, response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: /message?stream=${id}\n\n`);
    } else if (request.method !== 'POST') response.writeHead(405).end();
    else if (url.pathname === '/message') {
      response.writeHead(202).end();
      const stream = this.streams.get(url.searchParams.get('stream') ?? '');
      if (message.id !== undefined) stream?.write(`event: message\ndata: ${JSON.stringify(replyTo(message))}\n\n`);
    } else if (message.id === undefined) response.writeHead(202).end();
    else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(replyTo(message)));
    }
  }
}

const NAMES = ['helped', 'hanging', 'streaming'] as const;
const toolOf = (server: string): string => `mcp__${server}__weather`;
const callAll = (city: string, first: () => unknown): Answer => ({
  tools: NAMES.map((name) => ({ tool: toolOf(name), input: { city } })),
  before: first,
});

/** Processes with this HOME: the client's and ours. */
const processesOf = ({ home }: Sandbox): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        return variables.includes(`HOME=${home}`) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : [];
      } catch {
        return [];
      }
    });

type Asked = {
  box: Sandbox;
  run: HeadlessRun;
  servers: Record<(typeof NAMES)[number], Server>;
  /** Processes during the session: finding none afterwards only counts if some were found here. */
  during: string[];
  /** Milliseconds from the model's answer with the calls to the next request. */
  waits: number[];
  /** How many times as long as on a free machine the session took. */
  slowness: number;
};

const converse = async ({ version, form }: Case): Promise<Asked> => {
  const slowness = slownessOf();
  const box = sandbox();
  editSettings(box.home, (settings) => {
    settings.permissions = { allow: NAMES.map((name) => `mcp__${name}`) };
  });
  INSTALL[form](box.home);
  const servers = {
    helped: new Server(),
    hanging: new Server((request, { method }) => isOurs(request) && method === 'notifications/initialized'),
    streaming: new Server((request) => isOurs(request) && request.method === 'GET'),
  };
  const [helped, hanging, streaming] = await Promise.all(NAMES.map((name) => servers[name].start()));
  after(() => {
    for (const server of Object.values(servers)) server.close();
  });
  const broken = join(box.dir, 'broken');
  const script = join(box.dir, 'helper.sh');
  writeFileSync(
    script,
    `if [ -e ${broken} ]; then echo 'Bearer ${SECRET}'; echo '${SECRET}' >&2; else echo '{}'; fi\n`,
  );
  const mcpServers = {
    helped: { type: 'http', url: `${helped}/mcp`, headersHelper: `sh ${script}` },
    hanging: { type: 'http', url: `${hanging}/mcp` },
    streaming: { type: 'sse', url: `${streaming}/sse` },
  };
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers }));
  const waits: number[] = [];
  const during: string[] = [];
  let told = 0;
  const asked = (): void => {
    if (told > 0) waits.push(Date.now() - told);
    // The model thinks for 400 ms before it answers.
    told = Date.now() + 400;
  };
  const run = await runHeadless({
    version,
    home: box.home,
    cwd: box.cwd,
    steps: [
      callAll('one', asked),
      callAll('two', async () => {
        asked();
        mkdirSync(broken);
        if (process.platform === 'linux') during.push(...processesOf(box));
        // Longer than an answer counts as live.
        await sleep(2_100);
        told = Date.now();
      }),
      { text: 'the end', before: asked },
    ],
    timeoutMs: 90_000,
  });
  return { box, run, servers, during, waits, slowness: slowness() };
};

/** All written files. The process that still asks may remove some of them meanwhile. */
const texts = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.tmp'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      try {
        return readFileSync(path, 'utf8');
      } catch (error) {
        if (!existsSync(path)) return '';
        throw error;
      }
    })
    .join('\n');

after(removeSandboxes);

for (const one of asInstalled) {
  describe(`${titleOf(one)}: servers that we cannot ask`, () => {
    let asked: Asked;
    before(async () => {
      asked = await converse(one);
    });

    const said = (server: string): string[] =>
      asked.run.hooks
        .filter((hook) => hook.name.includes(toolOf(server)) && !isSilent(hook))
        .map(({ stdout }) => (JSON.parse(stdout) as { systemMessage: string }).systemMessage);

    it('every call is served: none is blocked, by a crash or by waiting', (t) => {
      const { run, servers, waits, slowness } = asked;
      for (const { name, exitCode, stdout, stderr } of run.hooks) {
        if (stdout + stderr !== '') t.diagnostic(`${name}: exit ${exitCode} ${stdout}${stderr}`);
        assert.equal(`${exitCode}${stderr}`, '0', name);
      }
      // A hook that the client ended would report no success.
      for (const name of NAMES)
        assert.equal(run.hooks.filter((hook) => hook.name === `PreToolUse:${toolOf(name)}`).length, 2, name);
      for (const name of NAMES) assert.deepEqual(servers[name].calls, [{ city: 'one' }, { city: 'two' }], name);
      t.diagnostic(`waited for calls: ${waits.join(', ')} ms`);
      // The client gives a hook 10 s, and needs time of its own.
      assert.equal(waits.length, 2);
      for (const wait of waits) assert.ok(wait < 8_000 * slowness, `${wait} ms, ${slowness} times as slow`);
    });

    it('a headersHelper that breaks: told once, with nothing that it printed', () => {
      const { run, box } = asked;
      const [told, ...more] = said('helped');
      assert.match(
        told ?? 'nothing',
        /could not check calls of server `helped`: its headersHelper prints no JSON object/,
      );
      assert.deepEqual(more, []);
      const everything = [run.requests, run.messages, run.hooks, run.stderr, run.transcripts()].map((one) =>
        JSON.stringify(one),
      );
      assert.ok(!everything.join('\n').includes(SECRET));
      assert.ok(!texts(join(box.home, '.claude/konnichiwagwan')).includes(SECRET));
    });

    for (const name of ['hanging', 'streaming'] as const) {
      it(`${name}: told once that it gave no answer in time`, () => {
        const [told, ...more] = said(name);
        assert.match(told ?? 'nothing', /cannot be reached \(no answer within (?:2|1\.\d) s\)/);
        assert.deepEqual(more, []);
        assert.ok(asked.servers[name].hung > 0, 'it left nobody waiting');
      });
    }

    it('no process is left behind', { skip: process.platform === 'linux' ? false : 'no /proc' }, async (t) => {
      for (const command of asked.during)
        t.diagnostic(`while it went on: ${command.replaceAll('\0', ' ').slice(0, 150)}`);
      assert.ok(
        asked.during.some((command) => command.includes('--finish')),
        'nobody goes on asking',
      );
      // The process that the session's start leaves behind goes on asking for 20 s.
      for (const end = Date.now() + 30_000; processesOf(asked.box).length > 0 && Date.now() < end; ) await sleep(200);
      assert.deepEqual(processesOf(asked.box), []);
    });
  });
}
