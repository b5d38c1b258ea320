// Whether one language contains others, checked against regular expressions.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { holdsAll, type Language } from '../scripts/proof/regular/language.ts';
import { checkRandomly, PAIRS } from './random-runs.ts';
import { stopwatch } from './sandbox.ts';

const texts = (pattern: string): Language => ({ pattern });
const counted = (least: number, most = Number.POSITIVE_INFINITY): Language => ({ least, most });

const HELD: [string, Language[], Language][] = [
  ['more characters', [texts('^[a-z]+$')], texts('^[a-z0-9]+$')],
  ['the same in other words', [texts('^\\d{3}$')], texts('^[0-9][0-9][0-9]$')],
  ['its own length', [texts('^[0-9]{3}$')], counted(3, 5)],
  ['a length by a pattern', [counted(1)], texts('^[\\s\\S]+$')],
  ['a length by a pattern that is not anchored', [counted(2, 4)], texts('[^]{2}'.replace('[^]', '[\\d\\D]'))],
  ['one alternative of two', [texts('^(?:cat|dog)$')], texts('^(?:dog|bird|cat)$')],
  ['two patterns at once', [texts('^[a-f]+$'), texts('^[d-k]+$')], texts('^[d-f]+$')],
  ['what begins so', [texts('^ab')], texts('^a')],
  ['what is inside', [texts('^xay$')], texts('a')],
  ['an anchored one among others', [texts('^a$|^b$')], texts('^[ab]$')],
  ['nothing', [texts('^a$'), texts('^b$')], texts('^c$')],
  ['lazy or not', [texts('^a+?$')], texts('^a*$')],
  ['beyond the first plane', [texts('^[\\u{1F600}-\\u{1F64F}]$')], counted(1, 1)],
];

const NOT_HELD: [string, Language[], Language][] = [
  ['fewer characters', [texts('^[a-z0-9]+$')], texts('^[a-z]+$')],
  ['a dot does not match the end of a line', [counted(1)], texts('^.+$')],
  ['no anchor', [texts('[a-z]')], texts('^[a-z]$')],
  ['an anchor for one alternative alone', [texts('^a|b$')], texts('^[ab]$')],
  ['a shorter length', [texts('^[0-9]{3,6}$')], counted(0, 5)],
  ['the empty text', [texts('^a*$')], counted(1)],
  ['what is not read: look-ahead', [texts('^(?=a)[a-z]$')], texts('^a$')],
  ['what is not read: back-reference', [texts('^aa$')], texts('^(a)\\1$')],
  ['what is not read: word boundary', [texts('^a$')], texts('\\ba')],
  ['what is not read: another language', [texts('^a$')], texts('\\Aa\\Z')],
  ['an anchor in the middle', [texts('^a$')], texts('(?:^a$|b)')],
  ['too large', [texts('^(?:[ab]{1000}){1000}$')], texts('^[ab]+$')],
];

