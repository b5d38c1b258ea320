// "Takes any name" is a meaning, not a spelling: the differ, the judge and the proof agree on it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listsNames, ofOtherNames, takesAnyName } from '../scripts/contract/other-names.ts';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { judge } from '../scripts/judge/judge.ts';

const ANY: Record<string, JsonObject> = {
  'says nothing': {},
  'lists nothing, and takes others': { properties: {}, additionalProperties: true },
  'takes others': { additionalProperties: true },
  'takes others, as zod writes it': { propertyNames: { type: 'string' }, additionalProperties: {} },
  'takes others that nothing evaluated': { unevaluatedProperties: true },
  'takes names of every pattern': { patternProperties: { '^.*$': {} } },
};
const NAMED: Record<string, JsonObject> = {
  'another name': { properties: { other: { type: 'string' } } },
  'another name, and takes others': { properties: { other: { type: 'string' } }, additionalProperties: true },
  'names of a pattern': { patternProperties: { '^x_': {} } },
  'names of a form': { propertyNames: { pattern: '^x_' } },
  'an empty list': { properties: {} },
  'no name at all': { additionalProperties: false },
  'no name at all, in other words': { additionalProperties: { not: {} } },
};

const tool = (inner: Json): Contract => ({
  name: 'store',
  inputSchema: { type: 'object', properties: { fields: inner }, required: ['fields'] },
});
const before = tool({ type: 'object', properties: { label: { type: 'string' } } });
const decide = (inner: JsonObject, value: Json = 'x') => {
  const live = tool({ type: 'object', ...inner });
  const args = { fields: { label: value } };
  const policy = { mode: 'guard', trusted: false } as const;
  return judge({ believed: before, live, tools: [live], args, policy, settled: () => false }).decision;
};

describe('an object that takes any name', () => {
  for (const [what, schema] of Object.entries(ANY))
    it(`${what}: a call by an old name is sent, and told`, () => {
      assert.equal(takesAnyName(schema), true);
      assert.equal(ofOtherNames(schema), true);
      assert.equal(decide(schema), 'notice');
    });

  it('takes texts alone: the text is sent, and told', () => {
    const schema = { additionalProperties: { type: 'string' } };
    assert.deepEqual([takesAnyName(schema), ofOtherNames(schema)], [true, { type: 'string' }]);
    assert.equal(decide(schema), 'notice');
  });

  it('takes numbers alone: the text is stopped', () => {
    assert.equal(decide({ additionalProperties: { type: 'number' } }), 'deny');
  });
});

describe('an object that lists names', () => {
  for (const [what, schema] of Object.entries(NAMED))
    it(`${what}: a call by an old name is stopped`, () => {
      assert.equal(listsNames(schema) && takesAnyName(schema), false);
      assert.equal(decide(schema), 'deny');
    });
});
