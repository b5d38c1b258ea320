import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import Ajv from 'ajv';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { AFTER, BEFORE } from '../scripts/demo/release.ts';
import { diffLists } from '../scripts/diff/diff-lists.ts';
import { type FoundChange, LEVELS } from '../scripts/diff/types.ts';
import { FORMATS, type FormatName } from '../scripts/reports/formats.ts';
import { groupChanges, someTools } from '../scripts/reports/group.ts';
import { align } from '../scripts/reports/html/align.ts';
import { locator } from '../scripts/reports/locate.ts';
import { allRules } from '../scripts/reports/rules.ts';
import type { FormatContext } from '../scripts/reports/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { painter } from '../scripts/text/paint.ts';
import { say } from '../scripts/text/shown.ts';
import { compareWords } from '../scripts/text/words.ts';
import { noLinks, noShell } from './posix.ts';
import { drive, stopwatch, tool } from './sandbox.ts';
import { readJsonFile, shared } from './shared.ts';

const context = (before: readonly Contract[], after: readonly Contract[], more: Partial<FormatContext> = {}) => ({
  before: { file: 'before.json', tools: before },
  after: { file: 'after.json', tools: after },
  uri: 'after.json',
  source: JSON.stringify({ tools: after }, null, 2),
  ignored: [],
  warnings: [],
  paint: painter(false),
  columns: 100,
  ...more,
});

const render = async (
  name: FormatName,
  before: readonly Contract[],
  after: readonly Contract[],
  more: Partial<FormatContext> = {},
): Promise<string> => {
  const format = await FORMATS[name]();
  return format(diffLists(before, after), context(before, after, more));
};

/** Tricks that a server may use to break out of a report. */
const HOSTILE = [
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '</code></pre></details></td></style><h1>x',
  '"\' onmouseover="alert(1)',
  ']]> --> <!-- <![CDATA[ &amp; &#0;',
  '| a | b |\\| c \\\\| d',
  '`` ``` ```` | @everyone me@evil.example \\',
  '[link](https://evil.example) ![image](https://evil.example/i.png) <https://evil.example>',
  '@everyone see #1 and www.evil.example and https://evil.example or mail me@evil.example',
  '\u001b[31mred\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007',
  '\u202egnp.exe\u2066\u200b\u2028\ud800',
  '\u0000\u0001\u0008\ufffe\uffff',
  '\n::set-output name=x::y\n##[add-mask]z\r\n::error::w',
  '%0A::stop-commands::t',
  '{0} [a](1) {1}',
  '# heading\n\n- list\n\n---\n\n```\nfence',
];

