// Kinds of changes of words: each with its own examples, and very long texts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareTexts } from '../scripts/diff/words/compare.ts';
import { KINDS } from '../scripts/diff/words/kinds.ts';
import { stopwatch } from './sandbox.ts';

describe('kinds of words', () => {
  for (const { name, meaning, near } of KINDS) {
    it(`${name}: a change of meaning, and what looks like one`, () => {
      assert.ok(meaning.length >= 3 && near.length >= 3, 'three examples of each at least');
      const wrong = [
        ...meaning.filter(([before, after]) => compareTexts(before, after).change !== 'meaning'),
        ...near.filter(([before, after]) => compareTexts(before, after).change === 'meaning'),
      ];
      assert.deepEqual(wrong, []);
    });
  }
});

/** The result for a call that passes the parameter: a question, a notice, or nothing. */
const LABELLED: Record<'ask' | 'notice' | 'silence', [before: string, after: string][]> = {
  ask: [
    ['Timeout in seconds', 'Timeout in milliseconds'],
    ['Timeout (s)', 'Timeout (ms)'],
    ['Timeout in secs.', 'Timeout in mins.'],
    ['Weight in kg', 'Weight in g'],
    ['Weight in kg', 'Weight in lb'],
    ['Price in USD', 'Price in EUR'],
    ['Price in $', 'Price in €'],
    ['Price in dollars', 'Price in cents'],
    ['Temperature in °C', 'Temperature in °F'],
    ['Memory in MB', 'Memory in MiB'],
    ['Rate in Mbit', 'Rate in mbit per second'],
    ['Angle in degrees', 'Angle in radians'],
    ['Opacity in %', 'Opacity as a fraction'],
    ['Opacity, 0-1', 'Opacity, 0-100'],
    ['Opacity from 0 to 1', 'Opacity from 0 to 255'],
    ['Volume (0..1)', 'Volume (0..10)'],
    ['Line number, starting at 1', 'Line number, starting at 0'],
    ['Row index (zero-based)', 'Row index (one-based)'],
    ['1-indexed page', '0-indexed page'],
    ['At least 5', 'At most 5'],
    ['x >= 5', 'x > 5'],
    ['x ≤ 5', 'x < 5'],
    ['values above the threshold', 'values below the threshold'],
    ['greater than the limit', 'less than the limit'],
    ['end date, inclusive', 'end date, exclusive'],
    ['in the range [1, 10)', 'in the range [1, 10]'],
    ['Positive amounts are credits', 'Negative amounts are credits'],
    ['+ sorts upwards', '- sorts upwards'],
    ['0 = off, 1 = on', '1 = off, 0 = on'],
    ['0: low, 2: high', '0: high, 2: low'],
    ['true shows drafts', 'true hides drafts'],
    ['true to include drafts', 'false to include drafts'],
    ['Do not send a mail', 'Send a mail'],
    ['Includes archived items', 'Excludes archived items'],
    ['with attachments', 'without attachments'],
    ['May be a name', 'Must be a name'],
    ['Required for guests', 'Optional for guests'],
    ['Needed for uploads', 'Used for uploads'],
    ['Sends the mail if it is safe', 'Sends the mail unless it is safe'],
    ['Runs when the build is green', 'Runs until the build is green'],
    ['all of the tags', 'any of the tags'],
    ['every tag', 'each tag but the first'],
    ['a and b', 'a or b'],
    ['Defaults to true', 'Defaults to false'],
    ['Default: main', 'Default: master'],
    ['If omitted, all users', 'If omitted, no users'],
    ['If empty, today', 'If empty, yesterday'],
    ['oldest first', 'newest first'],
    ['ascending order', 'descending order'],
    ['latitude, longitude', 'longitude, latitude'],
    ['width x height', 'height x width'],
    ['day/month/year', 'month/day/year'],
    ['DD.MM.YYYY', 'MM.DD.YYYY'],
    ['before this date', 'after this date'],
    ['from this account', 'to this account'],
    ['the source branch', 'the target branch'],
    ['clockwise', 'counterclockwise'],
    ['up is positive', 'down is positive'],
    ['in UTC', 'in the local time zone'],
    ['time of day (CET)', 'time of day (PST)'],
    ['ISO 8601 date', 'Unix timestamp'],
    ['ISO date', 'epoch seconds'],
    ['comma-separated names', 'semicolon-separated names'],
    ['a glob', 'a regex'],
    ['case-sensitive', 'case-insensitive'],
    ['relative path', 'absolute path'],
    ['base64', 'hex'],
    ['plain text', 'Markdown'],
    ["'json' or 'yaml'", "'json' or 'toml'"],
    ['Use `user_id`', 'Use `user_name`'],
    ['status is open', 'status is Closed'],
    ['API version 1', 'API version 2'],
    ['Uses v1 of the API', 'Uses v2 of the API'],
    ['Name of the user', 'Name of the group'],
    ['max results to return', 'page index'],
    ['Search query', 'Search filter'],
    ['The message', 'The message, at most 200 characters'],
    ['The amount', 'The amount in cents'],
    ['The hour', 'The hour (24 h, UTC)'],
    ['The date', 'The date as a Unix timestamp'],
    ['The path', 'The path. Must be absolute.'],
    ['The path', 'The path. Deprecated: use url.'],
    ['The id', 'The id of the parent'],
    ['Nom du fichier', 'Nom du dossier'],
    ['件数', '件数（0から）'],
    ['Anzahl der Zeilen', 'Anzahl der Spalten'],
    ['Up to 100', 'Up to 50'],
    ['Default limit 10', 'Default limit 20'],
    ['At most 10 by default', 'At most 20 by default'],
    ['Since 2024-01-10', 'Since 2024-01-20'],
    ['Codes 10-20 are errors', 'Codes 10-30 are errors'],
    ['Set up 5 nodes', 'Set up 9 nodes'],
    ['limit -10', 'limit -20'],
    ['Up to 10 of 100', 'Up to 10 of 200'],
    ['release (10-2)', 'release (10-3)'],
    ['Share, up to 1', 'Share, up to 100'],
    ['the nаme', 'the name'],
    ['10 items', '10k items'],
    ['a 5% discount', 'a 5 discount'],
    ['5-10', '5, 10'],
    ['Names of authors', 'Name of author'],
    ['Do not delete. Archive it', 'Do not delete archive it'],
    ['No. Results are returned', 'No results are returned'],
    ['Pays from your account', 'Pays from our account'],
    ['Pays from your account', 'Pays from our savings account'],
    ['Closes this branch', 'Closes that branch'],
    ['Will remove files', 'Can remove files'],
    ['Files which were read', 'Files which will be read'],
    ['A note for the team', 'A note of the team'],
    ['Moves it here', 'Moves it there'],
    ['Sum is (a+b)*c', 'Sum is a+(b*c)'],
    ['offset - 5', 'offset 5'],
  ],
  notice: [
    ['Push all tags.', 'Push all tags to the remote.'],
    ['The name', 'The name of the project in the workspace'],
    ['Name of the user', 'Name of the user. The user is found by it.'],
    ['Text of the message', 'Text of the message that the team reads'],
    ['Title of the page', 'Title of the page and its description'],
    ['Text', 'Text of a note'],
    ['Query for the search', 'Query for the search engine'],
    ['Folder of the project', 'Folder of the project. See https://docs.test/folders for more about it.'],
    ['The user', 'The user who is known to the team'],
  ],
  silence: [
    ['The name of the author', 'Name of the author'],
    ['The name of the author.', 'The name of the author'],
    ['the name\nof the author', 'the name of  the author'],
    ['the name of the author', 'The Name of the Author'],
    ['The ID of the page', 'The id of the page'],
    ['A list of names', 'List of names'],
    ['Name of the author (optional)', 'Name of the author'],
    ['Name — of the author', 'Name - of the author'],
    ['“Name” of the author', '"Name" of the author'],
    ['**Name** of the author', 'Name of the author'],
    ['- name of the author', '* name of the author'],
    ['Set `name` here', 'Set name here'],
    ['See [the docs](https://docs.test/v1/names)', 'See [the docs](https://docs.test/v2/names)'],
    ['See https://docs.test/2024-01-01/names.', 'See https://docs.test/2025-06-01/names.'],
    ['Name, e.g. "Ada"', 'Name, e.g. "Grace"'],
    ['Results (e.g. 10)', 'Results (e.g., 20)'],
    ['Name of the city', 'Name of the city, such as Oslo'],
    ['Number of results (max 100)', 'Number of results (max 500)'],
    ['Number of results (1-100)', 'Number of results (1-1000)'],
    ['At most 20 results', 'At most 50 results'],
    ['Minimum 10 results', 'Minimum 5 results'],
    ['Takes 10000 rows', 'Takes 10,000 rows'],
    ['The name; of an author', 'The name, of an author'],
    ['Name of the author!', 'Name of the author'],
    ['Authors that can be found', 'Authors that are found'],
    ['The file (its name)', 'The file, its name'],
    ['Approx. 5 files', 'approx 5 files'],
  ],
};

