/** JSON types, by the manifest's names for types and those of other frameworks. */
const KINDS: Record<string, readonly string[]> = {
  string: ['string'],
  integer: ['integer'],
  number: ['number'],
  boolean: ['boolean'],
  array: ['array'],
  object: ['object'],
  enum: ['string'],
  str: ['string'],
  int: ['integer'],
  float: ['number'],
  bool: ['boolean'],
  list: ['array'],
};

/** All types that a manifest can give a flag. */
export const FLAG_TYPES: readonly string[] = Object.keys(KINDS);

/** The JSON types for a flag's type; undefined for an unknown one. */
export const kindsOfFlag = (type: string): readonly string[] | undefined =>
  Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
