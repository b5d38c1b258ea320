// The results of a test run: pure functions of the events of node:test and the list of known failures.

/** The name of a bundle without folder and ending. */
const fileOf = (bundle) => bundle.replace(/^.*[\\/]/, '').replace('.test.mjs', '');

/** The tests of one file. node:test reports a suite after its tests, and only the depth of each. */
const testsIn = (file, events) => {
  const found = [];
  /** By depth: the tests whose suite has not been reported yet. */
  const open = [];
  for (const { name, nesting, passed, skip, error, ms } of events) {
    // A file that fails has a separate event, after all of its tests.
    const isFile = name.endsWith('.test.mjs');
    const inside = isFile ? [] : open.splice(nesting + 1).flat();
    for (const one of inside) one.test = `${name} › ${one.test}`;
    const outcome = skip !== undefined && skip !== false ? 'skipped' : passed ? 'passed' : 'failed';
    const own = { file, test: isFile ? 'the file' : name, outcome, error, ms };
    const isLeaf = inside.length === 0;
    if (isLeaf) found.push(own);
    open[nesting] = [...(open[nesting] ?? []), ...(isLeaf ? [own] : inside)];
  }
  return found;
};

/**
 * The tests in these events, without suites.
 * @returns `{ file, test, outcome, error, ms }[]`: `test` is the names of suites and test; `outcome` is passed, failed or skipped
 */
export const testsOf = (events) => {
  const files = [...new Set(events.map(({ file }) => file))];
  return files.flatMap((file) =>
    testsIn(
      fileOf(file),
      events.filter((event) => event.file === file),
    ),
  );
};

/** How many failures may be known: beyond that, fix some first. */
const MOST_KNOWN = 40;

/** What is wrong with the list of known failures, whose entries are `{ file, test, reason, windows }`, all texts. */
export const faultsOf = (known) => [
  ...(known.length > MOST_KNOWN ? [`has ${known.length} entries; there may be ${MOST_KNOWN}`] : []),
  ...known.flatMap((one) =>
    ['file', 'test', 'reason', 'windows']
      .filter((name) => typeof one[name] !== 'string' || one[name] === '')
      .map((name) => `an entry has no ${name}: ${JSON.stringify(one)}`),
  ),
];

const same = (a, b) => a.file === b.file && a.test === b.test;

/**
 * What a run has to report.
 * @param known `{ file, test }[]`: the failures that are expected
 * @returns failed tests that are not listed, and listed ones that did not fail although their file ran
 */
export const unexpected = (tests, known) => {
  const failed = tests.filter(({ outcome }) => outcome === 'failed');
  const ran = new Set(tests.map(({ file }) => file));
  return {
    unlisted: failed.filter((test) => !known.some((one) => same(one, test))),
    mended: known.filter((one) => ran.has(one.file) && !failed.some((test) => same(one, test))),
  };
};
