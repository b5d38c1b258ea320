// Calls as hosts write them, to the byte: what a host adds itself is taken out, and all else stays.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hostIn, withoutAdded } from '../scripts/wrap/host-habits.ts';
import { readMessage } from '../scripts/wrap/message.ts';
import { callsIn } from '../scripts/wrap/unread.ts';

const GEMINI = 'gemini-cli-mcp-client';
const call = (args: string, more = ''): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book","arguments":${args}${more}}}`;

/** The line that is sent, and the arguments that are judged. */
const taken = (line: string, host: string | undefined, served: string[] = []) => {
  const message = readMessage(Buffer.from(line));
  assert.ok(message);
  const sent = withoutAdded(Buffer.from(line), message, host, served).toString();
  return { sent, judged: message.params.arguments };
};

describe('what Gemini CLI adds to a call', () => {
  for (const [where, written, left] of [
    ['first', '{"wait_for_previous":true,"room":"A"}', '{"room":"A"}'],
    ['last', '{"room":"A","wait_for_previous":false}', '{"room":"A"}'],
    ['between others', '{"room":"A", "wait_for_previous" : true ,"floor":2}', '{"room":"A" ,"floor":2}'],
    ['alone', '{ "wait_for_previous": true }', '{ }'],
    ['beside its name in a text', '{"room":"\\"wait_for_previous\\":true","wait_for_previous":true}', undefined],
  ] as const)
    it(`is taken out: ${where}`, () => {
      const { sent, judged } = taken(call(written), GEMINI);
      assert.equal(sent, call(left ?? '{"room":"\\"wait_for_previous\\":true"}'));
      assert.deepEqual(judged, JSON.parse(sent).params.arguments);
    });

  for (const [why, line, host, served] of [
    ['another host means it', call('{"wait_for_previous":true}'), 'claude-code', []],
    ['the host gave no name', call('{"wait_for_previous":true}'), undefined, []],
    ['the tool has such a parameter', call('{"wait_for_previous":true}'), GEMINI, ['{}', '{"wait_for_previous":{}}']],
    [
      'one stands inside of an argument, too',
      call('{"a":{"wait_for_previous":true},"wait_for_previous":true}'),
      GEMINI,
      [],
    ],
    ['it is no boolean', call('{"wait_for_previous":"no"}', ',"_meta":{"wait_for_previous":true}'), GEMINI, []],
    ['it stands inside of an argument alone', call('{"a":{"wait_for_previous":true}}'), GEMINI, []],
    ['there are no arguments', call('null'), GEMINI, []],
  ] as const)
    it(`stays: ${why}`, () => {
      const { sent, judged } = taken(line, host, [...served]);
      assert.equal(sent, line);
      assert.deepEqual(judged, JSON.parse(line).params.arguments);
    });
});

it('a call that is no valid JSON is told by the name that its escapes mean', () => {
  const line = call('{"room":NaN}').replace('"book"', '"rooms\\/b\\u006fok"');
  assert.equal(readMessage(Buffer.from(line)), undefined);
  assert.deepEqual(callsIn(Buffer.from(line))?.messages[0]?.params, { name: 'rooms/book' });
});

it('a line that mentions a call is one, though its method cannot be read', () => {
  for (const method of [`'method':'tools/call'`, `"method":"x/y","method":'tools/call'`])
    assert.equal(callsIn(Buffer.from(`{"id":7,${method}}`))?.messages[0]?.method, 'tools/call');
});

it('an id that is neither a text nor a number is none: no answer could have it', () => {
  for (const id of ['null', '["a"]', 'true'])
    assert.deepEqual(readMessage(Buffer.from(`{"id":${id},"method":"x/y"}`)), { method: 'x/y', params: {} });
});

it('a host is known by what it calls itself, where the protocol has that', () => {
  const name = { clientInfo: { name: 'x' } };
  assert.equal(hostIn({ method: 'initialize', params: name }), 'x');
  assert.equal(hostIn({ method: 'tools/call', params: name }), undefined);
  const told = { _meta: { 'io.modelcontextprotocol/clientInfo': { name: 'y' } } };
  assert.equal(hostIn({ method: 'tools/call', params: told }), 'y');
  assert.equal(hostIn({ method: 'initialize', params: { clientInfo: { name: 7 } } }), undefined);
});
