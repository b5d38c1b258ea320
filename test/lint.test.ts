import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import Ajv from 'ajv';
import { isoTime, nextVersion } from '../scripts/contract/iso-date.ts';
import { readToolList } from '../scripts/contract/read.ts';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { governed } from '../scripts/lint/check-doc.ts';
import { candidatesIn } from '../scripts/lint/example.ts';
import { groupSame, who } from '../scripts/lint/formats/group.ts';
import { sectionHash, sectionOf } from '../scripts/lint/governance.ts';
import { lintTools, lintVersionBump, twinless } from '../scripts/lint/lint.ts';
import { SIBLING, TWIN } from '../scripts/lint/samples.ts';
import { RULES } from '../scripts/lint/table.ts';
import type { LintExample, LintFinding, LintRule } from '../scripts/lint/types.ts';
import { applyWaivers } from '../scripts/lint/waivers.ts';
import { remove } from '../scripts/state/in-use.ts';
import { noGit } from './git.ts';
import { drive, sandbox, stopwatch, tool } from './sandbox.ts';
import { readJsonFile, shared } from './shared.ts';

const run = ({ at }: LintRule, { tools, before, known }: LintExample): LintFinding[] => {
  if (at === 'tool') return lintTools(readToolList(tools), known);
  return before === undefined
    ? lintVersionBump({ tools: [] }, readToolList(tools))
    : lintVersionBump(readToolList(before), readToolList(tools));
};
const lineOf = ({ level, rule, tool: name, path }: LintFinding): string =>
  `${level} ${rule} ${name} ${path}`.replace(/ $/, '');

describe('rules of lint', () => {
  for (const { rule, levels } of RULES) {
    describe(rule.id, () => {
      for (const example of rule.examples) {
        it(example.what, () => {
          assert.deepEqual(run(rule, example).map(lineOf), example.gives);
        });
      }
      it('says what it is for, and every level of the table is the level of some example', () => {
        assert.match(rule.purpose, /^[A-Z].*\.$/);
        const found = rule.examples.flatMap((example) => run(rule, example)).filter(({ rule: id }) => id === rule.id);
        assert.deepEqual(
          [...new Set(found.map(({ level }) => level))].sort(),
          [...new Set(Object.values(levels))].sort(),
        );
      });
    });
  }

  it('there is one file for each rule, named like it', () => {
    const files = readdirSync('scripts/lint/rules').map((file) => file.replace('.ts', ''));
    assert.deepEqual(files.sort(), RULES.map(({ rule }) => rule.id).sort());
  });
});

const ISO = ['2026-04-10', '2026-02-28', '2024-02-29', '2026-04-10T12:00Z', '2026-04-10T12:00:00.5+02:00'];
const NOT_ISO = [
  '2026-2-3',
  '2026-02-30',
  '2026-13-01',
  '10.04.2026',
  '2026-04-10T25:00Z',
  '',
  'today',
  '2026-04-10 1',
];

describe('a version', () => {
  for (const text of ISO) it(`${text} is an ISO date`, () => assert.ok(isoTime(text) !== undefined));
  for (const text of NOT_ISO) it(`${JSON.stringify(text)} is none`, () => assert.equal(isoTime(text), undefined));

  const noon = Date.parse('2026-04-10T12:00:42.5Z');
  for (const [current, next] of [
    [undefined, '2026-04-10'],
    ['2026-04-09', '2026-04-10'],
    ['2026-04-10', '2026-04-10T12:00Z'],
    ['2026-04-10T11:59Z', '2026-04-10T12:00Z'],
    ['2026-04-10T12:00Z', '2026-04-10T12:01Z'],
    ['2026-04-10T12:00:42Z', '2026-04-10T12:01Z'],
    ['2026-04-11', '2026-04-11T00:01Z'],
    ['3', '2026-04-10'],
  ] as const)
    it(`${current} is followed by ${next}`, () => assert.equal(nextVersion(current, noon), next));
});

