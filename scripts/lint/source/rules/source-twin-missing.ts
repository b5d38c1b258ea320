// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples are code
import { groupBy } from '../../../contract/group-by.ts';
import { quoteName } from '../../../text/quote.ts';
import { TEXTS } from '../../texts.ts';
import type { Registration, SourceRule, SourceRuleFinding, Sources } from '../types.ts';

const SUFFIX = '_raw';

/** Whether a tool changes state: by its hint or, without one, by what its handler sends; never by its name only. */
const isMutation = ({ tool, readOnly }: Registration, sources: Sources): boolean =>
  readOnly === undefined ? sources.sendsChanges(tool) === true : readOnly === false;

const find = (sources: Sources): SourceRuleFinding[] => {
  const byName = groupBy(sources.registrations, ({ tool }) => tool);
  const open = new Set(sources.open.map(({ block }) => block));
  const named = new Set(sources.registrations.map(({ place }) => place.file));
  for (const { place, isTool } of sources.open)
    if (isTool && !named.has(place.file))
      sources.untold(place, 'the name of a tool is computed: neither its _raw twin nor its handler was looked for');
  const reported = new Set<string>();
  return sources.registrations.flatMap((one): SourceRuleFinding[] => {
    const { tool, place, block, shape } = one;
    if (tool.endsWith(SUFFIX) || shape !== 'structured' || !isMutation(one, sources)) return [];
    if (sources.isUrlOnly(tool)) return [];
    const endpoint = sources.endpointOf(tool);
    // Criterion 3 is not met: another rule reports the endpoint.
    if (endpoint === 'does not') return [];
    const twins = byName.get(tool + SUFFIX) ?? [];
    if (twins.some((twin) => twin.block === block || twin.block === undefined || block === undefined)) return [];
    if (block !== undefined && open.has(block)) {
      sources.untold(place, 'tools are made at run time beside others: whether those have a _raw twin cannot be told');
      return [];
    }
    if (reported.has(`${place.file} ${tool}`)) return [];
    reported.add(`${place.file} ${tool}`);
    const [name, twin] = [quoteName(tool), quoteName(tool + SUFFIX)];
    const report = (level: 'error' | 'warning', message: string) => [{ level, place, tool, message }];
    const elsewhere = twins[0]?.place;
    if (elsewhere) {
      const where = `${elsewhere.file}:${elsewhere.line}`;
      return report('warning', `${twin} is registered in another block (${where}), not beside ${name}`);
    }
    const said = `${name} changes state with structured input, and no ${twin} is registered beside it`;
    if (endpoint === 'validates') return report('error', said);
    return report('warning', `${said}; not known: whether its endpoint validates the input`);
  });
};

const ROUTE = "app.post('/cache', (req, res) => { const input = Input.safeParse(req.body); res.json(input); });\n";
const SEND = "(args) => fetch(`${URL}/cache`, { method: 'POST', body: JSON.stringify(args) })";
const TWIN = `server.registerTool('write_raw', { inputSchema: { payload: z.string() } }, ({ payload }) => send(JSON.parse(payload)));\n`;
const TOOL = `server.registerTool('write', { inputSchema: { tags: z.array(z.string()) } }, ${SEND});\n`;
const CREATE =
  "{ name: 'create', inputSchema: { type: 'object', properties: { draft: { type: 'boolean' } } }, annotations: { readOnlyHint: false } }";

