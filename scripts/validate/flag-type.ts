/** The manifest's words for types, and what other frameworks say instead, as JSON types. */
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

/** The JSON types of a flag's type; undefined for a word that nobody knows. */
export const kindsOfFlag = (type: string): readonly string[] | undefined =>
  Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