describe('the governance text', () => {
  const discipline = shared('seeds/1-raw-twin-discipline.txt');
  it('is the one that the rules were written after', { skip: discipline.skip }, () => {
    const text = readFileSync(discipline.path, 'utf8');
    assert.ok(governed().length > 0);
    for (const { heading, sha256 } of governed()) assert.equal(sectionHash(text, heading), sha256, heading);
  });

  const plain = '1. First\na\n2. Second thing\n- Mutation\n1. one\n2. two\nmore\n2.1 Part\nb\n3. Third\nc';
  const markdown =
    '# Doc\r\n\r\n## 2. Second *thing*\r\n\r\n* `Mutation`\r\n1. one\r\n2. two\r\n\r\nmore\r\n### 2.1 Part\r\nb  \r\n## 3. Third\r\nc';
  it('the same words have the same hash as plain text and as Markdown', () => {
    assert.equal(sectionOf(plain, '2. Second thing'), 'Mutation\none\ntwo\nmore\n2.1 Part\nb');
    assert.equal(
      sectionOf(markdown, '2. Second thing')?.replace('Part', '2.1 Part').replace('2.1 2.1', '2.1'),
      sectionOf(plain, '2. Second thing'),
    );
    assert.equal(sectionOf(plain, '2.1 Part'), 'b');
    assert.equal(sectionOf(plain, 'Fourth'), undefined);
  });
  it('a section ends at the next heading of its level, or of a higher one', () => {
    const text = '# Rules\n## 1. Scope\n### 1.1 Words\na\n## 2. Limits\nb\n### 2.1 Rates\nc\n# Annex\nd';
    assert.equal(sectionOf(text, '1.1 Words'), 'a');
    assert.equal(sectionOf(text, '2. Limits'), 'b\n2.1 Rates\nc');
    assert.equal(sectionOf(text, 'Annex'), 'd');
  });
  it('a heading in a fence is none', () => {
    assert.equal(sectionOf('## A\nx\n```sh\n## B\n```\ny\n## B\nz', 'B'), 'z');
  });
});

describe('objects in a text', () => {
  const values = (text: string) => candidatesIn(text).map((found) => ('value' in found ? found.value : 'broken'));
  it('are found among prose, in their order', () => {
    assert.deepEqual(values('use {name}, or {"a": {"b": "}"}} and {"c": 1}.'), [{ a: { b: '}' } }, { c: 1 }]);
    assert.deepEqual(values('an open { and then {"a": 1}'), [{ a: 1 }]);
    assert.deepEqual(values('{"a": 1,}'), ['broken']);
    assert.deepEqual(values('{"payload": "not JSON"}'), ['broken']);
    assert.deepEqual(values('nothing'), []);
  });
  it('take time that grows with the text, however many braces it has', () => {
    for (const text of [
      '{'.repeat(2_000_000),
      '{"a":'.repeat(400_000),
      '{}'.repeat(1_000_000),
      '{"'.repeat(1_000_000),
    ]) {
      const started = stopwatch();
      candidatesIn(text);
      assert.ok(started() < 3_000, text.slice(0, 10));
    }
  });
});

describe('hostile lists', () => {
  const twinWith = (description: string, schema: JsonObject = SIBLING.inputSchema as JsonObject) =>
    lintTools(
      readToolList([
        { ...SIBLING, inputSchema: schema },
        { ...TWIN, description },
      ] as Json),
    ).map(({ rule, message }) => `${rule}: ${message}`);
  it('a payload example of 10 MB', () => {
    const started = stopwatch();
    const found = twinWith(`title, pinned: {"title": "${'x'.repeat(10_000_000)}"}`);
    assert.ok(started() < 3_000);
    assert.match(found.join(), /^raw-twin-example: the example payload does not end within the 4,096 characters/);
  });
  it('a payload example that is 10,000 levels deep', () => {
    const deep = `${'{"title":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    assert.match(twinWith(`title, pinned: ${deep}`).join(), /does not parse: "\/: is nested deeper than 100 levels"/);
  });
  it('__proto__ as a tool, a field, a branch and a payload', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object"},"title":{"type":"string"}}}',
    );
    const found = twinWith('__proto__ and title: {"__proto__": {"polluted": true}, "title": "x"}', schema);
    assert.deepEqual(found, []);
    const tools = JSON.parse(
      '[{"name":"__proto__","inputSchema":{"type":"object"}},{"name":"constructor_raw","inputSchema":{"type":"object","properties":{"payload":{"type":"string"}},"required":["payload"]}}]',
    );
    assert.deepEqual(lintTools(readToolList(tools)).map(lineOf), ['warning raw-twin-orphan constructor_raw']);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });
  it('a tool that is called _raw is the twin of none', () => {
    const inputSchema = { type: 'object', properties: { payload: { type: 'string' } } };
    const tools = [{ name: '_raw', inputSchema, annotations: { readOnlyHint: true } }];
    assert.deepEqual(lintTools(readToolList(tools)), []);
  });
  it('a pattern that runs away does not', () => {
    const started = stopwatch();
    const schema = { type: 'object', properties: { title: { type: 'string', pattern: '^(a+)+$' }, pinned: {} } };
    assert.match(
      twinWith(`title, pinned: {"title": "${'a'.repeat(40)}!"}`, schema).join(),
      /could not be told: took longer/,
    );
    assert.ok(started() < 2_000);
  });
  it('1,000 tools, every other one with a twin', () => {
    const tools = Array.from({ length: 500 }, (_, nth) => [
      { ...SIBLING, name: `save_${nth}` },
      { ...TWIN, name: `save_${nth}_raw` },
    ]).flat();
    const list = readToolList(tools as Json);
    lintTools(list);
    const started = stopwatch();
    assert.deepEqual(lintTools(list), []);
    const took = started();
    console.log(`# lint of 1,000 tools: ${took.toFixed(0)} ms`);
    assert.ok(took < 5_000);
  });
});

