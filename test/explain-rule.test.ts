// `--explain RULE`: what a rule looks for, from the table that diff, the guard and lint use.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diffRules } from '../scripts/cli/diff-rules.ts';
import { lintRules } from '../scripts/cli/lint-rules.ts';
import { drive, sandbox } from './sandbox.ts';

for (const [command, rules] of [
  ['diff', diffRules()],
  ['lint', lintRules()],
] as const) {
  describe(`${command} --explain`, () => {
    it('shows each rule: its levels, its purpose, its examples', async (test) => {
      const { env } = await sandbox(test, []);
      for (const { id, levels, purpose, examples } of rules) {
        const { stdout, stderr, code } = await drive('cli.cjs', null, env, [command, '--explain', id], true);
        assert.deepEqual([code, stderr], [0, ''], id);
        assert.ok(stdout.startsWith(`${id} (${levels.join(' or ')})\n\n${purpose}\n`), stdout);
        assert.ok(levels.length > 0, id);
        for (const { title } of examples) assert.ok(stdout.includes(`  ${title}\n`), `${id}: ${title}`);
      }
    });

    it('list names them all, once each', async (test) => {
      const { env } = await sandbox(test, []);
      const { answer } = await drive('cli.cjs', null, env, [command, '--explain', 'list', '--json']);
      const names = answer.data.rules.map(({ id }: { id: string }) => id);
      assert.deepEqual(names, [...new Set(rules.map(({ id }) => id))]);
    });

    it('says how to find the names where there is no such rule', async (test) => {
      const { env } = await sandbox(test, []);
      const { stdout, stderr, code } = await drive(
        'cli.cjs',
        null,
        env,
        [command, '--explain', 'no\u001b[2Jsuch'],
        true,
      );
      assert.deepEqual([code, stdout], [2, '']);
      assert.ok(!stderr.includes('\u001b'));
      assert.match(stderr, /there is no rule .*--explain list/s);
    });
  });
}

describe('what --explain says of a verdict', () => {
  const said = (id: string) => diffRules().find((rule) => rule.id === id)?.what;
  it('an effect of the table is told', () => {
    assert.equal(said('tool-branch-changed'), 'Verdict: a call that passes the parameter is stopped.');
    assert.match(
      String(said('tool-hint-changed')),
      /^Verdict: every call is asked about\. Some of what it finds matters/,
    );
  });
  it('a rule without one leaves it to the live schema', () => {
    assert.equal(said('tool-added'), 'Verdict: a call is judged by whether it is still valid.');
  });
});
