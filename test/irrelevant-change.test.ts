// Changes of a tool that are irrelevant to a call lead to no notice; changes that may matter still do.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { diffLists } from '../scripts/diff/diff-lists.ts';
import { workbench } from './lock-bench.ts';
import { drive, sandbox, stopwatch, tool } from './sandbox.ts';

interface Case {
  what: string;
  before: Contract;
  after: Contract;
  args?: JsonObject;
  gives: 'silence' | 'notice' | 'ask' | 'deny';
}

let count = 0;
const nextName = (): string =>
  `find_authors_${'abcdefghijklmnopqrstuvwxyz'[Math.floor(count / 26)]}${'abcdefghijklmnopqrstuvwxyz'[count++ % 26]}`;

const described = (before: string, after: string): Pick<Case, 'before' | 'after'> => {
  const one = tool(nextName(), { author: { type: 'string' } });
  return { before: { ...one, description: before }, after: { ...one, description: after } };
};

const parameter = (before: JsonObject, after: JsonObject, rest: [JsonObject, JsonObject] = [{}, {}]) => {
  const name = nextName();
  return { before: tool(name, { author: before }, rest[0]), after: tool(name, { author: after }, rest[1]) };
};

const said = (before: string, after: string): Pick<Case, 'before' | 'after' | 'args'> => ({
  ...parameter({ type: 'string', description: before }, { type: 'string', description: after }),
  args: { author: 'x' },
});

const hinted = (before: JsonObject | undefined, after: JsonObject | undefined): Pick<Case, 'before' | 'after'> => {
  const one = tool(nextName(), { author: { type: 'string' } });
  return {
    before: { ...one, ...(before ? { annotations: before } : {}) },
    after: { ...one, ...(after ? { annotations: after } : {}) },
  };
};

const text: JsonObject = { type: 'string' };
const flag = (description: string): JsonObject => ({ type: 'boolean', description });
const describedAs = (description: string): JsonObject => ({ type: 'string', description });

/** A tool with one more parameter, and one with one less. */
const added = (more: JsonObject): Pick<Case, 'before' | 'after'> => {
  const name = nextName();
  return { before: tool(name, { author: text }), after: tool(name, { author: text, more }) };
};
const removed = (more: JsonObject): Pick<Case, 'before' | 'after'> => {
  const { before, after } = added(more);
  return { before: after, after: before };
};

