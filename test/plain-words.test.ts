// Words that make a sentence hard to read at first sight stand in no message, comment or page.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

/** Each pattern with the words to write instead, a sentence that it finds, and a near one that it leaves alone. */
const PATTERNS = [
  {
    pattern: /nobody|somebody|whoever/i,
    instead: 'the one who acts: "no person", "another program", "callers"',
    bad: 'Whoever calls it omits it.',
    good: 'Old callers omit it.',
  },
  {
    pattern: /\bany more\b/i,
    instead: '"no longer"',
    bad: 'It is not kept any more.',
    good: 'How many more there are.',
  },
  { pattern: /\banew\b/i, instead: '"again"', bad: 'It is asked anew.', good: 'It is a new one.' },
  { pattern: /\b(?:no|not) news\b/i, instead: '"irrelevant change"', bad: 'That is no news.', good: 'A feed of news.' },
  {
    pattern: /\b(?:the|its|their|this|these|those) very \w/i,
    instead: '"the same", "exactly this", or nothing',
    bad: 'It gets the very bytes back.',
    good: 'Very small pieces.',
  },
  {
    pattern: /\/[/*]+ So (?:many|much|often|long)\b/,
    instead: '"How many …": a comment names what stands under it',
    bad: '/** So many are remembered. */',
    good: '/** How many are remembered. */',
  },
  {
    pattern: /(?<!\bthere )\b(?:is|are|was|were) none[.,;:)]/i,
    instead: 'what it is not: "is no invoker"',
    bad: 'Undefined if it is none.',
    good: 'Undefined if there is none.',
  },
  {
    pattern: /\bas (?:it|they) came\b/i,
    instead: '"unchanged"',
    bad: 'All else passes as it came.',
    good: 'As soon as the answer came, it was read.',
  },
  {
    pattern: /\b(?:time|list|tools|contracts?|words) of (?:now|then)\b/i,
    instead: '"the current list", "the list at that time"',
    bad: 'It is compared with the list of now.',
    good: 'The list of names, and now the tools.',
  },
  {
    pattern: /, but for\b|\bsooner (?:made|found|done)\b|\bno matter of\b/i,
    instead: '"except", "faster", "does not concern"',
    bad: 'All pass, but for calls.',
    good: 'All pass, except calls; but they wait.',
  },
  {
    pattern: /\b(?:hence|thereof|lest|whilst|hereby|amongst|oneself)\b/i,
    instead: 'a modern word: "so", "of it", "while"',
    bad: 'Hence the check.',
    good: 'So it is checked.',
  },
];

const files = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...['scripts', 'hooks', 'skills', 'docs', 'schemas'].flatMap((root) =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:ts|mjs|sh|md|json|yml)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).replaceAll('\\', '/')),
  ),
];

const found = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      PATTERNS.filter(({ pattern }) => pattern.test(line)).map(({ instead }) => ({
        file,
        problem: `${file}:${index + 1}: write ${instead}: ${line.trim().slice(0, 120)}`,
      })),
    ),
);

describe('messages, comments and pages', () => {
  it('are plain', () => {
    assert.ok(files.length > 400, `${files.length} files`);
    assert.deepEqual(
      found.map(({ problem }) => problem),
      [],
    );
  });

  for (const { pattern, bad, good } of PATTERNS)
    it(`${pattern} finds what it means`, () => {
      assert.match(bad, pattern);
      assert.doesNotMatch(good, pattern);
    });
});