describe('phase D', () => {
  it('accuses nobody where a criterion is not known', () => {
    const { tools } = readToolList([SIBLING, { ...SIBLING, name: 'b', validated: null }] as Json);
    assert.deepEqual(twinless(tools), ['save']);
  });
});

describe('waivers', () => {
  const finding: LintFinding = { rule: 'raw-twin-missing', level: 'error', tool: 'save', path: '', message: 'm' };
  const good = { rule: 'raw-twin-missing', tool: 'save', reason: 'until the route is hardened', until: '2026-12-31' };
  const apply = (entry: unknown, today = '2026-06-01') => {
    const files = [{ file: 'w.json', text: JSON.stringify([entry]), entries: [entry] }];
    const { kept, waived } = applyWaivers([finding], files, today, new Set(['raw-twin-missing']));
    return [kept.map(({ rule }) => rule), waived.length];
  };
  it('cover up to their last day', () => {
    assert.deepEqual(apply(good), [[], 1]);
    assert.deepEqual(apply(good, '2026-12-31'), [[], 1]);
    assert.deepEqual(apply(good, '2027-01-01'), [['raw-twin-missing', 'waiver-expired'], 0]);
  });
  const wrong: [string, unknown][] = [
    ['no object', 'all'],
    ['no rule', { ...good, rule: undefined }],
    ['another rule', { ...good, rule: 'raw-twins' }],
    ['no tool', { ...good, tool: '' }],
    ['no reason', { ...good, reason: ' … ' }],
    ['no end', { rule: good.rule, tool: good.tool, reason: good.reason }],
    ['no day', { ...good, until: 'never' }],
    ['no such day', { ...good, until: '2026-02-30' }],
    ['a misspelt field', { ...good, untill: '2026-12-31' }],
  ];
  for (const [what, entry] of wrong) {
    it(`${what}: an error of its own`, () => {
      assert.deepEqual(apply(entry), [['raw-twin-missing', 'waiver-invalid'], 0]);
    });
  }
  it('of something else, and of a rule that did not run', () => {
    assert.deepEqual(apply({ ...good, tool: 'keep' }), [['raw-twin-missing', 'waiver-unused'], 0]);
    assert.deepEqual(apply({ ...good, rule: 'source-twin-picks' }), [['raw-twin-missing'], 0]);
  });
});

