// The forms in which texts are shown: their bounds at the very character, and every sign that is escaped.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fold } from '../scripts/text/fold.ts';
import { painter, unpainted } from '../scripts/text/paint.ts';
import { plural } from '../scripts/text/plural.ts';
import {
  plainName,
  quoteList,
  quoteName,
  quoteNames,
  quotePath,
  quoteText,
  quoteValue,
} from '../scripts/text/quote.ts';
import { quoteChange } from '../scripts/text/quote-change.ts';
import { shellWord } from '../scripts/text/shell-word.ts';
import { say } from '../scripts/text/shown.ts';
import { readable, shorten, visible, visibleJson } from '../scripts/text/visible.ts';
import { compareWords, wordsOf } from '../scripts/text/words.ts';

describe('a quoted text', () => {
  it('is cut behind its last character that fits, and only then', () => {
    assert.equal(quoteText('abc', 3), '"abc"');
    assert.equal(quoteText('abcd', 3), '"abc…"');
    assert.equal(quoteText('😀😀😀', 3), '"😀😀😀"');
    assert.equal(quoteText('😀😀😀😀', 3), '"😀😀😀…"');
    assert.equal(quoteText('x'.repeat(200)).length, 202);
    assert.equal(quoteText('x'.repeat(201)).length, 203);
  });

  it('has no sign that ends it, and none that cannot be seen', () => {
    assert.equal(quoteText('a "b" `c` \\d'), `"a \\"b\\" 'c' \\\\d"`);
    assert.equal(quoteText('a\nb\u200bc\u202e'), '"a\\u{a}b\\u{200b}c\\u{202e}"');
  });

  it('of a value is its JSON, or nothing', () => {
    assert.deepEqual(
      [quoteValue(undefined), quoteValue('a'), quoteValue(5), quoteValue({ a: '`' }), quoteValue(null)],
      ['none', '"a"', '5', `{"a":"'"}`, 'null'],
    );
    assert.equal(quoteValue([1, 2, 3], 4), '[1,2…');
    assert.equal(quoteValue('x'.repeat(81)), `"${'x'.repeat(80)}…"`);
  });
});

describe('a name', () => {
  it('is plain without quotes, and any other a quoted text', () => {
    for (const name of ['a', '_x', '$x', '@x', 'a.b:c/d-e', 'a.*', 'x'.repeat(64)]) {
      assert.equal(quoteName(name), `\`${name}\``);
      assert.equal(plainName(name), name);
    }
    for (const name of ['', '5a', '-a', 'a b', 'a*', '*', 'é']) {
      assert.equal(quoteName(name), `"${name}"`);
      assert.equal(plainName(name), `"${name}"`);
    }
    assert.equal(quoteName('x'.repeat(65)), `"${'x'.repeat(64)}…"`);
    assert.equal(plainName('x'.repeat(65)), `"${'x'.repeat(64)}…"`);
  });

  it('of a path is quoted only if it holds unusual signs, or is long', () => {
    assert.equal(quotePath('/a/b-c_d.e~@+:\\'), '/a/b-c_d.e~@+:\\');
    assert.equal(quotePath('/a b'), '"/a b"');
    assert.equal(quotePath('x'.repeat(300)), 'x'.repeat(300));
    assert.equal(quotePath('x'.repeat(301)), `"${'x'.repeat(300)}…"`);
    assert.equal(quotePath(''), '""');
  });

  it('for a shell is one word', () => {
    assert.deepEqual(
      [shellWord('/a/b-c=d'), shellWord('a b'), shellWord("it's"), shellWord(''), shellWord('$x')],
      ['/a/b-c=d', "'a b'", "'it'\\''s'", "''", "'$x'"],
    );
  });

  it('beside others is one of eight, and the rest are counted', () => {
    const names = (count: number) => Array.from({ length: count }, (_one, at) => `n${at}`);
    assert.equal(quoteNames([]), '');
    assert.equal(quoteNames(names(8)).split(', ').length, 8);
    assert.match(quoteNames(names(8)), /`n7`$/);
    assert.match(quoteNames(names(9)), /`n7` and 1 more$/);
    assert.equal(quoteNames(names(3), 2), '`n0`, `n1` and 1 more');
    assert.equal(quoteList([1, 'a', null], 2), '1, "a" and 1 more');
    assert.equal(quoteList([1, 2], 2), '1, 2');
    assert.equal(quoteList(names(9)).endsWith('"n7" and 1 more'), true);
    assert.deepEqual([plural(0, 'tool'), plural(1, 'tool'), plural(2, 'tool')], ['0 tools', '1 tool', '2 tools']);
  });
});

