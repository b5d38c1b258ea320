// Switches in whose place their opposites came: `public`, and then `private`.
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { actedAs, isSwitch } from './left-out.ts';
import { nameWords } from './name-words.ts';
import { requiredNames } from './rules/input-property-became-required.ts';
import type { SchemaPair } from './types.ts';
import { areInverse } from './unlike-names.ts';

const isOn = (said: Json | undefined): boolean =>
  actedAs(isObject(said) ? [said as JsonObject] : [], own(said, 'default')) === true;

/** Whether a switch picks some of what is listed: where it is off, all of it is. */
const picksSome = (name: string, said: Json | undefined): boolean =>
  nameWords(name).includes('only') ||
  /^\W*(?:filter|only|(?:if (?:set|true), )?(?:include|list|return|show)s? only)\b/i.test(
    String(own(said, 'description') ?? ''),
  );

/**
 * What a call means now that gives neither the switch that came nor its opposite that went: the same (`kept`), if one was on by
 * default and the other one is off; else the opposite (`turned`). Undefined where there are no such switches.
 */
export const inversionAt = (pair: SchemaPair, to: string): 'kept' | 'turned' | undefined => {
  const from = pair.replaced.get(to);
  if (from === undefined || !areInverse(from, to)) return undefined;
  const [had, has] = [own(own(pair.before, 'properties'), from), own(own(pair.after, 'properties'), to)];
  // A call gave the one, or has to give the other.
  if (requiredNames(pair.before).includes(from) || requiredNames(pair.after).includes(to)) return undefined;
  if (!isSwitch(had) || !isSwitch(has) || (picksSome(from, had) && picksSome(to, has))) return undefined;
  return isOn(had) === isOn(has) ? 'turned' : 'kept';
};