/** A folder with the given files, an otherwise empty environment, and the built command in it. */
const folder = (test: TestContext, files: Record<string, unknown>) => {
  const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-lint-'));
  test.after(() => remove(root));
  mkdirSync(join(root, '.claude'));
  for (const [name, value] of Object.entries(files))
    writeFileSync(join(root, name), typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  const env = { HOME: root, KONNICHIWAGWAN_HOME: join(root, 'state'), CLAUDE_PROJECT_DIR: root };
  return {
    root,
    at: (name: string) => join(root, name),
    lint: (...args: string[]) => drive('cli.cjs', '', env, ['lint', ...args], true),
    json: async (...args: string[]) =>
      JSON.parse((await drive('cli.cjs', '', env, ['lint', '--json', ...args], true)).stdout),
  };
};

const list = {
  tools: [
    SIBLING,
    { ...TWIN, name: 'keep_raw' },
    { name: 'odd', annotations: { readOnlyHint: true }, inputSchema: { type: 'object', anyOf: [{}] } },
  ],
};

describe('konnichiwagwan lint', () => {
  it('a file: what was found, and the exit code', async (test) => {
    const { lint, json, at } = folder(test, { 'a.json': list, 'good.json': [SIBLING, TWIN] });
    const { code, stdout } = await lint(at('a.json'));
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^error {4}save: changes state with structured input, and has no `_raw` twin \(raw-twin-missing\)$/m,
    );
    assert.match(stdout, /a\.json: 2 errors, 1 warning$/m);
    assert.equal((await lint(at('good.json'))).code, 0);
    const envelope = await json(at('a.json'));
    assert.equal(envelope.ok, false);
    assert.deepEqual(envelope.data.summary, { error: 2, warning: 1, note: 0 });
    assert.deepEqual(Object.keys(envelope.data), ['findings', 'summary', 'waived', 'checked']);
  });

  it('notes fail nothing; --validated answers what they ask', async (test) => {
    const { lint, at } = folder(test, {
      'a.json': [{ ...SIBLING, validated: null }],
      '.claude/konnichiwagwan.json': {},
    });
    const { code, stdout } = await lint(at('a.json'));
    assert.equal(code, 0);
    assert.match(stdout, /^note {2}save: .*not known: whether its endpoint validates/m);
    assert.equal((await lint(at('a.json'), '--validated', 'save')).code, 1);
    assert.equal((await lint(at('a.json'), '--validated', 'save', '--url-only', 'save')).code, 0);
    writeFileSync(at('.claude/konnichiwagwan.json'), JSON.stringify({ lint: { validated: ['save'] } }));
    assert.equal((await lint(at('a.json'))).code, 1);
    writeFileSync(at('.claude/konnichiwagwan.json'), JSON.stringify({ lint: { validate: ['save'] } }));
    const bad = await lint(at('a.json'));
    assert.equal(bad.code, 2);
    assert.match(bad.stderr, /lint\.validate is not a setting/);
  });

  it('waivers of a file and of the project', async (test) => {
    const waiver = { rule: 'raw-twin-missing', tool: 'save', reason: 'known', until: '9999-12-31' };
    const { lint, json, at } = folder(test, { 'a.json': [SIBLING], 'w.json': [waiver] });
    const { code, stdout } = await lint(at('a.json'), '--waivers', at('w.json'));
    assert.equal(code, 0);
    assert.match(stdout, /nothing found \(1 finding waived\)/);
    writeFileSync(
      at('.claude/konnichiwagwan.json'),
      JSON.stringify({ lint: { waivers: [{ ...waiver, until: '2020-01-01' }] } }),
    );
    const { data } = await json(at('a.json'));
    assert.deepEqual(
      data.findings.map((found: LintFinding) => found.rule),
      ['raw-twin-missing', 'waiver-expired'],
    );
    assert.equal(data.findings[1].place.file, '.claude/konnichiwagwan.json');
  });

  it('the governance text: the same, changed, gone', async (test) => {
    const discipline = shared('seeds/1-raw-twin-discipline.txt');
    if (discipline.skip) return test.skip(discipline.skip);
    const text = readFileSync(discipline.path, 'utf8');
    const { lint, at } = folder(test, {
      'changed.txt': text.replace('MUST ship with a *_raw twin', 'SHOULD ship with a *_raw twin'),
      'route.txt': text.replace(/^(4\.1 .*)$/m, '$1\nOr not at all.'),
      'gone.txt': text.replace(/^5\. Permissive.*$/m, '5. Something else'),
    });
    assert.equal((await lint('--doc', discipline.path)).code, 0);
    const changed = await lint('--doc', at('changed.txt'));
    assert.equal(changed.code, 1);
    assert.deepEqual(changed.stdout.match(/the rule \S+/g), [
      'the rule raw-twin-missing',
      'the rule raw-twin-unvalidated',
      'the rule source-twin-missing',
    ]);
    const gone = await lint('--doc', at('gone.txt'));
    assert.deepEqual(gone.stdout.match(/the rule \S+/g), [
      'the rule schema-root-union',
      'the rule source-twin-picks',
      'the rule source-handler-picks',
    ]);
    const route = await lint('--doc', at('route.txt'));
    assert.equal(route.code, 1);
    assert.deepEqual(route.stdout.match(/the rule \S+/g), ['the rule source-route-unvalidated']);
    assert.equal((await lint('--doc', at('absent.txt'))).code, 2);
  });

  it('a gateway: what it lists changes state, and it may say what validates', async (test) => {
    const tools = [tool('save', { tags: { type: 'array' } }, {}, { extra: { validated: true } })];
    const { env } = await sandbox(test, tools.map(({ extra, ...rest }) => ({ ...rest, ...extra })) as Contract[]);
    const { code, stdout } = await drive('cli.cjs', '', env, ['lint', '--gateway'], true);
    assert.equal(code, 1, stdout);
    assert.match(stdout, /GATEWAY_URL\/save: changes state with structured input/);
    const absent = await drive('cli.cjs', '', env, ['lint', '--server', 'absent'], true);
    assert.equal(absent.code, 2);
    assert.match(absent.stderr, /absent is not configured here/);
    assert.doesNotMatch(absent.stdout + absent.stderr, /GATEWAY_URL/);
  });

  it('one page of a longer list: who has no twin on it may have one on the next', async (test) => {
    const { lint, at } = folder(test, { 'page.json': { tools: [SIBLING], nextCursor: 'more' } });
    const { code, stdout, stderr } = await lint(at('page.json'));
    assert.equal(code, 2);
    assert.match(stdout, /nothing found/);
    assert.match(stderr, /one page of a longer list/);
  });

  it('one page of a longer list: whose twin it has may stand on another page', async (test) => {
    const twin = tool('stow_raw', { payload: { type: 'object' } }, { required: ['payload'] });
    const files = { 'page.json': { tools: [twin], nextCursor: 'more' }, 'whole.json': { tools: [twin] } };
    const { lint, at } = folder(test, files);
    assert.doesNotMatch((await lint(at('page.json'))).stdout, /raw-twin-orphan/);
    assert.match((await lint(at('whole.json'))).stdout, /raw-twin-orphan/);
  });

  it('sources that cannot be read are no result', async (test) => {
    const { lint, at } = folder(test, {});
    assert.equal((await lint('--source', at('absent'))).code, 2);
  });

  it('wrong usage', async (test) => {
    const { lint, at } = folder(test, { 'a.json': list, 'b.json': list });
    for (const args of [
      [at('a.json'), at('b.json')],
      [at('a.json'), '--format', 'pdf'],
      [at('a.json'), '--level', 'breaking'],
      [at('a.json'), '--server', 'x'],
      [at('a.json'), '--from', 'HEAD'],
      [at('a.json'), '--to', 'HEAD'],
      [at('a.json'), '--version-bump'],
      [at('a.json'), '--waivers', at('absent.json')],
      [],
    ])
      assert.equal((await lint(...args)).code, 2, args.join(' '));
  });
});

