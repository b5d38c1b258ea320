// Prompts and resources of a server whose way of answering is known: asked without the MCP library, with the same result.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject, OfferKind } from '../scripts/contract/types.ts';
import type { Server } from '../scripts/servers/types.ts';
import { askOffers } from '../scripts/sources/mcp/ask-offers.ts';
import { mcpSource } from '../scripts/sources/mcp/mcp.ts';
import { askOffered } from '../scripts/sources/offered.ts';
import type { Source } from '../scripts/sources/source.ts';
import { thisMoment } from '../scripts/state/circumstances.ts';
import { keepHidden } from '../scripts/state/hidden.ts';
import { offeredPath } from '../scripts/state/paths.ts';
import { type Era, type Offer, startMcp } from './mcp-servers.ts';
import { sandbox, tool } from './sandbox.ts';

const OFFER: Offer = {
  tools: [],
  prompts: [
    { name: 'summary', description: 'Sums up.', arguments: [{ name: 'text', required: true }] },
    { name: 'greeting' },
  ],
  resources: [{ uri: 'memo://one', name: 'one', mimeType: 'text/plain' }],
  resourceTemplates: [{ uriTemplate: 'memo://{id}', name: 'any' }],
};

const sourceOf = (url: string): Source & Required<Pick<Source, 'offered'>> => {
  const launch: Server['launch'] = { type: 'http', url, headers: {} };
  const server = { name: 'demo', scope: 'user', launch, state: 'ready', unset: [] } as unknown as Server;
  return mcpSource(server, '/nowhere', false) as Source & Required<Pick<Source, 'offered'>>;
};

