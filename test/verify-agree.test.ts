// The reports of `verify` agree with its exit code: in every format, for every kind of finding.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { renderLock } from '../scripts/lock/render.ts';
import { FETCH, RENAMED, SEARCH, workbench } from './lock-bench.ts';
import { tool } from './sandbox.ts';

type Bench = Awaited<ReturnType<typeof workbench>>;

/** A program's conclusion from a report: something is wrong, or something could not be checked. */
interface Said {
  failed: boolean;
  unchecked: boolean;
}

const junitCount = (text: string, what: string): number =>
  Number(new RegExp(`<testsuites [^>]*${what}="(\\d+)"`).exec(text)?.[1]);

const UNCHECKED = /could not be checked/;
/** A finding that a format shows as one, without those of servers that were not asked. */
const findings = (lines: string[]): boolean => lines.some((line) => !UNCHECKED.test(line));

const READERS: Record<string, (text: string) => Said> = {
  text: (text) => ({
    failed: findings(text.split('\n').filter((line) => /^ {2}\S/.test(line) || /: not pinned/.test(line))),
    unchecked: /: could not be checked|not checked/.test(text),
  }),
  markdown: (text) => ({
    failed: findings(text.split('\n').filter((line) => /^\| [🔴🟠🔵🟢]/u.test(line))),
    unchecked: UNCHECKED.test(text),
  }),
  sarif: (text) => {
    const results: { ruleId: string; level: string }[] = JSON.parse(text).runs[0].results;
    return {
      failed: results.some(({ ruleId, level }) => ruleId !== 'server-not-checked' && level !== 'note'),
      unchecked: results.some(({ ruleId }) => ruleId === 'server-not-checked'),
    };
  },
  github: (text) => ({
    failed: findings(text.split('\n').filter((line) => /^::(error|warning) file=/.test(line))),
    unchecked: UNCHECKED.test(text),
  }),
  junit: (text) => {
    assert.equal(junitCount(text, 'failures'), (text.match(/<failure /g) ?? []).length);
    assert.equal(junitCount(text, 'errors'), (text.match(/<error /g) ?? []).length);
    return { failed: junitCount(text, 'failures') > 0, unchecked: junitCount(text, 'errors') > 0 };
  },
  html: (text) => ({
    failed: findings(text.match(/<li><span><span class="badge.*?<\/li>/gs) ?? []),
    unchecked: UNCHECKED.test(text),
  }),
};

const described = (words: string) =>
  tool('search', { query: { type: 'string', description: words } }, { required: ['query'] });

const KINDS: [what: string, exit: 0 | 1 | 2, set: (bench: Bench) => unknown, words?: string[]][] = [
  ['nothing', 0, () => {}],
  ['a parameter that is renamed', 1, (bench) => bench.release([RENAMED, FETCH])],
  ['words of a tool', 1, (bench) => bench.release([{ ...SEARCH, description: 'Finds people.' }, FETCH])],
  [
    'a parameter that is added and described',
    1,
    (bench) => bench.release([{ ...described('a name'), description: 'Finds things.' }, FETCH]),
  ],
  [
    'an optional parameter that came',
    1,
    (bench) =>
      bench.release([SEARCH, tool('fetch', { url: { type: 'string' }, retries: { type: 'integer', minimum: 0 } })]),
  ],
  ['a hint', 1, (bench) => bench.release([{ ...SEARCH, annotations: { readOnlyHint: true } }, FETCH])],
  ['a title', 1, (bench) => bench.release([{ ...SEARCH, title: 'Search' }, FETCH])],
  ['an output schema', 1, (bench) => bench.release([{ ...SEARCH, outputSchema: { type: 'object' } }, FETCH])],
  ['a tool that came', 1, (bench) => bench.release([SEARCH, FETCH, tool('drop', {})])],
  ['a tool that went', 1, (bench) => bench.release([SEARCH])],
  ['a pin that was edited', 1, (bench) => writeFileSync(bench.path, bench.lockText().replace('Finds', 'Loses'))],
  ['a server that nobody pinned', 1, (bench) => writeFileSync(bench.path, renderLock(new Map()))],
  ['a server that is down', 2, (bench) => bench.gateway.close()],
  [
    'a server that is down, and an edited pin',
    1,
    (bench) => {
      writeFileSync(bench.path, bench.lockText().replace('Finds', 'Loses'));
      bench.gateway.close();
    },
  ],
  [
    'a milder difference than was asked for',
    0,
    (bench) => bench.release([{ ...SEARCH, description: 'Finds people.' }, FETCH]),
    ['--level', 'silent'],
  ],
  [
    'a pin that was edited, and no server asked',
    1,
    (bench) => writeFileSync(bench.path, bench.lockText().replace('Finds', 'Loses')),
    ['--records'],
  ],
  [
    'an approval that the settings ask for',
    1,
    (bench) => {
      const rules = { approvals: { why: true, by: ['ada@example.org'] } };
      writeFileSync(join(bench.state, 'config.json'), JSON.stringify({ freshFor: 0, ...rules }));
    },
    ['--records'],
  ],
];

describe('verify: the exit code, and what its reports say', { concurrency: 3 }, () => {
  for (const [what, exit, set, words = []] of KINDS)
    it(`agree: ${what}`, async (test) => {
      const bench = await workbench(test);
      await bench.pinned();
      await set(bench);
      for (const [format, read] of Object.entries(READERS)) {
        const { code, stdout } = await bench.run(['verify', ...words, '--format', format]);
        assert.equal(code, exit, `${format}: ${stdout}`);
        const said = read(stdout);
        assert.equal(said.failed, exit === 1, `${format}: ${stdout}`);
        assert.ok(exit !== 2 || said.unchecked, `${format}: ${stdout}`);
        assert.ok(exit !== 0 || !said.unchecked, `${format}: ${stdout}`);
      }
    });

  it('agree where only a description of a parameter changed', async (test) => {
    const bench = await workbench(test, [described('what to look for')]);
    await bench.pinned();
    bench.release([described('the id of the document to delete')]);
    const { code, stdout } = await bench.run(['verify', '--format', 'junit']);
    assert.equal(code, 1);
    assert.match(stdout, /failures="1" errors="0"/);
    assert.match(stdout, /<failure message="1 semantic" type="semantic">/);
  });
});
