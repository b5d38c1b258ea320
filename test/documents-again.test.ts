// docs/documents.md as a whole: every row has a second test, and says what it leaves open.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { rows } from './document-rows.ts';

/** Rows whose second tests are in other files, with their subject: by document, the beginnings of their requirements. */
const ELSEWHERE: Record<string, [document: number, requirement: string][]> = {
  'lint-picks': [[1, 'no handler strips fields']],
  'wrap-typed': [[2, 'an empty call is nearly impossible']],
  'call-trace': [[2, 'a trace shows the schema']],
  'document-1': [
    [1, 'a new branch is an evolution'],
    [1, 'the bump fires the warning'],
    [1, "the version is today's ISO date"],
    [1, 'retired only when calls have stopped'],
    [1, "the session's baseline in `session_schema.json`"],
  ],
  'document-5-approvals': [
    [5, 'who may re-pin'],
    [5, 'on what evidence'],
    [5, 'eyeballing diffs'],
    [5, 'an agent that re-pins itself'],
  ],
};

const again = readdirSync('test')
  .filter((file) => /^documents-again-\d\.test\.ts$/.test(file))
  .flatMap((file) => [...readFileSync(`test/${file}`, 'utf8').matchAll(/again\((\d), (["'])(.*?)\2,/g)])
  .map(([, document, , requirement = '']) => ({ document: Number(document), requirement }));
const elsewhere = Object.values(ELSEWHERE)
  .flat()
  .map(([document, requirement]) => ({ document, requirement }));

describe('docs/documents.md', () => {
  it('says of each requirement what meets it, and what is not covered', () => {
    assert.ok(rows.length > 100, `${rows.length} rows`);
    for (const { document, requirement, met, open } of rows)
      assert.ok(/\w/.test(met) && /\w/.test(open), `document ${document}: ${requirement}`);
  });
  for (const { document, section, requirement } of rows)
    it(`document ${document}, ${section}: ${requirement} has a second test`, () => {
      const found = [...again, ...elsewhere].filter(
        (one) => one.document === document && requirement.startsWith(one.requirement),
      );
      assert.ok(found.length > 0, 'add one to test/documents-again-N.test.ts');
    });
  it('names no row that there is not', () => {
    for (const { document, requirement } of [...again, ...elsewhere])
      assert.ok(
        rows.some((row) => row.document === document && row.requirement.startsWith(requirement)),
        `document ${document}: ${requirement}`,
      );
    for (const file of Object.keys(ELSEWHERE)) assert.ok(readdirSync('test').includes(`${file}.test.ts`), file);
  });
});
