// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples are code
// The ways in which servers write tools, hints, schemas and routes: what is found in one way is found in the others.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { Code } from '../scripts/lint/source/code.ts';
import { withImported } from '../scripts/lint/source/imported.ts';
import { lintSources } from '../scripts/lint/source/lint-source.ts';
import { remove } from '../scripts/state/in-use.ts';

const base = mkdtempSync(join(tmpdir(), 'konnichiwagwan-written-'));
process.on('exit', () => remove(base));

type Files = Record<string, string>;

/** What is found in some files. A text alone is `file.ts`. */
const reported = (code: string | Files): ReturnType<typeof lintSources> => {
  const folder = mkdtempSync(join(base, 'case-'));
  for (const [name, text] of Object.entries(typeof code === 'string' ? { 'file.ts': code } : code)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return lintSources(['.'], folder);
};

/** The same: `rule level file:line`. */
const lint = async (code: string | Files): Promise<string[]> => {
  const { findings, problems } = await reported(code);
  assert.doesNotMatch(problems.join(), /not linted/);
  return findings.map(({ rule, level, place }) => `${rule} ${level} ${place.file}:${place.line}`).sort();
};

/** One test for each example. */
const all = (examples: Record<string, readonly [code: string | Files, ...found: string[]]>): void => {
  for (const [what, [code, ...found]] of Object.entries(examples))
    it(what, async () => assert.deepEqual(await lint(code), found));
};

describe('comments between the parts of code', () => {
  const tool = (hint: boolean): string =>
    `server.registerTool(/* its name */ 'move', // and what it takes
      { inputSchema: { box: z.string() /* a label */ }, annotations: { readOnlyHint: ${hint} } },
      /* what it does */ (/* of it */ { box }) => api.post(/* where */ '/boxes', /* what */ { box }));`;
  all({
    'change nothing of a tool that says that it only reads': [{ 'a.ts': tool(true) }],
    'nor of one that does not': [{ 'a.ts': tool(false) }, 'source-handler-picks error a.ts:3'],
  });
});

describe('hints of a tool that several packages have', () => {
  const push = (hint: boolean, handler = ", ({ name }) => api.post('/labels', { name })"): string =>
    `server.registerTool('push', { inputSchema: { name: z.string() }, annotations: { readOnlyHint: ${hint} } }${handler});`;
  const byName = "switch (tool) { case 'push': return api.put('/labels', { name: params.arguments.name }); }";
  const found = (file: string): string => `source-handler-picks error ${file}:1`;
  all({
    'the file of the handler has its own': [
      { 'web/one.ts': push(true), 'web/two.ts': push(false) },
      found('web/two.ts'),
    ],
    'those of the same folder come before others': [
      { 'web/tools.ts': push(true, ''), 'web/run.ts': byName, 'cli/tools.ts': push(false, ''), 'cli/run.ts': byName },
      found('cli/run.ts'),
    ],
    'among those that are as near, one that changes state counts': [
      { 'cli/run.ts': byName, 'some/tools.ts': push(true, ''), 'other/tools.ts': push(false, '') },
      found('cli/run.ts'),
    ],
    'or none does': [{ 'cli/run.ts': byName, 'some/tools.ts': push(true, '') }],
  });
});

describe('what a schema leaves of a payload', () => {
  const twin = (body: string, before = ''): string =>
    `${before}\nserver.tool('mail_raw', { payload: z.string() }, ({ payload }) => api.post('/mail', ${body}));`;
  const read = (schema: string, before = ''): string =>
    twin('Mail.parse(JSON.parse(payload))', `${before}const Mail = ${schema};`);
  const [drops, may] = ['source-twin-picks error file.ts:2', 'source-twin-picks warning file.ts:2'];
  const LOOSE = 'z.looseObject({ to: z.email() })';
  const PARTS = `const A = ${LOOSE}; const B = z.object({ to: z.email() }); `;
  all(
    Object.fromEntries(
      [
        `${LOOSE}.refine((one) => one.to)`,
        'z.object({ to: z.string() }).loose().superRefine(check).describe("A mail")',
        'A.meta({ id: "mail" }).readonly().brand<"Mail">()',
        'A.optional().nullable().default({}).catch(NONE)',
        'A.extend({ cc: z.email() }).omit({ to: true }).partial()',
        'B.merge(A)',
        'z.union([A, A.extend({ cc: z.email() })])',
        'z.discriminatedUnion("kind", [A, z.object({}).catchall(z.string())])',
        'A.or(z.record(z.string(), z.json()))',
      ].map((schema): [string, [string]] => [`all of it: ${schema}`, [read(schema, PARTS)]]),
    ),
  );
  all(
    Object.fromEntries(
      [
        'B.describe("A mail")',
        'A.strip().refine(check)',
        'A.merge(B)',
        'z.union([B, B.extend({ cc: z.email() })])',
        'B.or(B.partial())',
        'B.transform((one) => one)',
        'A.pipe(B)',
      ].map((schema): [string, [string, string]] => [`what it names: ${schema}`, [read(schema, PARTS), drops]]),
    ),
  );
  all(
    Object.fromEntries(
      [
        'z.union([A, B])',
        'z.discriminatedUnion("kind", MEMBERS)',
        'mailSchema()',
        'A.transform(fewer)',
        'z.strictObject({ to: z.email() })',
        'B.strict().refine(check)',
        'z.union([A, B.strict()])',
        'Mail.refine(check)',
      ].map((schema): [string, [string, string]] => [`that is not sure: ${schema}`, [read(schema, PARTS), may]]),
    ),
  );

  it('a strict one is said to refuse fields, not to lose them', async () => {
    const code = read('B.strict()', PARTS);
    const [finding] = (await reported(code)).findings;
    assert.match(finding?.message ?? '', /^`mail_raw` has its payload checked by a schema that may refuse/);
  });

  it('a schema whose parts are named again and again is read in time', async () => {
    const rows = Array.from({ length: 60 }, (_, at) => `const A${at + 1} = z.union([A${at}, A${at}, A${at}]); `);
    assert.deepEqual(await lint(read('A60.readonly()', `const A0 = ${LOOSE}; ${rows.join('')}`)), []);
  });
});

describe('hints that are written elsewhere', () => {
  const SENDS = "({ query, cc }) => api.post('/mail/run', { query, cc })";
  const tool = (annotations: string, before = ''): string =>
    `${before}\nserver.registerTool('run_mail', { inputSchema: { query: z.string() }, ${annotations} }, ${SENDS});`;
  const v1 = (args: string, before = ''): string => `${before}\nserver.tool('run_mail', ${args}, ${SENDS});`;
  const PICKS = 'source-handler-picks error file.ts:2';
  const hints = (says: string): string => `const ASKS = { readOnlyHint: ${says} } as const;`;
  const KINDS = 'const KINDS = { asks: { readOnlyHint: true }, sends: { readOnlyHint: false } };';
  const HINTS = `export const ASKS = { readOnlyHint: true };\nexport const SENDS = { destructiveHint: true };\nexport ${KINDS}\nexport default { readOnlyHint: true };\nexport const toolConfig = { inputSchema: {}, annotations: ASKS };`;
  const others = (code: string): Files => ({ 'file.ts': code, 'lib/hints.ts': HINTS });
  all({
    'in a constant: it reads': [tool('annotations: ASKS', hints('true'))],
    'in a constant: it does not': [tool('annotations: ASKS', hints('false')), PICKS],
    'spread: it reads': [tool('annotations: { title: "Run", ...ASKS }', hints('true'))],
    'spread: it does not': [tool('annotations: { title: "Run", ...ASKS }', hints('false')), PICKS],
    'spread, and said otherwise': [tool('annotations: { ...ASKS, readOnlyHint: false }', hints('true')), PICKS],
    'as a member: it reads': [tool('annotations: KINDS.asks', KINDS)],
    'as a member: it does not': [tool('annotations: KINDS.sends', KINDS), PICKS],
    'under the same name': [tool('annotations', hints('true').replace('ASKS', 'annotations'))],
    'under the same name: it does not': [tool('annotations', hints('false').replace('ASKS', 'annotations')), PICKS],
    'a constant of its own: it reads': [tool('annotations: { readOnlyHint: ASKS }', 'const ASKS = true;')],
    'a constant of its own: it does not': [tool('annotations: { readOnlyHint: ASKS }', 'const ASKS = false;'), PICKS],
    'computed, called or unknown': [
      [tool('annotations: { readOnlyHint: !SENDS }'), tool("annotations: hintsFor('mail')"), tool('...rest')].join(''),
    ],
    'but one that is written out counts': [tool('annotations: { readOnlyHint: !SENDS, destructiveHint: true }'), PICKS],
    'without hints, what it sends counts': [tool('title: "Run"'), PICKS],
    'SDK 1.x, in a row: it reads': [v1("'Runs it', { query: z.string() }, ASKS", hints('true'))],
    'SDK 1.x, in a row: it does not': [v1("'Runs it', { query: z.string() }, ASKS", hints('false')), PICKS],
    'SDK 1.x, without hints': [v1('WORDS, { query: z.string() }'), PICKS],
    'imported: it reads': [others(tool('annotations: ASKS', "import { ASKS } from './lib/hints.js';"))],
    'imported: it does not': [others(tool('annotations: A', "import { SENDS as A } from './lib/hints.js';")), PICKS],
    'imported, a member': [others(tool('annotations: KINDS.asks', "import { KINDS } from './lib/hints.js';"))],
    'imported, a member: it does not': [
      others(tool('annotations: all.KINDS.sends', "import * as all from './lib/hints.js';")),
      PICKS,
    ],
    'imported, spread and by default': [others(tool('annotations: { ...ASKS }', "import ASKS from './lib/hints.js';"))],
    'imported, SDK 1.x': [others(v1('{ query: z.string() }, ASKS', "import { ASKS } from './lib/hints';"))],
    'imported, of a package or a file that is not there': [
      [
        tool('annotations: ASKS', "import { ASKS } from 'hints';"),
        tool('annotations: B', "import { B } from './b.js';"),
      ].join('\n'),
    ],
    'imported with all that describes the tool': [
      others(`import { toolConfig } from './lib/hints.js';\nserver.registerTool('run_mail', toolConfig, ${SENDS});`),
    ],
    'made again and again': [tool('annotations: A', 'const A = { ...B }; const B = { ...A };')],
  });

  it('a file of hints that takes too long to read tells nothing', async () => {
    const [cwd, path] = [join(base, 'slow'), join(base, 'slow/tools.ts')];
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(cwd, 'hints.ts'), HINTS);
    const hintsIn = { module: './hints.js', name: 'ASKS', keys: [] };
    const facts = {
      handlers: [],
      registrations: [{ tool: 'a', shape: 'flat', readOnly: 'computed', hintsIn }],
    } as never;
    const tooLate = new Code({} as never, 'hints.ts', Date.now() - 1);
    const [found] = await withImported([{ file: { path, name: 'tools.ts' }, facts }], cwd, async () => tooLate);
    assert.deepEqual(found?.registrations, [{ tool: 'a', shape: 'flat', readOnly: 'computed' }]);
  });
});