export const sourceTwinMissing: SourceRule = {
  id: 'source-twin-missing',
  purpose:
    'A tool that changes state with structured input has its `_raw` twin in the same block. An error where the source shows that the endpoint validates, a warning where that is not known.',
  governance: TEXTS.criteria,
  find,
  examples: [
    {
      what: 'the route is there, and validates',
      code: ROUTE + TOOL,
      gives: ['source-twin-missing error file.ts:2'],
    },
    { what: 'with its twin', code: ROUTE + TOOL + TWIN, gives: [] },
    { what: 'the route belongs to another service', code: TOOL, gives: ['source-twin-missing warning file.ts:1'] },
    {
      what: 'the route does not validate: that comes first',
      code: `app.post('/cache', (req, res) => { const { tags } = req.body; res.json(tags); });\n${TOOL}`,
      gives: ['source-route-unvalidated error file.ts:1'],
    },
    {
      what: 'SDK 1.x: description, schema, hints and handler in a row',
      code: "server.tool('set', 'Sets it', { on: z.boolean() }, { destructiveHint: true }, async ({ on }) => set(on));",
      gives: ['source-twin-missing warning file.ts:1'],
    },
    {
      what: 'a list of tools, SDK 1.x and 2.x',
      code: `server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [${CREATE}] }));\nserver.setRequestHandler('tools/list', () => ({ tools: [\n${CREATE.replace('create', 'make')}] }));`,
      gives: ['source-twin-missing warning file.ts:1', 'source-twin-missing warning file.ts:3'],
    },
    {
      what: 'a list of tools that are declared before, with the switch that runs them',
      code: `const write: Tool = { name: 'write', inputSchema: zodToJsonSchema(Input) };\nconst Input = z.object({ count: z.number() });\nconst tools = [write];\nserver.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args } }) => {\n  switch (name) { case 'write': return gateway('POST', '/cache', args); }\n});`,
      gives: ['source-twin-missing warning file.ts:1'],
    },
    {
      what: 'a twin in another function is not beside it',
      code: `const a = (server) => { ${TOOL} };\nconst b = (server) => { ${TWIN} };`,
      gives: ['source-twin-missing warning file.ts:1'],
    },
    {
      what: 'two lists that are spread into one are one block',
      code: `const some = [${CREATE}];\nconst twins = [defineTool({ name: 'create_raw', inputSchema: PAYLOAD })];\nconst tools = [...some, ...twins];`,
      gives: [],
    },
    {
      what: 'one definition for each file',
      code: {
        'create.ts': `export const create = defineTool(${CREATE});`,
        'schema.ts': 'export const Input = z.object({ to: z.array(z.string()) });',
        'send.ts': "export const send = { name: 'send', inputSchema: Input, annotations: { readOnlyHint: false } };",
        'send-raw.ts': "export const sendRaw = { name: 'send_raw', inputSchema: PAYLOAD };",
      },
      gives: ['source-twin-missing warning create.ts:1'],
    },
    {
      what: 'out of scope: it reads, its input is plain texts, it is unknown whether it changes something, its hint is computed, it sends no body, or it asks by POST',
      code: `server.registerTool('a', { inputSchema: { n: z.number() }, annotations: { readOnlyHint: true } }, ${SEND});
server.registerTool('b', { inputSchema: { n: z.string().min(1).optional() }, annotations: { readOnlyHint: false } }, f);
server.registerTool('create_c', { inputSchema: { n: z.number() } }, (args) => service.create(args));
server.registerTool('e', { inputSchema: { n: z.number() }, annotations: { readOnlyHint: SAFE } }, ${SEND});
server.registerTool('f', { inputSchema: { n: z.number() } }, ({ n }) => fetch(\`\${URL}/f/\${n}\`, { method: 'POST' }));
server.registerTool('search_d', { inputSchema: { n: z.number() } }, ${SEND});`,
      gives: [],
    },
    {
      what: 'twins that are made at run time are not missed',
      code: `${TOOL}for (const tool of twins) server.registerTool(tool.name, tool.config, tool.run);`,
      gives: [],
    },
    {
      what: 'twins of the gateway kit',
      code: `import { createTwin, describeTwin, rawTwin } from 'konnichiwagwan/gateway';
const a = { name: 'a', inputSchema: { n: z.number() }, annotations: { readOnlyHint: false } };
const b = ${CREATE};
const c = { name: 'c', inputSchema: { n: z.number() }, annotations: { readOnlyHint: false } };
const list = toolsList(() => ({ tools: [a, describeTwin(a), b, c] }));
rawTwin(server, { tool: b, forward: (body) => post('/b', body) });`,
      gives: ['source-twin-missing warning file.ts:4'],
    },
    {
      what: 'something else with the name of a method',
      code: "menu.tool('write', { on: z.boolean() });\nconst row = { name: 'write', parameters: [1, 2] };",
      gives: [],
    },
  ],
};
