// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples are code
import { quoteList, quoteText } from '../../../text/quote.ts';
import type { SourceRule, SourceRuleFinding } from '../types.ts';

export const sourceRouteUnvalidated: SourceRule = {
  id: 'source-route-unvalidated',
  purpose:
    'A route that takes fields out of a body validates it as a whole first. An error where a tool forwards to it: then nothing checks what the tool sends.',
  governance: {
    heading: '4.1 Confirm the REST endpoint has Zod validation',
    sha256: 'fd1cdf3cb40ea7c1bfeda0015d4ba8ae51753d5f2206fdc1f9c1faa090c4334f',
  },
  find: (sources) =>
    sources.routes
      // Unknown code that gets the whole request or body may validate it: then there is no finding.
      .filter(({ validated, unknown, uses }) => !validated && !unknown && uses.picks.length > 0)
      .map((route): SourceRuleFinding => {
        const fields = quoteList([...new Set(route.uses.picks.map(({ field }) => field))]);
        const name = quoteText(`${route.method} /${route.path.join('/')}`, 80);
        return {
          level: sources.isBacking(route) ? 'error' : 'warning',
          place: route.uses.picks[0]?.place ?? route.place,
          message: `the route ${name} takes ${fields} out of the body without validating it as a whole`,
        };
      }),
  examples: [
    {
      what: 'express: destructured',
      code: "app.post('/x', (req, res) => {\n  const { a, b = 1 } = req.body;\n  res.json({ a, b });\n});",
      gives: ['source-route-unvalidated warning file.ts:2'],
    },
    {
      what: 'a tool forwards to it',
      code: "router.post('/x/:id', async (req, res) => res.json(await save(req.body.a)));\nserver.tool('write', { a: z.string() }, (args) => fetch(`${URL}/x/${args.id}`, { method: 'POST', body: JSON.stringify(args) }));",
      gives: ['source-route-unvalidated error file.ts:1'],
    },
    {
      what: 'fastify, hono, koa and a chained route',
      code: `fastify.put('/x', async ({ body }, reply) => reply.send(body.a));
fastify.route({ method: 'POST', url: '/y', handler: async (request) => request.body.b });
app.post('/z', async (c) => { const { a } = await c.req.json(); return c.json({ a }); });
router.patch('/k', (ctx) => { const data = ctx.request.body as Data; ctx.body = data?.a; });
router.route('/r').post((req, res) => res.send(req.body['a']));`,
      gives: [1, 2, 3, 4, 5].map((line) => `source-route-unvalidated warning file.ts:${line}`),
    },
    {
      what: 'a handler that is declared before',
      code: "const save = (req, res) => { const body = req.body ?? {}; store(body.a); };\napp.post('/x', save);",
      gives: ['source-route-unvalidated warning file.ts:1'],
    },
    {
      what: 'validated after it was used',
      code: "app.post('/x', (req, res) => {\n  store(req.body.a);\n  Input.parse(req.body);\n});",
      gives: ['source-route-unvalidated warning file.ts:2'],
    },
    {
      what: 'validated as a whole: in the handler, before it, by a schema, or for all routes',
      code: {
        'handler.ts': `app.post('/a', (req, res) => { const parsed = Input.safeParse(req.body); if (!parsed.success) return; save(parsed.data.a, req.body.a); });
app.post('/b', async (c) => { const body = validateInput(await c.req.json()); return c.json(body.a); });`,
        'before.ts': `app.post('/c', auth, validate(Input), (req, res) => save(req.body.a));
app.post('/d', zValidator('json', Input), async (c) => c.json((await c.req.json()).a));
app.post('/e', (req, res) => { const errors = validationResult(req); save(req.body.a); });`,
        'schema.ts': "fastify.post('/f', { schema: { body: Input } }, async (request) => save(request.body.a));",
        'all.ts': "app.use(openApiValidator({ spec }));\napp.post('/g', (req, res) => save(req.body.a));",
      },
      gives: [],
    },
    {
      what: 'not known, and so not accused: the body or the request goes on whole',
      code: `app.post('/mcp', async (req, res) => { console.log(req.body.method); await transport.handleRequest(req, res, req.body); });
app.post('/x', async (req, res) => { log(req.body.a); res.json(await service.create(req.body)); });`,
      gives: [],
    },
    {
      what: 'no routes: clients, other methods, other objects',
      code: `await axios.post('/x', { a: input.body.a });
app.get('/x', (req, res) => res.json(req.body.a));
app.delete('/x/:id', (req, res) => remove(req.params.id));
listeners.delete('x', (event) => event.body.a);
app.post('/y', (req, res) => { const answer = fetchIt(); res.json(answer.body.a); });`,
      gives: [],
    },
  ],
};