describe('what validates before a route', () => {
  const route = (before: string, first = ''): string =>
    `${first}\napp.put('/mail', ${before}(req, res) => res.json(send(req.body.to)));`;
  const FOUND = 'source-route-unvalidated warning file.ts:2';
  all({
    'a list': [route('[auth, validateBody(Mail)], ')],
    'a list without a check': [route('[auth, limit(5)], '), FOUND],
    'a list that has a name': [route('BEFORE, ', 'const BEFORE = [auth, zodBody(Mail)];')],
    'a list that has a name, spread': [route('...BEFORE, ', 'const BEFORE = [validate(Mail), auth];')],
    'a list that has a name, without a check': [route('BEFORE, ', 'const BEFORE = [auth];'), FOUND],
    'a schema under the same name': [route('{ schema }, ', 'const schema = { body: Mail };')],
    'a schema for something else under the same name': [
      route('{ schema }, ', 'const schema = { querystring: Page };'),
      FOUND,
    ],
    'a schema that is a member': [route('{ schema: SCHEMAS.mail }, ', 'const SCHEMAS = { mail: { body: Mail } };')],
    'an imported schema, which is not known': [route('{ schema }, ', "import { schema } from './mail.js';")],
    'a schema with more in it': [route('{ schema: { ...COMMON } }, ')],
    'options without a schema': [route('{ config: {} }, '), FOUND],
  });
});

