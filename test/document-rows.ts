// The rows of docs/documents.md: each has a second test, with inputs other than its document's, and says what it leaves
// open.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it, type TestContext } from 'node:test';

interface Row {
  document: number;
  section: string;
  requirement: string;
  met: string;
  open: string;
}

export const rows: Row[] = readFileSync('docs/documents.md', 'utf8')
  .split(/^## /m)
  .slice(1)
  .flatMap((part) =>
    part
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| section '))
      .map((line) => {
        const [section = '', requirement = '', met = '', open = ''] = line.slice(2, -2).split(' | ');
        return { document: Number(part[0]), section, requirement, met, open };
      }),
  );

/** Defines the second test of a row. The beginning of its requirement identifies the row. */
export const again = (document: number, requirement: string, run: (test: TestContext) => unknown): void => {
  const found = rows.filter((row) => row.document === document && row.requirement.startsWith(requirement));
  it(`document ${document}, ${found[0]?.section}: ${requirement}`, async (test) => {
    assert.equal(found.length, 1, `${requirement}: ${found.length} rows`);
    await run(test);
  });
};
