import { pointer } from '../../contract/json-pointer.ts';
import { isObject, type Json, own } from '../../contract/types.ts';
import { isSubset } from '../../proof/subset.ts';
import { quoteName } from '../../text/quote.ts';
import { type Shown, say } from '../../text/shown.ts';
import { holdsBack } from '../consent.ts';
import { inversionAt } from '../inverted.ts';
import { overwrites } from '../kept-fields.ts';
import { actsByItself, someSetByDefault, tellsOfLeavingOut } from '../left-out.ts';
import type { Finding, Rule, SchemaPair } from '../types.ts';
import { requiredNames } from './input-property-became-required.ts';

/** Whether a schema only describes and takes any value. */
const takesAll = (schema: Json | undefined): boolean => schema === undefined || isSubset(true, schema);

type AddedKind = Pick<Finding, 'kind' | 'message'>;

const asRequired = (name: string): AddedKind => ({
  kind: 'required',
  message: say`added: required ${quoteName(name)}`,
});

/** What the rule says of an added parameter that acts in calls that leave it out; undefined if it does not. */
export const actingFinding = (name: string, schema: Json | undefined, root: Json): Shown | undefined => {
  const added = say`added: optional ${quoteName(name)}`;
  if (someSetByDefault(holdsBack, name, schema, root))
    return say`${added}, which may keep calls that leave it out from doing anything`;
  return someSetByDefault(actsByItself, name, schema, root)
    ? say`${added}, which acts in calls that leave it out`
    : undefined;
};

const asOptional = (name: string, schema: Json | undefined, pair: SchemaPair): AddedKind => {
  const { isFree, root } = pair;
  const shown = quoteName(name);
  if (isFree && !takesAll(schema)) {
    const type = own(schema, 'type');
    const is = typeof type === 'string' ? say`must be ${quoteName(type)}` : 'is restricted';
    return { kind: 'typed', message: say`${shown} is listed now, and ${is}` };
  }
  const added = say`added: optional ${shown}`;
  // Calls without it, and without its opposite, do what they did.
  if (inversionAt(pair, name) === 'kept') return { kind: 'optional', message: added };
  const acting = actingFinding(name, schema, root);
  if (acting !== undefined) return { kind: 'acting', message: acting };
  // A place inside of it may be in a form that a call does not use, or in a list.
  if (pair.parameter.length === 0 && overwrites(pair.tool, name, schema, root))
    return { kind: 'acting', message: say`${added}, whose default may replace what calls that leave it out kept` };
  return { kind: tellsOfLeavingOut(schema, root) ? 'assumed' : 'optional', message: added };
};

export const inputPropertyAdded: Rule<SchemaPair> = {
  id: 'input-property-added',
  purpose:
    'There is a parameter that was not there. A required one makes every old call invalid; a typed one in an object that named none, those that passed another type under its name.',
  at: 'schema',
  keywords: ['properties'],
  find: (pair) => {
    const required = new Set(requiredNames(pair.after));
    return pair.added.map((name) => {
      const schema = own(own(pair.after, 'properties'), name);
      return {
        ...(required.has(name) ? asRequired(name) : asOptional(name, schema, pair)),
        path: `/properties${pointer(name)}`,
        parameter: name,
        after: isObject(schema) ? schema : undefined,
      };
    });
  },
  examples: [
    {
      what: 'an optional parameter',
      before: { type: 'object', properties: { dataset: { type: 'string' } } },
      after: { type: 'object', properties: { dataset: { type: 'string' }, region: { type: 'string' } } },
      gives: ['compatible input-property-added /inputSchema/properties/region, quiet'],
    },
    {
      what: 'an optional parameter that does something where it is left out',
      before: { type: 'object', properties: { dataset: { type: 'string' } } },
      after: {
        type: 'object',
        properties: { dataset: { type: 'string' }, compress: { type: 'boolean', default: true } },
      },
      gives: ['compatible input-property-added /inputSchema/properties/compress'],
    },
    {
      what: 'one that deletes more where it is left out',
      before: { type: 'object', properties: { path: { type: 'string' } } },
      after: { type: 'object', properties: { path: { type: 'string' }, cascade: { type: 'boolean', default: true } } },
      gives: ['silent input-property-added /inputSchema/properties/cascade, ask when omitted'],
    },
    {
      what: 'a trial run by default: what the call did is no longer done',
      before: { type: 'object', properties: { id: { type: 'string' } } },
      after: { type: 'object', properties: { id: { type: 'string' }, dryRun: { type: 'boolean', default: true } } },
      gives: ['silent input-property-added /inputSchema/properties/dryRun, ask when omitted'],
    },
    {
      what: 'the same as one of several options, or behind a reference',
      before: { type: 'object', properties: { id: { type: 'string' } } },
      after: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          how: { $ref: '#/$defs/How', default: { preview: true } },
          dryRun: { $ref: '#/$defs/DryRun' },
        },
        $defs: {
          DryRun: { type: 'boolean', default: true },
          How: { type: 'object', properties: { preview: { type: 'boolean' } } },
        },
      },
      gives: [
        'silent input-property-added /inputSchema/properties/how, ask when omitted',
        'silent input-property-added /inputSchema/properties/dryRun, ask when omitted',
      ],
    },
    {
      what: 'an option that is off',
      before: { type: 'object', properties: { id: { type: 'string' } } },
      after: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          how: { type: 'object', properties: { preview: { type: 'boolean' } }, default: { preview: false } },
        },
      },
      gives: ['compatible input-property-added /inputSchema/properties/how'],
    },
    {
      what: 'a required parameter: one line, not two',
      before: { type: 'object', properties: { dataset: { type: 'string' } }, required: ['dataset'] },
      after: {
        type: 'object',
        properties: { dataset: { type: 'string' }, region: { type: 'string' } },
        required: ['dataset', 'region'],
      },
      gives: ['breaking input-property-added /inputSchema/properties/region'],
    },
    {
      what: 'a typed one in an object that took any: what was sent under its name may be of another type',
      before: { type: 'object', properties: { filter: { type: 'object' } } },
      after: { type: 'object', properties: { filter: { type: 'object', properties: { _id: { type: 'string' } } } } },
      gives: ['breaking input-property-added /inputSchema/properties/filter/properties/_id'],
    },
    {
      what: 'one that is only described, in an object that takes any',
      before: { type: 'object', properties: { filter: { type: 'object' } } },
      after: {
        type: 'object',
        properties: { filter: { type: 'object', properties: { _id: { description: 'which one' } } } },
      },
      gives: ['compatible input-property-added /inputSchema/properties/filter/properties/_id, quiet'],
    },
  ],
};
