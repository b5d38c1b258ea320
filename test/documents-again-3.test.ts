// The third document's rows once more: the CLI of a garden, and its wrapper.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe } from 'node:test';
import type { JsonObject } from '../scripts/contract/types.ts';
import { enableMcpValidate } from '../scripts/validate/kit/enable.ts';
import { mcpValidate } from '../scripts/validate/kit/mcp-validate.ts';
import { again } from './document-rows.ts';
import { against, command, flag, json, run, write } from './mcp-validate-run.ts';
import { tool } from './sandbox.ts';

const garden = {
  commands: {
    water: command({ bed: flag('string', { required: true }), litres: flag('integer') }),
    'plant.move': {
      positionals: [{ name: 'plant', type: 'string', required: true }],
      flags: { to: { type: 'string' } },
    },
  },
};
const water = (properties: JsonObject) => tool('water', properties, { required: ['bed'] });
const move = tool('plant_move', { plant: { type: 'string' }, to: { type: 'string' } }, { required: ['plant'] });
const bed = { type: 'string' };
const good = [water({ bed, litres: { type: 'integer' } }), move];

describe('document 3, again', () => {
  again(3, 'a built-in command of the tool', () => {
    assert.throws(() => enableMcpValidate({} as never), /commander or yargs, or the class Command of oclif/);
  });

  again(3, 'compares the MCP tools with', async () => assert.equal((await against(garden, good)).code, 0));

  again(3, 'drift: a field in the CLI and not', async () => {
    const { data } = await against(garden, [water({ bed }), move]);
    assert.deepEqual(data.drift.added, [{ command: 'water', field: 'litres', cli_type: 'integer', mcp_type: null }]);
  });

  again(3, 'drift: a field in the wrapper and not', async () => {
    const { data } = await against(garden, [
      good[0],
      {
        ...move,
        inputSchema: {
          ...(move.inputSchema as object),
          properties: { ...((move.inputSchema as JsonObject).properties as object), at: { type: 'null' } },
        },
      },
    ]);
    assert.deepEqual(data.drift.removed, [{ command: 'plant.move', field: 'at', cli_type: null, mcp_type: 'null' }]);
  });

  again(3, 'drift: a type that differs', async () => {
    const { data, code } = await against(garden, [water({ bed, litres: { type: ['integer', 'string'] } }), move]);
    assert.deepEqual([code, data.drift.changed[0]?.mcp_type], [1, 'integer | string']);
  });

  again(3, 'drift: a command that is not exposed', async () =>
    assert.deepEqual((await against(garden, [good[0]])).data.drift.missing_from_mcp, ['plant.move']),
  );

  again(3, '`--mcp-schema-file <path>`', async () => {
    const manifest = write(garden);
    for (const form of [good, { tools: good }, { result: { tools: good } }, { schema_version: '1', tools: good }])
      assert.equal((await json(['--manifest', manifest, '--mcp-schema-file', write(form)])).code, 0);
    assert.equal((await json(['--manifest', manifest, '--mcp-schema-file', '/no/such/file'])).code, 2);
  });

  again(3, '`--mcp-server-url <url>`', async (test) => {
    const server = createServer((request, answer) => {
      answer.statusCode = request.url === '/api/tools/list' ? 200 : 404;
      answer.end(JSON.stringify({ schema_version: '1', tools: [good[0]] }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    test.after(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/tools/list`;
    const { code, data } = await json(['--manifest', write(garden), '--mcp-server-url', url]);
    assert.deepEqual([code, data.drift.missing_from_mcp], [1, ['plant.move']]);
    assert.equal((await json(['--manifest', write(garden), '--mcp-server-url', 'http://127.0.0.1:9/'])).code, 2);
  });

  again(3, 'exit 0 if the schemas match', async () => {
    assert.equal((await against(garden, good)).code, 0);
    assert.equal((await against(garden, [])).code, 1);
    assert.equal((await run(['--manifest', write('no JSON'), '--mcp-schema-file', write(good)])).code, 2);
  });

  again(3, 'a structured JSON diff', async () => {
    const { data } = await against(garden, [water({ bed: { type: 'integer' } })]);
    assert.deepEqual(Object.keys(data.drift), ['added', 'removed', 'changed', 'missing_from_mcp']);
  });

  again(3, 'a new command is `missing_from_mcp`', async () => {
    const more = { commands: { ...garden.commands, prune: command() } };
    assert.deepEqual((await against(more, good)).data.drift.missing_from_mcp, ['prune']);
    assert.equal((await against(more, good, '--map', write({ prune: null }))).code, 0);
  });

  again(3, 'runs in CI', () => {
    const workflow = readFileSync('docs/workflows/mcp-validate.yml', 'utf8');
    assert.match(workflow, /mcp-validate/);
    assert.match(workflow, /on:\s*\n?\s*.*pull_request/s);
  });

  again(3, '`data.drift` with four lists', () => {
    const { data } = mcpValidate({ ...(garden as object), mcp: [] } as never);
    for (const list of Object.values(data?.drift ?? {})) assert.ok(Array.isArray(list));
  });

  again(3, '`tool mcp-validate --mcp-schema-file mcp.json --output json`', async () => {
    const { stdout, code } = await run([
      '--manifest',
      write(garden),
      '--mcp-schema-file',
      write(good),
      '--output',
      'json',
    ]);
    assert.deepEqual([code, JSON.parse(stdout).ok], [0, true]);
  });

  again(3, '`ok`, `data`, `error`, `warnings`, `meta`', async () => {
    const answer = await json(['--manifest', write('[]'), '--mcp-schema-file', write(good)]);
    assert.deepEqual([answer.ok, answer.data, typeof answer.error?.message], [false, null, 'string']);
    assert.equal(typeof answer.meta.duration_ms, 'number');
  });

  again(3, 'fields of the output are', async () => {
    const says = (type: string) => ({
      type: 'object',
      properties: { at: { type: 'object', properties: { x: { type } } } },
    });
    const cli = { commands: { locate: command({}, { output_schema: says('number') }) } };
    const { data } = await against(cli, [tool('locate', {}, {}, { outputSchema: says('null') })]);
    assert.deepEqual(data.drift.changed, [
      { command: 'locate', field: 'data.at.x', cli_type: 'number', mcp_type: 'null' },
    ]);
  });

  again(3, 'opt-in: `app.enable_mcp_validate()`', () => {
    const { ok, data } = mcpValidate({ ...(garden as object), mcp: good } as never);
    assert.deepEqual([ok, data?.drift.changed], [true, []]);
  });

  again(3, "REQ-C-015: schemas of the CLI's commands", async () => {
    const schema = {
      type: 'object',
      properties: { bed, deep: { type: 'array', items: { type: 'boolean' } } },
      required: ['bed'],
    };
    const { data } = await against({ commands: { weed: { input_schema: schema } } }, [
      tool('weed', { bed, deep: { type: 'array', items: bed } }, { required: ['bed'] }),
    ]);
    assert.deepEqual(
      data.drift.changed.map(({ field }) => field),
      ['deep[]'],
    );
  });

  again(3, 'REQ-O-041: the manifest is the source', async () => {
    const lists = {
      commands: [
        {
          name: 'water',
          flags: [
            { name: '--bed', type: 'string', required: true },
            { name: '--litres', type: 'integer' },
          ],
        },
      ],
    };
    assert.equal((await against({ ok: true, data: lists, error: null }, [good[0]])).code, 0);
  });
});