const hostileTool = (text: string, index: number, version: number): Contract => {
  const words = `${text} ${version === 1 ? 'the old words' : 'quite other ones'}`;
  return {
    name: `${text}${index}`.slice(0, 250),
    title: words,
    description: words,
    inputSchema: {
      type: 'object',
      properties: {
        [`${text} property`]: { type: version === 1 ? 'string' : 'integer', description: words },
        choice: { type: 'string', enum: [text, words], default: words },
        [`${text} only in ${version}`]: { type: 'object', properties: { [text]: { const: words } } },
      },
    },
  };
};
const hostile = (version: number): Contract[] => [
  ...HOSTILE.map((text, index) => hostileTool(text, index, version)),
  ...HOSTILE.map((text, index): Contract => ({ name: `${text} unchanged ${index}`, inputSchema: { type: 'object' } })),
  { name: `${HOSTILE[0]} only in ${version}`, description: HOSTILE.join(' '), inputSchema: { type: 'object' } },
  { name: 'large', description: `${'<b>@x|`\n'.repeat(15_000)}${version}`, inputSchema: { type: 'object' } },
];
const [HOSTILE_BEFORE, HOSTILE_AFTER] = [hostile(1), hostile(2)];
const hostileChanges = diffLists(HOSTILE_BEFORE, HOSTILE_AFTER);
const hostileWith = async (name: FormatName): Promise<string> => {
  const format = await FORMATS[name]();
  const more = { warnings: HOSTILE, after: { file: HOSTILE[0] as string, tools: HOSTILE_AFTER } };
  return format(hostileChanges, context(HOSTILE_BEFORE, HOSTILE_AFTER, more));
};

const many = (version: number): Contract[] =>
  Array.from({ length: 2_000 }, (_, index) => ({
    name: `tool-${index}`,
    description: `does ${index}`,
    inputSchema: {
      type: 'object',
      properties: { [`p${index}`]: { type: version === 1 ? 'string' : 'integer' } },
    },
  }));
const [MANY_BEFORE, MANY_AFTER] = [many(1), many(2)];
const manyChanges = diffLists(MANY_BEFORE, MANY_AFTER);

const INVISIBLE = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

const assertQuiet = (text: string): void => {
  const found = INVISIBLE.exec(text);
  assert.equal(found && JSON.stringify(text.slice(Math.max(0, found.index - 30), found.index + 10)), null);
};

describe('every format', () => {
  for (const name of Object.keys(FORMATS) as FormatName[]) {
    it(`${name}: hostile text is visible, bounded and on its own lines`, async () => {
      const text = await hostileWith(name);
      assertQuiet(text);
      assert.ok(hostileChanges.length > 60, `${hostileChanges.length} changes`);
      assert.ok(text.length < 1_000_000, `${text.length} characters`);
      if (name !== 'github') assert.doesNotMatch(text, /^\s*::/m);
    });
    it(`${name}: nothing changed`, async () => {
      const text = await render(name, BEFORE, BEFORE);
      if (name === 'github') assert.equal(text, '');
      else assert.match(text, /no changes|tests="5" failures="0"|"results": \[\]/i);
    });
    it(`${name}: 2,000 changed tools in time that grows with them`, async () => {
      const format = await FORMATS[name]();
      const started = stopwatch();
      format(manyChanges, context(MANY_BEFORE, MANY_AFTER));
      assert.ok(started() < 3_000);
    });
  }
});

describe('format text', () => {
  it('says what changed, the worst tool first', async () => {
    const lines = (await render('text', BEFORE, AFTER)).split('\n');
    assert.deepEqual(
      lines.filter((line) => /^\S/.test(line)),
      ['get_page', 'create_export', 'search_reviews', 'list_items', '2 breaking, 2 silent, 1 semantic'],
    );
    assert.ok(lines.includes('  breaking  added: required `region`'));
  });

  const long = (last: string): Contract[] => [
    {
      name: 'a',
      description: `${'Many words that stay as they are. '.repeat(8)}It ${last} the page.`,
      inputSchema: {},
    },
  ];
  it('old and new stand beside each other where they fit', async () => {
    const lines = (await render('text', long('reads'), long('deletes'), { columns: 120 })).split('\n');
    const rows = lines.filter((line) => line.includes('│'));
    assert.ok(rows.length > 0 && rows.every((line) => line.length <= 120));
    assert.match(rows.join('\n'), /- .*reads .* │ \+ .*deletes/s);
  });
  it('and below each other where they do not', async () => {
    const lines = (await render('text', long('reads'), long('deletes'), { columns: 60 })).split('\n');
    const rows = lines.filter((line) => /^ {4,}[-+] /.test(line));
    assert.ok(rows.length > 1 && rows.every((line) => line.length <= 60 && !line.includes('│')));
  });
  it('colours only with the painter that it is given', async () => {
    const plain = await render('text', long('reads'), long('deletes'));
    const coloured = await render('text', long('reads'), long('deletes'), { paint: painter(true) });
    assert.ok(!plain.includes('\u001b'));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of it
    assert.equal(coloured.replace(/\u001b\[\d+m/g, ''), plain);
    assert.ok(coloured.includes('\u001b[31mreads\u001b[0m') && coloured.includes('\u001b[32mdeletes\u001b[0m'));
  });
  it('what is the same in many tools comes once, with a count', async () => {
    const tools = (schema: JsonObject): Contract[] =>
      ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, inputSchema: { type: 'object', properties: schema } }));
    const before = tools({ x: { type: 'string' }, y: { type: 'string' } });
    const after = tools({ x: { type: 'integer' }, y: { type: 'string' } });
    const text = await render('text', before, after);
    assert.deepEqual(text.match(/^\S.*$/gm), ['5 tools: a, b, c and 2 more', '5 breaking']);
    assert.equal(diffLists(before, after).length, 5);
  });
  it('no CI system finds a command in it', async () => {
    const text = await hostileWith('text');
    assert.doesNotMatch(text, /##\w*\[/);
  });
});