describe('the path of a request', () => {
  const ROUTE = "app.post('/mail/:id', (req, res) => { const mail = Mail.safeParse(req.body); res.json(mail); });";
  const tool = (url: string, before = ''): string =>
    `${ROUTE} ${before}\nserver.registerTool('mail', { inputSchema: { to: z.array(z.string()) }, annotations: { destructiveHint: true } }, (args) => api.post(${url}, args));`;
  const found = (level: string): string => `source-twin-missing ${level} file.ts:2`;
  all({
    'a template': [tool('`${BASE}/mail/${id}`'), found('error')],
    'put together with +': [tool("BASE + '/mail/' + id"), found('error')],
    'under a name': [tool('path', "const path = '/mail/' + id;"), found('error')],
    'of a URL': [tool("new URL('/mail/' + id, BASE)"), found('error')],
    'of no route': [tool("BASE + '/post/' + id"), found('warning')],
    'computed otherwise': [tool("BASE - '/mail/' - id"), found('warning')],
  });
});

describe('values behind the ? of a URL', () => {
  const tool = (send: string, before = ''): string =>
    `${before}\nserver.registerTool('close', { inputSchema: { id: z.string(), why: z.string(), by: z.int() }, annotations: { destructiveHint: true } }, ({ id, why, by }) => ${send});`;
  const PICKS = 'source-handler-picks error file.ts:2';
  const TWIN = 'source-twin-missing warning file.ts:2';
  const URL = '`https://mail.example/${id}`';
  all({
    'axios: params behind an empty body': [tool(`axios.put(${URL}, null, { params: { why, by } })`)],
    'axios: params under the same name': [tool(`axios.patch(${URL}, {}, { params })`, 'const params = { limit: 5 };')],
    'axios: params of a call without a body': [tool(`api.delete(${URL}, { params: { why, by } })`)],
    'axios: params and a body of a call without a body': [
      tool(`api.delete(${URL}, { params: { by }, data: { why } })`),
      PICKS,
      TWIN,
    ],
    'axios: params beside a body': [tool(`axios.post(${URL}, { why }, { params: { by } })`), PICKS, TWIN],
    'axios: params beside a body that is no field': [
      tool(`axios.post(${URL}, { at: Date.now() }, { params: { by, why } })`),
      TWIN,
    ],
    'axios: params beside a body that is not known': [
      tool(`axios.post(${URL}, letter, { params: { by, why } })`),
      TWIN,
    ],
    'axios: params beside more options': [tool(`axios.delete(${URL}, { ...more, params: { by, why } })`), TWIN],
    'axios: all in one object': [tool(`axios({ method: 'post', url: ${URL}, params: { why, by } })`)],
    'axios: all in one object, of request': [
      tool(`axios.request({ method: 'post', url: ${URL}, data: { at: Date.now() }, params: { why, by } })`),
      TWIN,
    ],
    'params in a body': [tool(`axios.post(${URL}, { method: 'close', params: { why, by } })`), PICKS, TWIN],
    'params in the body of fetch': [
      tool(`fetch(${URL}, { method: 'POST', body: JSON.stringify({ method: 'close', params: { why, by } }) })`),
      PICKS,
      TWIN,
    ],
    'ky: searchParams': [tool(`ky.post(${URL}, { searchParams: { why, by } })`)],
    'ky: searchParams of what it made': [
      tool(`mail.post(${URL}, { searchParams: { why, by } })`, "const mail = ky.create({ prefixUrl: '/' });"),
    ],
    'got: searchParams of text': [tool(`got.put(${URL}, { searchParams: new URLSearchParams({ why, by }) })`)],
    'got: searchParams beside a body': [tool(`got.post(${URL}, { json: { why }, searchParams: { by } })`), PICKS, TWIN],
    'a value kept under a name of one letter: no request': [tool("kept.put('k', { why, by })"), TWIN],
    'searchParams in a body': [tool(`axios.post(${URL}, { searchParams: { why, by } })`), PICKS, TWIN],
  });
});