describe('a text that is made visible', () => {
  it('is shortened behind its last whole character', () => {
    assert.deepEqual([shorten('abc', 3), shorten('abcd', 3), shorten('a😀b', 2)], ['abc', 'abc…', 'a…']);
    assert.equal(shorten('a😀b', 3), 'a😀…');
    assert.equal(visible('x'.repeat(10_001)).length, 10_001);
    assert.equal(visible('x'.repeat(10_000)), 'x'.repeat(10_000));
  });

  it('spells out what is unsafe; line feeds only where lines are not kept', () => {
    assert.equal(visible('a\nb\t\u{e0041}'), 'a\\u{a}b\\u{9}\\u{e0041}');
    assert.equal(visible('a\nb\r', { lines: true }), 'a\nb\\u{d}');
    assert.equal(visible('é😀'), 'é😀');
  });

  it('as JSON stays the same value', () => {
    const value = { a: 'x\u200b\u{e0041}\u2028y' };
    const text = visibleJson(JSON.stringify(value));
    assert.match(text, /^\{"a":"x\\u200b\\udb40\\udc41\\u2028y"\}$/);
    assert.deepEqual(JSON.parse(text), value);
    assert.equal(visibleJson('{\n}'), '{\n}');
  });

  it('for people is a string without quotes, or indented JSON', () => {
    assert.deepEqual([readable('a\nb'), readable({ a: 1 }), readable(undefined)], ['a\nb', '{\n  "a": 1\n}', 'none']);
    assert.equal(readable('x'.repeat(4_001)).length, 4_001);
  });

  it('in colours loses nothing but these', () => {
    assert.equal(painter(true)('red', say`x`), '\u001b[31mx\u001b[0m');
    assert.equal(painter(false)('red', say`x`), 'x');
    assert.equal(unpainted(`${painter(true)('bold', 'a')} ${painter(true)('grey', 'b')}`), 'a b');
  });
});

describe('a text that is broken for a terminal', () => {
  it('is broken between words, and indented as far as its line', () => {
    assert.equal(fold('one two three four', 9), 'one two\n  three\n  four');
    assert.equal(fold('one two', 7), 'one two');
    assert.equal(fold('  one two three four', 13), '  one two\n    three\n    four');
    assert.equal(fold('one two three four', Number.POSITIVE_INFINITY), 'one two three four');
    assert.equal(fold('a b\none two three', 9), 'a b\none two\n  three');
  });

  it('goes on below its second column, unless that would take half of the width', () => {
    assert.equal(fold('  ab  one two three', 14), '  ab  one two\n      three');
    assert.equal(fold('  abcdef  one two three', 18), '  abcdef  one two three');
  });

  it('keeps a command, and a line of a file, in one piece', () => {
    assert.equal(fold('To see it: kwg probe --spawn', 16), 'To see it:\n  kwg probe --spawn');
    assert.equal(fold('Then do this: /mcp reconnect demo', 18), 'Then do this:\n  /mcp reconnect demo');
    for (const line of ['+ one two three', '- one two three', '  "a": "one two three"', '  │ one two three'])
      assert.equal(fold(line, 9), line);
  });

  it('counts no colours', () => assert.equal(fold(painter(true)('red', 'one two'), 7), '\u001b[31mone two\u001b[0m'));
});

describe('two texts, word by word', () => {
  const marked = (before: string, after: string, most?: number) =>
    compareWords(before, after, most).map((pieces) =>
      pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join(''),
    );

  it('differ in whole words, and in the space between two that changed', () => {
    assert.deepEqual(marked('one two three', 'one 2 three'), ['one [two] three', 'one [2] three']);
    assert.deepEqual(marked('a one two b', 'a eins zwei b'), ['a [one two] b', 'a [eins zwei] b']);
    assert.deepEqual(marked('same', 'same'), ['same', 'same']);
    assert.deepEqual(marked('keeps kept', 'keeps keen'), ['keeps [kept]', 'keeps [keen]']);
    assert.deepEqual(marked('größe a', 'größen a'), ['[größe] a', '[größen] a']);
  });

  it('are cut where they are long and the same', () => {
    const long = 'word '.repeat(40);
    const [old, now] = marked(`${long}old ${long}`, `${long}new ${long}`);
    assert.match(old ?? '', /^….{60}\[old\].{60}…$/);
    assert.match(now ?? '', /^….{60}\[new\].{60}…$/);
  });

  it('are compared up to a number of words, and changed as a whole where that takes too long', () => {
    const [old, now] = marked('a b c d e f g', 'a 1 2 3 4 5 6', 3);
    assert.deepEqual([old, now], ['a [b c]…', 'a [1 2]…']);
    const words = (sign: string) => Array.from({ length: 200 }, (_one, at) => `${sign}${at}`).join(' ');
    assert.equal(compareWords(words('a'), words('b'))[0].filter(({ changed }) => changed).length, 1);
  });

  it('are split into words, spaces and signs', () => {
    assert.deepEqual(wordsOf('a_1, b'), ['a_1', ',', ' ', 'b']);
    assert.deepEqual(wordsOf('größe!'), ['größe', '!']);
    assert.deepEqual(wordsOf(''), []);
  });
});

describe('an old and a new value', () => {
  it('are told in full where they are short', () => {
    assert.equal(quoteChange('a', 'b'), '"a" → "b"');
    assert.equal(quoteChange(undefined, 5), 'none → 5');
    assert.equal(quoteChange('x'.repeat(80), 'b'), `"${'x'.repeat(80)}" → "b"`);
    assert.equal(quoteChange('a', ['x']), '"a" → ["x"]');
  });
});