describe('a language', () => {
  for (const [what, given, wanted] of HELD) it(`holds ${what}`, () => assert.equal(holdsAll(given, wanted), true));
  for (const [what, given, wanted] of NOT_HELD)
    it(`is not proven to hold: ${what}`, () => assert.equal(holdsAll(given, wanted), false));

  /** Every form of one character in a pattern. */
  const FORMS = [
    ...['a', '.', '\\.', '\\/', '\\x61', '\\u0062', '\\u{63}', '\\u{1F600}', '\\0', '\\t', '\\n', '\\v', '\\f', '\\r'],
    ...[
      '\\d',
      '\\D',
      '\\w',
      '\\W',
      '\\s',
      '\\S',
      '[\\b]',
      '[^]',
      '[]',
      '[\\x61-c]',
      '[a-\\u0063_]',
      '[\\d\\-x]',
      '[^\\w]',
      '[^\\s\\S]',
    ],
    ...['[-a]', '[a-]', '[\\]]', '[\\u{1F5FF}-\\u{1F601}]', '(?<name>[b-d])', '(?:a|[^a])', '(?:a|b|\\d)'],
  ];
  for (const form of FORMS)
    it(`of one character is that of a regular expression: ${form}`, () => {
      const points = [
        ...Array(0x80).keys(),
        0x85,
        0xa0,
        0x17f,
        0x1680,
        0x200b,
        0x212a,
        0x2028,
        0x2029,
        0xfeff,
        0xfffd,
        0x1f5fe,
        0x1f5ff,
        0x1f600,
        0x1f601,
        0x10ffff,
      ];
      const matches = new RegExp(`^${form}$`, 'u');
      const differ = points.filter(
        (point) =>
          holdsAll([texts(`^\\u{${point.toString(16)}}$`)], texts(`^${form}$`)) !==
          matches.test(String.fromCodePoint(point)),
      );
      assert.deepEqual(differ, []);
    });

  for (const form of [
    '\\x6',
    '\\u006',
    '\\u{110000}',
    '\\u{61',
    '\\ud83d',
    '\\01',
    '\\cJ',
    '[b-a]',
    '[a',
    '(a',
    'a)',
    'a**',
    'a{2}{3}',
    '{2}',
    '(?=a)',
  ])
    it(`is not read, and holds nothing: ${form}`, () => {
      assert.equal(holdsAll([texts('^a$')], texts(form)), false);
      assert.equal(holdsAll([texts(form)], texts('^a$')), false);
    });

  const atom = fc.constantFrom(
    'a',
    'b',
    '[ab]',
    '[^a]',
    '.',
    '\\d',
    '\\w',
    '\\s',
    'c',
    '0',
    '[a-c0-2]',
    '\\.',
    '\\D',
    '[\\w\\-]',
  );
  const part = fc
    .tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,2}', '{1,}', '*?'))
    .map(([one, times]) => one + times);
  const sequence = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''));
  const group = fc
    .tuple(sequence, sequence, fc.constantFrom('', '*', '?', '{2}'))
    .map(([one, other, times]) => `(?:${one}|${other})${times}`);
  const body = fc.array(fc.oneof(part, group), { maxLength: 3 }).map((parts) => parts.join(''));
  const pattern = fc
    .tuple(fc.constantFrom('', '^'), body, fc.constantFrom('', '$'))
    .map(([start, middle, end]) => start + middle + end);
  const text = fc.array(fc.constantFrom(...'abc01- \n_x\u{1F600}'), { maxLength: 6 }).map((all) => all.join(''));

  it('holds its own texts among others', (t) => {
    let [all, proven] = [0, 0];
    checkRandomly(
      t,
      fc.property(body, body, (one, other) => {
        all++;
        if (holdsAll([texts(`^(?:${one})$`)], texts(`^(?:${other}|${one})$`))) proven++;
      }),
    );
    t.diagnostic(`${proven} of ${all} proven`);
    // A few are too large.
    assert.ok(proven >= all * 0.95, `${proven} of ${all} proven`);
  });

  it('takes a bounded time', (t) => {
    const hostile = [
      '^(?:a|a)*$',
      '^(?:a?){500}a{500}$',
      `^${'(?:[a-m]|[h-z])*x'.repeat(12)}$`,
      `${'[ab]'.repeat(40)}`,
      '^(?:[ab]*a[ab]{30})$',
    ];
    for (const one of hostile)
      for (const other of hostile) {
        const time = stopwatch();
        holdsAll([texts(one)], texts(other));
        const ms = time();
        t.diagnostic(`${one.slice(0, 20)} in ${other.slice(0, 20)}: ${ms.toFixed(0)} ms`);
        assert.ok(ms < 1_000, `${ms} ms`);
      }
  });

  it('holds each text of those that it is proven to hold', (t) => {
    let proven = 0;
    checkRandomly(
      t,
      fc.property(
        pattern,
        pattern,
        pattern,
        fc.array(text, { minLength: 30, maxLength: 60 }),
        (one, other, whole, all) => {
          const matches = (source: string, value: string): boolean => new RegExp(source, 'u').test(value);
          for (const given of [[one], [one, other]]) {
            if (!holdsAll(given.map(texts), texts(whole))) continue;
            proven++;
            const missed = all.find(
              (value) => given.every((source) => matches(source, value)) && !matches(whole, value),
            );
            assert.equal(missed, undefined, JSON.stringify([given, whole, missed]));
          }
        },
      ),
      { numRuns: PAIRS },
    );
    t.diagnostic(`${proven} proven`);
    assert.ok(proven > PAIRS / 20, `${proven} proven`);
  });
});
