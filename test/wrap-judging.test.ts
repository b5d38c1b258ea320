// Full tier: a process between two others.
// Calls through wrap after their tool has changed: the built command, with a real program behind it.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { runBuilt, tool } from './sandbox.ts';
import { startWrapped, type Wrapped } from './wrapped.ts';

const text = (description: string): JsonObject => ({ type: 'string', description });
const open = { required: ['room'] };
const A = tool('book', { room: text('name of the room'), floor: text('where it is') }, open);
/** `room` has another name, and `building` is needed. */
const B = tool('book', { room_id: text('id of the room'), building: text('which house') }, { required: ['room_id'] });
/** The words of `floor` say something else. */
const C = tool('book', { room: text('name of the room'), floor: text('which lift to take') }, open);
const PASSED = /^served /;
const STOPPED = /^konnichiwagwan stopped this call: /;
/** Words about a single host, which must not be in messages for all hosts. */
const FOREIGN = /mcp__|\/mcp|\/clear|Claude/;

const passes = async (wrapped: Wrapped, name: string, args: JsonObject): Promise<void> => {
  const { text: told, isError } = await wrapped.call(name, args);
  assert.match(told, PASSED);
  assert.equal(isError, false);
};
const isStopped = async (wrapped: Wrapped, name: string, args: JsonObject): Promise<string> => {
  const before = wrapped.arrived().length;
  const { text: told, isError } = await wrapped.call(name, args);
  assert.match(told, STOPPED);
  assert.doesNotMatch(told, FOREIGN);
  assert.equal(isError, true);
  assert.equal(wrapped.arrived().length, before, 'the server never saw it');
  return told;
};
/** The call that a message proposes. */
const proposed = (told: string): [string, JsonObject] => {
  const [, name = '', args = ''] = /with its new names: (\S+) (\{.*\})$/m.exec(told) ?? [];
  return [name, JSON.parse(args)];
};
const activity = ({ state }: Wrapped): JsonObject[] => {
  const folder = join(state, 'activity');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean))
    .map((line) => JSON.parse(line));
};

