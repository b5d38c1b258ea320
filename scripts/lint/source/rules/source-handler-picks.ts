// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples are code
import { quoteName } from '../../../text/quote.ts';
import { TEXTS } from '../../texts.ts';
import { fieldsText } from '../facts/strips.ts';
import type { Handler, Registration, SourceRule, SourceRuleFinding, Sources } from '../types.ts';

/** How many folders of their paths two files share; a file shares its own name with itself, too. */
const nearness = (a: string, b: string): number => {
  const others = b.split('/');
  const parts = a.split('/');
  const apart = parts.findIndex((part, index) => part !== others[index]);
  return apart < 0 ? parts.length : apart;
};

/** What the hints of a handler's tool say. Another package may have a tool of the same name: the nearest ones count. */
const hintsOf = ({ tool, file }: Handler, sources: Sources): Registration['readOnly'][] => {
  const found = sources.registrations
    .filter((one) => one.tool === tool)
    .map(({ place, readOnly }) => ({ readOnly, near: nearness(place.file, file) }));
  const nearest = Math.max(...found.map(({ near }) => near));
  return found.filter(({ near }) => near === nearest).map(({ readOnly }) => readOnly);
};

/** A tool that only reads can lose a filter, but no data. */
const isMutation = (handler: Handler, sources: Sources): boolean => {
  const hints = hintsOf(handler, sources);
  if (hints.includes(false)) return true;
  // Hints that cannot be read may say that it only reads.
  return hints.every((hint) => hint === undefined) && sources.sendsChanges(handler.tool) === true;
};

const judge = (handler: Handler, sources: Sources): SourceRuleFinding[] => {
  const { tool, payload, input } = handler;
  const uses = payload ?? input;
  const [first] = uses?.picks ?? [];
  // Twins have a rule of their own.
  if (tool.endsWith('_raw') || uses === undefined || uses.whole || !isMutation(handler, sources)) return [];
  const from = payload === undefined ? 'arguments' : 'payload';
  if (first === undefined) return [];
  const fields = [...new Set(uses.picks.map(({ field }) => field))];
  const took = `${quoteName(tool)} takes ${fieldsText(fields)} out of its ${from}`;
  const what = uses.rest ? 'the rest, not the whole' : 'just that: what else is in there gets lost';
  const message = `${took} and forwards ${what}`;
  return [{ level: uses.rest ? 'warning' : 'error', place: first.place, tool, message }];
};

const tool = (handler: string, hints = ''): string =>
  `server.registerTool('write', { inputSchema: { id: z.string(), title: z.string(), tags: z.string() }${hints} }, ${handler});`;

export const sourceHandlerPicks: SourceRule = {
  id: 'source-handler-picks',
  purpose:
    'No handler of a tool that changes state strips fields: it forwards its arguments whole, and the server behind it decides about them. Picking fields out of them loses whatever the source does not know yet. What goes into the URL, or is only looked at, is allowed.',
  governance: TEXTS.flat,
  find: (sources) => sources.handlers.flatMap((handler) => judge(handler, sources)),
  examples: [
    {
      what: 'destructured, and put together again',
      code: tool(
        "async ({ title, tags }) =>\n  fetch('/notes', { method: 'POST', body: JSON.stringify({ title, tags }) })",
      ),
      gives: ['source-handler-picks error file.ts:1'],
    },
    {
      what: 'read one by one, into a body that is built before',
      code: tool(
        "async (args) => {\n  const { title: name, tags = '' } = args;\n  const body = { title: name, tags };\n  return gateway('POST', `/notes/${args.id}`, body);\n}",
      ),
      gives: ['source-handler-picks error file.ts:2'],
    },
    {
      what: 'in a switch, and in a function of the file that it calls',
      code: `const send = ({ title }) => api.post('/notes', { title });
server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args } }) => {
  switch (name) {
    case 'write': return api.put('/notes', { title: args.title, tags: String(args.tags) });
    case 'send': return send(args);
  }
});`,
      gives: ['source-handler-picks error file.ts:1', 'source-handler-picks error file.ts:4'],
    },
    {
      what: 'out of a payload, by a tool that is no twin',
      code: "server.tool('write', { payload: z.string() }, ({ payload }) => { const { a, b } = JSON.parse(payload); return api.patch('/c', { a, b }); });",
      gives: ['source-handler-picks error file.ts:1'],
    },
    {
      what: 'by a library, by a list of names, and in a function of another file that sends it',
      code: {
        'file.ts': `import { createNote } from './notes.js';
${tool("(args) => api.post('/notes', _.pick(args, ['title', 'tags']))")}
${tool("(args) => { const out = {}; for (const key of NAMES) out[key] = args[key]; return api.post('/notes', out); }")}
${tool('(args) => createNote(args)')}`,
        'notes.ts': "export const createNote = (note) => api.post('/notes', { title: note.title, tags: note.tags });",
      },
      gives: [
        'source-handler-picks error file.ts:2',
        'source-handler-picks error file.ts:3',
        'source-handler-picks error file.ts:4',
      ],
    },
    {
      what: 'the rest without the field of the path',
      code: tool('({ id, ...rest }) => api.post(`/notes/${id}`, { by: id, ...rest })'),
      gives: ['source-handler-picks warning file.ts:1'],
    },
    {
      what: 'forwarded whole, also with a field for the path, one that is looked at, and validated on the way',
      code: `${tool("(args) => fetch('/notes', { method: 'POST', body: JSON.stringify(args) })")}
${tool('(args) => { if (!args.title) throw new Error(args.tags); return api.post(`/notes/${args.id}`, args); }')}
${tool("(args) => { const input = Input.parse(args); return api.post('/notes', { ...input, at: Date.now() }); }")}`,
      gives: [],
    },
    {
      what: 'out of scope: all goes into the URL, it only reads, or does the work itself',
      code: `${tool("({ id }) => fetch(`/notes/${id}/archive`, { method: 'POST' })")}
${tool("({ id, tags }) => { if (tags) log(tags); return api.post(`/notes/${id}/close`, { state: 'closed' }); }")}
${tool("({ title }) => api.post('/search', { title })", ', annotations: { readOnlyHint: true }')}
${tool('({ title, tags }) => notes.create({ title, tags })')}`,
      gives: [],
    },
  ],
};
