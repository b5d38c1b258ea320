// Full tier: a real server.
// The reference server, directly and behind wrap: a long session is the same, line by line.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { installServer } from '../scripts/dev/corpus/install.ts';
import { remove } from '../scripts/state/in-use.ts';
import { type Host, type Said, startHostProcess } from './wrap-sides.ts';

const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-everything-'));
const name = '@modelcontextprotocol/server-everything';
const installed = await installServer(root, name, '2026.8.31').catch(() => undefined);
const skip = installed === undefined ? 'the package of the reference server cannot be installed here' : false;

/** Makes random numbers, identifiers and the time the same in each run. */
const FIXED = `
  const crypto = require('node:crypto');
  let count = 0;
  Math.random = () => (count = (count * 16807 + 12345) % 2147483647) / 2147483647;
  Date.prototype.toLocaleTimeString = () => 'now';
  let ids = 0;
  crypto.randomUUID = () => '00000000-0000-4000-8000-' + String(ids++).padStart(12, '0');
  crypto.randomBytes = (size) => Buffer.alloc(size, ids++);
  require('node:module').syncBuiltinESMExports();`;

/** A host's answers to requests of the server. */
const reply = ({ method, params }: Said): object => {
  const task = {
    taskId: 'host-task',
    status: 'completed',
    ttl: 60_000,
    createdAt: '2026-01-01T00:00:00Z',
    lastUpdatedAt: '2026-01-01T00:00:00Z',
  };
  const message = { role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled' } };
  if (method === 'roots/list') return { roots: [{ uri: 'file:///tmp', name: 'r' }] };
  if (method === 'tasks/get') return task;
  if (method === 'tasks/result') return message;
  if (params?.task !== undefined) return { task: { ...task, status: 'working' } };
  if (method === 'sampling/createMessage') return message;
  if (method === 'elicitation/create')
    return params?.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'N', check: true } };
  return {};
};

