// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples are code
// Ways to pick some fields of a value without naming each where it is used: all are found, but not code that keeps all.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { Code } from '../scripts/lint/source/code.ts';
import { withImported } from '../scripts/lint/source/imported.ts';
import { lintSources } from '../scripts/lint/source/lint-source.ts';
import { remove } from '../scripts/state/in-use.ts';

const base = mkdtempSync(join(tmpdir(), 'konnichiwagwan-picks-'));
process.on('exit', () => remove(base));

const twin = (body: string): string =>
  `server.tool('write_raw', { payload: z.string() }, async ({ payload }) => {\n${body}\n});`;
const flat = (body: string): string =>
  `server.registerTool('write', { inputSchema: { id: z.string(), title: z.string() }, annotations: { destructiveHint: true } }, async (args) => {\n${body}\n});`;
const P = 'const body = JSON.parse(payload);\n';

const HELPERS = {
  'lib/helpers.ts': `import { z } from 'zod';
export const toBody = ({ a, b }) => ({ a, b });
export function createNote(input) { return api.post('/n', { title: input.title, tags: input.tags }); }
const chosen = (x) => _.pick(x, ['a', 'b']);
export { chosen as only };
export const stamped = (x) => ({ ...x, at: Date.now() });
export const audit = (x) => { console.error(x.kind, x.id); };`,
  'lib/strip.js':
    "export default function (x) { const out = {}; for (const k of ['a', 'b']) out[k] = x[k]; return out; }",
  'up/index.ts': 'export const toBody = (x) => ({ a: x.a, c: x.c });',
};