describe('format markdown', () => {
  it('has a summary, a table for each tool, and the values folded', async () => {
    const text = await render('markdown', BEFORE, AFTER);
    assert.match(
      text,
      /^### MCP tool contracts: 2 breaking, 2 silent, 1 semantic\n\n`before.json` → `after.json`: 4 of 5 tools changed\.\n/,
    );
    assert.deepEqual(text.match(/^#### .*$/gm), [
      '#### `get_page`',
      '#### `create_export`',
      '#### `search_reviews`',
      '#### `list_items`',
    ]);
    assert.ok(text.includes('| 🔴 breaking | added: required `region` | `input-property-added` |'));
    assert.equal(text.match(/<details><summary>Old and new<\/summary>/g)?.length, 4);
    assert.equal(text.match(/<\/details>/g)?.length, 4);
    assert.ok(text.includes('```diff\n- max results to return\n+ page index (0-based)\n```'));
  });
  /** The text without blocks and code spans: the part that Markdown would act on. */
  const active = (text: string): string => text.replace(/^(`{3,})diff\n[\s\S]*?\n\1$/gm, '').replace(/`[^`\n]+`/g, '');
  it('what servers wrote is code or entities', async () => {
    const rest = active(await hostileWith('markdown'));
    assert.doesNotMatch(rest, /`|@(?!<!-- -->)[a-z]|https?:|www\.|!\[|\]\(/);
    assert.deepEqual(
      [...new Set(rest.match(/<[^>]*>/g))].sort(),
      ['<!-- -->', '</code>', '</details>', '</summary>', '<code>', '<details>', '<summary>'].sort(),
    );
  });
  it('a row of a table has its three cells, whatever stands in them', async () => {
    const rows = (await hostileWith('markdown')).replace(/^(`{3,})diff\n[\s\S]*?\n\1$/gm, '').match(/^\|.*$/gm) ?? [];
    assert.ok(rows.length > 10);
    for (const line of rows) assert.equal(line.split('|').length, 5, line);
  });
  it('fits into one comment', async () => {
    const text = await hostileWith('markdown');
    assert.ok(text.length < 65_536);
    const many = (version: number): Contract[] =>
      Array.from({ length: 150 }, (_, index) => ({
        name: `t${index}`,
        description: `${'w '.repeat(200)}${version}${index}`,
        inputSchema: {},
      }));
    const long = await render('markdown', many(1), many(2));
    assert.ok(long.length < 65_536);
    assert.match(long, /… and \d+ more groups of changes: too long for one comment\.$/);
  });
});

/** The official schema. */
const sarifSchema = (): JsonObject => {
  const path = 'lib/schemas/sarif-2.1.0-rtm.5.json';
  return readJsonFile(createRequire(resolve('package.json')).resolve(`@microsoft/jest-sarif/${path}`)) as JsonObject;
};

describe('format sarif', () => {
  // biome-ignore lint/suspicious/noExplicitAny: what was printed is what the test is about
  const run = (text: string): any => JSON.parse(text).runs[0];
  it('has every rule with its purpose, help and level', async () => {
    const { rules } = run(await render('sarif', BEFORE, AFTER)).tool.driver;
    assert.deepEqual(
      rules.map(({ id }: { id: string }) => id),
      allRules().map(({ id }) => id),
    );
    for (const rule of rules) {
      assert.match(rule.shortDescription.text, /\.$/);
      assert.ok(rule.help.text.includes(rule.shortDescription.text));
      assert.ok(['error', 'warning', 'note'].includes(rule.defaultConfiguration.level));
      assert.match(rule.name, /^[A-Z][A-Za-z]+$/);
    }
  });
  it('has a result for each change, at its place in AFTER', async () => {
    const { results, tool } = run(await render('sarif', BEFORE, AFTER, { uri: 'a%20b/after.json' }));
    assert.deepEqual(
      results.map((result: { ruleId: string; level: string }) => `${result.level} ${result.ruleId}`).sort(),
      [
        'error input-property-added',
        'error input-property-enum-changed',
        'warning input-property-default-changed',
        'warning input-property-renamed',
        'warning input-property-words-changed',
      ],
    );
    const lines = JSON.stringify({ tools: AFTER }, null, 2).split('\n');
    for (const result of results) {
      assert.equal(tool.driver.rules[result.ruleIndex].id, result.ruleId);
      const { physicalLocation, logicalLocations } = result.locations[0];
      assert.equal(physicalLocation.artifactLocation.uri, 'a%20b/after.json');
      assert.equal(logicalLocations[1].fullyQualifiedName, `${logicalLocations[0].name}#${result.properties.path}`);
      const line = lines[physicalLocation.region.startLine - 1] as string;
      const key = (result.properties.path as string).split('/').at(-1) as string;
      // A removed part is reported at the object that contained it.
      assert.match(line, result.ruleId === 'input-property-renamed' ? /"properties"/ : new RegExp(`"${key}"`));
    }
  });
  it('fingerprints are stable: not made of lines, words or order, and no two alike', async () => {
    const prints = (text: string): string[] =>
      run(text).results.map(
        (result: { partialFingerprints: Record<string, string> }) => result.partialFingerprints.primaryLocationLineHash,
      );
    const first = prints(await render('sarif', BEFORE, AFTER));
    const later = prints(
      await render('sarif', [...BEFORE].reverse(), [...AFTER].reverse(), { source: JSON.stringify(AFTER) }),
    );
    assert.deepEqual([...first].sort(), [...later].sort());
    assert.equal(new Set(first).size, first.length);
    const others = prints(await hostileWith('sarif'));
    assert.equal(new Set(others).size, others.length);
    assert.equal(others.length, hostileChanges.length);
  });
  it('a fingerprint stays as it is if another change of the same tool goes', async () => {
    const format = await FORMATS.sarif();
    const before = [tool('t', { a: {}, b: {}, c: {} })];
    const after = [tool('t', {}, { additionalProperties: false })];
    const changes = diffLists(before, after);
    assert.ok(changes.length > 2);
    const printsOf = (some: readonly FoundChange[]): string[] =>
      run(format(some, context(before, after))).results.map(
        (result: { partialFingerprints: Record<string, string> }) => result.partialFingerprints.primaryLocationLineHash,
      );
    const all = printsOf(changes);
    assert.deepEqual(
      changes.map((change) => printsOf([change])[0]),
      all,
    );
  });
  it('a message has no links and no placeholders but those of SARIF itself', async () => {
    for (const { message } of run(await hostileWith('sarif')).results) {
      assert.doesNotMatch(message.text, /\]\(|\{\d+\}/);
    }
  });
  it('is valid against the schema of SARIF 2.1.0', async () => {
    const schema = sarifSchema();
    // The formats are those of JSON Schema; ajv has them in a separate package.
    const { $schema: _dialect, id: _id, $id: _newId, ...rest } = schema as JsonObject;
    const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false, unicodeRegExp: false }).compile(
      rest,
    );
    for (const text of [
      await render('sarif', BEFORE, AFTER),
      await render('sarif', BEFORE, BEFORE),
      await hostileWith('sarif'),
    ]) {
      assert.ok(validate(JSON.parse(text)), JSON.stringify(validate.errors?.slice(0, 3)));
    }
    assert.ok(!validate({ version: '2.1.0', runs: [{ results: [{}] }] }), 'the schema can fail');
  });
});