describe('a handler that is wrapped', () => {
  const PICKS = "const { to, cc } = JSON.parse(payload);\n  return api.post('/mail', { to, cc });";
  const WHOLE = "return api.post('/mail', JSON.parse(payload));";
  const twin = (handler: string, before = ''): string =>
    `${before}server.registerTool('mail_raw', { inputSchema: { payload: z.string() } }, ${handler});`;
  const flat = (handler: string): string =>
    `server.registerTool('mail', { inputSchema: { to: z.string() }, annotations: { readOnlyHint: false } }, ${handler});`;
  const [found, flatFound] = ['source-twin-picks error file.ts:2', 'source-handler-picks error file.ts:1'];
  const route = (handler: string): string => `app.post('/mail', ${handler});`;
  const ROUTE = 'source-route-unvalidated warning file.ts:1';
  all({
    'a twin that picks': [twin(`logged(async ({ payload }) => {\n${PICKS}\n})`), found],
    'a twin that forwards all': [twin(`logged(async ({ payload }) => {\n${WHOLE}\n})`)],
    'twice, by a method, with options': [
      twin(`logged(trace.wrap('mail', async ({ payload }) => {\n${PICKS}\n}, { retries: 3 }))`),
      found,
    ],
    'under a name': [twin('logged(sendRaw)', `const sendRaw = async ({ payload }) => {\n${PICKS}\n};\n`), found],
    'as a member': [twin('run.sendRaw', `const run = { sendRaw: logged(({ payload }) => {\n${PICKS}\n}) };\n`), found],
    'in a list of tools': [
      `const t = { name: 'mail_raw', inputSchema: { payload: z.string() }, handler: logged(({ payload }) => {\n${PICKS}\n}) };`,
      found,
    ],
    'in a list of tools, as a method': [
      `const t = { name: 'mail_raw', inputSchema: { payload: z.string() }, async handler({ payload }) {\n${PICKS}\n} };`,
      found,
    ],
    'in a map of handlers': [`const run = { mail_raw: logged(({ payload }) => {\n${PICKS}\n}) };`, found],
    'of the gateway kit': [
      "const t = { name: 'mail', inputSchema: { n: z.string() } };\nrawTwin(server, { tool: t, forward: logged(({ to }) => api.post('/mail', { to })) });",
      found,
    ],
    'of the gateway kit, as a method': [
      "const t = { name: 'mail', inputSchema: { n: z.string() } };\nrawTwin(server, { tool: t, forward({ to }) { return api.post('/mail', { to }); } });",
      found,
    ],
    'a flat tool that picks': [flat("logged(({ to }) => api.post('/mail', { to }))"), flatFound],
    'with what the client adds': [
      flat("logged(({ to }, extra) => api.post('/mail', { to, by: extra.id }))"),
      flatFound,
    ],
    'a flat tool that forwards all': [flat("logged((args) => api.post('/mail', args))")],
    'behind what the wrapper adds': [flat("withUser((user, args) => api.post('/mail', { ...args, by: user.id }))")],
    'one of two functions': [flat("either(({ to }) => api.post('/mail', { to }), (args) => args)")],
    'a route that picks': [route('asyncHandler(async (req, res) => res.json(await send(req.body.to)))'), ROUTE],
    'a route that validates': [
      route('asyncHandler(async (req, res) => { const mail = Mail.parse(req.body); res.json(await send(mail.to)); })'),
    ],
    'a list that is sent is no route': [route('rows.map((req) => req.body.to)')],
  });
});