describe('a call through wrap', () => {
  it('that a release does not touch tells the person of it, once, and not the model', async (t) => {
    const other = tool('other', { id: { type: 'integer' } });
    const wrapped = await startWrapped(t, [A, other]);
    await wrapped.list();
    await passes(wrapped, 'book', { room: 'Blue' });
    assert.equal(wrapped.stderr(), '');
    wrapped.release([A, { ...other, description: 'Finds another one.' }, tool('third', {})]);
    await passes(wrapped, 'book', { room: 'Blue' });
    await passes(wrapped, 'book', { room: 'Blue' });
    const lines = wrapped.stderr().split('\n').filter(Boolean);
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.match(
      lines[0] as string,
      /since this session started, the tools of `.*` changed \(changed: `other`; new: `third`\)/,
    );
    assert.deepEqual(
      activity(wrapped).map(({ verdict }) => verdict),
      ['silence', 'notice', 'silence'],
    );
  });

  it('is told in a release what becomes of it by the mode that is set', async (t) => {
    const other = tool('other', { id: { type: 'integer' } });
    for (const [config, then] of [
      [{}, /A call that relies on what changed is stopped, or asked about first\.$/m],
      [{ servers: { demo: { mode: 'warn' } } }, /A call that relies on what changed is sent, and the change is told/],
    ] as [JsonObject, RegExp][]) {
      const wrapped = await startWrapped(t, [A, other], { config });
      await wrapped.list();
      wrapped.release([A, { ...other, description: 'Finds another one.' }]);
      await passes(wrapped, 'book', { room: 'Blue' });
      assert.match(wrapped.stderr(), then);
    }
  });

  it('passes as it came while nothing changed, also where the server refuses it itself', async (t) => {
    const wrapped = await startWrapped(t, [A]);
    await wrapped.list();
    await passes(wrapped, 'book', { room: 'Blue' });
    await passes(wrapped, 'book', { nothing: 'that it knows' });
    assert.deepEqual(
      wrapped.arrived().map(({ arguments: args }) => args),
      [{ room: 'Blue' }, { nothing: 'that it knows' }],
    );
  });

  it('is stopped where it is wrong now, and the call that is proposed passes', async (t) => {
    const wrapped = await startWrapped(t, [A]);
    await wrapped.list();
    wrapped.release([tool('book', { room_name: text('name of the room') }, { required: ['room_name'] })]);
    const told = await isStopped(wrapped, 'book', { room: 'Blue' });
    assert.match(told, /`book` \(server `demo`\) changed after this conversation learned it\./);
    assert.match(told, /renamed: `room` → `room_name`/);
    assert.match(told, /Call it like this now: book\(room_name: string\)/);
    assert.deepEqual(proposed(told), ['book', { room_name: 'Blue' }]);
    await passes(wrapped, ...proposed(told));
    // A notice does not change that: the old call stays wrong.
    await isStopped(wrapped, 'book', { room: 'Blue' });
  });

  it('by the form that a stop named is stopped where the server goes back, or on, and the host lists nothing again', async (t) => {
    const onlyRoom = tool('book', { room_id: text('name of the room') }, { required: ['room_id'] });
    const third = tool('book', { room_name: text('name of the room') }, { required: ['room_name'] });
    const older = tool('book', { room: text('name of the room') }, { required: ['room'] });
    const loose = { ...older, inputSchema: { ...(older.inputSchema as JsonObject), required: [] } };
    for (const mode of ['guard', 'strict']) {
      const wrapped = await startWrapped(t, [loose], { config: { mode } });
      await wrapped.list();
      wrapped.release([onlyRoom]);
      await isStopped(wrapped, 'book', { room: 'Blue' });
      wrapped.release([loose]);
      const told = await isStopped(wrapped, 'book', { room_id: 'Blue' });
      assert.match(told, /renamed: `room_id` → `room`/);
      assert.doesNotMatch(told, /The mode is strict/, 'the next call passes');
      await passes(wrapped, 'book', { room: 'Blue' });
      wrapped.release([third]);
      await isStopped(wrapped, 'book', { room: 'Blue' });
      if (mode === 'guard') await passes(wrapped, 'book', { room_name: 'Blue' });
    }
  });

  it('is stopped, too, where another one was under way when a stop told what changed, or where that one was taken back', async (t) => {
    const wrapped = await startWrapped(t, [A]);
    await wrapped.list();
    wrapped.release([C]);
    wrapped.notify('tools/call', { name: 'book', arguments: { room: 'Blue', floor: '2' } });
    const args = { room: 'Blue', floor: '2' };
    const taken = wrapped.request('tools/call', { name: 'book', arguments: args });
    taken.catch(() => {});
    wrapped.notify('notifications/cancelled', { requestId: 2 });
    const together = ['1', '2', '3', '4'].map((floor) => isStopped(wrapped, 'book', { room: 'Blue', floor }));
    await Promise.all(together);
    await passes(wrapped, 'book', args);
  });

  it('is stopped, too, where the host sends the calls of one turn one after the other', async (t) => {
    const wrapped = await startWrapped(t, [A]);
    await wrapped.list();
    wrapped.release([C]);
    const [first, ...more] = ['1', '2', '3'].map((floor) => ({ room: 'Blue', floor }));
    await isStopped(wrapped, 'book', first as JsonObject);
    for (const args of more) {
      const { result } = await wrapped.request('tools/call', { name: 'book', arguments: args });
      assert.equal((result as JsonObject).isError, true, 'no model has read the stop yet');
    }
    await passes(wrapped, 'book', first as JsonObject);
    assert.deepEqual(wrapped.arrived().length, 1);
  });

  it('by words that a stop told is stopped where the server goes back, or changes as before', async (t) => {
    const args = { room: 'Blue', floor: '2' };
    for (const isTrusted of [true, false]) {
      const wrapped = await startWrapped(t, [A], { words: ['--name', 'demo', ...(isTrusted ? ['--trust'] : [])] });
      await wrapped.list();
      wrapped.release([C]);
      await isStopped(wrapped, 'book', args);
      await passes(wrapped, 'book', args);
      wrapped.release([A]);
      // The words of a server without trust were not told.
      if (isTrusted) await isStopped(wrapped, 'book', args);
      await passes(wrapped, 'book', args);
      await wrapped.list();
      wrapped.release([C]);
      await isStopped(wrapped, 'book', args);
      await passes(wrapped, 'book', args);
    }
  });

  it('is judged by all that was served: right by the newest passes at once, right by an older one alone does not', async (t) => {
    const wrapped = await startWrapped(t, [A]);
    await wrapped.list();
    wrapped.release([B]);
    await wrapped.list();
    await passes(wrapped, 'book', { room_id: 'b1', building: 'x' });
    await isStopped(wrapped, 'book', { room: 'Blue' });
    // B accepts the parameter, and would ignore it.
    await isStopped(wrapped, 'book', { room_id: 'b1', floor: '2' });
    await passes(wrapped, 'book', { room_id: 'b1' });
  });

  it('is stopped once where words changed that it relies on, whichever contract the model knows', async (t) => {
    for (const listsAgain of [false, true]) {
      const wrapped = await startWrapped(t, [A]);
      await wrapped.list();
      wrapped.release([C]);
      if (listsAgain) await wrapped.list();
      await passes(wrapped, 'book', { room: 'Blue' });
      const told = await isStopped(wrapped, 'book', { room: 'Blue', floor: '2' });
      assert.match(told, /`floor`: its description changed/);
      assert.doesNotMatch(told, /lift/, 'its words are for trusted servers');
      assert.match(told, /make it again/);
      await passes(wrapped, 'book', { room: 'Blue', floor: '2' });
      await passes(wrapped, 'book', { room: 'Red', floor: '3' });
    }
  });

  it('is told new words where the server is trusted, by the option or by the settings', async (t) => {
    for (const options of [
      { words: ['--name', 'demo', '--trust'] },
      { config: { servers: { demo: { trusted: true } } } },
    ]) {
      const wrapped = await startWrapped(t, [A], options);
      await wrapped.list();
      wrapped.release([C]);
      const told = await isStopped(wrapped, 'book', { room: 'Blue', floor: '2' });
      assert.match(told, /"where it is" → "which lift to take"/);
      await passes(wrapped, 'book', { room: 'Blue', floor: '2' });
    }
  });

  it('is told all at once, so that what is corrected is not stopped for something else', async (t) => {
    const wrapped = await startWrapped(t, [A]);
    await wrapped.list();
    wrapped.release([
      tool(
        'book',
        { room_name: text('name of the room'), floor: text('which lift to take') },
        { required: ['room_name'] },
      ),
    ]);
    const told = await isStopped(wrapped, 'book', { room: 'Blue', floor: '2' });
    assert.match(told, /renamed: `room`/);
    assert.match(told, /`floor`: its description changed/);
    await passes(wrapped, ...proposed(told));
  });

  it('of a tool that is gone is stopped, and its successor is named', async (t) => {
    const other = tool('other', {});
    const wrapped = await startWrapped(t, [A, other]);
    await wrapped.list();
    wrapped.release([{ ...A, name: 'book_room' }, other]);
    const told = await isStopped(wrapped, 'book', { room: 'Blue' });
    assert.match(told, /is gone: the server no longer has this tool/);
    assert.match(told, /The server has book_room\(room: string, floor\?: string\) now/);
    await wrapped.list();
    assert.match(await isStopped(wrapped, 'book', { room: 'Blue' }), /The server has book_room/);
    await passes(wrapped, 'book_room', { room: 'Blue' });
  });

  it('passes unchecked where nothing was ever listed: people are told once, the model with each answer', async (t) => {
    const wrapped = await startWrapped(t, [A]);
    for (let time = 0; time < 2; time++) {
      const { text, isError } = await wrapped.call('book', { room: 'Blue' });
      assert.match(text, /^konnichiwagwan could not check this call of `book`.* was never given.*\nserved book/);
      assert.equal(isError, false);
    }
    assert.equal(wrapped.stderr().split('could not check').length, 2, wrapped.stderr());
    assert.deepEqual(
      activity(wrapped).map(({ verdict }) => verdict),
      ['unchecked', 'unchecked'],
    );
  });

  it('that cannot be checked passes, but in mode strict', async (t) => {
    for (const mode of ['guard', 'strict']) {
      const wrapped = await startWrapped(t, [A], { config: { mode } });
      await wrapped.list();
      wrapped.release([{ ...A, inputSchema: 'what no schema is' } as Contract]);
      const { text: told, isError } = await wrapped.call('book', { room: 'Blue' });
      if (mode === 'guard') assert.match(told, /^konnichiwagwan could not check .* cannot be read.*\nserved book/);
      else assert.match(told, /could not check this call of `book`.*The mode is strict, so nothing was sent/);
      assert.equal(isError, mode === 'strict');
    }
  });

  it('is stopped by the mode that is set: for all servers, for one, or by the project', async (t) => {
    const call = { room: 'Blue' };
    const after = async (config: JsonObject, project: JsonObject, now: Contract): Promise<string> => {
      const wrapped = await startWrapped(t, [A], { config });
      writeProject(wrapped, project);
      await wrapped.list();
      wrapped.release([now]);
      return (await wrapped.call('book', call)).text;
    };
    assert.match(await after({ mode: 'off' }, {}, B), PASSED);
    assert.match(
      await after({ mode: 'warn' }, {}, B),
      /relies on what changed. The mode is warn, so it was sent[\s\S]*\nserved/,
    );
    assert.match(await after({ mode: 'off' }, { mode: 'guard' }, B), STOPPED);
    assert.match(await after({ servers: { demo: { mode: 'off' } } }, {}, B), PASSED);
    assert.match(await after({ servers: { other: { mode: 'off' } } }, {}, B), STOPPED);
    // The call is valid, and uses nothing that changed.
    assert.match(await after({}, {}, C), PASSED);
    assert.match(await after({ mode: 'strict' }, {}, C), /The mode is strict: no call of a changed tool/);
  });

  it('leaves a line in the activity log, with names and verdict alone', async (t) => {
    const wrapped = await startWrapped(t, [A]);
    await wrapped.list();
    await passes(wrapped, 'book', { room: 'a secret room' });
    wrapped.release([B]);
    await isStopped(wrapped, 'book', { room: 'a secret room' });
    const lines = activity(wrapped);
    assert.deepEqual(
      lines.map(({ server, tool: name, verdict, level }) => ({ server, name, verdict, level })),
      [
        { server: 'demo', name: 'mcp__demo__book', verdict: 'silence', level: undefined },
        { server: 'demo', name: 'mcp__demo__book', verdict: 'deny', level: 'breaking' },
      ],
    );
    assert.equal(new Set(lines.map(({ session }) => session)).size, 1, 'one connection is one session');
    assert.doesNotMatch(JSON.stringify(lines), /secret/);
    const env = { HOME: wrapped.state, KONNICHIWAGWAN_HOME: wrapped.state };
    const used = await runBuilt('cli.cjs', null, env, ['usage', '--json']);
    assert.match(used.stdout, /mcp__demo__book/);
  });

  it('is judged, and sent, without what Gemini CLI adds to every call; any other host means what it sends', async (t) => {
    const closed = tool('book', { room: text('name of the room') }, { ...open, additionalProperties: false });
    const call = { wait_for_previous: true, room: 'Blue' };
    const gemini = await startWrapped(t, [closed, { ...A, name: 'other' }], { host: 'gemini-cli-mcp-client' });
    await gemini.list();
    gemini.release([
      { ...closed, description: 'Books.' },
      { ...A, name: 'other' },
    ]);
    await passes(gemini, 'book', call);
    await passes(gemini, 'other', { room: '"wait_for_previous":true', floor: '2', wait_for_previous: false });
    await passes(gemini, 'other', { wait_for_previous: false });
    assert.deepEqual(
      gemini.arrived().map(({ arguments: args }) => args),
      [{ room: 'Blue' }, { room: '"wait_for_previous":true', floor: '2' }, {}],
    );
    const waiting = tool('wait', { wait_for_previous: { type: 'boolean' } });
    gemini.release([waiting]);
    await gemini.list();
    await passes(gemini, 'wait', { wait_for_previous: true });
    assert.deepEqual(gemini.arrived().at(-1)?.arguments, { wait_for_previous: true });

    const other = await startWrapped(t, [closed]);
    await other.list();
    await passes(other, 'book', call);
    assert.deepEqual(other.arrived().at(-1)?.arguments, call);
    other.release([{ ...closed, description: 'Books.' }]);
    await isStopped(other, 'book', call);
  });

  it('tells the model of Qwen Code that a restart is what helps there', async (t) => {
    for (const host of ['qwen-cli-mcp-client-demo', 'codex-mcp-client']) {
      const wrapped = await startWrapped(t, [A], { host });
      await wrapped.list();
      wrapped.release([B]);
      const told = await isStopped(wrapped, 'book', { room: 'Blue' });
      assert.equal(/ask the user to restart it/.test(told), host.startsWith('qwen'));
      // Codex shows structured content instead of the text.
      assert.deepEqual(Object.keys(wrapped.told.at(-1)?.result as JsonObject), ['content', 'isError']);
    }
  });

  it('is answered with a text that no host cuts, whatever the server calls things', async (t) => {
    const names = Array.from({ length: 400 }, (_, at) => `${'very_'.repeat(20)}long_${at}`);
    const many = tool('book', Object.fromEntries(names.map((name) => [name, text('x'.repeat(2_000))])), {
      required: names,
    });
    const wrapped = await startWrapped(t, [A]);
    await wrapped.list();
    wrapped.release([many]);
    const told = await isStopped(wrapped, 'book', { room: 'Blue' });
    assert.ok(told.length <= 8_001, `${told.length}`);
    assert.match(told, /Nothing was sent/);
  });
});

const writeProject = ({ project }: Wrapped, settings: JsonObject): void => {
  const folder = join(project, '.claude');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'konnichiwagwan.json'), JSON.stringify(settings));
};
