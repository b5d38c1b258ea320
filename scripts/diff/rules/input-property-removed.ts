import { pointer } from '../../contract/json-pointer.ts';
import { ofOtherNames, takesAnyName } from '../../contract/other-names.ts';
import { referencesIn } from '../../contract/references.ts';
import { own } from '../../contract/types.ts';
import { isSubset } from '../../proof/subset.ts';
import { quoteName } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

/** Whether the new schema may refuse a property that it does not name; if not, it accepts and ignores it. */
export const refusesUnknown = ({ after }: SchemaPair): boolean => ofOtherNames(after) !== true;

/** Keywords that may hide statements about an object's properties. */
const ELSEWHERE = '$ref $dynamicRef allOf anyOf oneOf then else dependentSchemas dependencies'.split(' ');

/** Whether a place now takes properties of any name, so that each may be meant. A tool itself takes none then. */
export const namesNothingNow = ({ after, parameter }: SchemaPair): boolean =>
  parameter.length > 0 && takesAnyName(after) && !ELSEWHERE.some((keyword) => Object.hasOwn(after, keyword));

/** Whether any name now takes what a property took. */
const freedIn = (pair: SchemaPair): ((name: string) => boolean) => {
  if (!namesNothingNow(pair)) return () => false;
  const rest = ofOtherNames(pair.after);
  if (rest === true) return () => true;
  const had = own(pair.before, 'properties');
  // The proof of the whole schema covers what references lead to.
  return (name) => {
    const schema = own(had, name) ?? true;
    return referencesIn([schema, rest]).size === 0 && isSubset(schema, rest);
  };
};

export const inputPropertyRemoved: Rule<SchemaPair> = {
  id: 'input-property-removed',
  purpose:
    'A parameter is gone. An open object goes on accepting it, and ignores it; one that no longer names anything may still mean it.',
  at: 'schema',
  keywords: ['properties'],
  find: (pair) => {
    const isFree = freedIn(pair);
    const isRefused = refusesUnknown(pair);
    const accepted = isRefused
      ? 'the server refuses it now'
      : 'no longer listed; still accepted, like any unknown name';
    return pair.removed.map((name) => {
      const free = isFree(name);
      return {
        kind: free ? 'free' : isRefused ? 'refused' : 'ignored',
        path: `/properties${pointer(name)}`,
        parameter: name,
        message: free
          ? say`no longer listed: ${quoteName(name)} (still accepted, like any unknown name; it may no longer have an effect)`
          : say`removed: ${quoteName(name)} (${accepted})`,
        before: own(own(pair.before, 'properties'), name),
      };
    });
  },
  examples: [
    {
      what: 'from an open object: the value is dropped without an error',
      before: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } } },
      after: { type: 'object', properties: { a: { type: 'string' } } },
      gives: ['silent input-property-removed /inputSchema/properties/b, deny when used'],
    },
    {
      what: 'from a closed object: the call fails',
      before: {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'integer' } },
        additionalProperties: false,
      },
      after: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      gives: ['breaking input-property-removed /inputSchema/properties/b, deny when used'],
    },
    {
      what: 'from an object that no longer names anything: all that it is given may be meant',
      before: { type: 'object', properties: { o: { type: 'object', properties: { a: { type: 'string' } } } } },
      after: { type: 'object', properties: { o: { type: 'object' } } },
      gives: ['silent input-property-removed /inputSchema/properties/o/properties/a, deny when used'],
    },
    {
      what: 'from an object that takes any name now, in other words',
      before: { type: 'object', properties: { o: { type: 'object', properties: { a: { type: 'string' } } } } },
      after: {
        type: 'object',
        properties: { o: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} } },
      },
      gives: [
        'silent input-property-removed /inputSchema/properties/o/properties/a, deny when used',
        'compatible input-constraint-changed /inputSchema/properties/o/propertyNames, quiet',
      ],
    },
    {
      what: 'from an object that takes such a value under any name now',
      before: { type: 'object', properties: { o: { type: 'object', properties: { a: { type: 'string' } } } } },
      after: { type: 'object', properties: { o: { type: 'object', additionalProperties: { type: 'string' } } } },
      gives: [
        'breaking input-object-closed /inputSchema/properties/o/additionalProperties, quiet',
        'silent input-property-removed /inputSchema/properties/o/properties/a, deny when used',
      ],
    },
    {
      what: 'from an object that takes other values alone under any name now',
      before: { type: 'object', properties: { o: { type: 'object', properties: { a: { type: 'string' } } } } },
      after: { type: 'object', properties: { o: { type: 'object', additionalProperties: { type: 'number' } } } },
      gives: [
        'breaking input-property-removed /inputSchema/properties/o/properties/a, deny when used',
        'breaking input-object-closed /inputSchema/properties/o/additionalProperties, quiet',
      ],
    },
    {
      what: 'into an object: told with its new place',
      before: { type: 'object', properties: { path: { type: 'string' }, deep: { type: 'boolean' } } },
      after: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          options: { type: 'object', properties: { deep: { type: 'boolean' } } },
        },
      },
      gives: [
        'silent input-property-removed /inputSchema/properties/deep, deny when used',
        'compatible input-property-added /inputSchema/properties/options, quiet',
      ],
    },
  ],
};
