/** Adds to a set that never holds more than so many: then the oldest is forgotten. */
export const addBounded = (set: Set<string>, value: string, most: number): void => {
  set.delete(value);
  set.add(value);
  if (set.size > most) set.delete(set.values().next().value as string);
};

/** Sets a key, and forgets the keys that were set longest ago. */
export const setBounded = <Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void => {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as Key);
};