describe('formats of lint', () => {
  const HOSTILE = '</td><script>|`@everyone [x](https://evil.example) ::error::x ##[a] \u001b[31m\u202e %0A {0}';
  const hostile = [
    { ...SIBLING, name: HOSTILE },
    {
      ...TWIN,
      name: `${HOSTILE}_raw`,
      inputSchema: { type: 'object', properties: { payload: { type: 'string' }, [HOSTILE]: {} } },
    },
  ];
  for (const format of ['text', 'markdown', 'sarif', 'github', 'junit', 'html']) {
    it(`${format}: hostile text stays text`, async (test) => {
      const { lint, at } = folder(test, { 'a.json': hostile });
      const { code, stdout } = await lint(at('a.json'), '--format', format);
      assert.equal(code, 1);
      assert.doesNotMatch(stdout, /(?!\n)[\p{C}\p{Zl}\p{Zp}]/u);
      if (format === 'html' || format === 'junit' || format === 'markdown') assert.doesNotMatch(stdout, /<script/);
      if (format === 'markdown') assert.doesNotMatch(stdout, /@everyone|\]\(|evil\.example/);
      if (format === 'github')
        assert.ok(
          stdout
            .trim()
            .split('\n')
            .every((line) => /^::(error|warning|notice) /.test(line)),
        );
      else assert.doesNotMatch(stdout, /^\s*::/m);
      if (format === 'text') assert.doesNotMatch(stdout, /##\w*\[/);
    });
  }

  it('the same finding in many tools is shown once, with the first names', () => {
    const shown = (...tools: string[]): string[] =>
      groupSame(tools.map((tool) => ({ rule: 'tool-name', level: 'error', tool, path: '', message: 'm' }))).map((one) =>
        who(one),
      );
    assert.deepEqual(shown(''), ['the list']);
    assert.deepEqual(shown('a', 'b'), ['a', 'b']);
    assert.deepEqual(shown('a', 'b', 'c'), ['3 tools (a, b, c)']);
    assert.deepEqual(shown('a', 'b', 'c', 'd', 'e'), ['5 tools (a, b, c and 2 more)']);
  });

  it('sarif is valid, points at lines, and keeps what is waived as suppressed', async (test) => {
    const waiver = { rule: 'raw-twin-orphan', tool: 'keep_raw', reason: 'retired', until: '9999-12-31' };
    const { lint, at } = folder(test, { 'a.json': list, 'w.json': [waiver] });
    const { stdout } = await lint(at('a.json'), '--format', 'sarif', '--waivers', at('w.json'));
    // biome-ignore lint/suspicious/noExplicitAny: its form is checked by its own schema
    const sarif = JSON.parse(stdout) as { runs: any[] };
    const require = createRequire(resolve('package.json'));
    const {
      $schema: _draft4,
      id: _id,
      ...schema
    } = require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
    const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);
    assert.ok(validate(sarif), JSON.stringify(validate.errors?.slice(0, 3)));
    const results = sarif.runs[0].results;
    assert.equal(results.length, 3);
    assert.deepEqual(
      results.map((one: { suppressions?: [] }) => one.suppressions?.length ?? 0),
      [0, 0, 1],
    );
    const union = results.find((one: { ruleId: string }) => one.ruleId === 'schema-root-union');
    // A file outside of the folder that the command runs in: only a whole address leads to it.
    const { uri } = union.locations[0].physicalLocation.artifactLocation;
    assert.equal(uri, pathToFileURL(at('a.json')).href);
    const line = readFileSync(at('a.json'), 'utf8').split('\n')[
      union.locations[0].physicalLocation.region.startLine - 1
    ];
    assert.match(line ?? '', /"anyOf"/);
    const { rules } = sarif.runs[0].tool.driver;
    for (const one of results) assert.equal(rules[one.ruleIndex].id, one.ruleId);
    for (const id of ['source-route-unvalidated', 'source-twin-picks', 'waiver-unused', 'tool-name']) {
      const rule = rules.find((one: { id: string }) => one.id === id);
      assert.match(rule.shortDescription.text, /\.$/, id);
      assert.equal(rule.help.text, rule.fullDescription.text, id);
    }
  });

  it('--output writes it whole', async (test) => {
    const { lint, at } = folder(test, { 'a.json': list });
    const { stdout } = await lint(at('a.json'), '--format', 'junit', '--output', at('out.xml'));
    assert.match(stdout, /2 errors, 1 warning; written to /);
    assert.match(readFileSync(at('out.xml'), 'utf8'), /tests="3" failures="3"/);
  });
});