const session = async (host: Host): Promise<void> => {
  const messages: Said[] = [];
  /** Answers the server's requests until a condition is true. */
  const until = async (isSo: () => boolean, what: string): Promise<void> => {
    for (const end = Date.now() + 25_000; !isSo(); await sleep(5)) {
      assert.ok(Date.now() < end, `${what}: ${host.lines.slice(-3).join('\n')} ${host.stderr()}`);
      for (const line of host.lines.slice(messages.length)) {
        const message = JSON.parse(line);
        messages.push(message);
        if (message.method !== undefined && message.id !== undefined)
          host.send({ id: message.id, result: reply(message) });
      }
    }
  };
  const has = (isIt: (message: Said) => boolean) => (): boolean => messages.some(isIt);
  let count = 0;
  const ask = async (method: string, params?: object): Promise<Said> => {
    const id = ++count;
    host.send({ id, method, ...(params ? { params } : {}) });
    const isAnswer = (message: Said): boolean => message.id === id && message.method === undefined;
    await until(has(isAnswer), method);
    return messages.find(isAnswer);
  };
  const call = (tool: string, args: object = {}, more: object = {}) =>
    ask('tools/call', { name: tool, arguments: args, ...more });
  const said = (method: string): number => messages.filter((message) => message.method === method).length;

  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {
      sampling: {},
      elicitation: { form: {}, url: {} },
      roots: { listChanged: true },
      tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
    },
    clientInfo: { name: 'session', version: '1' },
  });
  host.send({ method: 'notifications/initialized' });
  await until(() => said('roots/list') === 1, 'roots');
  await ask('ping');
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
    await ask(method, {});
  await ask('tools/list', { cursor: 'nothing' });
  await ask('logging/setLevel', { level: 'debug' });
  await ask('logging/setLevel', { level: 'odd' });
  await ask('no/such/method', { deep: { unknown: [1, 2] } });
  host.send(' { "method" : "ping",  "id":"spaced" ,"jsonrpc":"2.0"}\r\n');
  await until(
    has(({ id }) => id === 'spaced'),
    'spaced',
  );
  host.send({ method: 'notifications/no_such', params: { _meta: { a: 1 } } });
  const prompt = { type: 'ref/prompt', name: 'completable-prompt' };
  await ask('completion/complete', { ref: prompt, argument: { name: 'department', value: 'E' } });
  await ask('completion/complete', {
    ref: prompt,
    argument: { name: 'name', value: '' },
    context: { arguments: { department: 'Sales' } },
  });
  await ask('completion/complete', {
    ref: { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
    argument: { name: 'resourceId', value: '1' },
  });
  await ask('prompts/get', { name: 'simple-prompt' });
  await ask('prompts/get', { name: 'args-prompt', arguments: { city: 'Zürich 🏔', state: 'ZH' } });
  await ask('prompts/get', { name: 'args-prompt' });
  await ask('prompts/get', { name: 'resource-prompt', arguments: { resourceType: 'Text', resourceId: '1' } });
  await ask('prompts/get', { name: 'none' });
  for (const uri of ['static/document/features.md', 'dynamic/text/1', 'dynamic/blob/2', 'none']) {
    const params = { uri: `demo://resource/${uri}` };
    for (const method of ['resources/read', 'resources/subscribe', 'resources/unsubscribe']) await ask(method, params);
  }
  await ask('resources/subscribe', { uri: 'demo://resource/dynamic/text/1' });
  await call('toggle-subscriber-updates');
  await until(() => said('notifications/resources/updated') >= 1, 'updated');
  await call('toggle-subscriber-updates');
  await call('toggle-simulated-logging');
  await until(() => said('notifications/message') >= 1, 'logging');
  await call('toggle-simulated-logging');
  await call('echo', { message: 'x'.repeat(200_000) });
  await call('echo', {});
  await call('no-such-tool', {});
  await call('get-annotated-message', { messageType: 'error', includeImage: true });
  await call('get-env');
  await call('get-resource-links', { count: 3 });
  await call('get-resource-reference', { resourceType: 'Blob', resourceId: 2 });
  await call('get-structured-content', { location: 'Chicago' });
  await call('get-sum', { a: 1, b: 2.5 }, { _meta: { progressToken: 'p', other: { x: 1 } } });
  await call('get-sum', { a: 'odd', b: 2 });
  await call('get-tiny-image');
  await call('get-roots-list');
  await call('gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain,abc', outputType: 'resource' });
  await call('trigger-long-running-operation', { duration: 0.5, steps: 5 }, { _meta: { progressToken: 'long' } });
  await call('trigger-sampling-request', { prompt: 'p', maxTokens: 10 });
  await call('trigger-elicitation-request');
  await call('trigger-url-elicitation', { url: 'https://example.com/', message: 'm', elicitationId: 'e' });
  await call('trigger-sampling-request-async', { prompt: 'p', maxTokens: 10 });
  await call('trigger-elicitation-request-async');
  host.send({
    id: 'gone',
    method: 'tools/call',
    params: {
      name: 'trigger-long-running-operation',
      arguments: { duration: 2, steps: 4 },
      _meta: { progressToken: 'gone' },
    },
  });
  await until(
    has(({ params }) => params?.progressToken === 'gone'),
    'progress',
  );
  host.send({ method: 'notifications/cancelled', params: { requestId: 'gone', reason: 'enough' } });
  await ask('ping');
  host.send({ method: 'notifications/roots/list_changed' });
  await until(() => said('roots/list') === 2, 'roots again');
  // Two at once, and two with the same ID.
  host.send({
    id: 'a',
    method: 'tools/call',
    params: { name: 'trigger-long-running-operation', arguments: { duration: 0.4, steps: 2 } },
  });
  host.send({ id: 'b', method: 'tools/call', params: { name: 'echo', arguments: { message: 'between' } } });
  await until(() => ['a', 'b'].every((id) => has((message) => message.id === id)()), 'two at once');
  const made = await call('simulate-research-query', { topic: 't', ambiguous: false }, { task: { ttl: 60_000 } });
  const { taskId } = made.result.task;
  await ask('tasks/get', { taskId });
  const isDone = async (): Promise<boolean> => (await ask('tasks/get', { taskId })).result.status === 'completed';
  for (const end = Date.now() + 20_000; !(await isDone()); await sleep(500)) assert.ok(Date.now() < end);
  await ask('tasks/result', { taskId });
  await ask('tasks/list', {});
  await ask('tasks/cancel', { taskId });
  await ask('tasks/get', { taskId: 'none' });
  await sleep(1_500);
};