const STRIPS: Record<string, string> = {
  lodash: twin(`${P}return api.post('/n', _.pick(body, ['a', 'b']));`),
  pickname: `import pick from 'lodash/pick';\n${twin(`${P}return api.post('/n', pick(body, 'a', 'b'));`)}`,
  ramda: twin(`${P}return api.post('/n', R.pick(['a', 'b'], body));`),
  ramdacurry: twin(`${P}return api.post('/n', R.pick(['a', 'b'])(body));`),
  remedapipe: twin(`${P}return api.post('/n', R.pipe(body, R.pick(['a', 'b'])));`),
  pickbound: twin(
    `${P}const out = pick(body, FIELDS);\nreturn fetch('/n', { method: 'POST', body: JSON.stringify(out) });`,
  ),
  filter: twin(
    P +
      "const out = Object.fromEntries(Object.entries(body).filter(([k]) => ALLOWED.includes(k)));\nreturn api.post('/n', out);",
  ),
  filterset:
    "const ALLOWED = new Set(['a','b']);\n" +
    twin(
      P +
        "return api.post('/n', Object.fromEntries(Object.entries(body).filter(([k, v]) => ALLOWED.has(k) && v !== null)));",
    ),
  filter2: twin(
    P +
      "const kept = Object.entries(body).filter(([key]) => ['a'].includes(key));\nconst out = Object.fromEntries(kept);\nreturn api.post('/n', out);",
  ),
  filterentry: twin(
    `${P}return api.post('/n', Object.fromEntries(Object.entries(body).filter((e) => ALLOWED.includes(e[0]))));`,
  ),
  replacer: twin(`${P}return fetch('/n', { method: 'POST', body: JSON.stringify(body, ['a', 'b']) });`),
  replacer2:
    "const KEYS = ['a', 'b'];\n" +
    twin(`${P}return fetch('/n', { method: 'POST', body: JSON.stringify(body, KEYS) });`),
  schema:
    'const Input = z.object({ a: z.string() });\n' +
    twin("const input = Input.parse(JSON.parse(payload));\nreturn api.post('/n', input);"),
  schemasafe:
    'const Input = z.object({ a: z.string() });\n' +
    twin(
      "const r = Input.safeParse(JSON.parse(payload));\nif (!r.success) return bad();\nreturn api.post('/n', r.data);",
    ),
  schemaimp:
    "import { Input } from './s.js';\n" +
    twin("const input = await Input.parseAsync(JSON.parse(payload));\nreturn api.post('/n', JSON.stringify(input));"),
  loop: twin(`${P}const out = {};\nfor (const key of ['a', 'b']) out[key] = body[key];\nreturn api.post('/n', out);`),
  loop2: twin(
    P +
      "const out: any = {};\nfor (const key of FIELDS) { if (key in body) { out[key] = body[key]; } }\nreturn api.post('/n', out);",
  ),
  loopin: twin(
    `${P}const out = {};\nfor (const k in body) { if (ALLOWED.has(k)) out[k] = body[k]; }\nreturn api.post('/n', out);`,
  ),
  foreach: twin(
    P +
      "const out = {};\n['a', 'b'].forEach((k) => { if (body[k] !== undefined) out[k] = body[k]; });\nreturn api.post('/n', out);",
  ),
  map: twin(`${P}return api.post('/n', Object.fromEntries(['a', 'b'].map((k) => [k, body[k]])));`),
  reduce: twin(`${P}const out = FIELDS.reduce((o, k) => ({ ...o, [k]: body[k] }), {});\nreturn api.post('/n', out);`),
  keysfilter: twin(
    P +
      "const out = {};\nfor (const k of Object.keys(body).filter((k) => ALLOWED.includes(k))) out[k] = body[k];\nreturn api.post('/n', out);",
  ),
  entriesloop: twin(
    P +
      "const out = {};\nfor (const [k, v] of Object.entries(body)) { if (ALLOWED.has(k)) out[k] = v; }\nreturn api.post('/n', out);",
  ),
  continue: twin(
    P +
      "const out = {};\nfor (const k of Object.keys(body)) { if (!ALLOWED.has(k)) continue; out[k] = body[k]; }\nreturn api.post('/n', out);",
  ),
  flatpick: flat("return api.post('/n', _.pick(args, ['title', 'tags']));"),
  flatloop: flat("const out = {};\nfor (const k of ['title','tags']) out[k] = args[k];\nreturn api.post('/n', out);"),
  flatrepl: flat("return fetch('/n', { method: 'POST', body: JSON.stringify(args, ['title']) });"),
  flatfilter: flat("return api.post('/n', Object.fromEntries(Object.entries(args).filter(([k]) => k in SHAPE)));"),
  local: `const toBody = ({ a, b }) => ({ a, b });\n${twin(`${P}return api.post('/n', toBody(body));`)}`,
  localflat:
    'function toBody(input) { return { title: input.title, tags: input.tags }; }\n' +
    flat("return api.post('/n', toBody(args));"),
  import: `import { toBody } from './lib/helpers.js';\n${twin(`${P}return api.post('/n', toBody(body));`)}`,
  importsend: `import { createNote } from './lib/helpers.js';\n${flat('return createNote(args);')}`,
  importdefault:
    "import strip from './lib/strip';\n" +
    twin(`${P}return fetch('/n', { method: 'POST', body: JSON.stringify(strip(body)) });`),
  importns: `import * as h from './lib/helpers.js';\n${flat("return api.post('/n', h.toBody(args));")}`,
  importpick: `import { only as keep } from './lib/helpers.js';\n${twin(`${P}return api.post('/n', keep(body));`)}`,
  importdestr:
    "import { toBody } from './lib/helpers.js';\nserver.registerTool('write', { inputSchema: { title: z.string() }, annotations:{destructiveHint:true} }, async (input) => api.put('/n', { ...toBody(input), at: 1 }));",
  importindex: `import { toBody } from './up';\n${twin(`${P}return api.post('/n', toBody(body));`)}`,
  importedName: `import only from 'lodash/pick';\n${twin(`${P}return api.post('/n', only(body, 'a'));`)}`,
  importedAlias: `import { pick as choose } from 'remeda';\n${flat("return api.post('/n', choose(args, ['title']));")}`,
  keysreduce: twin(
    `${P}return api.post('/n', Object.keys(body).filter((k) => ALLOWED.includes(k)).reduce((o, k) => ({ ...o, [k]: body[k] }), {}));`,
  ),
  entriesreduce: twin(
    `${P}return api.post('/n', Object.entries(body).filter(([k]) => ALLOWED.includes(k)).reduce((o, [k, v]) => ({ ...o, [k]: v }), {}));`,
  ),
  forindex: `const KEYS = ['a', 'b'];\n${twin(`${P}const out = {};\nfor (let i = 0; i < KEYS.length; i++) out[KEYS[i]] = body[KEYS[i]];\nreturn api.post('/n', out);`)}`,
  replfn: twin(
    `${P}return fetch('/n', { method: 'POST', body: JSON.stringify(body, (k, v) => (k === '' || ALLOWED.has(k) ? v : undefined)) });`,
  ),
  replin: twin(
    `${P}return fetch('/n', { method: 'POST', body: JSON.stringify(body, (k, v) => (k in ALLOWED ? v : undefined)) });`,
  ),
  valibot: twin("const body = v.parse(Schema, JSON.parse(payload));\nreturn api.post('/n', body);"),
  inline: twin("return api.post('/n', z.object({ a: z.string() }).parse(JSON.parse(payload)));"),
  safeParseTakenApart: twin(`${P}const { data } = Input.safeParse(body);\nreturn api.post('/n', data);`),
  safeParsePicked: twin(
    `const { data } = Input.safeParse(JSON.parse(payload));\nreturn api.post('/n', { a: data.a });`,
  ),
  safeParsePickedLater: twin(
    "const read = Input.safeParse(JSON.parse(payload));\nconst { data: note } = read;\nreturn api.post('/n', { a: note.a });",
  ),
  entriesforeach: twin(
    `${P}const out = {};\nObject.entries(body).forEach(([k, v]) => { if (ALLOWED.has(k)) out[k] = v; });\nreturn api.post('/n', out);`,
  ),
  hasown: twin(
    `${P}const out = {};\nfor (const field of FIELDS) if (Object.hasOwn(body, field)) out[field] = body[field];\nreturn api.put('/n', out);`,
  ),
  localloop: `function strip(x) { const out = {}; for (const k of KEYS) out[k] = x[k]; return out; }\n${twin("return api.post('/n', strip(JSON.parse(payload)));")}`,
  kit: "const t = { name: 'write', inputSchema: { n: z.number() } };\nrawTwin(server, { tool: t, forward: (body) => api.post('/c', _.pick(body, ['n'])) });",
  kitschema:
    "const Input = z.object({ n: z.number() });\nconst t = { name: 'write', inputSchema: Input };\nrawTwin(server, { tool: t, forward: (body) => api.post('/c', Input.parse(body)) });",
  require: `const pick = require('lodash/pick');\n${twin(`${P}return api.post('/n', pick(body, ['a', 'b']));`)}`,
  spreadpick: twin(`${P}return api.post('/n', { ...pick(body, ['a']), at: 1 });`),
  kitparse: twin("const { a } = parsePayload(payload);\nreturn api.post('/n', { a });"),
  ownparse: `const read = (text: string) => JSON.parse(text);\n${twin("const { a } = read(payload);\nreturn api.post('/n', { a });")}`,
  ownparsetyped: `const read = (text: string) => { const value = JSON.parse(text) as Input; check(value); return value; };\n${twin("const { a } = read(payload);\nreturn api.post('/n', { a });")}`,
  textbound:
    "const writeRaw = async (args) => { const text = args.payload as string; const { a } = JSON.parse(text); return api.post('/n', { a }); };\nserver.tool('write_raw', { payload: z.string() }, writeRaw);",
  ownparsebound: `function read(payload) { try { const v = JSON.parse(payload); if (!v) throw 1; return v; } catch { throw new Error('no JSON'); } }\n${twin("return api.post('/n', { a: read(payload).a });")}`,
  deleted: twin(`${P}delete body.tags;\nreturn api.post('/n', body);`),
  assigned: twin(`${P}let title, id;\ntitle = body.title;\nid = body['id'];\nreturn api.post('/n', { title, id });`),
  setundefined: twin(`${P}body.tags = undefined;\nreturn api.post('/n', body);`),
  deletedimport: `import { stamped } from './lib/helpers.js';\n${twin(`${P}delete body['tags'];\nreturn api.post('/n', stamped(body));`)}`,
  flatdeleted: flat("delete args.tags;\nreturn fetch('/n', { method: 'PUT', body: JSON.stringify(args) });"),
  flatunused: flat("const { tags, ...body } = args;\nreturn api.post('/n', body);"),
  form: flat(
    "const form = new FormData();\nform.append('title', args.title);\nform.set('tags', String(args.tags));\nreturn fetch('/n', { method: 'POST', body: form });",
  ),
  othertext: twin("const { a } = JSON.parse(args.payload);\nconst payload = { a };\nreturn api.post('/n', payload);"),
  logtext: twin(
    "const { a } = JSON.parse(payload);\nconsole.error(payload, payload.length);\nreturn api.post('/n', { a });",
  ),
  textparsed: `const write = (text) => { const { a } = JSON.parse(text); return api.post('/n', { a }); };\n${twin('const { a } = JSON.parse(payload);\nconsole.error(a);\nreturn write(payload);')}`,
  restrenamed: twin(
    "const { id, kind, ...rest } = JSON.parse(payload);\nreturn api.post('/n', { id, type: kind, ...rest });",
  ),
  asyncarrow: flat(
    "const { title } = args; const data = lodash.pick(args, ['title']); return axios({ method: 'post', url: '/n', data });",
  ),
};

