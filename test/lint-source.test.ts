import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { changedText } from '../scripts/lint/governance.ts';
import { lintSources, loadAstGrep } from '../scripts/lint/source/lint-source.ts';
import { SOURCE_RULES } from '../scripts/lint/source/table.ts';
import type { SourceExample } from '../scripts/lint/source/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { noLinks, noPipes } from './posix.ts';
import { shared } from './shared.ts';

const base = mkdtempSync(join(tmpdir(), 'konnichiwagwan-source-'));
process.on('exit', () => remove(base));

/** A folder with these files. */
const folderOf = (files: Record<string, string>): string => {
  const folder = mkdtempSync(join(base, 'case-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
};

const lint = (code: SourceExample['code']) => {
  const folder = folderOf(typeof code === 'string' ? { 'file.ts': code } : code);
  return lintSources(['.'], folder);
};

describe('the rules of the source lint', () => {
  for (const { id, purpose, examples, governance } of SOURCE_RULES) {
    describe(id, () => {
      for (const { what, code, gives } of examples) {
        it(what, async () => {
          const { findings, problems } = await lint(code);
          assert.doesNotMatch(problems.join(), /not linted/);
          const found = findings.map(({ rule, level, place }) => `${rule} ${level} ${place.file}:${place.line}`);
          assert.deepEqual(found, gives);
        });
        it(`${what}: the same as JavaScript`, async () => {
          if (typeof code !== 'string' || / as |: Tool/.test(code)) return;
          const { findings } = await lint({ 'file.mjs': code });
          assert.equal(findings.length, gives.length);
        });
      }
      it('says what it is for, and its examples show both levels', () => {
        assert.match(purpose, /^[A-Z].*\.$/);
        for (const level of ['error', 'warning']) {
          assert.ok(examples.some(({ gives }) => gives.some((line) => line.startsWith(`${id} ${level} `))));
        }
      });
      const seed = shared('seeds/1-raw-twin-discipline.txt');
      it('enforces the text as it is', { skip: seed.skip }, () => {
        assert.equal(changedText(readFileSync(seed.path, 'utf8'), governance), undefined);
      });
    });
  }

  it('there is one file for each rule, named like it', () => {
    const files = readdirSync('scripts/lint/source/rules').map((file) => file.replace('.ts', ''));
    assert.deepEqual(files.sort(), SOURCE_RULES.map(({ id }) => id).sort());
  });
});

describe('what a finding says', () => {
  it('names the place, the tool and what is the matter', async () => {
    const { findings } = await lint(
      "server.tool('write_raw', { payload: z.string() }, ({ payload }) => {\n  const { a, b } = JSON.parse(payload);\n  return api.post('/cache', { a, b });\n});",
    );
    assert.deepEqual(findings, [
      {
        rule: 'source-twin-picks',
        level: 'error',
        tool: 'write_raw',
        path: '',
        message:
          '`write_raw` takes "a", "b" out of its payload and does not forward it whole: what else is in there gets lost',
        place: { file: 'file.ts', line: 2, column: 11, endLine: 2 },
      },
    ]);
  });

  it('shows names from the source in a way that steers no terminal', async () => {
    const { findings } = await lint(
      "app.post('/\u001b[31m\u202e', (req, res) => res.json(req.body['\u001b]0;x']));\nserver.tool('w\u001b[2J', { n: z.number() }, { destructiveHint: true }, f);",
    );
    assert.equal(findings.length, 2);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
    for (const { message } of findings) assert.doesNotMatch(message, /[\u0000-\u001f\u202e]/);
  });
});

describe('validated', () => {
  const tool = (name: string, url: string): string =>
    `server.tool('${name}', { n: z.number() }, { readOnlyHint: true }, (args) => fetch(\`${url}\`, { method: 'POST', body: JSON.stringify(args) }));\n`;
  const route = (path: string, body: string): string => `router.post('${path}', (req, res) => { ${body} });\n`;
  const VALIDATES = 'const input = Input.safeParse(req.body); save(input.data);';

  it('lists a tool and its twin whose route validates, also below a prefix', async () => {
    const { validated, findings } = await lint({
      // biome-ignore lint/suspicious/noTemplateCurlyInString: code to lint
      'mcp/index.ts': tool('a', '${URL}/api/a/${args.id}?x=1') + tool('a_raw', '${URL}/api/a/${args.id}'),
      'routes.ts': `app.use('/api', router);\n${route('/a/:id', VALIDATES)}`,
    });
    assert.deepEqual([validated, findings], [['a', 'a_raw'], []]);
  });

  it('leaves out what is not known', async () => {
    const { validated } = await lint({
      'mcp.ts':
        tool('elsewhere', '/other') +
        tool('unmounted', '/api/a') +
        tool('both', '/both') +
        tool('whole', '/whole') +
        tool('picks', '/picks') +
        tool('computed', '/:x') +
        "server.tool('get', { n: z.number() }, (args) => fetch('/a'));\n" +
        "server.tool('local', { n: z.number() }, (args) => save(Input.parse(args)));\n" +
        "server.tool('two', { n: z.number() }, async (args) => { await fetch('/a', { method: 'POST' }); await fetch('/z', { method: 'POST' }); });\n",
      'routes.ts':
        route('/a', VALIDATES) +
        route('/both', VALIDATES) +
        route('/both', 'save(req.body);') +
        route('/whole', 'service.create(req.body);') +
        route('/picks', 'save(req.body.a);') +
        route('/:x', VALIDATES),
    });
    assert.deepEqual(validated, []);
  });
});

describe('hostile and odd files', () => {
  it('a syntax error is a problem, and the other files are linted', async () => {
    const { findings, problems } = await lint({
      'a.ts': 'const = ;\nserver.tool(',
      'b.ts': "app.post('/x', (req, res) => save(req.body.a));",
      'c.js': '\0\u0001\uFFFF',
    });
    assert.equal(findings.length, 1);
    assert.deepEqual(
      problems,
      ['a.ts:1', 'c.js:1'].map((at) => `${at}: syntax error, or syntax that the parser does not know: not linted`),
    );
  });

  it('what can be written in the languages can be read', async () => {
    const { problems } = await lint({
      'a.ts':
        'enum A { B }\nconst x = <T,>(y: T) => y satisfies unknown;\nconst z = <any>x;\n@d class C { accessor e = 1; #f?: string }',
      'b.tsx': 'export const A = ({ b }: { b: string }) => <div {...{}}>{b as string}</div>;',
      'c.jsx': 'export const A = ({ b }) => <div>{b?.c ?? 1}</div>;',
      'd.cjs':
        "#!/usr/bin/env node\n'use strict'; module.exports = async function* () { for await (const a of b) yield a; };",
      'e.mts': 'import type { A } from "./a"; export default await import("./b", { with: { type: "json" } });',
      'f.ts': '\uFEFFexport {};',
      'g.ts': '',
    });
    assert.deepEqual(problems, []);
  });

  it('reads regular source files below a path, and nothing else', async () => {
    const code = "app.post('/x', (req, res) => save(req.body.a));";
    const outside = folderOf({ 'secret.ts': code });
    const folder = folderOf({
      'src/a.ts': code,
      'src/deep/b.cts': code,
      'src/node_modules/c.ts': code,
      'src/.hidden/d.ts': code,
      'src/e.d.ts': code,
      'src/f.test.ts': code,
      'src/test/j.ts': code,
      'src/g.txt': code,
      'src/h.ts/i.ts': code,
      'src/big.ts': ' '.repeat(2 * 1024 * 1024 + 1),
    });
    if (!noLinks) {
      symlinkSync(outside, join(folder, 'src/outside'));
      symlinkSync(join(outside, 'secret.ts'), join(folder, 'src/secret.ts'));
      symlinkSync('..', join(folder, 'src/loop'));
    }
    if (!noPipes) execFileSync('mkfifo', [join(folder, 'src/pipe.ts'), join(folder, 'named.ts')]);
    const { findings, problems } = await lintSources(['src', 'src/a.ts', './src/deep', 'nowhere', 'named.ts'], folder);
    assert.deepEqual(
      findings.map(({ place }) => place.file),
      ['src/a.ts', 'src/deep/b.cts', 'src/h.ts/i.ts'],
    );
    assert.deepEqual(problems.sort(), [
      `named.ts: ${noPipes ? 'cannot be read' : 'neither a folder nor a TypeScript or JavaScript file'}`,
      'nowhere: cannot be read',
      'src/big.ts: larger than 2 MB, not linted',
    ]);
    const named = ['src/f.test.ts', noLinks ? outside : 'src/outside'];
    assert.equal((await lintSources(named, folder)).findings.length, 2);
  });
});

describe('what is named', () => {
  it('a folder without sources is a problem, and no result', async () => {
    const folder = folderOf({ 'docs/page.md': '# words', 'lib/a.test.ts': '', 'src/a.ts': '' });
    const { problems } = await lintSources(['docs', 'lib', 'src', '.'], folder);
    assert.deepEqual(
      problems,
      ['docs', 'lib'].map((name) => `${name}: holds no TypeScript or JavaScript file, so nothing in it was linted`),
    );
  });
});

describe('the parser', () => {
  it('where it is not installed, the error names it and the command', () => {
    const from = pathToFileURL(join(base, 'dist', 'lint.cjs')).href;
    assert.throws(() => loadAstGrep(from), {
      name: 'CommandError',
      message: /the package @ast-grep\/napi, which is not installed here\. Run: npm install .*dist" @ast-grep\/napi@\d/,
    });
  });

  it('where it does not start, the error says that', () => {
    const folder = folderOf({ 'node_modules/@ast-grep/napi/index.js': "throw new Error('no native binding')" });
    assert.throws(() => loadAstGrep(pathToFileURL(join(folder, 'lint.cjs')).href), /does not start on this machine/);
  });
});