describe('a handler of another file', () => {
  const register = (handler: string, from: string): Files => ({
    'server.ts': `import ${from} from './tools/mail.js';\nserver.tool('mail_raw', { payload: z.string() }, ${handler});\nserver.registerTool('mail', { inputSchema: { to: z.string() } }, send);`,
    'tools/mail.ts': `import { toBody } from './body.js';
export const sendRaw = async ({ payload }) => { const { to, cc } = JSON.parse(payload); return api.post('/mail', { to, cc }); };
export const sendAll = logged(({ payload }) => api.post('/mail', JSON.parse(payload)));
export const sendMore = ({ payload }) => api.post('/mail', toBody(JSON.parse(payload)));
export const run = { raw: logged(sendRaw) };
export function send({ to }) { return api.post('/mail', { to }); }
export default sendRaw;
export const other = 'text';`,
    'tools/body.ts': 'export const toBody = ({ to }) => ({ to });',
  });
  const found = 'source-twin-picks error tools/mail.ts:2';
  all({
    'by its name': [register('sendRaw', '{ sendRaw }'), found],
    'under another name, wrapped': [register('logged(raw)', '{ sendRaw as raw }'), found],
    'by default': [register('sendRaw', 'sendRaw'), found],
    'as a member': [register('all.run.raw', '* as all'), found],
    'that forwards all': [register('sendAll', '{ sendAll }')],
    'that hands on to a third file': [register('sendMore', '{ sendMore }')],
    'that is no function, or not there': [register('other', '{ other }')],
    'of a flat tool': [register('sendAll', '{ send, sendAll }'), 'source-handler-picks error tools/mail.ts:6'],
    'of a described tool': [
      {
        'server.ts':
          "import { sendRaw } from './mail';\nconst tools = [{ name: 'mail_raw', inputSchema: PAYLOAD, execute: sendRaw }];",
        'mail.ts':
          "export function sendRaw({ payload }) { const { to } = JSON.parse(payload); return api.post('/m', { to }); }",
      },
      'source-twin-picks error mail.ts:1',
    ],
  });
});

