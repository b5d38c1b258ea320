// What is told of whole lists: tools with other names, all that a server offers, upgrades of libraries, and what ran out of time.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract, Identity, Json } from '../scripts/contract/types.ts';
import { diffContract, incomplete, riskOf, worstFirst } from '../scripts/diff/diff.ts';
import { diffLists, ofReadable } from '../scripts/diff/diff-lists.ts';
import { diffOffered } from '../scripts/diff/offered.ts';
import { findToolDivisions, findToolRenames } from '../scripts/diff/rename.ts';
import { ofContract } from '../scripts/diff/table.ts';
import type { FoundChange } from '../scripts/diff/types.ts';
import { splitUpgrade, upgradeNote } from '../scripts/diff/upgrade.ts';

/** A tool with parameters, of which each has a type of its own if it names one: `id:integer`. */
const tool = (name: string, parameters: readonly string[] = [], more: Partial<Contract> = {}): Contract => ({
  name,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map((one) => one.split(':')).map(([key, type = 'string']) => [key as string, { type }]),
    ),
  },
  ...more,
});

describe('tools that have another name', () => {
  const told = (removed: Contract[], added: Contract[]): string[] =>
    findToolRenames(removed, added).map(({ before, after, evidence }) => `${before.name} → ${after.name}: ${evidence}`);
  const CUT = 'a name that was extended or cut, and the same parameters';
  const WORDS = 'a name of the same words and others, and the same parameters';
  const cases: [what: string, removed: Contract[], added: Contract[], expected: string[]][] = [
    [
      'a prefix came, and a type changed',
      [tool('item', ['id'])],
      [tool('shop_item', ['id:integer'])],
      [`item → shop_item: ${CUT}`],
    ],
    ['a suffix went', [tool('items_v2', ['id'])], [tool('items', ['id:integer'])], [`items_v2 → items: ${CUT}`]],
    ['what came is in the middle', [tool('getitem', ['id'])], [tool('getoneitem', ['id:integer'])], []],
    ['the shorter name has three letters', [tool('ban', ['id'])], [tool('ban_v2', ['id:integer'])], []],
    ['a name that was extended, with another parameter', [tool('items', ['id'])], [tool('items_v2', ['key'])], []],
    [
      'words came in the middle',
      [tool('get_items', ['id'], { description: 'Gets items' })],
      [tool('get_shop_items', ['id'], { description: 'Reads shop items' })],
      [`get_items → get_shop_items: ${WORDS}`],
    ],
    [
      'words went from the middle',
      [tool('get_shop_items', ['id'], { description: 'Reads shop items' })],
      [tool('get_items', ['id'], { description: 'Gets items' })],
      [`get_shop_items → get_items: ${WORDS}`],
    ],
    [
      'the same words in another order',
      [tool('get_items', ['id'], { description: 'Gets items' })],
      [tool('items_shop_get', ['id'], { description: 'Reads shop items' })],
      [],
    ],
    [
      'words in the middle, and no parameter',
      [tool('get_items', [], { description: 'Gets items' })],
      [tool('get_shop_items', [], { description: 'Reads shop items' })],
      [],
    ],
    [
      'each is used once, the best evidence first',
      [tool('get-item', ['id']), tool('get_item_by_id', ['id'])],
      [tool('get_item', ['id'])],
      ['get-item → get_item: the same name in another spelling'],
    ],
    [
      'one that two stand for',
      [tool('items_v1', ['id:integer']), tool('items_v2', ['id:integer'])],
      [tool('items', ['id'])],
      [],
    ],
    [
      'equal contracts that take nothing, and share a word of their names',
      [tool('ping', [], { inputSchema: { type: 'object' } })],
      [tool('ping_now', [], { inputSchema: { type: 'object' } })],
      ['ping → ping_now: the same contract'],
    ],
    [
      'equal contracts that only require something',
      [tool('alpha', [], { inputSchema: { type: 'object', required: ['x'] } })],
      [tool('beta', [], { inputSchema: { type: 'object', required: ['x'] } })],
      ['alpha → beta: the same contract'],
    ],
    ['none came', [tool('a', ['id'])], [], []],
    ['none went', [], [tool('a', ['id'])], []],
  ];
  for (const [what, removed, added, expected] of cases)
    it(what, () => assert.deepEqual(told(removed, added), expected));

  it('another spelling is no evidence where nine share it', () => {
    const spelled = Array.from({ length: 9 }, (_, at) => `a${'_'.repeat(at)}bcd`);
    for (const count of [8, 9])
      for (const last of [true, false])
        assert.deepEqual(
          told(
            [tool('abcd', ['x', last ? 'y' : 'z'])],
            spelled.slice(0, count).map((name) => tool(name, ['q'])),
          ),
          [],
        );
    assert.equal(told([tool('abcd', ['x'])], [tool('ab_cd', ['q'])]).length, 1);
  });

  it('many names are compared by their marks alone', () => {
    const many = (prefix: string, count: number, end: string) =>
      Array.from({ length: count }, (_, at) =>
        tool(`${prefix}${at}${end}`, [`p${at}`, end === '' ? 'a' : 'a:integer']),
      );
    assert.equal(told(many('tool_', 50, ''), many('tool_', 50, '_v2')).length, 50);
    assert.equal(told(many('tool_', 51, ''), many('tool_', 50, '_v2')).length, 0);
    assert.equal(told(many('tool_', 60, ''), many('tool-', 60, '')).length, 60);
  });
});

