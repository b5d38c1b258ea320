// Texts for the model in the answers of a server: which answer gets which, and that no other byte changes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outlineOf } from '../scripts/wrap/outline.ts';
import { Tellings } from '../scripts/wrap/tellings.ts';

/** What the host is sent for a line of the server. */
const sent = (tellings: Tellings, line: string): string => {
  const bytes = Buffer.from(line);
  return tellings.into(bytes, outlineOf(bytes).messages).toString();
};
const owing = (...owed: [idText: string, text: string][]): Tellings => {
  const tellings = new Tellings();
  for (const one of owed) tellings.owe(...one);
  return tellings;
};
const part = (text: string): string => JSON.stringify({ type: 'text', text });

describe('a text for the model', () => {
  it('comes first in the answer of its call, once', () => {
    const tellings = owing(['1', 'an "odd"\ntext'], ['"1"', 'of another call']);
    const answer = (content: string): string => `{"id": 1,"result":{"content": [${content}],"isError":false}}\n`;
    assert.equal(
      sent(tellings, answer('{"type":"text","text":"é"}')),
      answer(`${part('an "odd"\ntext')},{"type":"text","text":"é"}`),
    );
    assert.equal(sent(tellings, answer('')), answer(''));
    assert.equal(sent(tellings, answer('').replace('1', '"1"')), answer(part('of another call')).replace('1', '"1"'));
    assert.equal(tellings.isOwing, false);
  });

  it('comes behind the message of an error', () => {
    const answer = (message: string): string => `{"id":1,"error":{"code":-32000,"message":${JSON.stringify(message)}}}`;
    assert.equal(sent(owing(['1', 'told']), answer('no')), answer('no\ntold'));
  });

  it('is not for a request of the server with the same id, nor for an answer without one', () => {
    const tellings = owing(['1', 'told']);
    for (const line of ['{"id":1,"method":"ping"}', '{"result":{"content":[]}}', '{"id":1}', '[]'])
      assert.equal(sent(tellings, line), line);
    assert.equal(tellings.isOwing, true);
  });

  it('comes to each answer of a batch, in whatever order', () => {
    const batch = (one: string, two: string): string =>
      `[{"id":2,"result":{"content":[${two}]}}, {"result":{"content":[${one}]},"id":1}]`;
    assert.equal(sent(owing(['1', 'one'], ['2', 'two']), batch('', '')), batch(part('one'), part('two')));
  });

  it('that has no place in its answer, or whose answer passed, comes with the next', () => {
    const tellings = owing(['1', 'one'], ['2', 'two'], ['3', 'three']);
    const plain = '{"id":1,"result":{"structuredContent":{"a":1}}}';
    assert.equal(sent(tellings, plain), plain);
    for (const odd of ['null', 'true', '"text"', '7', '{}']) {
      const other = owing(['1', 'one'], ['2', 'two']);
      for (const line of [`{"id":1,"result":${odd}}`, `{"result": ${odd} ,"id":1}`])
        assert.equal(sent(other, line), line);
      assert.equal(
        sent(other, '{"id":2,"result":{"content":[]}}'),
        `{"id":2,"result":{"content":[${part('one\ntwo')}]}}`,
      );
    }
    tellings.missed(outlineOf(Buffer.from('{"id":2,"result":{"content":[]}}')).messages);
    const answer = (content: string): string => `{"id":3,"result":{"content":[${content}]}}`;
    assert.equal(sent(tellings, answer('')), answer(part('one\ntwo\nthree')));
    tellings.owe('3', 'four');
    assert.equal(sent(tellings, answer('')), answer(part('four')));
  });

  it('that had no place waits for no answer that is owed another one, and goes into no other message', () => {
    const tellings = owing(['1', 'one']);
    const plain = (id: number): string => `{"id":${id},"result":{"structuredContent":{}}}`;
    assert.equal(sent(tellings, plain(1)), plain(1));
    for (const line of ['{"id":7,"method":"ping"}', '{"result":{"content":[]}}', plain(2)])
      assert.equal(sent(tellings, line), line);
    assert.equal(tellings.isOwing, true);
    const answer = (content: string): string => `{"id":9,"result":{"content":[${content}]}}`;
    assert.equal(sent(tellings, answer('')), answer(part('one')));
    assert.equal(tellings.isOwing, false);
  });

  it('waits for the next answer up to 4,000 characters', () => {
    const tellings = owing(['1', 'x'.repeat(5_000)], ['2', 'two']);
    sent(tellings, '{"id":1,"result":{}}');
    const answer = sent(tellings, '{"id":2,"result":{"content":[]}}');
    assert.equal(JSON.parse(answer).result.content[0].text, `${'x'.repeat(4_000)}\ntwo`);
  });
});