describe('names of tools that are computed', () => {
  const register = (name: string, hint = false): string =>
    `server.registerTool(${name}, { inputSchema: { to: z.string() }, annotations: { readOnlyHint: ${hint} } }, ({ to }) => api.post('/mail', { to }));`;
  const problems = async (code: string): Promise<string[]> => (await reported(code)).problems;
  const WORD = 'the name of a tool is computed: neither its _raw twin nor its handler was looked for';

  all({
    'a member of a constant is no secret': [
      `const NAMES = { mail: { send: 'send_mail' } } as const;\n${register('NAMES.mail.send')}`,
      'source-handler-picks error file.ts:2',
    ],
    'nor is it in a list': [
      "const NAMES = { send: 'send' };\nconst tools = [{ name: NAMES.send, inputSchema: { n: z.int() }, annotations: { destructiveHint: true } }];",
      'source-twin-missing warning file.ts:2',
    ],
  });

  it('a file without any other name is told', async () => {
    assert.deepEqual(await problems(`\n${register('`${AREA}_send`')}\n${register('`${AREA}_drop`')}`), [
      `file.ts:2: ${WORD}`,
    ]);
    assert.deepEqual(await problems(`import { SEND } from './names.js';\n${register('SEND')}`), [`file.ts:2: ${WORD}`]);
    const named = register('`${AREA}_send`').replace(
      '{ to: z.string() }',
      "{ type: 'object', properties: { to: TO } }",
    );
    assert.deepEqual(await problems(`const TO = { type: 'string' };\n${named}`), [`file.ts:2: ${WORD}`]);
  });

  it('a loop over tools is none, nor is a twin, a tool that reads, or a file with names', async () => {
    const loop = 'for (const tool of tools) server.registerTool(tool.name, tool.config, tool.run);';
    const adapter = 'server.registerTool(tool.id, { inputSchema: await schemaOf(tool) }, tool.run);';
    for (const code of [
      loop,
      adapter,
      register('`${name}_raw`'),
      register('`${name}_list`', true),
      `${register('AREA.send')}\n${register("'list'", true)}`,
      // Its callers name the tools.
      `const addTool = (name: string) => ${register('name')}`,
    ])
      assert.deepEqual(await problems(code), []);
  });
});

