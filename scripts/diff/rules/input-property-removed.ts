import { pointer } from '../../contract/json-pointer.ts';
import { own } from '../../contract/types.ts';
import { quoteName } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

/** Whether the new schema refuses a property that it does not name; if not, it accepts and ignores it. */
export const refusesUnknown = (pair: SchemaPair): boolean => {
  const rest = own(pair.after, 'additionalProperties') ?? own(pair.after, 'unevaluatedProperties') ?? true;
  return rest !== true;
};

/** Keywords that say something of an object's properties, or may. */
const NAMING =
  `properties patternProperties propertyNames additionalProperties unevaluatedProperties $ref $dynamicRef allOf
  anyOf oneOf then else dependentSchemas dependencies`.split(/\s+/);

/** Whether nothing is said of any parameter at a place now, so that each may be meant. A tool itself takes none then. */
export const namesNothingNow = ({ after, parameter }: SchemaPair): boolean =>
  parameter.length > 0 && !NAMING.some((keyword) => Object.hasOwn(after, keyword));

export const inputPropertyRemoved: Rule<SchemaPair> = {
  id: 'input-property-removed',
  purpose:
    'A parameter is gone. An open object goes on accepting it, and ignores it; one that names nothing any more may still mean it.',
  at: 'schema',
  keywords: ['properties'],
  find: (pair) =>
    pair.removed.map((name) => ({
      kind: namesNothingNow(pair) ? 'free' : refusesUnknown(pair) ? 'refused' : 'ignored',
      path: `/properties${pointer(name)}`,
      parameter: name,
      message: namesNothingNow(pair)
        ? say`no longer listed: ${quoteName(name)} (accepted as any other name; nothing says whether it means something)`
        : say`removed: ${quoteName(name)} (${refusesUnknown(pair) ? 'the server refuses it now' : 'accepted as any other name, and no longer listed'})`,
      before: own(own(pair.before, 'properties'), name),
    })),
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
      what: 'from an object that names nothing any more: whatever it is given may be meant',
      before: { type: 'object', properties: { o: { type: 'object', properties: { a: { type: 'string' } } } } },
      after: { type: 'object', properties: { o: { type: 'object' } } },
      gives: ['silent input-property-removed /inputSchema/properties/o/properties/a, deny when used'],
    },
  ],
};
