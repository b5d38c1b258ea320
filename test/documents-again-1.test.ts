// biome-ignore-all lint/suspicious/noTemplateCurlyInString: some texts here are code
// The first document's rows once more, with other inputs: a shop instead of a memory.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext } from 'node:test';
import { readToolList } from '../scripts/contract/read.ts';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { describeTwin } from '../scripts/gateway-kit/describe-twin.ts';
import { toolsList } from '../scripts/gateway-kit/tools-list.ts';
import { createTwin } from '../scripts/gateway-kit/twin.ts';
import { lintTools, lintVersionBump } from '../scripts/lint/lint.ts';
import { SOURCE_RULES } from '../scripts/lint/source/table.ts';
import { again } from './document-rows.ts';
import { drive, type Run, sandbox, tool } from './sandbox.ts';

const text = { type: 'string' };
const closed = { additionalProperties: false };
const line = (more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { sku: text, count: { type: 'integer' }, ...more },
  required: ['sku'],
  ...closed,
});
const order = (lines: JsonObject = line(), more: Partial<Contract> = {}, extra: JsonObject = {}): Contract =>
  tool(
    'place_order',
    { customer: text, lines: { type: 'array', items: lines }, ...extra },
    { required: ['customer'], ...closed },
    more,
  );
const goods = { customer: 'c-1', lines: [{ sku: 'A', count: 2 }] };

const decision = (run: Run): string | undefined => run.answer?.hookSpecificOutput?.permissionDecision;
const reason = (run: Run): string => run.answer?.hookSpecificOutput?.permissionDecisionReason ?? '';
const context = (run: Run): string => run.answer?.hookSpecificOutput?.additionalContext ?? '';
const rulesOf = (tools: unknown[], known = {}): string[] =>
  lintTools(readToolList(tools as Json), known).map(({ rule, level }) => `${level} ${rule}`);
const changesOf = (before: Contract, after: Contract): string[] => diffContract(before, after).map(({ rule }) => rule);

const begun = async (test: TestContext, tools: Contract[], config: JsonObject = {}) => {
  const box = await sandbox(test, tools, { freshFor: 0, ...config });
  box.release(tools, '2023-01-05');
  await box.start();
  return box;
};
const printed = async (box: Awaited<ReturnType<typeof sandbox>>, ...args: string[]) =>
  drive('cli.cjs', null, box.env, args, true);

/** What the source lint says about some code, with only its own rules. */
const source = async (test: TestContext, code: string, ...args: string[]): Promise<string[]> => {
  const box = await sandbox(test, []);
  writeFileSync(join(box.project, 'shop.mts'), code);
  const { answer } = await drive('cli.cjs', null, box.env, ['lint', '--source', box.project, '--json', ...args]);
  return answer.data.findings.map(({ rule, level, tool: name }: JsonObject) => `${level} ${rule} ${name ?? ''}`.trim());
};

