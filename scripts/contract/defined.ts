/** A copy without the fields whose value is undefined. */
export const defined = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } => {
  const kept: Partial<T> = {};
  for (const name of Object.keys(fields) as (keyof T)[]) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept as { [K in keyof T]?: Exclude<T[K], undefined> };
};

/** The items of a list that are there: `false` and undefined stand for items that are left out. */
export const present = <T>(items: readonly (T | false | undefined)[]): T[] =>
  items.filter((item) => item !== false && item !== undefined) as T[];