const KEEPS: Record<string, string> = {
  import: `import { stamped } from './lib/helpers.js';\n${twin(`${P}return api.post('/n', stamped(body));`)}`,
  importgone: `import { x } from './lib/gone.js';\n${twin(`${P}return api.post('/n', x(body));`)}`,
  importlog: `import { audit } from './lib/helpers.js';\n${twin(`${P}audit(body);\nreturn api.post('/n', body);`)}`,
  importother: `import { audit } from './lib/helpers.js';\n${flat('audit(args);\nreturn notes.create(args);')}`,
  entrieslog: twin(
    P +
      "for (const [k, v] of Object.entries(body)) { if (secret(k)) continue; console.error(k); }\nreturn api.post('/n', body);",
  ),
  noinput: "server.tool('stop', async () => { process.exitCode = 1; });",
  madetext: twin(
    "const { user, team } = JSON.parse(settingsFor(payload));\nreturn api.post('/n', { user, team, payload });",
  ),
  undef: twin(
    `${P}return api.post('/n', Object.fromEntries(Object.entries(body).filter(([, v]) => v !== undefined)));`,
  ),
  undef2: flat("return api.post('/n', Object.fromEntries(Object.entries(args).filter(([_k, v]) => v != null)));"),
  map: twin(`${P}return api.post('/n', Object.fromEntries(Object.entries(body).map(([k, v]) => [snake(k), v])));`),
  stringify: twin(`${P}return fetch('/n', { method: 'POST', body: JSON.stringify(body, null, 2) });`),
  copyall: twin(`${P}const out = {};\nfor (const k in body) out[k] = body[k];\nreturn api.post('/n', out);`),
  copykeys: flat(
    "const out = {};\nfor (const k of Object.keys(args)) { if (args[k] !== undefined) out[k] = args[k]; }\nreturn api.post('/n', out);",
  ),
  required: twin(
    `${P}for (const k of ['a', 'b']) if (body[k] === undefined) throw new Error(k);\nreturn api.post('/n', body);`,
  ),
  loose:
    'const Input = z.object({ a: z.string() }).passthrough();\n' +
    twin("const input = Input.parse(JSON.parse(payload));\nreturn api.post('/n', input);"),
  logpick: twin(`${P}console.error(_.pick(body, ['a', 'b']));\nreturn api.post('/n', body);`),
  flatzod: flat("const input = Input.parse(args);\nreturn api.post('/n', input);"),
  omit: flat("return api.post(`/n/${args.id}`, _.omit(args, 'id'));"),
  urlpick: flat(
    "return fetch(`/n?${new URLSearchParams(_.pick(args, ['id']))}`, { method: 'POST', body: JSON.stringify(args) });",
  ),
  localall: `const toBody = (input) => ({ ...input, at: Date.now() });\n${twin(`${P}return api.post('/n', toBody(body));`)}`,
  valibotloose: twin(
    "const body = v.parse(v.looseObject({ a: v.string() }), JSON.parse(payload));\nreturn api.post('/n', body);",
  ),
  mapvalues: twin(`${P}return api.post('/n', _.mapValues(body, trim));`),
  replnull: twin(`${P}return api.post('/n', JSON.stringify(body, undefined, '  '));`),
  foreachlog: twin(`${P}Object.keys(body).forEach((k) => console.error(k));\nreturn api.post('/n', body);`),
  keyscheck: twin(`${P}if (Object.keys(body).length === 0) return bad();\nreturn api.post('/n', body);`),
  unknownkeys: twin(
    `${P}const unknown = Object.keys(body).filter((k) => !KNOWN.has(k));\nif (unknown.length) console.error('new fields', unknown);\nreturn api.post('/n', body);`,
  ),
  secretstrip: flat(
    "const clean = Object.fromEntries(Object.entries(args).map(([k, v]) => [k, typeof v === 'string' ? v.trim() : v]));\nreturn api.post('/n', clean);",
  ),
  replvalue: flat(
    "return fetch('/n', { method: 'PUT', body: JSON.stringify(args, (key, v) => (key !== '' && v === null ? undefined : v)) });",
  ),
  validateonly: flat("Input.parse(args);\nreturn api.post('/n', args);"),
  helperreads: `const idOf = (x) => x.id;\n${twin(`${P}return api.post(\`/n/\${idOf(body)}\`, body);`)}`,
  defaults: flat("const body = { kind: 'x', ...args };\nreturn api.post('/n', body);"),
  text: twin(
    "const { id } = JSON.parse(payload);\nreturn fetch(`${U}/notes/${id}`, { method: 'PUT', body: payload });",
  ),
  textread: twin('const body = JSON.parse(payload);\nreturn http.post(`/notes/${body.id}`, payload);'),
  textinline: twin("return fetch(`/notes/${JSON.parse(payload).id}`, { method: 'POST', body: payload });"),
  textswitch:
    "server.setRequestHandler('tools/call', ({ params: { name, arguments: args } }) => {\n  switch (name) { case 'write_raw': { const { id } = JSON.parse(args.payload); return fetch(`/notes/${id}`, { method: 'POST', body: args.payload }); } }\n});",
  textbound:
    "const writeRaw = async (args) => { const text = String(args.payload); const { id } = JSON.parse(text); return fetch(`/n/${id}`, { method: 'POST', body: text }); };\nserver.tool('write_raw', { payload: z.string() }, writeRaw);",
  textsent: `const send = (path, text) => fetch(path, { method: 'POST', body: text });\n${twin('const { id } = JSON.parse(payload);\nreturn send(`/n/${id}`, payload);')}`,
  kitparse: twin('const body = parsePayload(payload);\nreturn api.post(`/n/${body.id}`, body);'),
  ownparse: `const read = (payload) => JSON.parse(payload);\n${twin("return api.post('/n', read(payload));")}`,
  sendsparsed: `const send = async (text) => (await fetch('/n', { method: 'POST', body: JSON.stringify(JSON.parse(text)) })).json();\n${twin('const answer = await send(payload);\nreturn reply(answer.id);')}`,
  deletedcopy: twin(
    `${P}const shown = structuredClone(body);\ndelete shown.secret;\nawait audit(shown);\nreturn api.post('/n', body);`,
  ),
  setfield: twin(`${P}body.at = Date.now();\nbody['by'] = 'x';\nreturn api.post('/n', body);`),
  negated: twin(`${P}if (!body.title) throw new Error();\nreturn api.post('/n', body);`),
  setread: twin(`${P}const at = {};\nat.title = body.title;\nlog(at);\nreturn api.post('/n', body);`),
  deletedmoved: twin(`${P}body.labels = body.tags;\ndelete body.tags;\nreturn api.post('/n', body);`),
  deletedlater: twin(`${P}await api.post('/n', body);\ndelete body.tags;`),
  deletedurl: flat('const id = args.id;\ndelete args.id;\nreturn api.post(`/n/${id}`, args);'),
  restunused: flat("const { tags, ...rest } = args;\nreturn api.post('/n', args);"),
  restback: flat("const { tags = [], ...rest } = args;\nreturn api.post('/n', { ...rest, tags });"),
  restparameter:
    "server.registerTool('write', { inputSchema: { title: z.string() }, annotations: { destructiveHint: true } }, ({ title = 'none', ...more }) => api.put('/n', { ...more, title: title.trim() }));",
  restbacktwin: twin(
    'const { id, kind, ...rest } = JSON.parse(payload);\nreturn api.post(`/n/${id}`, { id, kind, ...rest });',
  ),
  restwritten: twin(
    "const { tags, ...rest } = JSON.parse(payload);\nrest.tags = tags ?? [];\nreturn api.post('/n', rest);",
  ),
  seen: flat("const seen = new Map();\nseen.set('title', args.title);\nreturn api.post('/n', args);"),
  seenelse: flat("const seen = new Map();\nseen.set('title', args.title);\nreturn api.post('/n', { at: 1 });"),
  local2: `const send = (b) => api.post('/n', b);\n${twin('return send(JSON.parse(payload));')}`,
};

/** The findings about handlers that pick, for one file next to the helpers. */
const picksIn = async (code: string): Promise<string[]> => {
  const folder = mkdtempSync(join(base, 'case-'));
  for (const [name, text] of Object.entries({ ...HELPERS, 'file.ts': code })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { findings, problems } = await lintSources(['.'], folder);
  assert.doesNotMatch(problems.join(), /not linted/);
  return findings.filter(({ rule }) => /-picks$/.test(rule)).map(({ place, level }) => `${level} ${place.file}`);
};

describe('fields are taken out', () => {
  for (const [what, code] of Object.entries(STRIPS))
    it(`and that is found: ${what}`, async () => {
      const found = await picksIn(code);
      assert.deepEqual(found.length, 1, JSON.stringify(found));
      assert.match(found[0] as string, /^(error|warning) file\.ts$/);
    });
  for (const [what, code] of Object.entries(KEEPS))
    it(`or not, and nothing is accused: ${what}`, async () => assert.deepEqual(await picksIn(code), []));

  it('by what is left out by its name: a tool forwards the rest, and that is told as such', async () => {
    const code = flat(
      "return api.post('/n', Object.fromEntries(Object.entries(args).filter(([k]) => !['id'].includes(k))));",
    );
    assert.deepEqual(await picksIn(code), ['warning file.ts']);
  });

  it('one after another: the finding stands at the first of them, and names them in their order', async () => {
    const folder = mkdtempSync(join(base, 'case-'));
    const code = `${P}delete body.tags;\nawait api.post('/kinds', { kind: body.kind });\nreturn api.post('/n', body);`;
    writeFileSync(join(folder, 'file.ts'), twin(code));
    const found = (await lintSources(['.'], folder)).findings.filter(({ rule }) => rule === 'source-twin-picks');
    assert.deepEqual(
      found.map(({ place, message }) => [place.line, /takes (.*) out of/.exec(message)?.[1]]),
      [[3, '"tags", "kind"']],
    );
  });

  it('by names of which one is computed: nothing is said of the others', async () => {
    const folder = mkdtempSync(join(base, 'case-'));
    writeFileSync(join(folder, 'file.ts'), twin(`${P}return api.post('/n', _.pick(body, ['a', NAMES.second]));`));
    const { findings } = await lintSources(['.'], folder);
    assert.match(findings.map(({ message }) => message).join(), /^`write_raw` takes some fields out of its payload/);
  });

  it('by a helper outside of the folder that is linted, but within the working folder', async () => {
    const folder = mkdtempSync(join(base, 'case-'));
    mkdirSync(join(folder, 'tools'));
    writeFileSync(join(folder, 'helper.ts'), HELPERS['lib/helpers.ts']);
    const code = `import { toBody } from '../helper.js';\n${twin(`${P}return api.post('/n', toBody(body));`)}`;
    writeFileSync(join(folder, 'tools/file.ts'), code);
    const { findings } = await lintSources(['tools'], folder);
    assert.equal(findings.filter(({ rule }) => rule === 'source-twin-picks').length, 1);
  });

  it('by a helper that nobody may or can read: it is one that is not known', async () => {
    const outside = mkdtempSync(join(base, 'outside-'));
    writeFileSync(join(outside, 'h.ts'), HELPERS['lib/helpers.ts']);
    const folder = mkdtempSync(join(base, 'case-'));
    symlinkSync(join(outside, 'h.ts'), join(folder, 'linked.ts'));
    writeFileSync(join(folder, 'broken.ts'), 'export const toBody = ({ a, => {{{');
    writeFileSync(join(folder, 'circle.ts'), "export { toBody } from './circle.js';");
    for (const module of [
      `../${outside.split('/').at(-1)}/h.js`,
      './linked.js',
      './broken.js',
      './circle.js',
      './gone.js',
    ]) {
      const code = `import { toBody } from '${module}';\n${twin(`${P}return api.post('/n', toBody(body));`)}`;
      writeFileSync(join(folder, 'file.ts'), code);
      const { findings } = await lintSources(['file.ts'], folder);
      assert.deepEqual(
        findings.filter(({ rule }) => /-picks$/.test(rule)),
        [],
        module,
      );
    }
  });
});

it('a helper that takes too long to analyse may pass on anything', async () => {
  const [cwd, path] = [join(base, 'slow'), join(base, 'slow/tools.ts')];
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, 'helper.ts'), 'export const toBody = (x) => ({ a: x.a });');
  const handed = [{ module: './helper.js', name: 'toBody', at: 0, place: { line: 1, column: 1 } }];
  const payload = { handed, picks: [], whole: false };
  const facts = { handlers: [{ calls: [], payload }], registrations: [] } as never;
  const tooLate = new Code({} as never, 'helper.ts', Date.now() - 1);
  const [{ handlers } = { handlers: [] }] = await withImported(
    [{ file: { path, name: 'tools.ts' }, facts }],
    cwd,
    async () => tooLate,
  );
  assert.equal(handlers[0]?.payload?.whole, true);
});