const CASES: Case[] = [
  { what: 'more room, another line', ...said('Name\nor address', '  Name or\n\naddress '), gives: 'silence' },
  { what: 'a full stop, a capital, an article', ...said('name of author', 'The name of an author.'), gives: 'silence' },
  {
    what: 'a relation that the names tell',
    ...said('Name or address', 'Name or address of the author'),
    gives: 'silence',
  },
  { what: 'one more thing that it takes', ...said('Name', 'Name, or a nickname'), gives: 'notice' },
  { what: 'that it may be left out', ...said('Name', 'Name (optional)'), gives: 'silence' },
  {
    what: 'a label whose word is known',
    ...described('Finds the author', 'Authors | Finds the author'),
    gives: 'silence',
  },
  { what: 'a unit', ...said('The time to wait', 'The time to wait, in seconds'), gives: 'ask' },
  { what: 'what a limit counts', ...said('max results', 'max results per page'), gives: 'ask' },
  { what: 'what a number counts from', ...said('The page (1-based)', 'The page (0-based)'), gives: 'ask' },
  { what: 'another sign between two numbers', ...said('given as <lat>x<lon>', 'given as <lat>,<lon>'), gives: 'ask' },
  { what: 'another sign, and no letter changed', ...said('given as lat,lon', 'given as lat;lon'), gives: 'ask' },
  { what: 'another order of the parts', ...said('lat, lon', 'lon, lat'), gives: 'ask' },
  { what: 'another separator', ...said('separated by ,', 'separated by ;'), gives: 'ask' },
  { what: 'another case of a value', ...said('one of open, closed', 'one of Open, Closed'), gives: 'ask' },
  { what: 'one value less, which looks like an article', ...said('one of a, b, c', 'one of b, c'), gives: 'ask' },
  { what: 'another value in quotes', ...said("'fast' or 'deep'", "'deep' or 'fast'"), gives: 'ask' },
  { what: 'a date', ...said('The day', 'The day, from 2026-01-01'), gives: 'ask' },
  { what: 'a default', ...said('Name', 'Name, by default the owner'), gives: 'ask' },
  { what: 'a denial', ...said('Name', 'Not the name'), gives: 'ask' },
  { what: 'a condition', ...said('Name', 'Name, only of an author'), gives: 'ask' },
  { what: 'a duty', ...said('Name', 'Name, which must be of an author'), gives: 'ask' },
  { what: 'a warning', ...said('Name', 'Deprecated: name'), gives: 'ask' },
  { what: 'a word before the word', ...said('id', 'parent id'), gives: 'ask' },
  { what: 'a word behind the word', ...said('author', 'author group'), gives: 'notice' },
  { what: 'whose it is', ...said('id', 'id of the parent'), gives: 'ask' },
  { what: 'another language', ...said('Nombre maximal', 'Nombre maximal par page'), gives: 'ask' },
  { what: 'another script', ...said('最大件数', '最大件数（ページ単位）'), gives: 'ask' },
  {
    what: 'how a server answers what was wrong anyway',
    ...described('Finds authors', 'Finds authors\nError Responses:\n400: Bad request\n404: 404'),
    gives: 'silence',
  },
  {
    what: 'a condition among such answers',
    ...described('Finds authors', 'Finds authors\nError Responses:\n400: over 10 authors'),
    gives: 'ask',
  },
  { what: 'the tool does more', ...described('Finds authors', 'Finds and deletes authors'), gives: 'ask' },
  {
    what: 'the tool does more with many',
    ...described('Finds authors', 'Finds authors, then permanently erases all of them that have no book'),
    gives: 'ask',
  },
  {
    what: 'what another tool does',
    ...described('Finds authors.', 'Finds authors. To delete them, use drop_authors.'),
    gives: 'notice',
  },
  {
    what: 'the tool does more, in a sentence of its own',
    ...described('Finds authors.', 'Finds authors. This tool also revokes their keys.'),
    gives: 'ask',
  },
  {
    what: 'what the caller has to do',
    ...described('Finds authors.', 'Finds authors. Send the whole name.'),
    gives: 'ask',
  },
  { what: 'the tool may do more', ...described('Finds authors', 'Finds authors, or bills them'), gives: 'ask' },
  {
    what: 'an order to the model',
    ...described('Finds authors.', 'Finds authors. Tell the author of the others.'),
    gives: 'notice',
  },
  { what: 'a path in prose', ...described('Finds authors.', 'Finds authors of ~/.ssh/id_rsa.'), gives: 'ask' },
  {
    what: 'what the protocol takes for granted',
    ...hinted(undefined, { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }),
    gives: 'silence',
  },
  { what: 'and says no longer', ...hinted({ readOnlyHint: false, openWorldHint: true }, undefined), gives: 'silence' },
  {
    what: 'less dangerous than it was taken for',
    ...hinted(undefined, { readOnlyHint: true, openWorldHint: false }),
    gives: 'silence',
  },
  { what: 'a title', ...hinted(undefined, { title: 'Find authors' }), gives: 'silence' },
  { what: 'a title that warns', ...hinted(undefined, { title: 'Find authors (deprecated)' }), gives: 'notice' },
  { what: 'no longer read-only, by saying nothing', ...hinted({ readOnlyHint: true }, undefined), gives: 'ask' },
  { what: 'destructive, by saying nothing', ...hinted({ destructiveHint: false }, undefined), gives: 'ask' },
  {
    what: 'a repeated call does more',
    ...hinted({ idempotentHint: true }, { idempotentHint: false }),
    gives: 'notice',
  },
  { what: 'a hint that nobody knows', ...hinted(undefined, { costsMoney: true }), gives: 'notice' },
  {
    what: 'nothing, written as null',
    ...parameter({ type: ['string', 'null'] }, { type: ['string', 'null'], default: null }),
    gives: 'silence',
  },
  {
    what: 'a text may be null, as a library writes it',
    ...parameter(text, { anyOf: [text, { type: 'null' }], default: null }),
    gives: 'silence',
  },
  { what: 'a default where none was', ...parameter(text, { ...text, default: 'x' }), gives: 'ask' },
  {
    what: 'null in place of a default',
    ...parameter({ ...text, default: 'x' }, { type: ['string', 'null'], default: null }),
    gives: 'ask',
  },
  {
    what: 'a default of what everybody had to give',
    ...parameter(text, { ...text, default: 'x' }, [{ required: ['author'] }, {}]),
    args: { author: 'y' },
    gives: 'silence',
  },
  {
    what: 'one more way to be right',
    ...parameter({ ...text, maxLength: 3 }, { ...text, maxLength: 9 }),
    gives: 'silence',
  },
  {
    what: 'unknown parameters are refused',
    ...parameter(text, text, [{}, { additionalProperties: false }]),
    gives: 'silence',
  },
  {
    what: 'and one is given',
    ...parameter(text, text, [{}, { additionalProperties: false }]),
    args: { other: 1 },
    gives: 'deny',
  },
  {
    what: 'a map of anything takes nothing',
    ...parameter({ type: 'object' }, { type: 'object', additionalProperties: false }),
    gives: 'notice',
  },
  {
    what: 'more is taken, and a parameter is declared nowhere any more',
    ...parameter(
      { type: 'object', properties: { x: text }, anyOf: [{ properties: { old: text } }] },
      { type: 'object', properties: { x: text } },
    ),
    args: { author: { x: 'y' } },
    gives: 'notice',
  },
  { what: 'one more parameter', ...added(text), gives: 'silence' },
  { what: 'one more, off by default', ...added({ type: 'boolean', default: false }), gives: 'silence' },
  {
    what: 'one more, and its words say that it is off',
    ...added(describedAs('Draft (defaults to false)')),
    gives: 'silence',
  },
  { what: 'one more, on by default', ...added({ type: 'boolean', default: true }), gives: 'notice' },
  {
    what: 'one more, and its words say that it is on',
    ...added(describedAs('Compress. On by default.')),
    gives: 'notice',
  },
  {
    what: 'one more, which is on and overwrites something',
    ...added({ type: 'boolean', default: true, description: 'Overwrite what is there' }),
    gives: 'ask',
  },
  { what: 'one more, which is on and sends something', ...added(flag('Send a mail. Defaults to true.')), gives: 'ask' },
  {
    what: 'one more, which is a strong word',
    ...added({ enum: ['skip', 'replace'], default: 'replace' }),
    gives: 'ask',
  },
  {
    what: 'one more, which could overwrite something and does not by default',
    ...added({ enum: ['skip', 'ask'], default: 'skip', description: 'Whether to overwrite what is there' }),
    gives: 'notice',
  },
  {
    what: 'one more, which overwrites and is off',
    ...added({ type: 'boolean', default: false, description: 'Overwrite what is there' }),
    gives: 'silence',
  },
  {
    what: 'one more, for calls that name none',
    ...added(describedAs('The billing address is taken where no other is named')),
    gives: 'notice',
  },
  {
    what: 'one more, without which nothing is done',
    ...added(flag('Set to true to really move it; it is only checked when false')),
    gives: 'notice',
  },
  { what: 'one more that has to be there after all', ...added(describedAs('Required for books')), gives: 'notice' },
  {
    what: 'one more that tells what happens without it',
    ...added(describedAs('If omitted, 10 days')),
    gives: 'notice',
  },
  { what: 'one more, in words that nobody here reads', ...added(describedAs('省略時は10日')), gives: 'notice' },
  {
    what: 'one more, with a part that is on by default',
    ...added({ type: 'object', properties: { on: describedAs('Ask others. On by default.') } }),
    gives: 'notice',
  },
  { what: 'one more that nobody can read', ...added({ $ref: 'https://schemas.test/more.json' }), gives: 'notice' },
  { what: 'one more value', ...parameter({ enum: ['a', 'b'] }, { enum: ['a', 'b', 'c'] }), gives: 'silence' },
  {
    what: 'one more form',
    ...parameter({ anyOf: [text] }, { anyOf: [text, { type: 'integer' }] }),
    args: { author: 'x' },
    gives: 'silence',
  },
  { what: 'words that went', ...parameter(describedAs('Name'), text), args: { author: 'x' }, gives: 'notice' },
  { what: 'one parameter less, which is not given', ...removed(text), gives: 'silence' },
  { what: 'one less, which is given', ...removed(text), args: { more: 'x' }, gives: 'deny' },
  { what: 'one less, which was on', ...removed({ type: 'boolean', default: true }), gives: 'ask' },
  { what: 'one less, which was off', ...removed({ type: 'boolean', default: false }), gives: 'silence' },
  { what: 'one less, which limited something', ...removed({ type: 'integer', default: 10 }), gives: 'notice' },
  { what: 'one less, which began somewhere', ...removed({ ...text, default: '2024-02-01' }), gives: 'notice' },
  {
    what: 'one less, which named a version',
    ...removed({ ...describedAs('Version of the service'), default: '2024-02' }),
    gives: 'silence',
  },
  {
    what: 'one less, which began with a version',
    ...removed({ type: 'integer', description: 'The first version to list', default: 2 }),
    gives: 'notice',
  },
  { what: 'one less, which chose something', ...removed({ enum: ['safe', 'fast'], default: 'safe' }), gives: 'ask' },
  { what: 'one less, which said something', ...removed({ ...text, default: 'status:open' }), gives: 'ask' },
  {
    what: 'one less, which had to be switched off',
    ...removed(flag('Trial run. Set to false to send.')),
    gives: 'ask',
  },
  {
    what: 'one less, which was off, and told how to switch it off',
    ...removed({ ...flag('Send a mail. Set to false to stop that.'), default: false }),
    gives: 'notice',
  },
  { what: 'one less, which had to be switched on', ...removed(flag('Set to true to send.')), gives: 'silence' },
  { what: 'one less, which was no switch', ...removed(describedAs('Use "no" for Norway')), gives: 'silence' },
  { what: 'one less, whose words say that it was on', ...removed(describedAs('Defaults to true')), gives: 'notice' },
  {
    what: 'other words of what is not given',
    ...parameter(describedAs('Name'), describedAs('Colour')),
    gives: 'silence',
  },
  {
    what: 'other words of what is not given, and has a default',
    ...parameter({ ...describedAs('Results'), default: 10 }, { ...describedAs('Page'), default: 10 }),
    gives: 'notice',
  },
  {
    what: 'other words of what is not given, on calls without it',
    ...parameter(describedAs('Name'), describedAs('Name; if omitted, of all')),
    gives: 'notice',
  },
  {
    what: 'a word on calls that leave it out, for one that does not',
    ...said('Files to upload. One or several.', 'Files to upload. One or several. If omitted, nothing is uploaded.'),
    gives: 'silence',
  },
  {
    what: 'an indented line on calls that leave it out, for one that does not',
    ...said('Folder to search', 'Folder to search\n   When unset, the working folder is searched.'),
    gives: 'silence',
  },
  {
    what: 'a word on calls that leave it out, for one of them',
    ...parameter(describedAs('Files to upload.'), describedAs('Files to upload. If omitted, nothing is uploaded.')),
    gives: 'notice',
  },
  {
    what: 'another default in words, for a call that does not rely on it',
    ...said('Folder to search. Default: all folders.', "Folder to search. Default: the user's working folder."),
    gives: 'silence',
  },
  {
    what: 'another default in words, for a call that does',
    ...parameter(
      describedAs('Folder to search. Default: all folders.'),
      describedAs("Folder to search. Default: the user's working folder."),
    ),
    gives: 'ask',
  },
  {
    what: 'a default in words that tells the unit, too',
    ...said('How long to wait.', 'How long to wait. Defaults to a minute.'),
    gives: 'ask',
  },
  {
    what: 'a default in words that tells how others are named, too',
    ...said('The author.', "The author. Default: the caller's login."),
    gives: 'ask',
  },
  {
    what: 'a default in words that tells more',
    ...said('The author.', 'The author. Defaults to nobody, which removes authors.'),
    gives: 'ask',
  },
  {
    what: 'a word on calls that leave it out, and another on those that do not',
    ...said('Files to upload.', 'Files to delete. If omitted, nothing is deleted.'),
    gives: 'ask',
  },
  { what: 'a name before it all', ...described('Finds authors', 'Acme | Finds authors'), gives: 'silence' },
  { what: 'a warning before it all', ...described('Finds authors', 'Dangerous | Finds authors'), gives: 'ask' },
  { what: 'a title that the name is made of', ...parameter(text, { ...text, title: 'Author' }), gives: 'silence' },
  { what: 'another title', ...parameter(text, { ...text, title: 'Owner' }), gives: 'notice' },
];