/** All messages, ordered within each kind. Polls of a task are a separate kind: their number depends on how long it took. */
const kindsOf = (lines: string[]): Map<string, string[]> => {
  const kinds = new Map<string, string[]>();
  for (const line of lines) {
    const message = JSON.parse(line);
    const isLook = message.result?.status === 'working' && message.result.taskId !== undefined;
    const kind = isLook
      ? 'looks'
      : message.method === undefined
        ? 'answers'
        : message.id === undefined
          ? message.method
          : 'requests';
    const plain = line
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(time)')
      // Part of the answer to a call of an unlisted tool.
      .replace(/\{"type":"text","text":"konnichiwagwan could not check this call of `no-such-tool`[^"]*"\},/, '')
      .replace(/"id":\d+/, kind === 'answers' || kind === 'looks' ? '"id":(n)' : '$&');
    kinds.set(kind, [...(kinds.get(kind) ?? []), plain]);
  }
  return kinds;
};

describe('the reference server', { skip }, () => {
  after(() => remove(root));

  it('says the same behind wrap', async (test: TestContext) => {
    const fixed = join(root, 'fixed.cjs');
    writeFileSync(fixed, FIXED);
    const command = [
      process.execPath,
      '--require',
      fixed,
      join(root, `${name.replaceAll('/', '__')}@2026.8.31`, 'node_modules', name, 'dist/index.js'),
      'stdio',
    ];
    const env = { HOME: root, KONNICHIWAGWAN_HOME: join(root, 'state') };
    const [direct, wrapped] = await Promise.all(
      [true, false].map(async (isDirect) => {
        const host = startHostProcess(test, command, { direct: isDirect, env });
        await session(host);
        // A task that it still remembers keeps it from ending with its input.
        host.child.kill('SIGTERM');
        return {
          kinds: kindsOf(host.lines),
          lines: host.lines.length,
          stderr: host.stderr(),
          ended: await host.closed.then(({ code, signal }) => ({ code, signal })),
        };
      }),
    );
    assert.ok(direct && wrapped);
    const looks = (kinds: Map<string, string[]>) => kinds.delete('looks');
    looks(direct.kinds);
    looks(wrapped.kinds);
    assert.deepEqual([...wrapped.kinds.keys()].sort(), [...direct.kinds.keys()].sort());
    for (const [kind, lines] of direct.kinds) assert.deepEqual(wrapped.kinds.get(kind), lines, kind);
    assert.ok((direct.kinds.get('answers')?.length ?? 0) > 50);
    for (const kind of [
      'requests',
      'notifications/progress',
      'notifications/tools/list_changed',
      'notifications/resources/updated',
      'notifications/message',
    ])
      assert.ok(direct.kinds.has(kind), kind);
    // A call of an unlisted tool is sent, and reported as unchecked.
    const ours = wrapped.stderr.split('\n').filter((line) => line.startsWith('konnichiwagwan'));
    assert.equal(ours.length, 1, ours.join('\n'));
    assert.equal(wrapped.stderr.replace(`${ours[0]}\n`, ''), direct.stderr);
    assert.deepEqual(wrapped.ended, direct.ended);
    test.diagnostic(
      `${direct.lines} lines directly, ${wrapped.lines} behind wrap; ${direct.kinds.get('answers')?.length} answers`,
    );
  });
});