// One at a time: a lint of sources would take the time in which another test's session may start.
describe('document 1, again', { concurrency: 1 }, () => {
  again(1, 'binding for every tool that changes state', () => {
    const writes = order(line(), { annotations: { destructiveHint: true } });
    assert.ok(rulesOf([writes]).some((found) => found.endsWith('raw-twin-missing')));
    const reads = order(line(), { annotations: { readOnlyHint: true } });
    assert.deepEqual(
      rulesOf([reads]).filter((found) => found.includes('twin')),
      [],
    );
  });

  again(1, 'a schema that evolves after the session started', async (test) => {
    const box = await begun(test, [order()]);
    box.release([order(line({ warehouse: text }))]);
    const told = await box.call('place_order', goods);
    assert.notEqual(told.answer, undefined, 'a field that came two levels down is told of');
    box.release([order({ ...line({ warehouse: text }), required: ['sku', 'warehouse'] })]);
    const stopped = await box.call('place_order', goods, { tool_use_id: 'toolu_2' });
    assert.equal(decision(stopped), 'deny');
    assert.match(reason(stopped), /warehouse/);
  });

  again(1, 'a new field, a new enum variant, a new branch', () => {
    const kinds = (...values: string[]) =>
      order(line({ kind: { $ref: '#/$defs/kind' } }), {
        inputSchema: {
          ...(order(line({ kind: { $ref: '#/$defs/kind' } })).inputSchema as JsonObject),
          $defs: { kind: { enum: values } },
        },
      });
    assert.ok(changesOf(order(), order(line({ note: text }))).length > 0, 'a field in the elements of a list');
    assert.ok(changesOf(kinds('gift'), kinds('gift', 'sample')).length > 0, 'a variant behind a reference');
    assert.deepEqual(
      changesOf(order(line(), { branches: ['retail'] }), order(line(), { branches: ['retail', 'trade'] })),
      ['tool-branch-changed'],
    );
  });

  again(1, 'no field is stripped in silence', async (test) => {
    const open = (properties: JsonObject) => tool('ship', properties, { required: [] });
    const box = await begun(test, [open({ parcel: text, insured: { type: 'boolean' } })]);
    box.release([open({ parcel: text })]);
    const stopped = await box.call('ship', { parcel: 'p', insured: true });
    assert.equal(decision(stopped), 'deny', 'the server would take it, and drop it');
    assert.match(reason(stopped), /insured/);
    assert.equal(decision(await box.call('ship', { parcel: 'p' }, { tool_use_id: 'toolu_2' })), undefined);
  });

  again(1, 'no call lands in the wrong branch', async (test) => {
    const pay = (...branches: string[]) => tool('pay', { method: text, amount: { type: 'number' } }, {}, { branches });
    const box = await begun(test, [pay('card', 'invoice')]);
    box.release([pay('card', 'transfer')]);
    assert.equal(decision(await box.call('pay', { method: 'invoice', amount: 1 })), 'deny');
    assert.equal(decision(await box.call('pay', { method: 'card', amount: 1 }, { tool_use_id: 'toolu_2' })), undefined);
  });

  again(1, 'stale sessions are warned', async (test) => {
    const box = await begun(test, [order()]);
    box.release([order(line({ count: text }))], '2023-01-06');
    assert.equal((await printed(box, 'probe')).code, 1);
    const resumed = await box.greet({ source: 'resume' });
    assert.match(resumed.answer?.systemMessage ?? '', /changed since/);
    assert.equal(decision(await box.call('place_order', goods)), 'deny');
  });

  again(1, 'a twin is `X_raw`', () => {
    const twin = describeTwin(order() as never) as unknown as Contract;
    assert.equal(twin.name, 'place_order_raw');
    const { properties, required } = twin.inputSchema as JsonObject;
    assert.deepEqual([Object.keys(properties as object), required], [['payload'], ['payload']]);
    const wrong = tool(
      'place_order_raw',
      { payload: text, dry: { type: 'boolean' } },
      { required: ['payload', 'dry'] },
    );
    assert.ok(rulesOf([order(), wrong]).some((found) => found.endsWith('raw-twin-input')));
  });

  again(1, 'it parses the payload and forwards it whole', async () => {
    const got: unknown[] = [];
    const { call } = createTwin({ tool: order() as never, forward: (body: unknown) => void got.push(body) });
    const whole = { customer: 'é\u0000', lines: [[]], 'new field': { deep: [1.5, null] }, __proto: 1 };
    await call({ payload: JSON.stringify(whole) } as never);
    assert.deepEqual(got, [whole]);
    for (const payload of ['[1]', '"x"', '{"a":1,"a":2}', '{']) {
      const answer = (await call({ payload } as never)) as { isError?: boolean };
      assert.equal(answer.isError, true, payload);
    }
    assert.equal(got.length, 1, 'what cannot be forwarded whole is not forwarded');
  });

  again(1, "all validation is the server's", async (test) => {
    const got: unknown[] = [];
    const { call } = createTwin({ tool: order() as never, forward: (body: unknown) => void got.push(body) });
    await call({ payload: '{"customer":7,"lines":"none"}' } as never);
    assert.deepEqual(got, [{ customer: 7, lines: 'none' }]);
    const pair = [order(), describeTwin(order() as never) as unknown as Contract];
    const box = await begun(test, pair);
    assert.equal(decision(await box.call('place_order_raw', { payload: '{"customer":7}' })), undefined);
  });

  again(1, 'a twin survives evolution', async (test) => {
    const pair = (flat: Contract) => [flat, describeTwin(flat as never) as unknown as Contract];
    const box = await begun(test, pair(order()), { mode: 'strict' });
    box.release(pair(order(line({ gift: { type: 'boolean' } }), {}, { voucher: text })));
    const run = await box.call('place_order_raw', { payload: JSON.stringify(goods) });
    assert.notEqual(decision(run), 'deny');
    assert.match(context(run), /voucher/);
  });

  again(1, 'the three criteria', () => {
    const flat = tool('close_till', { till: text }, { required: ['till'] }, { annotations: { destructiveHint: true } });
    const missing = (one: Contract, known = {}) =>
      rulesOf([one], known).filter((found) => found.endsWith('raw-twin-missing'));
    assert.equal(
      missing({ ...order(), annotations: { destructiveHint: true } }, { validated: ['place_order'] }).length,
      1,
    );
    assert.deepEqual(missing({ ...order(), annotations: { readOnlyHint: true } }), []);
    assert.ok(
      missing(flat).every((found) => !found.startsWith('error')),
      'one text is no structure',
    );
  });

  again(1, 'where the endpoint does not validate, no twin', async (test) => {
    const code = `server.registerTool('place_order', { inputSchema: { lines: z.array(z.string()) } }, (args) => api.post('/orders', args));
server.registerTool('place_order_raw', { inputSchema: { payload: z.string() } }, ({ payload }) => api.post('/orders', JSON.parse(payload)));
app.post('/orders', (req, res) => { const { customer, lines } = req.body; db.orders.insert({ customer, lines }); res.end(); });`;
    assert.ok((await source(test, code)).some((found) => found.includes('source-route-unvalidated')));
  });

  again(1, 'tools that only read, or send everything in the URL', async (test) => {
    const code =
      "server.registerTool('cancel', { inputSchema: { id: z.string(), reason: z.enum(['a', 'b']) } }, ({ id, reason }) => fetch(`/orders/${id}/cancel?reason=${reason}`, { method: 'DELETE' }));";
    assert.deepEqual(await source(test, code), []);
    assert.deepEqual(
      rulesOf([order()], { urlOnly: ['place_order'] }).filter((found) => found.includes('twin-missing')),
      [],
    );
  });

  again(1, 'the endpoint validates the whole body', async (test) => {
    const route = (
      body: string,
    ) => `server.registerTool('rate', { inputSchema: { stars: z.number() } }, (a) => api.put('/ratings', a));
server.registerTool('rate_raw', { inputSchema: { payload: z.string() } }, ({ payload }) => api.put('/ratings', JSON.parse(payload)));
router.put('/ratings', async (request, reply) => { ${body} });`;
    const picks = await source(test, route('await save(request.body.stars, request.body.text); reply.send(1);'));
    assert.ok(
      picks.some((found) => found.includes('source-route-unvalidated')),
      picks.join(),
    );
    assert.deepEqual(
      await source(test, route('const body = Rating.parse(request.body); await save(body); reply.send(1);')),
      [],
    );
  });

  again(1, "the twin's description is its documentation", () => {
    const { description = '' } = describeTwin({ ...order(), branches: [{ name: 'gift', schema: line() }] } as never);
    for (const word of ['customer', 'lines', 'gift', 'sku', '{']) assert.ok(description.includes(word), word);
    const bare = { ...(describeTwin(order() as never) as unknown as Contract), description: 'Places an order.' };
    const found = rulesOf([order(), bare]);
    assert.ok(
      found.some((one) => one.endsWith('raw-twin-description')) &&
        found.some((one) => one.endsWith('raw-twin-example')),
    );
  });

  again(1, 'the handler forwards the parsed object as it is', async (test) => {
    const twin = (body: string) =>
      `server.tool('pay_raw', { payload: z.string() }, async ({ payload }) => { ${body} });`;
    assert.deepEqual(
      await source(
        test,
        twin("const order = JSON.parse(payload); return client.post('/pay', order);"),
        '--url-only',
        'x',
      ),
      [],
    );
    const renamed = twin(
      "const order = JSON.parse(payload); return client.post('/pay', { sum: order.total, to: order.iban });",
    );
    assert.ok((await source(test, renamed)).includes('error source-twin-picks pay_raw'));
  });

  again(1, 'tools are listed with their branches', async () => {
    const branches = { retail: { type: 'object', properties: { till: text } }, trade: null };
    const { body } = await toolsList({
      schemaVersion: '2023-01-05',
      tools: [{ ...(order() as object), branches } as never],
    }).answer();
    const [read] = readToolList(JSON.parse(body)).tools;
    assert.deepEqual(
      JSON.stringify(read?.branches)
        .match(/retail|trade/g)
        ?.sort(),
      ['retail', 'trade'],
    );
    const alone = readToolList([{ name: 'pay', branches: ['card'] }] as Json).tools[0];
    assert.ok(alone, 'listed by its branches alone, it is a tool that takes any object');
  });

  again(1, 'restart the gateway and Claude Code', async (test) => {
    const box = await begun(test, [order()]);
    box.release([order(line({ count: text }))], '2023-02-01');
    const { stdout } = await printed(box, 'probe');
    assert.match(stdout, /Restart Claude Code/);
    assert.match(stdout, /\/mcp reconnect .*\/clear/s);
    const now = { customer: 'c', lines: [{ sku: 'A', count: '2' }] };
    assert.equal(decision(await box.call('place_order', now)), undefined, 'in the new form it is sent');
  });

  again(1, 'sessions that ran during the deployment', async (test) => {
    const box = await begun(test, [order()]);
    box.release([order()], '2023-03-01');
    const { answer } = await box.greet({ source: 'resume' });
    assert.match(answer?.systemMessage ?? '', /2023-03-01/, 'a bump without a visible change, too');
  });

  again(1, 'keep the table of twins', async (test) => {
    const box = await begun(test, [order(), describeTwin(order() as never) as unknown as Contract]);
    await box.call('place_order_raw', { payload: JSON.stringify(goods) });
    const { stdout } = await printed(box, 'usage');
    assert.match(stdout, /place_order_raw/);
    assert.match(stdout, /place_order\b(?!_raw)/);
  });

  again(1, 'the one exception: a field for the URL', async (test) => {
    const twin = (body: string) => `server.tool('move_raw', { payload: z.string() }, ({ payload }) => { ${body} });`;
    const one = twin('const body = JSON.parse(payload); return api.patch(`/shelves/${body.shelf}`, body);');
    assert.ok(!(await source(test, one)).some((found) => found.includes('picks')));
    const two = twin(
      'const body = JSON.parse(payload); return api.patch(`/shelves/${body.shelf}/${body.row}`, { to: body.to });',
    );
    assert.ok((await source(test, two)).some((found) => found.includes('source-twin-picks')));
  });

  again(1, 'the flat schema has all fields of all branches', () => {
    const union = {
      name: 'pay',
      inputSchema: {
        oneOf: [
          { type: 'object', properties: { card: text } },
          { type: 'object', properties: { iban: text } },
        ],
      },
    };
    assert.ok(rulesOf([union]).some((found) => found.endsWith('schema-root-union')));
  });

  again(1, 'a new field is mirrored in the flat schema', () => {
    const [before, after] = [order(), order(line(), {}, { voucher: text })];
    assert.deepEqual(changesOf(before, after), ['input-property-added']);
    const list = (one: Contract) => readToolList({ schema_version: '2023-01-05', tools: [one] } as never);
    assert.ok(lintVersionBump(list(before), list(after)).some(({ rule }) => rule === 'version-not-bumped'));
  });

  again(1, 'the legacy tool stays, and says', () => {
    const twin = describeTwin(order() as never) as unknown as Contract;
    const legacy = (description: string) =>
      rulesOf([order(line(), { description }), twin]).filter((found) => found.endsWith('deprecation-wording'));
    assert.equal(legacy('Deprecated! Please use place_order_raw.').length, 1);
    assert.deepEqual(legacy('DEPRECATED — use place_order_raw for new work. Places an order.'), []);
  });

  again(1, 'then a call of it gets a clear error', async (test) => {
    const twin = describeTwin(order() as never) as unknown as Contract;
    const box = await begun(test, [order(), twin]);
    box.release([twin]);
    const run = await box.call('place_order', goods);
    assert.equal(decision(run), 'deny');
    assert.match(reason(run), /mcp__demo__place_order_raw \{"payload":/);
  });

  again(1, 'the telemetry is the activity log', async (test) => {
    const box = await begun(test, [order()]);
    await box.call('place_order', { ...goods, customer: 'a-very-private-name' });
    const { stdout } = await printed(box, 'logs', '--json');
    const [call] = JSON.parse(stdout).data.lines;
    assert.deepEqual([call.tool, call.verdict], ['mcp__demo__place_order', 'silence']);
    assert.ok(!stdout.includes('a-very-private-name'));
  });

  again(1, '`GET /api/tools/list`, from one source of truth', async () => {
    const { body } = await toolsList({ schemaVersion: '2023-01-05', tools: [order() as never] }).answer();
    const { tools, schemaVersion } = readToolList(JSON.parse(body));
    assert.deepEqual([tools, schemaVersion], [[order()], '2023-01-05']);
  });

  again(1, '`check_tool_freshness.sh`', () => {
    const script = readFileSync('skills/konnichiwagwan/scripts/check_tool_freshness.sh', 'utf8');
    assert.match(script, /\bprobe\b/);
    assert.match(script, /^#!/);
  });

  again(1, 'the drift line', async (test) => {
    const box = await begun(test, [order()]);
    box.release([order(line({ count: text }))], '2023-12-31');
    const drift =
      '⚠️ Tool schema drift detected — session started 2023-01-05, gateway advertises 2023-12-31. Restart Claude Code to avoid silent field-strip bugs.';
    for (const command of ['probe', 'status']) assert.ok((await printed(box, command)).stdout.includes(drift), command);
  });

  again(1, 'states and signals are documented', async (test) => {
    const page = readFileSync('docs/how-it-decides.md', 'utf8');
    const box = await begun(test, [order()]);
    const stateOf = async (): Promise<string> =>
      JSON.parse((await printed(box, 'probe', '--json')).stdout).data.sources[0].state;
    const states = [await stateOf()];
    box.release([order(line({ count: text }))]);
    states.push(await stateOf());
    box.release([order()], '2023-12-31');
    states.push(await stateOf());
    box.gateway.close();
    states.push(await stateOf());
    assert.equal(new Set(states).size, 4, states.join());
    for (const state of states) assert.ok(page.includes(`\`${state}\``), state);
  });

  again(1, 'a source rule flags a registration without a sibling twin', async (test) => {
    const code =
      "registerTools(server) ; server.registerTool('refund', { inputSchema: { lines: z.array(z.object({ sku: z.string() })) } }, (args) => http.post('/refunds', args));";
    assert.ok((await source(test, code)).some((found) => found.includes('source-twin-missing refund')));
    const both = `${code} server.registerTool('refund_raw', { inputSchema: { payload: z.string() } }, ({ payload }) => http.post('/refunds', JSON.parse(payload)));`;
    assert.ok(!(await source(test, both)).some((found) => found.includes('source-twin-missing')));
  });

  again(1, 'each rule pins the text it enforces', async (test) => {
    for (const { id, governance } of SOURCE_RULES) assert.match(governance.sha256, /^[0-9a-f]{64}$/, id);
    const box = await sandbox(test, []);
    const doc = join(box.home, 'discipline.md');
    writeFileSync(doc, '# Something else\n\nNothing of it stands here.\n');
    const { code, stdout } = await printed(box, 'lint', '--doc', doc);
    assert.notEqual(code, 0);
    assert.match(stdout, /governance-changed/);
  });

  again(1, 'skill and completion signal', async (test) => {
    const box = await begun(test, [order()]);
    const { stdout } = await printed(box, 'status', '--session', 's1');
    for (const phase of ['A', 'B', 'C', 'D', 'E', 'F']) assert.match(stdout, new RegExp(`^Phase ${phase} · `, 'm'));
    assert.equal(
      stdout
        .trimEnd()
        .split('\n')
        .filter((one) => /^(✅|⚠️)/u.test(one)).length,
      1,
      stdout,
    );
  });
});