describe('format github', () => {
  it('is one command for each change, the errors first', async () => {
    const lines = (await render('github', BEFORE, AFTER)).split('\n');
    assert.deepEqual(
      lines.map((line) => /^::(\w+) file=after\.json,line=\d+,col=\d+,title=[^:,]+::./.exec(line)?.[1]),
      ['error', 'error', 'warning', 'warning', 'warning'],
    );
    assert.ok(lines[1]?.endsWith('title=breaking%3A create_export::added: required `region`%0Ainput-property-added'));
  });
  it('escapes what ends a property, a line or a command', async () => {
    const lines = (await hostileWith('github')).split('\n');
    for (const line of lines) {
      assert.match(line, /^::(error|warning|notice)( [a-z]+=[^:,]*(,[a-z]+=[^:,]*)*)?::[^\r\n]+$/);
      assert.doesNotMatch(line, /%(?!25|0A|0D|3A|2C)/);
    }
  });
  it('the file is not percent-encoded as a URL is', async () => {
    const text = await render('github', BEFORE, AFTER, { uri: 'a%20b%2Cc.json' });
    assert.match(text, /^::error file=a b%2Cc\.json,/);
    const odd = await render('github', BEFORE, AFTER, { uri: 'a%1B%5B2J%C2%9Bb.json' });
    assert.match(odd, /^::error file=a\u{FFFD}\[2J\u{FFFD}b\.json,/u, 'a terminal obeys no name of a file');
  });
});

/** Reads XML strictly: well-formed, only allowed characters, only known entities. Gives elements as a tree. */
interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}
const readXml = (xml: string): Element => {
  assert.doesNotMatch(xml, /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
  const decoded = (text: string): string => {
    assert.doesNotMatch(text, /[<]|&(?!(?:amp|lt|gt|quot|#39);)|\]\]>/);
    const known: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
    return text.replace(/&(\w+);/g, (_, name: string) => known[name] as string);
  };
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const rest = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '');
  assert.notEqual(rest, xml);
  for (const [token] of rest.matchAll(/<[^>]*>|[^<]+/g)) {
    const top = open.at(-1) as Element;
    if (!token.startsWith('<')) {
      top.text += decoded(token);
    } else if (token.startsWith('</')) {
      assert.equal(token, `</${top.name}>`);
      open.pop();
    } else {
      const [, name, attributes, end] = /^<([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>$/.exec(token) ?? [];
      assert.ok(name, token);
      const element: Element = { name, attributes: {}, children: [], text: '' };
      for (const [, key, value] of (attributes ?? '').matchAll(/ ([a-z]+)="([^"]*)"/g)) {
        assert.ok(!Object.hasOwn(element.attributes, key as string));
        element.attributes[key as string] = decoded(value as string);
      }
      top.children.push(element);
      if (end === '') open.push(element);
    }
  }
  assert.equal(open.length, 1);
  assert.equal(root.children.length, 1);
  return root.children[0] as Element;
};

describe('format junit', () => {
  it('is one suite with one test for each tool', async () => {
    const suites = readXml(await render('junit', BEFORE, AFTER));
    const [suite] = suites.children;
    assert.equal(suites.children.length, 1);
    assert.equal(suites.name, 'testsuites');
    assert.deepEqual([suite?.attributes.tests, suite?.attributes.failures, suite?.attributes.errors], ['5', '4', '0']);
    assert.deepEqual(
      suite?.children.map(({ attributes, children }) => [
        attributes.name,
        ...children.map(({ name, attributes: { type } }) => type ?? name),
      ]),
      [
        ['search_reviews', 'silent'],
        ['list_items', 'semantic'],
        ['get_page', 'breaking'],
        ['get_profile'],
        ['create_export', 'breaking'],
      ],
    );
    assert.match(
      suite?.children[4]?.children[0]?.text ?? '',
      /^breaking: added: required `region` \(input-property-added at \/inputSchema\/properties\/region\)$/,
    );
  });
  it('fails for each level, as the exit code does', async () => {
    const format = await FORMATS.junit();
    const [change] = diffLists(BEFORE, AFTER);
    assert.ok(change);
    const failing = LEVELS.filter(
      (level) => readXml(format([{ ...change, level }], context(BEFORE, AFTER))).attributes.failures === '1',
    );
    assert.deepEqual(failing, LEVELS);
  });
  it('a tool that is gone is a failure of its own', async () => {
    const [suite] = readXml(await render('junit', BEFORE, BEFORE.slice(1))).children;
    assert.equal(suite?.children.at(-1)?.attributes.name, 'search_reviews');
    assert.equal(suite?.children.at(-1)?.children[0]?.attributes.type, 'breaking');
  });
  it('a tool that is gone is no test where its change is left out, and one that changed passes there', async () => {
    const [suite] = readXml((await FORMATS.junit())([], context(BEFORE, AFTER.slice(1)))).children;
    const names = suite?.children.map(({ attributes, children }) => [attributes.name, children.length]);
    assert.deepEqual(
      names,
      AFTER.slice(1).map(({ name }) => [name, 0]),
    );
  });
  it('is XML, whatever servers send', async () => {
    const [suite] = readXml(await hostileWith('junit')).children;
    assert.ok((suite?.children.length ?? 0) >= HOSTILE.length);
    assert.equal(suite?.children.at(-1)?.name, 'system-err');
    assert.equal(
      String(suite?.children.filter(({ children }) => children.some(({ name }) => name === 'failure')).length),
      suite?.attributes.failures,
    );
  });
});

describe('format html', () => {
  const VOID = new Set(['meta', 'br']);
  const KNOWN = new Set(
    'html head meta title style body a header h1 p code span ul li b main nav section h2 h3 article details summary div table caption thead tbody tr th td mark pre footer br'.split(
      ' ',
    ),
  );
  const ATTRIBUTES = new Set(
    'lang charset content http-equiv name class id href open tabindex role scope colspan aria-label aria-labelledby aria-hidden'.split(
      ' ',
    ),
  );
  /** Checks every tag: known, closed in order, with known attributes, and links only within the page. */
  const readHtml = (page: string) => {
    assert.ok(page.startsWith('<!doctype html>\n'));
    const ids: string[] = [];
    const links: string[] = [];
    const open: string[] = [];
    const body = page.slice('<!doctype html>'.length).replace(/<style>[^<]*<\/style>/, '');
    for (const [tag, slash, name = '', attributes = ''] of body.matchAll(/<(\/?)([^\s>/]*)([^>]*)>/g)) {
      assert.ok(KNOWN.has(name), tag);
      if (slash) {
        assert.equal(open.pop(), name, tag);
        continue;
      }
      const rest = attributes.replace(/ ([a-z-]+)(?:="([^"]*)")?/g, (_, key: string, value = '') => {
        assert.ok(ATTRIBUTES.has(key), tag);
        if (key === 'id') ids.push(value);
        if (key === 'href') links.push(value);
        return '';
      });
      assert.equal(rest, '', tag);
      if (!VOID.has(name)) open.push(name);
    }
    assert.deepEqual(open, []);
    assert.doesNotMatch(body.replace(/<[^>]*>/g, ''), /[<>]|&(?!(?:amp|lt|gt|quot|#39);)/);
    assert.equal(new Set(ids).size, ids.length);
    for (const link of links) assert.ok(link.startsWith('#') && ids.includes(link.slice(1)), link);
    return { ids, links, text: body.replace(/<[^>]*>/g, ' ') };
  };
  it('is one page that loads nothing', async () => {
    const page = await render('html', BEFORE, AFTER);
    readHtml(page);
    assert.match(
      page,
      /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; base-uri 'none'; form-action 'none'">/,
    );
    assert.doesNotMatch(page, /<script|<link|<img|url\(|@import|style="|\son\w+=/i);
  });
  it('says in its title how many changes there are: none, one, several', async () => {
    const after = BEFORE.map((tool, at) => (at === 0 ? { ...tool, title: 'new' } : tool));
    for (const [now, title] of [
      [BEFORE, 'No changes of tool contracts'],
      [after, '1 change of tool contracts'],
      [AFTER, '5 changes of tool contracts'],
    ] as const) {
      const page = await render('html', BEFORE, now);
      assert.ok(page.includes(`<title>${title}</title>`) && page.includes(`<h1>${title}</h1>`), title);
    }
  });
  it('shows both contracts of each changed tool, with the changes marked and linked', async () => {
    const page = await render('html', BEFORE, AFTER);
    assert.equal(page.match(/<table class="contract">/g)?.length, 4);
    assert.match(page, /<mark>query<\/mark>[^\n]*<mark>q<\/mark>/);
    assert.match(page, /<td class="none"><\/td><td class="new i\d+">[^\n]*&quot;region&quot;: \{/);
    assert.match(page, /<a href="#tool-\d+-r\d+">\/inputSchema\/properties\/region<\/a>/);
    assert.match(page, /<b>1 tool unchanged:<\/b> <span class="quiet">get_profile<\/span>/);
  });
  it('hostile text stays text', async () => {
    const { text } = readHtml(await hostileWith('html'));
    assert.ok(text.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
  });
  it('many tools are folded, and a renamed one shows both names', async () => {
    const tools = (version: number): Contract[] =>
      Array.from({ length: 30 }, (_, index) => ({
        name: `t${version === 1 ? '-' : '_'}${index}`,
        description: `${version} x`,
        inputSchema: { type: 'object' },
      }));
    const page = await render('html', tools(1), tools(2));
    readHtml(page);
    assert.ok(!page.includes('<details open>'));
    assert.match(page, /<h3>t-\d+ → t_\d+<\/h3>/);
  });
  const captures = shared('corpus/captures/@notionhq__notion-mcp-server');
  it('the largest real pair is a page of reasonable size', { skip: captures.skip }, async () => {
    const tools = (version: string) =>
      (readJsonFile(join(captures.path, `${version}.json`)) as { tools: Contract[] }).tools;
    const page = await render('html', tools('2.2.1'), tools('2.4.1'));
    readHtml(page);
    assert.ok(page.length < 600_000, `${page.length} characters`);
  });
});

describe('parts of formats', () => {
  const change = (tool: string, more: Partial<FoundChange> = {}): FoundChange => ({
    tool,
    path: '/x',
    rule: 'r',
    level: 'silent',
    message: say`m`,
    brief: say`m`,
    ...more,
  });
  it('names all parameters whose schemas refer to what changed, up to five', async () => {
    const paying = (words: string, names: readonly string[]): Contract => ({
      name: 'pay',
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/Money' }])),
        $defs: { Money: { type: 'number', description: words } },
      },
    });
    const said = (name: FormatName, names: readonly string[]): Promise<string> =>
      render(name, [paying('In cents', names)], [paying('In euros', names)]);
    const [few, many] = [['fee', 'tip'], [...'abcdefg'].map((letter) => `${letter}_fee`)];
    assert.match(await said('text', few), /`fee`, `tip`: new description/);
    assert.match(await said('text', many), /`e_fee` and 2 more: its description changed/);
    assert.match(await said('markdown', few), /`fee`, `tip`: new description/);
    assert.match(await said('markdown', many), /`e_fee` and 2 more: new description/);
    assert.match(await said('html', few), /<code>fee<\/code>, <code>tip<\/code>: new description/);
    assert.match(await said('github', many), /a_fee, b_fee, c_fee, d_fee, e_fee and 2 more: new description/);
  });

  it('groups what is the same in three tools, and keeps what differs', () => {
    const groups = groupChanges([
      change('a'),
      change('b'),
      change('c'),
      change('b', { level: 'breaking' }),
      change('c', { after: 1 }),
      change('d', { after: 2 }),
    ]);
    assert.deepEqual(
      groups.map(({ tools, changes }) => [tools.join(), changes.map(({ level }) => level).join()]),
      [
        ['b', 'breaking'],
        ['a,b,c', 'silent'],
        ['c', 'silent'],
        ['d', 'silent'],
      ],
    );
  });
  it('names twenty tools that came or went, three that changed, and counts the others', () => {
    const tools = Array.from({ length: 26 }, (_, index) => `t${index}`);
    const ends = ['', '/x'].map((path) => someTools({ tools, changes: [change('t0', { path })] }, (name) => name));
    assert.deepEqual(
      ends.map((text) => text.split(', ').slice(-1)),
      [['t19 and 6 more'], ['t2 and 23 more']],
    );
  });
  it('does not show the values of one tool for those of others', () => {
    const toolsOf = (...values: number[]): string[] =>
      groupChanges(values.map((after, index) => change('abc'[index] ?? '', { before: 9, after }))).map(({ tools }) =>
        tools.join(),
      );
    assert.deepEqual(toolsOf(5, 5, 5), ['a,b,c']);
    assert.deepEqual(toolsOf(5, 5, 6), ['a', 'b', 'c']);
  });
  it('finds lines in every form of a tool list', () => {
    const tool = { name: 'a', inputSchema: { type: 'object', properties: { 'x/y': { type: 'string' } } } };
    const path = '/inputSchema/properties/x~1y/type';
    const line = (value: Json) => {
      const source = JSON.stringify(value, null, 1);
      const { line, column } = locator(source)('a', path);
      return source.split('\n')[line - 1]?.slice(column - 1);
    };
    const { name: _, inputSchema, ...rest } = tool;
    for (const form of [
      [tool],
      { tools: [{ name: 'b', inputSchema: {} }, tool] },
      { result: { tools: [tool] } },
      tool,
      { a: { ...rest, input_schema: inputSchema } },
      { tools: { a: { schema: inputSchema } } },
    ] as Json[]) {
      assert.equal(line(form), '"type": "string"');
    }
    assert.deepEqual(locator('[]')('a', path), { line: 1, column: 1 });
    assert.deepEqual(locator(undefined)('a', path), { line: 1, column: 1 });
    assert.deepEqual(locator('\ufeff{"tools":[\n{"name":"a"}]}')('a', path), { line: 2, column: 1 });
  });
  it('one element of a list that moved leaves all others beside each other', () => {
    const rows = align(['a', 'b', 'c', 'd'], ['b', 'c', 'd', 'a'], new Map());
    assert.deepEqual(
      rows.map(({ path, before, after }) => [path, before === undefined ? '+' : after === undefined ? '-' : ' ']),
      [
        ['', ' '],
        ['/0', '-'],
        ['/1', ' '],
        ['/2', ' '],
        ['/3', ' '],
        ['/3', '+'],
        ['', ' '],
      ],
    );
    const many = (side: string): Json => Array.from({ length: 5_000 }, (_, index) => side + index);
    const started = stopwatch();
    assert.equal(align(many('a'), many('b'), new Map()).length, 5_002);
    assert.ok(started() < 1_000);
  });
  it('a renamed member stands once, beside its new name, and what is new at the end', () => {
    const rows = align({ query: 1, limit: 2 }, { max: 2, q: 1 }, new Map([['/query', 'q']]));
    assert.deepEqual(
      rows.map(({ before, after }) => [before, after]),
      [
        ['{', '{'],
        ['"query": 1', '"q": 1'],
        ['"limit": 2', undefined],
        [undefined, '"max": 2'],
        ['}', '}'],
      ],
    );
  });
  it('stands beside no other name that was there, that is taken, or that is not there', () => {
    const sides = (before: JsonObject, after: JsonObject, renames: [string, string][]) =>
      align(before, after, new Map(renames))
        .slice(1, -1)
        .map(({ before: was, after: is }) => [was, is]);
    assert.deepEqual(sides({ a: 1, b: 2 }, { b: 2, c: 1 }, [['/a', 'b']]), [
      ['"a": 1', undefined],
      ['"b": 2', '"b": 2'],
      [undefined, '"c": 1'],
    ]);
    assert.deepEqual(
      sides({ a: 1, b: 2 }, { c: 1 }, [
        ['/a', 'c'],
        ['/b', 'c'],
      ]),
      [
        ['"a": 1', '"c": 1'],
        ['"b": 2', undefined],
      ],
    );
    assert.deepEqual(sides({ a: 1 }, { c: 1 }, [['/a', 'x']]), [
      ['"a": 1', undefined],
      [undefined, '"c": 1'],
    ]);
  });
  it('compares texts word by word, and long ones in bounded time', () => {
    const marks = (pieces: { text: string; changed: boolean }[]) =>
      pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('');
    assert.deepEqual(compareWords('the old words', 'the new words').map(marks), ['the [old] words', 'the [new] words']);
    assert.deepEqual(compareWords('same', 'same').map(marks), ['same', 'same']);
    const started = stopwatch();
    compareWords('a b '.repeat(50_000), 'b a '.repeat(50_000));
    assert.ok(started() < 1_000);
  });
});

describe('command diff', () => {
  const folder = (test: TestContext, config?: Json): string => {
    const path = realpathSync(mkdtempSync(join(tmpdir(), 'konnichiwagwan-diff-')));
    test.after(() => remove(path));
    writeFileSync(join(path, 'before.json'), JSON.stringify({ tools: BEFORE }));
    writeFileSync(join(path, 'after.json'), JSON.stringify({ tools: AFTER }, null, 2));
    if (config !== undefined) {
      mkdirSync(join(path, '.claude'));
      writeFileSync(join(path, '.claude', 'konnichiwagwan.json'), JSON.stringify(config));
    }
    return path;
  };
  const PROGRAM = [process.execPath, resolve('dist/cli.cjs')];
  const kwg = async (cwd: string, ...args: string[]) => {
    const all = ['diff', 'before.json', 'after.json', ...args];
    const { code, stdout, stderr } = await drive('cli.cjs', null, { HOME: cwd }, all, true, cwd);
    // biome-ignore lint/suspicious/noExplicitAny: what was printed is what the test is about
    return { status: code, stdout, stderr, json: (): any => JSON.parse(stdout) };
  };
  const rulesOf = ({ data }: { data: { changes: { rule: string }[] } }) => data.changes.map(({ rule }) => rule);

  it('every format is printed, and --output writes it instead', async (test) => {
    const cwd = folder(test);
    for (const name of Object.keys(FORMATS)) {
      const { status, stdout } = await kwg(cwd, '--format', name);
      assert.equal(status, 1);
      const written = await kwg(cwd, '--format', name, '--output', 'report');
      assert.equal(written.stdout, '2 breaking, 2 silent, 1 semantic; written to report\n');
      assert.equal(readFileSync(join(cwd, 'report'), 'utf8'), stdout);
    }
  });
  it('--output follows a link, keeps the mode, and says what it cannot write', { skip: noLinks }, async (test) => {
    const cwd = folder(test);
    writeFileSync(join(cwd, 'real'), 'old', { mode: 0o640 });
    symlinkSync('real', join(cwd, 'link'));
    assert.equal((await kwg(cwd, '--output', 'link')).status, 1);
    assert.match(readFileSync(join(cwd, 'real'), 'utf8'), /^get_page/);
    assert.equal(statSync(join(cwd, 'real')).mode & 0o777, 0o640);
    symlinkSync('later', join(cwd, 'dangling'));
    assert.equal((await kwg(cwd, '--output', 'dangling')).status, 1);
    assert.ok(lstatSync(join(cwd, 'dangling')).isSymbolicLink());
    assert.equal(statSync(join(cwd, 'later')).mode & 0o777, 0o666 & ~process.umask(), 'others read it');
    symlinkSync('circle', join(cwd, 'circle'));
    assert.match((await kwg(cwd, '--output', 'circle')).stderr, /circle cannot be written \(ELOOP\)/);
    const { status, stderr } = await kwg(cwd, '--output', 'no/such/folder');
    assert.equal(status, 2);
    assert.equal(stderr, 'konnichiwagwan: no/such/folder cannot be written (ENOENT)\n  check the path\n');
    assert.equal((await kwg(cwd, '--output', '/dev/null')).status, 1);
  });
  it('--output goes into a pipe, and not where a file of that name leads that somebody laid beside it', {
    skip: noShell,
  }, async (test) => {
    const cwd = folder(test);
    writeFileSync(join(cwd, 'victim'), 'theirs');
    // With `exec` the command has the number of the shell.
    const script = (before: string, rest: string) =>
      spawnSync('sh', ['-c', `${before} "$0" "$1" diff before.json after.json --output ${rest}`, ...PROGRAM], {
        cwd,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: cwd },
      });
    assert.match(script('', '/dev/stdout | cat').stdout, /^get_page[\s\S]*written to \/dev\/stdout/);
    const { status, stderr } = script('ln -s victim report.$$.0.tmp; exec', 'report');
    assert.deepEqual([status, stderr], [1, '']);
    assert.match(readFileSync(join(cwd, 'report'), 'utf8'), /^get_page/);
    assert.equal(readFileSync(join(cwd, 'victim'), 'utf8'), 'theirs');
    assert.deepEqual(
      readdirSync(cwd).filter((name) => name.endsWith('.tmp')),
      [],
    );
  });
  it('wrong options are told, with what is right', async (test) => {
    const cwd = folder(test);
    const told = async (...args: string[]) => {
      const { status, stderr } = await kwg(cwd, ...args);
      assert.equal(status, 2);
      return stderr.split('\n')[0];
    };
    assert.equal(
      await told('--format', 'xml'),
      'konnichiwagwan: --format is one of text, markdown, sarif, github, junit, html, not "xml"',
    );
    assert.equal(
      await told('--level', 'bad'),
      'konnichiwagwan: --level is one of breaking, unclassified, silent, semantic, compatible, not "bad"',
    );
    assert.equal(await told('--ignore', 'no-such-rule'), 'konnichiwagwan: there is no rule "no-such-rule"');
    assert.match((await told('--ignore', 'tool-added:inputSchema')) ?? '', /JSON Pointer/);
    const { status, json } = await kwg(cwd, '--json', '--format', 'sarif');
    assert.deepEqual([status, json().error.message], [2, '--json is a format of its own']);
  });
  it('--level leaves out what is milder, for the exit code too', async (test) => {
    const cwd = folder(test);
    assert.deepEqual(rulesOf((await kwg(cwd, '--json', '--level', 'breaking')).json()).sort(), [
      'input-property-added',
      'input-property-enum-changed',
    ]);
    assert.deepEqual((await kwg(cwd, '--json', '--level', 'silent')).json().data.summary, { breaking: 2, silent: 2 });
    assert.match(
      (await kwg(cwd, '--level', 'silent')).stdout,
      /\n2 breaking, 2 silent, and 1 milder change not shown \(--level\)\n$/,
    );
    writeFileSync(
      join(cwd, 'after.json'),
      JSON.stringify({ tools: BEFORE.map((tool) => ({ ...tool, title: 'new' })) }),
    );
    const hidden = await kwg(cwd, '--level', 'silent');
    assert.equal(hidden.status, 0);
    assert.equal(hidden.stdout, 'no changes of that level; 5 milder changes not shown (--level)\n');
    assert.equal((await kwg(cwd, '--level', 'silent', '--ignore', 'tool-title-changed')).stdout, 'no changes\n');
    assert.match(
      (await kwg(cwd, '--level', 'silent', '--format', 'markdown')).stdout,
      /^### .*: no changes of that level; 5 /,
    );
    assert.equal((await kwg(cwd, '--level', 'semantic')).status, 1);
  });
  it('--ignore takes a rule, a tool, a path, and what is below it', async (test) => {
    const cwd = folder(test);
    const all = rulesOf((await kwg(cwd, '--json')).json());
    const without = async (...ignores: string[]) => {
      const left = rulesOf((await kwg(cwd, '--json', ...ignores.flatMap((text) => ['--ignore', text]))).json());
      return all.filter((rule) => !left.includes(rule));
    };
    assert.deepEqual(await without('input-property-added'), ['input-property-added']);
    assert.deepEqual(await without('input-property-added:/inputSchema/properties'), ['input-property-added']);
    assert.deepEqual(await without('input-property-added:/inputSchema/prop'), []);
    assert.deepEqual(await without('input-property-added@create_export'), ['input-property-added']);
    assert.deepEqual(await without('input-property-added@get_page'), []);
    assert.deepEqual(
      (
        await without('input-property-added@create_export:/inputSchema/properties/region', 'input-property-renamed')
      ).sort(),
      ['input-property-added', 'input-property-renamed'],
    );
  });
  it("the project's file ignores with a reason, and not without one", async (test) => {
    const cwd = folder(test, {
      ignore: [
        { rule: 'input-property-added', tool: 'create_export', reason: 'agreed with the team' },
        { rule: 'input-property-renamed' },
        { rule: 'input-property-renamed', reason: '  ' },
        { rule: 'input-property-renamed', reason: 'x', tols: 'a' },
        { rule: 'no-such-rule', reason: 'x' },
        'input-property-renamed',
      ],
    });
    const { data, warnings } = (await kwg(cwd, '--json')).json();
    assert.equal(data.ignored.count, 1);
    assert.deepEqual(
      data.ignored.changes.map(({ tool, rule, reason }: { tool: string; rule: string; reason: string }) => [
        tool,
        rule,
        reason,
      ]),
      [['create_export', 'input-property-added', 'agreed with the team']],
    );
    assert.equal(data.changes.length, 4);
    assert.deepEqual(warnings, [
      '.claude/konnichiwagwan.json: ignore[1] gives no reason; it is not applied',
      '.claude/konnichiwagwan.json: ignore[2] gives no reason; it is not applied',
      '.claude/konnichiwagwan.json: ignore[3] has a field "tols" that is not known; it is not applied',
      '.claude/konnichiwagwan.json: ignore[4] names a rule that is not known: "no-such-rule"; it is not applied',
      '.claude/konnichiwagwan.json: ignore[5] is not an object; it is not applied',
    ]);
    // Programs read these formats: the warnings are in them, not below them.
    assert.equal(
      (await kwg(cwd, '--format', 'sarif')).json().runs[0].invocations[0].toolExecutionNotifications.length,
      5,
    );
    assert.equal((await kwg(cwd, '--format', 'github')).stdout.match(/^::warning::/gm)?.length, 5);
    readXml((await kwg(cwd, '--format', 'junit')).stdout.trimEnd());
    const { stdout, stderr } = await kwg(cwd);
    assert.match(stdout, /\(1 change ignored\)\n$/);
    assert.equal(stderr.match(/^warning: /gm)?.length, 5);
  });
  it('where the file of the project is no settings, nothing is ignored', async (test) => {
    const { status, stderr } = await kwg(folder(test, { ignore: 'tool-added' }));
    assert.equal(status, 1);
    assert.match(stderr, /warning: \.claude\/konnichiwagwan\.json: "ignore" must be an array; it is left out/);
  });
});
