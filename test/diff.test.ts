import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readToolList } from '../scripts/contract/read.ts';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { AFTER, BEFORE } from '../scripts/demo/release.ts';
import { diffContract, diffLists, publicChange } from '../scripts/diff/diff.ts';
import { findRenames } from '../scripts/diff/rename.ts';
import { stopwatch } from './sandbox.ts';
import { readJsonFile, shared } from './shared.ts';

const captures = shared('corpus/captures');

describe('diff', () => {
  it('finds the four drifts of the release, each once', () => {
    const changes = diffLists(BEFORE, AFTER).map(publicChange);
    assert.deepEqual(changes, [
      {
        tool: 'get_page',
        path: '/inputSchema/properties/format/enum',
        rule: 'input-property-enum-changed',
        level: 'breaking',
        message: 'enum narrowed: dropped "html", "text", added "markdown"',
        before: ['html', 'text'],
        after: ['markdown'],
      },
      {
        tool: 'create_export',
        path: '/inputSchema/properties/region',
        rule: 'input-property-added',
        level: 'breaking',
        message: 'added: required `region`',
        after: { type: 'string', description: 'data region' },
      },
      {
        tool: 'search_reviews',
        path: '/inputSchema/properties/query',
        rule: 'input-property-renamed',
        level: 'silent',
        message:
          'renamed: `query` → `q` (the same type and the same words); pass `q`: `query` is no longer listed, only accepted like any unknown name',
        before: 'query',
        after: 'q',
      },
      {
        tool: 'get_page',
        path: '/inputSchema/properties/format/default',
        rule: 'input-property-default-changed',
        level: 'silent',
        message: 'default changed: "text" → "markdown"',
        before: 'text',
        after: 'markdown',
      },
      {
        tool: 'list_items',
        path: '/inputSchema/properties/limit/description',
        rule: 'input-property-words-changed',
        level: 'semantic',
        message: 'new description: "max results to return" → "page index (0-based)"',
        before: 'max results to return',
        after: 'page index (0-based)',
      },
    ]);
  });

  it('finds nothing between two readings of the same real answer', { skip: captures.skip }, () => {
    let count = 0;
    for (const file of readdirSync(captures.path, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.json')) continue;
      count++;
      const [a, b] = [0, 1].map(() => readToolList(readJsonFile(`${captures.path}/${file}`) as Json).tools);
      assert.deepEqual(diffLists(a ?? [], (b ?? []).reverse()), [], file);
    }
    assert.ok(count > 10, `${count} captures`);
  });

  it('quotes what a server wrote', () => {
    const tool = (description: string) => ({
      name: 'a',
      inputSchema: { type: 'object', properties: { x: { type: 'string', description } } },
    });
    const [change] = diffLists([tool('plain')], [tool('\u001b[31mred\u202e `x` "y"\nnext')]);
    assert.equal(change?.message, 'new description: "plain" → "\\u{1b}[31mred\\u{202e} \'x\' \\"y\\"\\u{a}next"');
    assert.equal(change?.brief, 'its description changed');
  });

  it('grows linearly with the number of tools', () => {
    const many = (count: number, version: string) =>
      Array.from({ length: count }, (_, index) => ({
        name: `tool_${index}`,
        inputSchema: { type: 'object', properties: { a: { type: 'string', description: version } } },
      }));
    const time = (count: number): number => {
      const [before, after] = [many(count, 'one'), many(count, 'two')];
      const start = stopwatch();
      assert.equal(diffLists(before, after).length, count);
      return start();
    };
    time(500);
    const [small, large] = [time(500), time(5_000)];
    assert.ok(large < small * 40 + 200, `${small} ms for 500 tools, ${large} ms for 5,000`);
  });
});

describe('a proof that runs out of time', () => {
  it('proves nothing', () => {
    const schema = (type: string): Json => ({
      type: 'object',
      additionalProperties: false,
      patternProperties: { '^(a+)+$': { type } },
      properties: { [`${'a'.repeat(40)}!`]: { type: 'string' }, id: { type } },
    });
    const [before, after] = ['string', 'integer'].map((type) => ({ name: 't', inputSchema: schema(type) }));
    const levels = diffContract(before as Contract, after as Contract).map(({ level }) => level);
    assert.ok(levels.includes('breaking') || levels.includes('unclassified'), levels.join());
  });
});

describe('renamed parameters', () => {
  const text = (name: string, description?: string): [string, JsonObject] => [
    name,
    { type: 'string', ...(description === undefined ? {} : { description }) },
  ];
  const pairs = (removed: [string, JsonObject][], added: [string, JsonObject][]): string[] =>
    findRenames(removed, added).map(({ from, to }) => `${from} → ${to}`);

  it('are paired by the best evidence, each once', () => {
    assert.deepEqual(
      pairs([text('user_id', 'Who'), text('place', 'Where')], [text('spot', 'Where'), text('userId', 'Who')]),
      ['user_id → userId', 'place → spot'],
    );
  });

  it('are not guessed by weaker evidence where the best fits two', () => {
    assert.deepEqual(pairs([text('user_id')], [text('userId'), text('user-id'), text('user')]), []);
    assert.deepEqual(pairs([text('user_id'), text('userId')], [text('user-id'), text('user')]), []);
  });
});
