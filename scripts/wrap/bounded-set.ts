/** Adds to a set that never holds more than so many: then the oldest is forgotten. */
export const addBounded = (set: Set<string>, value: string, most: number): void => {
  set.delete(value);
  set.add(value);
  if (set.size > most) set.delete(set.values().next().value as string);
};
