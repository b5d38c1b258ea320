// The gateway kit in the real client: a server made with it gets a new release in the middle of a conversation, and a field
// that the conversation does not know arrives through the twin.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Major, startNotes } from '../gateway-kit-server.ts';
import { type Form, INSTALL } from './forms.ts';
import { editSettings, type McpServers, removeSandboxes, runHeadless, sandbox } from './run.ts';
import { type Answer, type Json, toolResults } from './stub-model.ts';

const version = '2.1.332';
/** DESIGN §10: how long an answer counts as live. */
const freshFor = 2_000;

const twin = (args: Json, before?: () => unknown): Answer => ({
  tool: 'mcp__notes__write_note_raw',
  input: { payload: JSON.stringify(args) },
  before,
});
const flat = (input: Json): Answer => ({ tool: 'mcp__notes__write_note', input });
const end: Answer = { text: 'the end' };

after(removeSandboxes);

/** One conversation: a call through the twin, a release, a call by the old contract, and a twin call with the new field. */
const converse = async (major: Major, guard?: Form) => {
  const notes = await startNotes(major);
  const { home, cwd } = sandbox();
  editSettings(home, (settings) => {
    settings.permissions = { allow: ['mcp__notes'] };
  });
  if (guard) INSTALL[guard](home);
  const release = async () => {
    notes.release('2026-04-10');
    await sleep(freshFor + 100);
  };
  try {
    const run = await runHeadless({
      version,
      home,
      cwd,
      mcp: { notes: { type: 'http', url: `${notes.url}/mcp` } } as unknown as McpServers,
      env: guard ? { GATEWAY_URL: notes.url } : {},
      steps: [
        twin({ title: 'before' }),
        twin({ title: 'old' }, release),
        flat({ title: 'old' }),
        twin({ title: 'after', tags: ['new'] }),
        end,
      ],
    });
    const shown = run.requests.at(-1)?.body.tools?.find(({ name }) => name.endsWith('write_note'));
    return { run, notes: notes.notes, calls: notes.calls, outcomes: toolResults(run.requests.at(-1)?.body), shown };
  } finally {
    await notes.close();
  }
};

for (const major of ['1.x', '2.x'] as const) {
  describe(`Claude Code ${version}, a server made with SDK ${major} and the gateway kit`, () => {
    it('a new field arrives through the twin, and what the server refuses is told in its own words', async () => {
      const { run, notes, outcomes, shown } = await converse(major);
      assert.deepEqual(
        Object.keys(shown?.input_schema?.properties as object),
        ['title'],
        'the conversation is not stale',
      );
      assert.deepEqual(notes, [{ title: 'before' }, { title: 'after', tags: ['new'] }]);
      const [first, old, flat, last] = outcomes;
      assert.match(first?.text ?? '', /"saved":\{"title":"before"\}/);
      assert.ok(old?.isError && flat?.isError, `${old?.text} ${flat?.text}`);
      const [, body = ''] = old.text.split('\n');
      const [issue] = (JSON.parse(body) as { issues: Json[] }).issues;
      assert.deepEqual(issue, {
        expected: 'array',
        code: 'invalid_type',
        path: ['tags'],
        message: 'Invalid input: expected array, received undefined',
      });
      assert.match(last?.text ?? '', /"saved":\{"title":"after","tags":\["new"\]\}/);
      assert.equal(run.code, 0);
    });

    for (const guard of ['command', 'resident'] as const) {
      it(`under our guard (${guard}): the old contract is stopped and the twin named, the twin goes through`, async (t) => {
        const { run, notes, calls, outcomes } = await converse(major, guard);
        for (const { name, exitCode, stdout, stderr } of run.hooks) {
          t.diagnostic(`${name}: exit ${exitCode} ${stdout}${stderr}`);
          assert.equal(`${exitCode}${stderr}`, '0', name);
        }
        assert.deepEqual(notes, [{ title: 'before' }, { title: 'after', tags: ['new'] }]);
        assert.deepEqual(calls, ['write_note_raw', 'write_note_raw', 'write_note_raw']);
        const [, , flat, last] = outcomes;
        assert.ok(flat?.isError, flat?.text);
        assert.match(flat.text, /konnichiwagwan/);
        assert.match(flat.text, /write_note\(title: string, tags: string\[\]\)/);
        assert.match(flat.text, /write_note_raw/);
        assert.match(last?.text ?? '', /"saved":\{"title":"after"/);
      });
    }
  });
}