const answer = (schema_version: string | undefined, description: string) => ({
  schema_version,
  tools: [{ name: 'save', description, inputSchema: { type: 'object' } }],
});

describe('lint --version-bump', () => {
  it('two files', async (test) => {
    const { lint, at } = folder(test, {
      'a.json': answer('2026-04-10', 'a'),
      'same.json': answer('2026-04-10', 'b'),
      'bumped.json': answer('2026-04-11', 'b'),
      'back.json': answer('2026-04-09', 'b'),
      'word.json': answer('v2', 'b'),
      'page.json': { ...answer('2026-04-10', 'b'), nextCursor: '2' },
      'none.json': answer(undefined, 'b'),
      'none-either.json': answer(undefined, 'c'),
    });
    const found = async (before: string, after: string) => {
      const { code, stdout } = await lint('--version-bump', at(before), at(after));
      return [code, ...[...stdout.matchAll(/\((version-[a-z-]+)\)/g)].map(([, rule]) => rule)];
    };
    assert.deepEqual(await found('a.json', 'a.json'), [0]);
    assert.deepEqual(await found('a.json', 'bumped.json'), [0]);
    assert.deepEqual(await found('a.json', 'same.json'), [1, 'version-not-bumped']);
    assert.deepEqual(await found('a.json', 'back.json'), [1, 'version-went-backwards']);
    assert.deepEqual(await found('a.json', 'word.json'), [1, 'version-not-a-date']);
    assert.deepEqual(await found('a.json', 'none.json'), [1, 'version-not-bumped']);
    assert.deepEqual(await found('none.json', 'none-either.json'), [2, 'version-not-bumped']);
    assert.match(
      (await lint('--version-bump', '--to', 'x', at('a.json'), at('bumped.json'))).stderr,
      /--to needs --from/,
    );
    for (const pair of [
      ['page.json', 'same.json'],
      ['a.json', 'page.json'],
    ] as const)
      assert.deepEqual(await found(pair[0], pair[1]), [2], 'what is on the other pages is unknown');
    assert.match((await lint('--version-bump', at('page.json'), at('same.json'))).stderr, /page\.json is one page/);
  });

  it('two revisions of git, and what is no revision', { skip: noGit }, async (test) => {
    const { lint, at, root } = folder(test, { 'a.json': answer('2026-04-10', 'a') });
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
        cwd: root,
        stdio: 'pipe',
      });
    git('init', '-q');
    git('add', 'a.json');
    git('commit', '-qm', '1', '--no-gpg-sign');
    // With a byte order mark, as some editors write it.
    writeFileSync(at('a.json'), `\ufeff${JSON.stringify(answer('2026-04-10', 'b'))}`);
    git('commit', '-qam', '2', '--no-gpg-sign');
    assert.equal((await lint('--version-bump', '--from', 'HEAD~1', '--to', 'HEAD', at('a.json'))).code, 1);
    writeFileSync(at('a.json'), JSON.stringify(answer('2026-04-11', 'b')));
    assert.equal((await lint('--version-bump', '--from', 'HEAD', at('a.json'))).code, 0);
    for (const revision of ['--output=x', '-h', 'HEAD..HEAD~1', 'HEAD:a.json', 'absent', '$(id)', 'a b', '']) {
      const { code, stderr } = await lint('--version-bump', `--from=${revision}`, at('a.json'));
      assert.equal(code, 2, revision);
      assert.match(stderr, /is not one revision|there is no revision/);
    }
    const untracked = await lint('--version-bump', '--from', 'HEAD', at('b.json'));
    assert.match(untracked.stderr, /b\.json is not in the revision HEAD/);
  });

  it('what was recorded, and now', async (test) => {
    const box = await sandbox(test, [tool('save', { a: { type: 'string' } })]);
    box.release([tool('save', { a: { type: 'string' } })], '2026-04-10');
    const bump = () => drive('cli.cjs', '', box.env, ['lint', '--version-bump'], true);
    const first = await bump();
    assert.equal(first.code, 2);
    assert.match(first.stderr, /nothing was recorded of it before now/);
    await box.start();
    assert.equal((await bump()).code, 0);
    box.release([tool('save', { a: { type: 'integer' } })], '2026-04-10');
    const silent = await bump();
    assert.equal(silent.code, 1);
    assert.match(silent.stdout, /contracts changed \(1 breaking: `save`\), and SCHEMA_VERSION is still 2026-04-10/);
  });
});

describe('real servers', () => {
  const captures = shared('corpus/captures');
  it('are accused of nothing but what clients refuse', { skip: captures.skip }, () => {
    const accused = readdirSync(captures.path, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.json'))
      .sort()
      .flatMap((file) => {
        const answered = readToolList(readJsonFile(join(captures.path, file)) as Json);
        const rules = lintTools(answered)
          .filter(({ level }) => level !== 'note')
          .map(({ rule }) => rule);
        return rules.length === 0 ? [] : [`${file}: ${[...new Set(rules)].join()}`];
      });
    // Old servers whose schemas came out empty with a newer library: clients really refused their lists.
    assert.ok(accused.length > 0);
    for (const line of accused) assert.match(line, /\+fresh-install\.json: schema-root-not-object$/);
  });
});