// biome-ignore lint/suspicious/noExplicitAny: what a hook printed is what the test is about
const kindOf = (answer: any): Case['gives'] =>
  answer?.hookSpecificOutput?.permissionDecision ?? (answer?.systemMessage === undefined ? 'silence' : 'notice');

/** An unchanged tool. Its call is the first after the release, and so carries the line about it. */
const SAME = tool('same', {});
const hearsOfIt = async (box: Awaited<ReturnType<typeof sandbox>>): Promise<void> =>
  assert.match((await box.call('same')).answer.systemMessage, /since this session started/);

describe('an irrelevant change', () => {
  it('is what no call is told of, and nothing else is', async (test) => {
    const box = await sandbox(test, [SAME, ...CASES.map(({ before }) => before)], { freshFor: 0 });
    await box.start();
    box.release([SAME, ...CASES.map(({ after }) => after)]);
    await hearsOfIt(box);
    const found: string[] = [];
    for (const { what, before, args } of CASES) {
      const { answer, stderr } = await box.call(before.name, args ?? {});
      assert.equal(stderr, '', what);
      found.push(`${what}: ${kindOf(answer)}`);
    }
    assert.deepEqual(
      found,
      CASES.map(({ what, gives }) => `${what}: ${gives}`),
    );
  });

  it('is told quickly, whatever a text consists of, and so are renames in long lists', () => {
    for (const part of ['(', '.', '*)', 'a-', "a'", 'a. ', '- \n', '\n', 'the ', ').!', '…']) {
      const long = part.repeat(Math.floor(4_900 / part.length));
      const [before, after] = [`a${long}a`, `a${long}ab`].map((description) => ({ ...tool('t', {}), description }));
      const elapsed = stopwatch();
      assert.equal(diffContract(before as Contract, after as Contract).length, 1);
      assert.ok(elapsed() < 250, `${part}: ${elapsed()} ms`);
    }
    const many = (prefix: string) => Array.from({ length: 5_000 }, (_, index) => tool(`${prefix}${index}`, {}));
    const elapsed = stopwatch();
    assert.equal(diffLists(many('get-'), many('get_')).length, 5_000);
    assert.equal(diffLists(many('a'), many('b')).length, 10_000);
    assert.ok(elapsed() < 4_000, `${elapsed()} ms`);
  });

  it('is silent about a call and not about the next one, which does not fit', async (test) => {
    const [before, after] = [tool('find', { a: text }), tool('find', { a: text }, { additionalProperties: false })];
    const box = await sandbox(test, [before, SAME]);
    await box.start();
    box.show([before], 'aaa1');
    box.release([after, SAME]);
    await hearsOfIt(box);
    for (const _look of [1, 2]) assert.equal((await box.call('find', { a: 'x' })).stdout, '');
    const { answer } = await box.call('find', { b: 'x' });
    assert.equal(kindOf(answer), 'deny');
    assert.equal((await box.call('find', { a: 'x' })).stdout, '');
  });

  it('is silent about a parameter that a call does not pass, and not about the next one, which does', async (test) => {
    const [before, after] = [tool('find', { a: text, b: text }), tool('find', { a: text })];
    const box = await sandbox(test, [before, SAME]);
    await box.start();
    box.show([before], 'aaa1');
    box.release([after, SAME]);
    await hearsOfIt(box);
    for (const _look of [1, 2]) assert.equal((await box.call('find', { a: 'x' })).stdout, '');
    assert.equal(kindOf((await box.call('find', { a: 'x', b: 'x' })).answer), 'deny');
  });

  it('is told in mode strict, which stops calls of every changed tool', async (test) => {
    const { before, after } = said('Name', 'Name (optional)');
    const box = await sandbox(test, [before], { freshFor: 0, mode: 'strict' });
    await box.start();
    box.release([after]);
    assert.equal(kindOf((await box.call(before.name, { author: 'x' })).answer), 'deny');
  });

  it('is shown beside a relevant one', async (test) => {
    const [before, after] = [
      tool('find', { author: { ...text, description: 'Name' } }),
      tool('find', { author: { ...text, description: 'Name (optional)' }, more: { ...text, default: 'x' } }),
    ];
    const box = await sandbox(test, [before]);
    await box.start();
    box.release([after]);
    const { answer } = await box.call('find', { author: 'x' });
    assert.match(answer.systemMessage, /2 compatible.*added: optional `more`.*new description/s);
  });

  it('is a change for `diff`, and `explain` says why nobody hears of it', async (test) => {
    const { before, after } = said('Name', 'Name (optional)');
    const box = await sandbox(test, [before]);
    const [old, now] = [join(box.home, 'old.json'), join(box.home, 'new.json')];
    writeFileSync(old, JSON.stringify({ tools: [before] }));
    writeFileSync(now, JSON.stringify({ tools: [after] }));
    const { answer } = await drive('cli.cjs', null, box.env, ['diff', old, now, '--json']);
    assert.deepEqual(
      answer.data.changes.map(({ rule, level }: JsonObject) => `${rule} ${level}`),
      ['input-property-words-changed compatible'],
    );
    await box.start();
    box.release([after]);
    const explained = await drive(
      'cli.cjs',
      JSON.stringify(box.input(before.name, { author: 'x' })),
      box.env,
      ['explain'],
      true,
    );
    assert.match(explained.stdout, /verdict: +silence: none of these changes is a reason to hold this call/);
    assert.doesNotMatch(explained.stdout, /nothing changed, the call goes through/);
  });

  it('is no yes of a person: whoever pinned the old words is asked about the new ones', async (test) => {
    const { before, after } = said('Name', 'Name (optional)');
    const bench = await workbench(test, [before]);
    await bench.pinned();
    bench.release([after]);
    const { code, data } = await bench.envelope(['verify', '--level', 'semantic']);
    assert.equal(code, 1);
    assert.deepEqual(
      data.changes.map(({ rule, level }: JsonObject) => `${rule} ${level}`),
      ['input-property-words-changed semantic'],
    );
    await bench.start();
    const { answer } = await bench.call(before.name, { author: 'x' });
    assert.equal(kindOf(answer), 'ask');
    assert.match(answer.hookSpecificOutput.permissionDecisionReason, /is not the contract that is pinned/);
  });
});
