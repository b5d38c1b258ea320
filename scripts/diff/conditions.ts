// Conditions that can be told in a few words: "`reason` required where `mode` is "safe"".
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { quoteList, quoteName, quoteNames, quoteValue } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { requiredNames } from './rules/input-property-became-required.ts';

const hasOnly = (schema: JsonObject, keywords: readonly string[]): boolean =>
  Object.keys(schema).every((keyword) => keywords.includes(keyword)) &&
  [undefined, 'object'].includes(own(schema, 'type') as string | undefined);

/** When a condition holds: one parameter is given, or has one of some values. */
const whenText = (said: Json | undefined): Shown | undefined => {
  if (!isObject(said) || !hasOnly(said as JsonObject, ['properties', 'required', 'type'])) return undefined;
  const [properties, required] = [Object.entries(own(said, 'properties') ?? {}), requiredNames(said as JsonObject)];
  const [[name, value] = [required[0], true], ...others] = properties as [string, Json][];
  if (name === undefined || others.length > 0 || required.some((one) => one !== name)) return undefined;
  if (value === true) return required.length > 0 ? say`${quoteName(name)} is given` : undefined;
  const keys = Object.keys(value ?? {}).filter((keyword) => keyword !== 'type');
  const [only, list] = [own(value, 'const'), own(value, 'enum')];
  const values = keys.length !== 1 ? [] : only !== undefined ? [only] : Array.isArray(list) ? list : [];
  if (values.length === 0) return undefined;
  const is = values.length === 1 ? say`is ${quoteValue(values[0], 40)}` : say`is one of ${quoteList(values, 4)}`;
  return say`${quoteName(name)} ${is}${required.length > 0 ? '' : ' or left out'}`;
};

/** What may ask for a format, in JSON: no program checks whether a text has it. */
const UNCHECKED = /"(?:\$ref|\$dynamicRef|\$recursiveRef|format)":/;

/** What is asked for: names that are required, and others that are limited. */
const askedText = (said: Json | undefined): Shown | undefined => {
  if (!isObject(said) || !hasOnly(said as JsonObject, ['properties', 'required', 'type'])) return undefined;
  const properties = (own(said, 'properties') ?? {}) as JsonObject;
  const required = requiredNames(said as JsonObject);
  const limited = Object.keys(properties).filter((name) => !required.includes(name));
  // Words of one form alone are compared elsewhere.
  const saysMore = Object.values(properties).some(
    (one) =>
      ['default', 'description', 'title'].some((keyword) => own(one, keyword) !== undefined) ||
      UNCHECKED.test(JSON.stringify(one)),
  );
  if (saysMore || required.length + limited.length === 0) return undefined;
  const needs = required.length > 0 ? say`${quoteNames(required, 4)} required` : '';
  const limits = limited.length > 0 ? say`${quoteNames(limited, 4)} limited` : '';
  return say`${needs}${needs !== '' && limits !== '' ? ' and ' : ''}${limits}`;
};

/** What a condition asks for, and when; undefined if that takes more than a few words. */
export const conditionText = (schema: JsonObject): Shown | undefined => {
  const [when, then, other] = [own(schema, 'if'), own(schema, 'then'), own(schema, 'else')];
  const [is, asked, elsewhere] = [whenText(when), askedText(then), askedText(other)];
  if (is === undefined || (then === undefined && other === undefined)) return undefined;
  if ((then !== undefined && asked === undefined) || (other !== undefined && elsewhere === undefined)) return undefined;
  if (asked === undefined) return say`${elsewhere ?? ''} unless ${is}`;
  return say`${asked} where ${is}${elsewhere === undefined ? '' : say`, and ${elsewhere} elsewhere`}`;
};

/** What is asked for beside a parameter. */
export const besideText = (name: string, said: Json | undefined): Shown | undefined => {
  const asked = askedText(said);
  return asked && say`${asked} where ${quoteName(name)} is given`;
};