describe('prompts and resources of a known server', () => {
  for (const era of ['modern', 'stateless', 'session'] satisfies Era[])
    for (const kind of ['prompts', 'resources'] satisfies OfferKind[])
      it(`are the same without the library: ${kind}, ${era}`, async (test) => {
        const server = await startMcp(era, { ...OFFER });
        test.after(() => server.close());
        const source = sourceOf(server.url);
        const asked = await source.ask(undefined, 10_000, true);
        assert.ok(asked.status === 'answered' && asked.list.offers, JSON.stringify(asked));
        const way = asked.mcp;
        assert.ok(way);
        const inFull = await source.offered(kind, 10_000);
        assert.ok(inFull.status === 'offered' && inFull.offers.length === 2, JSON.stringify(inFull));
        assert.deepEqual(await source.offered(kind, 10_000, way), inFull);
        const lists = await askOffers({ ...way, url: server.url, headers: {} }, kind, 10_000, undefined);
        assert.ok(lists !== undefined, 'the library asked');
        // An outdated way costs time, but changes nothing.
        const other = { protocol: era === 'modern' ? '2025-06-18' : '2099-01-01', session: false };
        assert.deepEqual(await source.offered(kind, 10_000, other), inFull);
      });

  const NOTHING = 'an answer that never comes';

  /** A server with a fixed answer for each method; a string is sent as an event stream. */
  const answering = async (test: TestContext, answers: Record<string, JsonObject | string>) => {
    const asked: string[] = [];
    const http = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString('utf8');
      });
      request.on('end', () => {
        const { id, method } = JSON.parse(body) as { id: string; method: string };
        asked.push(method);
        const answer = answers[method] ?? { error: { code: -32601, message: 'no such method' } };
        const isStream = typeof answer === 'string';
        if (answer === NOTHING) return void response.write(': nothing yet\n');
        response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
        response.end(
          isStream ? answer.replaceAll('ID', JSON.stringify(id)) : JSON.stringify({ jsonrpc: '2.0', id, ...answer }),
        );
      });
    });
    await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
    test.after(() => {
      http.closeAllConnections();
      http.close();
    });
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    const ask = (kind: OfferKind, ms = 5_000) =>
      askOffers({ url, headers: {}, protocol: '2025-06-18', session: false }, kind, ms, undefined);
    return { ask, asked };
  };
  const prompts = [{ name: 'a' }];

  it('are read from an event stream, too', async (test) => {
    const { ask } = await answering(test, {
      'prompts/list': `data: {"jsonrpc":"2.0","id":ID,"result":{"prompts":${JSON.stringify(prompts)}}}\n\n`,
    });
    assert.deepEqual(await ask('prompts'), { prompts });
  });

  it('are known where no page follows, though the server writes a cursor', async (test) => {
    const { ask } = await answering(test, { 'prompts/list': { result: { prompts, nextCursor: '' } } });
    assert.deepEqual(await ask('prompts'), { prompts });
  });

  for (const [what, answer] of Object.entries<JsonObject | string>({
    'come in pages': { result: { prompts, nextCursor: '2' } },
    'are no list': { result: { prompts: { a: 1 } } },
    'are an error': { error: { code: -32603, message: '"result"' } },
    'change while they are read':
      'data: {"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}\n\ndata: {"jsonrpc":"2.0","id":ID,"result":{"prompts":[]}}\n\n',
  }))
    it(`are left to the library where they ${what}`, async (test) => {
      const { ask, asked } = await answering(test, { 'prompts/list': answer });
      assert.equal(await ask('prompts'), undefined);
      assert.deepEqual(asked, ['prompts/list']);
    });

  it('are left to the library where a server has resources and knows of no templates', async (test) => {
    const { ask, asked } = await answering(test, { 'resources/list': { result: { resources: [] } } });
    assert.equal(await ask('resources'), undefined);
    assert.deepEqual(asked, ['resources/list', 'resources/templates/list']);
  });

  for (const [whose, personal, times] of [
    ['each session’s own', true, 2],
    ['the same for all', undefined, 1],
  ] as const)
    it(`are asked for ${times === 2 ? 'in each session' : 'once'} while an answer counts, where credentials are ${whose}`, async (test) => {
      const { state } = await sandbox(test, []);
      let asked = 0;
      const offered = async () => ({ status: 'offered', offers: [tool(`prompt p${++asked}`, {})] });
      const source = { key: 'demo-0123456789abcdef', name: 'demo', personal, offered } as unknown as ReturnType<
        typeof sourceOf
      >;
      const names: string[][] = [];
      for (const session of ['s1', 's1', 's2']) {
        const options = { freshFor: 60, deadline: 5_000, since: thisMoment(), session };
        const answer = await askOffered(state, source, 'prompts', options);
        names.push(answer.status === 'offered' ? answer.offers.map(({ name }) => name) : []);
      }
      assert.deepEqual(names, [['prompt p1'], ['prompt p1'], [`prompt p${times}`]]);
    });

  it('are asked for once by calls that wait at the same time, although no answer counts later', async (test) => {
    const { state } = await sandbox(test, []);
    let asked = 0;
    const offered = async () => ({ status: 'offered', offers: [tool(`prompt p${++asked}`, {})] });
    const source = { key: 'notes-0123456789abcdef', name: 'notes', offered } as unknown as ReturnType<typeof sourceOf>;
    const ask = (since = thisMoment()) =>
      askOffered(state, source, 'prompts', { freshFor: 0, deadline: 5_000, since, session: 's1' });
    const since = thisMoment();
    await ask(since);
    await ask(since);
    assert.equal(asked, 1);
    await ask();
    assert.equal(asked, 2);
  });

  it('are those of a kept answer that was asked for since, and of none that is damaged', async (test) => {
    const { state } = await sandbox(test, []);
    const offered = async () => ({ status: 'offered', offers: [tool('prompt new', {})] });
    const source = { key: 'notes-0123456789abcdef', name: 'notes', offered } as unknown as ReturnType<typeof sourceOf>;
    const { at, up } = thisMoment();
    const old = [tool('prompt old', {})];
    const listed = async (answer: object, since = { at, up }) => {
      const about = { source: source.key, about: 'prompts' };
      keepHidden(offeredPath(state, source.key, 'prompts'), about, { answer, asked: { at, up } });
      const options = { freshFor: 0, deadline: 5_000, since, session: 's1' };
      const given = await askOffered(state, source, 'prompts', options);
      return given.status === 'offered' && given.offers.map(({ name }) => name).join();
    };
    const kept = { status: 'offered', digest: 'd', offers: old };
    assert.equal(await listed(kept), 'prompt old', 'in the same moment');
    for (const since of [
      { at: at + 1, up },
      { at, up: up + 1 },
    ])
      assert.equal(await listed(kept, since), 'prompt new', JSON.stringify(since));
    for (const damage of [{ digest: 7 }, { offers: undefined }, { offers: {} }, { offers: [null] }, { offers: [{}] }])
      assert.equal(await listed({ ...kept, ...damage }), 'prompt new', JSON.stringify(damage));
  });

  it('are given up in time', async (test) => {
    const { ask } = await answering(test, { 'prompts/list': NOTHING });
    const began = Date.now();
    assert.equal(await ask('prompts', 200), undefined);
    assert.ok(Date.now() - began >= 190, `${Date.now() - began} ms`);
  });
});
