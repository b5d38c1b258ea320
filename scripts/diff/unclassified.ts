// Changes that no rule knows.
import { defined } from '../contract/defined.ts';
import { pointer } from '../contract/json-pointer.ts';
import type { Json } from '../contract/types.ts';
import { quoteName } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { type ChangePlace, parametersAt } from './run-rules.ts';
import { DOUBT, UNCLASSIFIED } from './table.ts';
import type { Effect, FoundChange } from './types.ts';

/** What keywords are about, for a caller of the tool. */
export const WHAT_CHANGED: ReadonlyMap<string, Shown> = new Map(
  Object.entries({
    additionalItems: say`the limits on further elements changed`,
    additionalProperties: say`the limits on other parameters changed`,
    allOf: say`the conditions that it has to meet changed`,
    anyOf: say`the forms that it may have changed`,
    contains: say`the limits on one of its elements changed`,
    dependencies: say`the rules for what is given together changed`,
    dependentSchemas: say`the limits where a certain parameter is given changed`,
    else: say`the limits where a condition does not hold changed`,
    if: say`the condition on which other limits depend changed`,
    items: say`the limits on its elements changed`,
    not: say`the excluded values changed`,
    oneOf: say`the forms that it may have changed`,
    patternProperties: say`the limits on parameters with certain names changed`,
    prefixItems: say`the limits on its first elements changed`,
    properties: say`its parameters are declared in another way`,
    propertyNames: say`the limits on names changed`,
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: say`the limits where a condition holds changed`,
    unevaluatedItems: say`the limits on further elements changed`,
    unevaluatedProperties: say`the limits on other parameters changed`,
  }),
);

/** When a change that no rule knows matters: a parameter's own `required: true` is about calls that leave it out. */
const effectOf = (keyword: string, after: Json | undefined): Effect =>
  keyword === 'required' && after === true ? { ...UNCLASSIFIED.effect, when: 'omitted' } : UNCLASSIFIED.effect;

export const unclassified = (
  place: ChangePlace,
  keyword: string,
  before: Json | undefined,
  after: Json | undefined,
  what = WHAT_CHANGED.get(keyword),
): FoundChange => {
  const message = say`${what ?? say`${quoteName(keyword)} changed`}${DOUBT}`;
  return {
    tool: place.tool,
    path: `${place.path}${pointer(keyword)}`,
    rule: UNCLASSIFIED.id,
    level: UNCLASSIFIED.level,
    message,
    ...defined({ before, after }),
    ...parametersAt(place),
    ...(place.parameter && place.parameter.length > 0 ? { effect: effectOf(keyword, after) } : {}),
    brief: message,
  };
};
