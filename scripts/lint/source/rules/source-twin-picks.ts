// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples are code
import { quoteName } from '../../../text/quote.ts';
import { TEXTS } from '../../texts.ts';
import { fieldsText } from '../facts/strips.ts';
import type { Handler, SourceRule, SourceRuleFinding, Unnamed } from '../types.ts';

const SCHEMAS: Record<Unnamed, string> = {
  dropped: 'forwards what a schema leaves of its payload: what the schema does not name gets lost',
  refused: 'has its payload checked by a schema that may refuse what it does not name, before the endpoint can decide',
  unknown: 'forwards its payload as a schema gives it back, which may drop what it does not name',
};

/** A schema in between: fields that it does not name, or refuses, never reach the endpoint that decides. */
const throughSchema = ({ tool, calls, payload }: Handler): SourceRuleFinding[] => {
  if (payload?.schema === undefined || calls.length === 0) return [];
  const { place, unnamed } = payload.schema;
  const message = `${quoteName(tool)} ${SCHEMAS[unnamed]}`;
  return [{ level: unnamed === 'dropped' ? 'error' : 'warning', place, tool, message }];
};

const judge = (handler: Handler): SourceRuleFinding[] => {
  const { tool, calls, payload } = handler;
  const [first] = payload?.picks ?? [];
  if (payload && !first) return throughSchema(handler);
  if (!payload || !first) return [];
  const fields = [...new Set(payload.picks.map(({ field }) => field))];
  // §5 allows to pick one field for the URL's path if the whole payload is passed on.
  if (payload.whole && fields.length === 1) return [];
  const forwards = calls.length > 0;
  // A server that validates and does the work itself need not forward anything.
  if (!forwards && payload.validatedAt !== undefined) return [];
  const took = `${quoteName(tool)} takes ${fieldsText(fields)} out of its payload`;
  const message = payload.whole
    ? `${took}: more than the one field that a URL may need`
    : payload.rest
      ? `${took} and forwards the rest, not the whole`
      : `${took} and does not forward it whole: what else is in there gets lost`;
  return [{ level: !payload.whole && forwards ? 'error' : 'warning', place: first.place, tool, message }];
};

const twin = (body: string): string =>
  `server.tool('write_raw', { payload: z.string() }, async ({ payload }) => {\n${body}\n});`;