describe('tools that were split or merged', () => {
  const told = (removed: Contract[], added: Contract[]): string[] =>
    findToolDivisions(removed, added).map(({ before, after }) =>
      [before, after].map((side) => side.map(({ name }) => name).join(' + ')).join(' → '),
    );
  const [files, read, write] = [
    tool('files', ['path']),
    tool('files_read', ['path']),
    tool('files_write', ['path', 'x']),
  ];
  it('by names that extend one, and a parameter in common', () => {
    assert.deepEqual(told([files], [read, write]), ['files → files_read + files_write']);
    assert.deepEqual(told([read, write], [files]), ['files_read + files_write → files']);
    assert.deepEqual(told([files], [tool('read_files', ['path']), write]), ['files → read_files + files_write']);
  });
  it('and not by less', () => {
    assert.deepEqual(told([files], [read]), []);
    assert.deepEqual(told([read], [files]), []);
    assert.deepEqual(told([files], [read, tool('files_write', ['x'])]), []);
    assert.deepEqual(told([files], [read, tool('write_file', ['path'])]), []);
    assert.deepEqual(told([tool('run', ['path'])], [tool('run_a', ['path']), tool('run_b', ['path'])]), []);
  });
  it('each tool once', () => {
    const more = [files, tool('files_r', ['path'])];
    const found = told(more, [tool('files_read', ['path']), tool('files_r_w', ['path']), tool('files_r_x', ['path'])]);
    assert.deepEqual(found, ['files → files_read + files_r_w + files_r_x']);
  });
  it('they are told as that, and neither as new nor as gone', () => {
    const rules = diffLists(
      [tool('files', ['path', 'mode']), tool('other', ['a'])],
      [read, write, tool('another', ['b:integer'])],
    ).map(({ rule, tool: name }) => `${rule} ${name}`);
    assert.deepEqual(rules, ['tool-removed other', 'tool-divided files', 'tool-added another']);
  });
});

describe('all that a server offers', () => {
  const offer = (name: string, description: string): Contract => ({
    name,
    description,
    inputSchema: name.startsWith('prompt') ? { type: 'object', additionalProperties: false } : true,
  });
  const [old, now] = [offer('prompt greet', 'Greets'), offer('prompt greet', 'Insults')];
  const lines = (changes: readonly FoundChange[]) =>
    changes.map(({ offer: list = 'tool', rule, tool: name, message }) => `${list} ${rule} ${name}: ${message}`);

  it('prompts and resources are compared like tools, and called by their names', () => {
    const [prompt, resource] = ['prompt bye', 'resource file:///a?token=secret'].map((name) => offer(name, 'A'));
    const found = diffOffered(
      { tools: [tool('a', ['x'])], offers: [old, prompt as Contract] },
      { tools: [tool('a', ['y:integer'])], offers: [now, resource as Contract] },
    );
    assert.equal(found.filter(({ offer: list }) => list === undefined).length, 2);
    const offers = lines(found.filter(({ offer: list }) => list !== undefined));
    assert.equal(offers.length, 3, offers.join('\n'));
    assert.match(offers.join('\n'), /^prompts tool-removed prompt bye: it is gone$/m);
    assert.match(offers.join('\n'), /^resources tool-added resource .*: it is new$/m);
    assert.match(offers.join('\n'), /^prompts tool-description-changed prompt greet: description changed: /m);
    assert.ok(!offers.join('\n').includes('secret'), offers.join('\n'));
    for (const { brief } of found) assert.doesNotMatch(brief, /\bthe tool\b/);
  });
  it('a list that one side lacks, or that could not be read, is not compared', () => {
    assert.deepEqual(diffOffered({ tools: [] }, { tools: [], offers: [now] }), []);
    assert.deepEqual(diffOffered({ tools: [], offers: [old] }, { tools: [] }), []);
    for (const [had, has] of [
      [{ prompts: 'odd' }, {}],
      [{}, { prompts: 'odd' }],
    ] as const) {
      const found = diffOffered(
        { tools: [], offers: [old], unread: had },
        { tools: [], offers: [now, offer('resource file:///a', 'A')], unread: has },
      );
      assert.deepEqual(lines(found), ['resources tool-added resource file:///a: it is new']);
    }
    assert.equal(diffOffered({ tools: [], offers: [old] }, { tools: [], offers: [now] }).length, 1);
  });
});

