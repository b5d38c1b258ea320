// What two contracts say otherwise of one value.
import { canonical } from '../contract/canonical.ts';
import { listedByValue } from '../contract/meaning.ts';
import { sameJson } from '../contract/same.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { isAnnotation } from '../diff/annotations.ts';
import { saysTheValue } from '../diff/words/told.ts';
import { type Applying, inPlace } from './applying.ts';
import { lacksFormat } from './formats.ts';
import type { Shift } from './shift.ts';

/** All that is said about a value, wherever: descriptions, and titles of the forms that the value has. */
const textsOf = ({ schemas }: Applying): Set<string> =>
  new Set(
    schemas.flatMap((schema) =>
      ['description', 'title'].flatMap((keyword) => {
        const text = own(schema, keyword);
        const isSaid = typeof text === 'string' && text.trim() !== '';
        // A title that is the value again says nothing of it.
        return isSaid && !(keyword === 'title' && saysTheValue(schema)) ? [text] : [];
      }),
    ),
  );

/** What lists that only one side has tell of a value, as texts. */
const listedFor = ({ schemas }: Applying, other: Applying, value: Json): string[] =>
  schemas.flatMap((schema) =>
    Object.keys(schema)
      .filter((keyword) => !other.schemas.some((one) => Object.hasOwn(one, keyword)))
      .map((keyword) => listedByValue(schema, keyword)?.get(canonical(value)))
      .filter((text) => typeof text === 'string'),
  );

/** The words that were removed and added; undefined if there are none. */
export const reworded = (
  before: Applying,
  after: Applying,
  value: Json,
): { before: string[]; after: string[]; untold?: true } | undefined => {
  const [had, has] = [textsOf(before), textsOf(after)];
  const lost = [...had].filter((text) => !has.has(text));
  const came = [...has].filter((text) => !had.has(text));
  if (lost.length + came.length === 0) return undefined;
  // Words of a form may stand in a list now, by the position of the value, or the other way round.
  if (came.length === 0) {
    const listed = listedFor(after, before, value);
    return { before: lost, after: listed, ...(has.size + listed.length === 0 ? { untold: true } : {}) };
  }
  return { before: lost.length > 0 ? lost : listedFor(before, after, value), after: came };
};

/** What is said of a value that no validator checks, by keyword: its unit, its encoding. */
const annotationsOf = ({ schemas }: Applying, value: Json): Map<string, Json[]> => {
  const found = new Map<string, Json[]>();
  for (const schema of schemas)
    for (const keyword of Object.keys(schema).filter((one) => isAnnotation(one, schema, value))) {
      // Of a list that tells of each value of an enum, only what it tells of this one.
      const listed = listedByValue(schema, keyword);
      const told = listed === undefined ? own(schema, keyword) : listed.get(canonical(value));
      if (told !== undefined) found.set(keyword, [...(found.get(keyword) ?? []), told]);
    }
  return found;
};

/** The annotations that changed: of each, one that is gone and one that came. */
const annotated = (before: Applying, after: Applying, value: Json) => {
  const [had, has] = [annotationsOf(before, value), annotationsOf(after, value)];
  return [...new Set([...had.keys(), ...has.keys()])].flatMap((keyword) => {
    const [old, now] = [had.get(keyword) ?? [], has.get(keyword) ?? []];
    const lost = old.find((value) => !now.some((one) => sameJson(one, value)));
    const came = now.find((value) => !old.some((one) => sameJson(one, value)));
    return lost === undefined && came === undefined ? [] : [{ keyword, before: lost, after: came }];
  });
};

/** The formats that a value has to have and is not known to have. Where one of its forms asks for none, it needs none. */
const lackedFormats = ({ declared, root }: Applying, value: Json): string[] => {
  const known = new Map<Json, string[]>();
  const lackedIn = (schema: Json): string[] => {
    if (!isObject(schema)) return [];
    const told = known.get(schema as JsonObject);
    if (told !== undefined) return told;
    // A reference may lead back here: it asks for nothing more.
    known.set(schema as JsonObject, []);
    const format = own(schema, 'format');
    const lacked = [
      ...(typeof format === 'string' && lacksFormat(value, format) ? [format] : []),
      ...inPlace(schema as JsonObject, root, value).flatMap((forms) => {
        const ofForms = forms.map(lackedIn);
        return ofForms.some((formats) => formats.length === 0) ? [] : ofForms.flat();
      }),
    ];
    known.set(schema as JsonObject, lacked);
    return lacked;
  };
  return declared.flatMap(lackedIn);
};

/** The format that a value has to have now and is not known to have, with one that it had to have. */
const reformatted = (
  before: Applying,
  after: Applying,
  value: Json,
): { before: string | undefined; after: string } | undefined => {
  const lacked = lackedFormats(after, value);
  if (lacked.length === 0) return undefined;
  const already = lackedFormats(before, value);
  const came = lacked.find((format) => !already.includes(format));
  if (came === undefined) return undefined;
  const had = before.schemas.map((schema) => own(schema, 'format'));
  return { before: had.find((format) => typeof format === 'string'), after: came };
};

const isReadOnly = ({ schemas }: Applying): boolean => schemas.some((schema) => own(schema, 'readOnly') === true);

/** What one value has to be now, which no validator checks. */
export const demanded = (before: Applying, after: Applying, value: Json, way: string[]): Shift[] => {
  const format = reformatted(before, after, value);
  return [
    ...(format ? [{ kind: 'formatted' as const, way, ...format }] : []),
    ...(isReadOnly(after) && !isReadOnly(before) ? [{ kind: 'unwritable' as const, way }] : []),
  ];
};

/** What is said otherwise of one value. */
export const retold = (before: Applying, after: Applying, value: Json, way: string[]): Shift[] => {
  const words = reworded(before, after, value);
  return [
    ...(words ? [{ kind: 'reworded' as const, way, ...words }] : []),
    ...annotated(before, after, value).map((changed) => ({ kind: 'annotated' as const, way, ...changed })),
    ...demanded(before, after, value, way),
  ];
};

export const defaultOf = ({ schemas }: Applying): Json | undefined =>
  schemas.map((schema) => own(schema, 'default')).find((value) => value !== undefined);