export const sourceTwinPicks: SourceRule = {
  id: 'source-twin-picks',
  purpose:
    'A twin forwards its parsed payload whole. Picking fields out of it strips whatever the source does not know yet. One field for the URL’s path is allowed.',
  governance: TEXTS.flat,
  find: ({ handlers }) => handlers.filter(({ tool }) => tool.endsWith('_raw')).flatMap(judge),
  examples: [
    {
      what: 'forwarded whole',
      code: twin(
        "const body = JSON.parse(payload);\nreturn fetch('/cache', { method: 'POST', body: JSON.stringify(body) });",
      ),
      gives: [],
    },
    {
      what: 'one field for the path, and forwarded whole',
      code: twin(
        'const { id } = JSON.parse(payload);\nconst body = JSON.parse(payload);\nreturn api.post(`/dispatch/${body.id}`, body);',
      ),
      gives: [],
    },
    {
      what: 'destructured and put together again',
      code: twin(
        "const { a, b } = JSON.parse(payload);\nreturn fetch('/cache', { method: 'POST', body: JSON.stringify({ a, b }) });",
      ),
      gives: ['source-twin-picks error file.ts:2'],
    },
    {
      what: 'the gateway kit: handed on whole, as an object or as text with one field for the path',
      code: "const t = { name: 'write', inputSchema: { n: z.number() } };\nrawTwin(server, { tool: t, forward: (body) => fetch('/cache', { method: 'POST', body: JSON.stringify(body) }) });\nconst two = createTwin({ tool: t, forward: (body, { text }) => fetch(`/cache/${body.id}`, { method: 'POST', body: text }) });",
      gives: [],
    },
    {
      what: 'the gateway kit: fields picked out of the body',
      code: "const t = { name: 'write', inputSchema: { n: z.number() } };\nrawTwin(server, { tool: t, forward: ({ a, b }) => fetch('/cache', { method: 'POST', body: JSON.stringify({ a, b }) }) });",
      gives: ['source-twin-picks error file.ts:2'],
    },
    {
      what: 'fields read one by one',
      code: twin(
        "const body = JSON.parse(payload) as Input;\nreturn gateway('POST', '/cache', { a: body.a, b: body['b'] });",
      ),
      gives: ['source-twin-picks error file.ts:3'],
    },
    {
      what: 'a part of it spread',
      code: twin(
        "let body;\ntry { body = JSON.parse(payload) ?? {}; } catch { return bad(); }\nreturn api.put('/cache', { ...body.data, kind: 'x' });",
      ),
      gives: ['source-twin-picks error file.ts:4'],
    },
    {
      what: 'the rest without the field of the path',
      code: twin('const { id, ...rest } = JSON.parse(payload);\nreturn api.post(`/dispatch/${id}`, rest);'),
      gives: ['source-twin-picks error file.ts:2'],
    },
    {
      what: 'validated on the way, which strips as well',
      code: twin("const body = Input.parse(JSON.parse(payload));\nreturn api.post('/cache', { a: body.a });"),
      gives: ['source-twin-picks error file.ts:3'],
    },
    {
      what: 'picked by a library, in whatever order that takes them',
      code: ["_.pick(body, ['a', 'b'])", "pick(['a', 'b'], body)", "R.pipe(body, R.pick(['a', 'b']))"]
        .map((picked) => twin(`const body = JSON.parse(payload);\nreturn api.post('/cache', ${picked});`))
        .join('\n'),
      gives: [
        'source-twin-picks error file.ts:3',
        'source-twin-picks error file.ts:7',
        'source-twin-picks error file.ts:11',
      ],
    },
    {
      what: 'filtered by the names of its entries, and named in the list that JSON.stringify takes',
      code: `${twin("const body = JSON.parse(payload);\nreturn api.post('/cache', Object.fromEntries(Object.entries(body).filter(([k]) => KNOWN.has(k))));")}
${twin("const body = JSON.parse(payload);\nreturn fetch('/cache', { method: 'POST', body: JSON.stringify(body, ['a', 'b']) });")}`,
      gives: ['source-twin-picks error file.ts:3', 'source-twin-picks error file.ts:7'],
    },
    {
      what: 'copied name by name in a loop',
      code: twin(
        "const body = JSON.parse(payload);\nconst out = {};\nfor (const key of ['a', 'b']) out[key] = body[key];\nreturn api.post('/cache', out);",
      ),
      gives: ['source-twin-picks error file.ts:4'],
    },
    {
      what: 'forwarded as a schema gives it back: one of this file, and one that may let everything through',
      code: `const Input = z.object({ a: z.string() });
${twin("return api.post('/cache', Input.parse(JSON.parse(payload)));")}
${twin("return api.post('/cache', Other.parse(JSON.parse(payload)));")}`,
      gives: ['source-twin-picks error file.ts:3', 'source-twin-picks warning file.ts:6'],
    },
    {
      what: 'picked by a function of another file',
      code: {
        'file.ts': `import { toBody } from './body.js';\n${twin("return api.post('/cache', toBody(JSON.parse(payload)));")}`,
        'body.ts': 'export const toBody = ({ a, b }) => ({ a, b });',
      },
      gives: ['source-twin-picks error file.ts:3'],
    },
    {
      what: 'in a switch, through a function of the file',
      code: "const writeRaw = (args) => { const { a } = JSON.parse(args.payload); return api.post('/cache', { a }); };\nserver.setRequestHandler('tools/call', (request) => {\n  switch (request.params.name) { case 'write_raw': return writeRaw(request.params.arguments); }\n});",
      gives: ['source-twin-picks error file.ts:1'],
    },
    {
      what: 'forwarded whole, but with two fields looked at',
      code: twin(
        "const body = JSON.parse(payload);\nif (!body.a || !body.b) return bad();\nreturn api.post('/cache', body);",
      ),
      gives: ['source-twin-picks warning file.ts:3'],
    },
    {
      what: 'handed on to an unknown function',
      code: twin('const { a, b } = JSON.parse(payload);\nreturn store.save(a, b);'),
      gives: ['source-twin-picks warning file.ts:2'],
    },
    {
      what: 'allowed: what is no payload, what only looks, what a server does itself after validating',
      code: `${twin("const answer = await api.post('/cache', JSON.parse(payload));\nreturn JSON.parse(answer.text).content;")}
${twin("const body = JSON.parse(payload);\nconsole.error(body.kind);\nif (isObject(body)) return api.post('/cache', body);")}
${twin('const { a, b } = Input.parse(JSON.parse(payload));\nreturn store.save(a, b);')}
${twin("const body = JSON.parse(payload);\nreturn api.post('/cache', Object.fromEntries(Object.entries(body).filter(([, v]) => v !== undefined)));")}
${twin("const body = z.object({ a: z.string() }).passthrough().parse(JSON.parse(payload));\nreturn api.post('/cache', body);")}
${twin("const body = JSON.parse(payload);\nreturn rows.map((body) => body.a + body.b).concat(await api.post('/cache', body));")}`,
      gives: [],
    },
  ],
};