describe('the shape of an input that has names in it', () => {
  const tool = (schema: string, before = ''): string =>
    `${before}\nserver.registerTool('mail', { ${schema}, annotations: { destructiveHint: true } }, send);`;
  const FOUND = 'source-twin-missing warning file.ts:2';
  const input = (schema: string, before = ''): string => tool(`inputSchema: ${schema}`, before);
  const NAMES =
    "const Kind = z.enum(['a', 'b']); const To = z.string().min(1); const Base = z.object({ to: To, kind: Kind }); const page = { size: z.int() }; const words = { cc: z.string() }; ";
  const structured = [
    '{ to: z.string(), kind: Kind }',
    '{ to: z.string(), kind: Kind.optional() }',
    ...['optional', 'nullable', 'nullish', 'readonly'].map((around) => `{ to: z.string(), kind: z.${around}(Kind) }`),
    "{ kind: z.default(Kind, 'a') }",
    '{ kind: z.preprocess(trim, Kind) }',
    '{ kind: z.pipe(Kind, To) }',
    '{ to: z.string(), Kind }',
    '{ ...page, to: z.string() }',
    '{ ...Base.shape, to: z.string() }',
    'z.object({ ...page })',
    'z.object(page).strict()',
    'Base',
    'Base.shape',
    'Base.extend({ cc: To })',
    'Base.merge(z.object({ cc: To })).partial()',
    'z.object(words).extend({ at: z.date() })',
    'Base.omit({ to: true }).shape',
    'Base.pick({ kind: true })',
    'zodToJsonSchema(Base.extend({ cc: To }))',
    '{ at: z.coerce.date() }',
    "{ type: 'object', properties: { kind: KIND } }",
    "{ type: 'object', properties: { ...MORE } }",
    "{ type: 'object', properties: MORE }",
    "{ type: 'object', properties: { size: { type: ['integer', 'null'] } } }",
  ];
  const not = [
    '{ to: To, day: z.string().date() }',
    '{ day: z.iso.date().optional() }',
    'Base.omit({ kind: true })',
    'Base.pick({ to: true })',
    'Base.extend({ kind: z.string() })',
    '{ ...words, to: To.optional() }',
    '{ to: z.string().refine((text) => text.split(",").map(trim).length > 1) }',
    '{ to: Imported, cc: imported(5) }',
    '{ to: z.nullish(To), kind: z.pipe(To, Kind) }',
    '{ ...imported }',
    'Base2.extend({ to: To })',
    "{ type: 'object', properties: { to: TO, ...WORDS } }",
    "{ type: 'object', properties: { to: IMPORTED } }",
    "{ type: 'object', properties: { to: { type: ['string', 'null'] } } }",
  ];
  const JSON_NAMES =
    "const KIND = { enum: ['a'] }; const TO = { type: 'string' }; const MORE = { kind: KIND }; const WORDS = { cc: { type: 'string' } }; ";
  for (const schema of structured)
    it(`is more than texts: ${schema}`, async () =>
      assert.deepEqual(await lint(input(schema, NAMES + JSON_NAMES)), [FOUND]));
  for (const schema of not)
    it(`is not: ${schema}`, async () => assert.deepEqual(await lint(input(schema, NAMES + JSON_NAMES)), []));

  const others = (code: string): Files => ({
    'file.ts': code,
    'a/schemas.ts':
      "const Base = z.object({ kind: z.enum(['a']) });\nexport const mailInput = { size: z.int() };\nexport const More = Base.extend({ to: z.string() });\nexport const all = { mail: { size: z.int() } };\nexport const days = { on: z.iso.date() };",
    'b/schemas.ts': 'export const mailInput = { size: z.string() };',
  });
  all({
    'under the same name': [tool('inputSchema', 'const inputSchema = { size: z.number() };'), FOUND],
    'of texts under the same name': [tool('inputSchema', 'const inputSchema = { size: z.string() };')],
    'imported fields': [others(input('mailInput', "import { mailInput } from './a/schemas.js';")), FOUND],
    'imported fields of texts': [others(input('mailInput', "import { mailInput } from './b/schemas.js';"))],
    'imported dates': [others(input('days', "import { days } from './a/schemas.js';"))],
    'an imported schema under another name': [
      others(input('More2', "import { More as More2 } from './a/schemas.js';")),
      FOUND,
    ],
    'an imported member': [others(input('all.mail', "import { all } from './a/schemas.js';")), FOUND],
    'imported from a package': [others(input('More', "import { More } from 'schemas';")), FOUND],
  });

  it('that is spread again and again is read in time', async () => {
    const rows = Array.from({ length: 40 }, (_, at) => `const a${at + 1} = { ...a${at}, ...a${at}, ...a${at} }; `);
    assert.deepEqual(await lint(input('a40', `const a0 = { to: z.string() }; ${rows.join('')}`)), []);
  });
});