describe('what a new version of a library changes in nearly every tool', () => {
  const closed = (name: string): Contract => ({
    ...tool(name, ['x']),
    inputSchema: { ...(tool(name, ['x']).inputSchema as object), additionalProperties: false } as Json,
  });
  const names = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`);
  const split = (closing: number, all: number) => {
    const before = names(all).map((name) => tool(name, ['x']));
    const after = before.map((one, at) => (at < closing ? closed(one.name) : one));
    const { upgrade, others } = splitUpgrade(diffLists(before, after), all);
    return [upgrade.length, others.length];
  };
  it('is apart from all others, in three tools and four fifths of all', () => {
    assert.deepEqual(split(3, 3), [3, 0]);
    assert.deepEqual(split(2, 2), [0, 2]);
    assert.deepEqual(split(4, 5), [4, 0]);
    assert.deepEqual(split(3, 4), [0, 3]);
  });
  it('is no change that an author makes, nor one of another message or place', () => {
    const before = names(3).map((name) => tool(name, ['x']));
    const changed = before.map((one) => ({ ...one, description: 'Says it' }));
    assert.equal(splitUpgrade(diffLists(before, changed), 3).upgrade.length, 0);
    const found = diffLists(before, names(3).map(closed));
    for (const other of [{ message: 'other' }, { path: '/other' }, { rule: 'other' }]) {
      const mixed = found.map((change, at) => (at === 0 ? { ...change, ...other } : change)) as FoundChange[];
      assert.equal(splitUpgrade(mixed, 3).upgrade.length, 0, JSON.stringify(other));
    }
  });
  it('is told in one line, with what else shows it', () => {
    const identity = (name: string, version: string, protocol: string): Identity =>
      ({ name, version, protocol }) as unknown as Identity;
    const [was, is] = [names(3).map((name) => tool(name, ['x'])), names(3).map(closed)];
    const noisy = is.map((one, at) => (at < 1 ? { ...one, extra: { execution: { a: 1 } } } : one));
    const note = (one?: Identity, other?: Identity, before = was, after = is): string | undefined =>
      upgradeNote(
        { tools: before, ...(one && { identity: one }) },
        { tools: after, ...(other && { identity: other }) },
        diffLists(before, after),
      );
    const CLOSED = 'unknown parameters are refused now, in nearly every tool';
    const begins = 'looks like a library upgrade: ';
    assert.equal(note(), `${begins}${CLOSED}`);
    assert.equal(note(identity('a', '1', '2'), undefined), `${begins}${CLOSED}`);
    assert.equal(note(identity('a', '1', '2'), identity('a', '1', '2')), `${begins}${CLOSED}`);
    assert.equal(note(identity('a', '1', '2'), identity('a', '2', '2')), `${begins}"a 1" → "a 2"; ${CLOSED}`);
    assert.equal(note(identity('a', '1', '2'), identity('b', '1', '2')), `${begins}"a 1" → "b 1"; ${CLOSED}`);
    assert.equal(
      note(identity('a', '1', '2025-01-01'), identity('a', '1', '2026-01-01')),
      `${begins}protocol "2025-01-01" → "2026-01-01"; ${CLOSED}`,
    );
    assert.equal(note(undefined, undefined, is, noisy), `${begins}1 tool in other words for the same contract`);
    assert.equal(note(undefined, undefined, was, was), undefined);
    assert.equal(note(undefined, undefined, [], was), undefined);
  });
});

describe('what could not be compared', () => {
  const unknown = (name: string, message: string, path: string): FoundChange =>
    ({
      tool: name,
      path,
      rule: 'unclassified',
      level: 'unclassified',
      message,
      brief: message,
      incomplete: true,
    }) as never;
  it('is unknown, and says why', () => {
    for (const [why, message] of [
      ['late', 'could not be compared in time'],
      ['failed', 'could not be compared'],
      ['large', 'is too large to be compared as a whole: more may have changed'],
    ] as const)
      assert.deepEqual(incomplete('a', why), unknown('a', message, '/inputSchema'));
  });
  it('is a tool that could not be read on either side', () => {
    const [fine, odd, worse] = [
      tool('a'),
      { ...tool('a'), defect: 'it is odd' },
      { ...tool('a'), defect: 'it is bad' },
    ];
    assert.deepEqual(diffContract(fine, odd), [unknown('a', 'could not be read: it is odd', '')]);
    assert.deepEqual(diffContract(odd, fine), [unknown('a', 'could not be read: it is odd', '')]);
    assert.deepEqual(diffContract(odd, worse), [unknown('a', 'could not be read: it is bad', '')]);
    const changes = [{ tool: 'a' }, { tool: 'b' }];
    assert.deepEqual(ofReadable(changes, [fine], [odd]), [{ tool: 'b' }]);
    assert.deepEqual(ofReadable(changes, [odd], []), [{ tool: 'b' }]);
    assert.deepEqual(ofReadable(changes, [fine]), changes);
  });
  it('is each tool that changed, if no time is left, and no other', () => {
    const before = ['a', 'b', 'c'].map((name) => tool(name, ['x']));
    const after = [tool('a', ['y:integer']), tool('b', ['x']), tool('c', ['z:integer'])];
    const seen: string[] = [];
    const found = diffLists(before, after, -1, (done, of) => seen.push(`${done} of ${of}`));
    assert.deepEqual(
      found,
      ['a', 'c'].map((name) => incomplete(name, 'late')),
    );
    assert.deepEqual(seen, ['0 of 2', '1 of 2']);
  });
  it('takes a limit of time where it may take long, and a shorter one where a pattern may run away', () => {
    const plain = (words: string) => tool('a', ['x'], { description: words, inputSchema: { description: words } });
    const refers = { inputSchema: { $ref: '#/$defs/a', $defs: { a: {} } } };
    const runs = { inputSchema: { pattern: '^(a+)+$' } };
    assert.equal(riskOf(plain('a'), plain('b')), 'none');
    assert.equal(riskOf(plain('a'), plain('b'.repeat(20_000))), 'long');
    assert.equal(riskOf(plain('a'.repeat(20_000)), plain('b')), 'long');
    for (const [more, risk] of [
      [refers, 'long'],
      [runs, 'endless'],
      [{ branches: [{ inputSchema: refers.inputSchema }] }, 'long'],
      [{ branches: [{ inputSchema: runs.inputSchema }] }, 'endless'],
      [{ outputSchema: refers.inputSchema }, 'long'],
      [{ outputSchema: runs.inputSchema }, 'endless'],
    ] as const) {
      assert.equal(riskOf(tool('a'), tool('a', [], more as never)), risk, JSON.stringify(more));
      assert.equal(riskOf(tool('a', [], more as never), tool('a')), risk, JSON.stringify(more));
    }
    for (const { inputSchema } of [refers, runs])
      assert.equal(
        riskOf(tool('a', [], { outputSchema: inputSchema }), tool('a', [], { outputSchema: inputSchema })),
        'none',
      );
  });
});

describe('changes', () => {
  it('are sorted by their level, and those of one level stay in their order', () => {
    const levels = ['compatible', 'semantic', 'breaking', 'silent', 'unclassified', 'semantic', 'breaking'];
    const sorted = worstFirst(levels.map((level, at) => ({ level, path: `${at}` }) as unknown as FoundChange));
    assert.deepEqual(
      sorted.map(({ level, path }) => `${level} ${path}`),
      ['breaking 2', 'breaking 6', 'unclassified 4', 'silent 3', 'semantic 1', 'semantic 5', 'compatible 0'],
    );
  });
  it('that are only for reports are no part of the contract', () => {
    const before = { ...tool('a'), extra: { _meta: { a: 1 }, execution: { taskSupport: 'optional' } } };
    const after = { ...tool('a'), description: 'Does it', extra: { execution: { taskSupport: 'required' } } };
    const found = diffContract(before as Contract, after as Contract);
    assert.deepEqual(found.map(({ rule }) => rule).sort(), [
      'tool-appearance-changed',
      'tool-description-changed',
      'tool-task-required',
    ]);
    assert.deepEqual(
      ofContract(found).map(({ rule }) => rule),
      ['tool-description-changed'],
    );
  });
});