const MEETS = { same: 'silence', widened: 'silence', added: 'notice', meaning: 'ask' } as const;

describe('labelled changes of words', () => {
  for (const [label, pairs] of Object.entries(LABELLED)) {
    it(`${label}: ${pairs.length} pairs`, () => {
      const found = pairs.map(([before, after]) => [before, after, MEETS[compareTexts(before, after).change]]);
      assert.deepEqual(
        found.filter(([, , meets]) => meets !== label),
        [],
      );
    });
  }

  it('is none where the names say it already, unless it is a unit, an order or the like', () => {
    const about = { names: ['find_max_results', 'seconds', 'authorName'] };
    assert.equal(compareTexts('Results', 'Max results', about).change, 'same');
    assert.equal(compareTexts('Name', 'Name of the author', about).change, 'same');
    assert.equal(compareTexts('Time', 'Time in seconds', about).change, 'meaning');
    assert.equal(compareTexts('Results', 'Max results').change, 'meaning');
  });

  it('is a change of meaning the other way round, too, if words were replaced', () => {
    const replaced = LABELLED.ask.filter(([before, after]) => compareTexts(before, after).kinds.includes('content'));
    const wrong = replaced.filter(([before, after]) => MEETS[compareTexts(after, before).change] === 'silence');
    // A bound that got narrower is one that widened, seen from the other side.
    assert.deepEqual(wrong, [['Up to 100', 'Up to 50']]);
  });

  it('takes no longer than its text is long, whatever that consists of', () => {
    for (const part of [
      '(',
      '.',
      '*)',
      'a-',
      "a'",
      'a. ',
      '- \n',
      '\n',
      'the ',
      '[',
      '](',
      '`',
      'e.g. ',
      'one of ',
      '1,',
      '**',
      '"',
      '…',
    ]) {
      const long = part.repeat(Math.floor(45_000 / part.length));
      const elapsed = stopwatch();
      compareTexts(`a${long}a`, `a${long}ab 5`);
      assert.ok(elapsed() < 400, `${JSON.stringify(part)}: ${elapsed()} ms`);
    }
  });
});
