// Arguments that a client repeats in headers of HTTP.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { ParamHeaders, toHeaderText } from '../scripts/wrap/param-headers.ts';

const inBase64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** A server that lists one tool with these parameters. */
const listing = (properties: JsonObject, name = 'note') => ({
  tools: [{ name, inputSchema: { type: 'object', properties } }],
});
const headersOf = (properties: JsonObject, args: Json): Record<string, string> => {
  const headers = new ParamHeaders();
  headers.learn(listing(properties));
  return headers.of({ name: 'note', arguments: args });
};

describe('arguments that a client repeats in headers', () => {
  it('are those whose schema names a header, at any depth', () => {
    const region = { type: 'string', 'x-mcp-header': 'Region' };
    const where = { type: 'object', properties: { region } };
    assert.deepEqual(headersOf({ region, city: { type: 'string' } }, { region: 'eu', city: 'x' }), {
      'mcp-param-region': 'eu',
    });
    assert.deepEqual(headersOf({ where }, { where: { region: 'eu' } }), { 'mcp-param-region': 'eu' });
    assert.deepEqual(headersOf({ where }, { where: 'eu' }), {});
    assert.deepEqual(headersOf({ region }, {}), {});
    assert.deepEqual(headersOf({ toString: region }, {}), {}, 'not what every object has');
  });

  it('are texts, whole numbers and booleans, by the schema and as they are', () => {
    const of = (type: string, value: Json) =>
      headersOf({ a: { type, 'x-mcp-header': 'A' } }, { a: value })['mcp-param-a'];
    assert.deepEqual(
      [of('integer', 7), of('boolean', false), of('integer', 1.5), of('integer', 2 ** 60), of('string', null)],
      ['7', 'false', undefined, undefined, undefined],
    );
    assert.deepEqual([of('number', 7), of('object', {}), of('array', ['x'])], [undefined, undefined, undefined]);
  });

  it('not where the name is no name of a header', () => {
    for (const name of ['', 'a b', 'a:b', 'a\r\nb', 'ä', 7])
      assert.deepEqual(headersOf({ a: { type: 'string', 'x-mcp-header': name } }, { a: 'x' }), {}, String(name));
  });

  it('by the list that came last', () => {
    const headers = new ParamHeaders();
    headers.learn(listing({ a: { type: 'string', 'x-mcp-header': 'A' } }));
    headers.learn(listing({ b: { type: 'string', 'x-mcp-header': 'B' } }, 'other'));
    assert.deepEqual(headers.of({ name: 'note', arguments: { a: 'x' } }), { 'mcp-param-a': 'x' });
    headers.learn(listing({ a: { type: 'string' } }));
    assert.deepEqual(headers.of({ name: 'note', arguments: { a: 'x' } }), {});
    assert.deepEqual(headers.of({ name: 'other', arguments: { b: 'y' } }), { 'mcp-param-b': 'y' });
  });

  it('as plain text where HTTP allows it, else in base64', () => {
    for (const text of ['eu', 'a b', 'a\tb', '=?utf8?x?=']) assert.equal(toHeaderText(text), text);
    for (const text of ['', ' eu', 'eu\t', 'Zürich', 'a\r\nb', 'a\u007fb', '=?base64?ZXU=?='])
      assert.equal(toHeaderText(text), inBase64(text));
  });
});
