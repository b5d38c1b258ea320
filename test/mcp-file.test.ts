import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { isMcpChanged, planMcp } from '../scripts/install/mcp-file.ts';
import { readSettings } from '../scripts/install/settings-file.ts';
import { GUARD_ENTRY, GUARD_SERVER } from '../scripts/servers/own-guard.ts';
import { remove } from '../scripts/state/in-use.ts';

const fileOf = (t: TestContext, text?: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'kwg-mcp-file-'));
  t.after(() => remove(folder));
  const file = join(folder, '.mcp.json');
  if (text !== undefined) writeFileSync(file, text);
  return file;
};

const there = { mcpServers: { sky: { type: 'http', url: 'https://sky.example/mcp' } } };

const texts: Record<string, string> = {
  'two spaces': `${JSON.stringify(there, null, 2)}\n`,
  tabs: `${JSON.stringify(there, null, '\t')}\n`,
  'one line': JSON.stringify(there),
  'one line with spaces': '{ "mcpServers": { "a": { "command": "x" } } }',
  'no servers': '{"mcpServers": {}}\n',
  'something else': '{\r\n  "comment": "ours"\r\n}\r\n',
  'an empty object': '{}',
  'a byte order mark': `\ufeff${JSON.stringify(there, null, 4)}`,
};

describe('.mcp.json of a project', () => {
  for (const [name, text] of Object.entries(texts))
    it(`${name}: holds our guard beside what was there, and is the same again without it`, (t) => {
      const file = fileOf(t, text);
      const added = planMcp(readSettings(file), true);
      assert.equal(isMcpChanged(added), true);
      writeFileSync(file, added.text as string);
      const servers = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, '')).mcpServers;
      assert.deepEqual(servers[GUARD_SERVER], GUARD_ENTRY);
      // Again: nothing to do.
      const again = planMcp(readSettings(file), true, added.made);
      assert.deepEqual([again.text, isMcpChanged(again)], [added.text, false]);
      assert.equal(planMcp(readSettings(file), false, added.made).text, text);
    });

  it('is made where there is none, and goes again unless somebody added to it', (t) => {
    const file = fileOf(t);
    const added = planMcp(readSettings(file), true);
    assert.equal(isMcpChanged(added), true);
    writeFileSync(file, added.text as string);
    const removed = planMcp(readSettings(file), false, added.made);
    assert.deepEqual([removed.text, isMcpChanged(removed)], [undefined, true]);
    const more = JSON.parse(readFileSync(file, 'utf8'));
    more.mcpServers.sky = there.mcpServers.sky;
    writeFileSync(file, JSON.stringify(more));
    assert.deepEqual(JSON.parse(planMcp(readSettings(file), false, added.made).text as string), there);
  });

  it('of two members of one name, the one that counts is taken out', (t) => {
    const [theirs, ours] = [there.mcpServers, { [GUARD_SERVER]: GUARD_ENTRY }].map((servers) =>
      JSON.stringify(servers),
    );
    const file = fileOf(t, `{"mcpServers": ${theirs}, "mcpServers": ${ours}}`);
    assert.equal(planMcp(readSettings(file), false, ['/mcpServers']).text, `{"mcpServers": ${theirs}}`);
  });

  it('an older entry of ours is brought up to date; what is not ours stays', (t) => {
    const old = { ...there.mcpServers, [GUARD_SERVER]: { command: 'node', args: [GUARD_ENTRY.args.at(-1)] } };
    const file = fileOf(t, JSON.stringify({ mcpServers: old }));
    const { text } = planMcp(readSettings(file), true);
    assert.deepEqual(JSON.parse(text as string), { mcpServers: { ...there.mcpServers, [GUARD_SERVER]: GUARD_ENTRY } });
  });

  for (const [name, text, problem] of [
    [
      'another server under our name',
      { mcpServers: { [GUARD_SERVER]: { command: 'sh', args: ['x'] } } },
      /name of another server/,
    ],
    ['servers that are a list', { mcpServers: [] }, /`mcpServers` is not an object/],
    ['a list', [], /not an object/],
  ] as const)
    it(`${name}: refused, with the place`, (t) => {
      const file = fileOf(t, JSON.stringify(text));
      assert.throws(
        () => planMcp(readSettings(file), true),
        (error: Error) => problem.test(error.message) && error.message.includes(file),
      );
    });

  it('that is not JSON: refused', (t) => {
    const file = fileOf(t, '{"mcpServers": {');
    assert.throws(() => planMcp(readSettings(file), true), /not valid JSON/);
  });
});
