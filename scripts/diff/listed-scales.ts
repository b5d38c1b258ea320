// Scales whose numbers are listed one by one: 0 to 4, and then 1 to 5. They are judged as if they had bounds.
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { valuesOfForm } from './branches.ts';
import { BOUNDS, boundOf, countedBy, isAmount, isOtherScale } from './scales.ts';
import type { SchemaPair } from './types.ts';

/** The whole numbers between two ends. In texts, the same letters stand before each: P0 to P3. */
interface Range {
  label: string;
  least: number;
  most: number;
  isListed: boolean;
}

/** The forms of a value, but null. */
const formsOf = (schema: JsonObject): Json[] => {
  const forms = own(schema, 'anyOf') ?? own(schema, 'oneOf');
  return Array.isArray(forms) ? forms.filter((form) => own(form, 'type') !== 'null') : [];
};

/** The values that a schema lists, itself or by its forms, without null; undefined if it takes others. */
const valuesIn = (schema: JsonObject): Json[] | undefined => {
  const its = valuesOfForm(schema);
  const forms = formsOf(schema).map(valuesOfForm);
  const lists = its === undefined && forms.length > 0 ? forms : [its];
  if (!lists.every((values) => values !== undefined)) return undefined;
  return lists.flat().filter((value) => value !== null);
};

/** Longer texts are no labels of numbers. */
const NUMBERED = /^(\D{0,20})(\d{1,6})$/;

/** The range that values make up, if none is left out and they are several; undefined for any other list. */
const rangeOfValues = (values: readonly Json[]): Range | undefined => {
  const parts = values.map((value) =>
    typeof value === 'number' ? ['', value] : (NUMBERED.exec(String(value))?.slice(1) ?? ['', Number.NaN]),
  );
  const numbers = new Set(parts.map(([, number]) => Number(number)));
  const [label = ''] = parts[0] as [string];
  const [least, most] = [...numbers].reduce(([low, high], one) => [Math.min(low, one), Math.max(high, one)], [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ] as [number, number]);
  const isRange = numbers.size > 1 && Number.isSafeInteger(least) && most - least + 1 === numbers.size;
  return isRange && parts.every(([its]) => its === label) ? { label, least, most, isListed: true } : undefined;
};

const rangeOf = (schema: JsonObject): Range | undefined => {
  const values = valuesIn(schema);
  if (values !== undefined) return values.length === 0 ? undefined : rangeOfValues(values);
  const [only, ...others] = formsOf(schema);
  if (isObject(only) && others.length === 0) return rangeOf(only as JsonObject);
  const [least, most] = BOUNDS.map((bound) => boundOf(schema, bound));
  return typeof least === 'number' && typeof most === 'number'
    ? { label: '', least, most, isListed: false }
    : undefined;
};

/** How a listed scale changed: some of its numbers are refused now (`shifted`), or none (`rescaled`). */
export const scaleChange = (pair: SchemaPair): 'shifted' | 'rescaled' | undefined => {
  const [had, has] = [rangeOf(pair.before), rangeOf(pair.after)];
  if (had === undefined || has === undefined || had.label !== has.label || !(had.isListed || has.isListed))
    return undefined;
  const [low, high] = [has.least - had.least, has.most - had.most];
  const of = { ...countedBy(pair), isWhole: true };
  // The same numbers, counted from 0 or from 1. Of a text, one more is only one more.
  const isCounted = low === high && Math.abs(low) === 1 && Math.min(had.least, has.least) === 0 && !isAmount(of.name);
  const isOther = (keyword: string, old: number, now: number): boolean =>
    had.label === '' && old !== now && isOtherScale(keyword, old, now, of);
  if (!isCounted && !isOther('minimum', had.least, has.least) && !isOther('maximum', had.most, has.most))
    return undefined;
  return low > 0 || high < 0 ? 'shifted' : 'rescaled';
};
