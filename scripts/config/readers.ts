// What settings are read with: each reader keeps what is valid, and reports the rest.
import { isObject } from '../contract/types.ts';

/**
 * Reports what is wrong at a place. Returns undefined, so that a reader can leave the value out by returning this.
 * @param instead what applies, if the value is not just left out
 */
type ReportProblem = (path: readonly string[], what: string, instead?: string) => undefined;

/**
 * Checks a value, reports what is wrong or unknown in it, and gives the rest; undefined if nothing is left. The result is
 * built only from what was checked, so that nothing unchecked gets in.
 */
export type SettingReader = (value: unknown, path: readonly string[], report: ReportProblem) => unknown;

export const plain =
  (wanted: string, fits: (value: unknown) => boolean): SettingReader =>
  (value, path, report) =>
    fits(value) ? value : report(path, `must be ${wanted}`);

export const listOf =
  (element: SettingReader): SettingReader =>
  (value, path, report) =>
    Array.isArray(value)
      ? value.map((one, index) => element(one, [...path, String(index)], report)).filter((one) => one !== undefined)
      : report(path, 'must be an array');

/** An object with any keys, whose values are all read by `entry`. */
export const mapOf =
  (entry: SettingReader): SettingReader =>
  (value, path, report) => {
    if (!isObject(value)) return report(path, 'must be an object');
    const read = Object.entries(value).map(([key, one]) => [key, entry(one, [...path, key], report)] as const);
    return Object.fromEntries(read.filter(([, one]) => one !== undefined));
  };

/**
 * An object with known keys.
 * @param required if one of these keys is missing or invalid, the whole object is left out
 */
export const fields =
  (known: Record<string, SettingReader>, required: readonly string[] = []): SettingReader =>
  (value, path, report) => {
    if (!isObject(value)) return report(path, 'must be an object');
    const read = Object.entries(value).map(([key, one]) => {
      const reader = Object.hasOwn(known, key) ? known[key] : undefined;
      const at = [...path, key];
      return [key, reader ? reader(one, at, report) : report(at, 'is not a setting')] as const;
    });
    const kept = Object.fromEntries(read.filter(([, one]) => one !== undefined));
    const missing = required.find((key) => !Object.hasOwn(kept, key));
    return missing === undefined ? kept : report(path, `must have a valid ${missing}`);
  };
