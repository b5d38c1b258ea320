import { boundedForCall } from '../contract/bounded.ts';
import { canonical } from '../contract/canonical.ts';
import { listedByValue } from '../contract/meaning.ts';
import { entriesAt, isEveryName, listsNames } from '../contract/other-names.ts';
import { asOneDocument, targetOf } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { isAnnotation } from '../diff/annotations.ts';
import { actedAs } from '../diff/left-out.ts';
import { actingFinding } from '../diff/rules/input-property-added.ts';
import { requiredNames } from '../diff/rules/input-property-became-required.ts';
import { saysTheValue } from '../diff/words/told.ts';
import { accepts, matches } from '../proof/check.ts';
import type { Shown } from '../text/shown.ts';
import { lacksFormat } from './formats.ts';

/** Everything that one contract says about one value of a call. */
interface Applying {
  /** The schemas that are declared for it. */
  declared: readonly Json[];
  /** These, and all that apply with them. */
  schemas: JsonObject[];
  root: Json;
  /** Part of it could not be read. */
  opaque: boolean;
}

/** Whether a schema takes a value; undefined if unknown. */
export const takes = (schema: Json, root: Json, value: Json | undefined): boolean | undefined => {
  if (value === undefined) return undefined;
  try {
    return accepts(schema, root, value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

const objectAt = (schema: JsonObject, keyword: string): JsonObject => {
  const value = own(schema, keyword);
  return isObject(value) ? (value as JsonObject) : {};
};

const targetIn = (schema: JsonObject, root: Json): Json | undefined => {
  const reference = own(schema, '$ref');
  return typeof reference === 'string' ? targetOf(reference, root) : true;
};

/**
 * Schemas that apply to the same value as a schema that holds or names them, as far as the value selects them. Each list
 * holds forms of which the value has at least one.
 */
const inPlace = (schema: JsonObject, root: Json, value: Json | undefined): Json[][] => {
  const all = own(schema, 'allOf');
  const found = Array.isArray(all) ? all.map((one) => [one]) : [];
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = own(schema, keyword);
    if (!Array.isArray(branches)) continue;
    const chosen = branches.filter((branch) => takes(branch, root, value) !== false);
    // A value that none takes is refused; it may have been meant for any of them, so all apply.
    found.push(chosen.length > 0 ? chosen : branches);
  }
  const condition = own(schema, 'if');
  if (condition !== undefined) {
    const holds = takes(condition, root, value);
    if (holds !== false) found.push([condition], [own(schema, 'then') ?? true]);
    if (holds !== true) found.push([own(schema, 'else') ?? true]);
  }
  for (const keyword of ['dependentSchemas', 'dependencies']) {
    for (const [name, one] of Object.entries(objectAt(schema, keyword))) {
      if (!isObject(value) || Object.hasOwn(value, name)) found.push([one]);
    }
  }
  const target = targetIn(schema, root);
  return target === undefined ? found : [...found, [target]];
};

/** All that applies to a value: through references, `allOf`, and the branches and conditions that the value selects. */
const applyingTo = (declared: Json[], root: Json, value: Json | undefined): Applying => {
  const found: Applying = { declared, schemas: [], root, opaque: false };
  const seen = new Set<Json>();
  const open = [...declared];
  for (let one = open.shift(); one !== undefined; one = open.shift()) {
    if (!isObject(one) || seen.has(one as JsonObject)) continue;
    const schema = one as JsonObject;
    seen.add(schema);
    found.schemas.push(schema);
    open.push(...inPlace(schema, root, value).flat());
    const isDynamic = Object.hasOwn(schema, '$dynamicRef') || Object.hasOwn(schema, '$recursiveRef');
    if (isDynamic || targetIn(schema, root) === undefined) found.opaque = true;
  }
  return found;
};

/** Whether a schema describes a value: `true`, `false` and `{}` do not. */
const saysSomething = (value: Json | undefined): value is JsonObject =>
  isObject(value) && Object.keys(value).length > 0;

/** All schemas that are declared for a property, wherever they are. */
const ofProperty = ({ schemas }: Applying, name: string): Json[] => {
  const found = schemas.flatMap((schema) => {
    const named = own(own(schema, 'properties'), name);
    const patterns = Object.entries(objectAt(schema, 'patternProperties'));
    const direct = [
      ...(named === undefined ? [] : [named]),
      ...patterns.filter(([pattern]) => matches(pattern, name) !== false).map(([, one]) => one),
    ];
    const rest = own(schema, 'additionalProperties');
    return direct.length === 0 && saysSomething(rest) ? [rest] : direct;
  });
  if (found.length > 0) return found;
  return schemas.map((schema) => own(schema, 'unevaluatedProperties')).filter(saysSomething);
};

/** What a schema says of the elements of a list: of the first ones by their positions, and of the rest. */
const positionsIn = (schema: JsonObject): { tuple: Json[]; rest: Json | undefined } => {
  const [items, prefix] = [own(schema, 'items'), own(schema, 'prefixItems')];
  const tuple = Array.isArray(items) ? items : Array.isArray(prefix) ? prefix : [];
  const rest = Array.isArray(items) ? own(schema, 'additionalItems') : items;
  return { tuple, rest: rest ?? own(schema, 'unevaluatedItems') };
};

/** The schemas that are declared for an element. */
const ofElement = ({ schemas, root }: Applying, index: number, value: Json): Json[] =>
  schemas.flatMap((schema) => {
    const { tuple, rest } = positionsIn(schema);
    const contains = own(schema, 'contains');
    const here = index < tuple.length ? tuple[index] : rest;
    const contained = contains !== undefined && takes(contains, root, value) !== false ? [contains] : [];
    return [...(here === undefined ? [] : [here]), ...contained];
  });

/** The schemas that are declared for a position, whatever stands there. */
const ofPosition = ({ schemas }: Applying, index: number): Json[] =>
  schemas.flatMap((schema) => positionsIn(schema).tuple[index] ?? []);

/**
 * Whether nothing is said of an element now, in a list that names what stands before it. Like a parameter that is no longer
 * declared: one whose position had been named goes even if anything may follow. If nothing may, a validator tells.
 */
const isElementGone = (before: Applying, after: Applying, index: number, value: Json): boolean => {
  const now = after.schemas.map(positionsIn);
  const isNamedNow =
    now.some(({ tuple }) => index < tuple.length) || ofElement(after, index, value).some(saysSomething);
  if (after.opaque || isNamedNow || !now.some(({ tuple }) => tuple.length > 0)) return false;
  if (now.some(({ rest }) => rest === false)) return false;
  if (ofPosition(before, index).length > 0) return true;
  return now.every(({ rest }) => rest === undefined) && ofElement(before, index, value).some(saysSomething);
};

const REST = ['additionalProperties', 'unevaluatedProperties'];

/**
 * Whether a property is declared. `free`: the object says nothing about any property; a tool that does so takes none, so
 * that is `no`. `open`: the object names others and says that it takes any.
 */
const declares = (applying: Applying, name: string, isRoot: boolean): 'yes' | 'no' | 'free' | 'open' | 'unknown' => {
  if (ofProperty(applying, name).length > 0) return 'yes';
  if (applying.opaque) return 'unknown';
  const { schemas } = applying;
  const says = (keywords: string[]): boolean =>
    schemas.some((schema) => keywords.some((keyword) => Object.hasOwn(schema, keyword)));
  const isClosed = schemas.some((schema) => REST.some((keyword) => own(schema, keyword) === false));
  if (isClosed) return 'no';
  if (schemas.some(listsNames)) return says(REST) ? 'open' : 'no';
  return isRoot && !says(REST) ? 'no' : 'free';
};

/** The schemas that the name of a property has to meet. */
const ofName = ({ schemas }: Applying): Json[] => schemas.flatMap((schema) => own(schema, 'propertyNames') ?? []);

/** Whether a property is declared by its name or by the form of it, and not as one of any name. */
const isNamed = ({ schemas }: Applying, name: string): boolean =>
  schemas.some(
    (schema) =>
      Object.hasOwn(objectAt(schema, 'properties'), name) ||
      entriesAt(schema, 'patternProperties').some(([one]) => !isEveryName(one) && matches(one, name) === true),
  );

/**
 * Something that a call relies on and about which its contract now says something else. `ofNames`: said of the names of
 * properties, for which the last step of the way stands.
 */
export type Shift = { way: string[]; ofNames?: true } & (
  | {
      kind: 'gone';
      /** Another form than that of this call still lists it. */
      isElsewhere?: true;
    }
  /** `untold`: nothing is said of the value now, so nothing contradicts the old words. */
  | { kind: 'reworded'; before: string[]; after: string[]; untold?: true }
  /** `isGone`: the parameter went with it, so that no call can give it a value. */
  | { kind: 'default'; before: Json | undefined; after: Json | undefined; isGone?: true }
  /** A parameter that was not there acts in a call that leaves it out. */
  | { kind: 'acting'; message: Shown; after: Json }
  /** What no validator checks. */
  | { kind: 'annotated'; keyword: string; before: Json | undefined; after: Json | undefined }
  /** A format is asked for now that the value is not known to have. */
  | { kind: 'formatted'; before: string | undefined; after: string }
  /** The server may ignore the value now. */
  | { kind: 'unwritable' }
  /** What is declared from here on is unknown. */
  | { kind: 'unknown' }
);

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
const reworded = (
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
const demanded = (before: Applying, after: Applying, value: Json, way: string[]): Shift[] => {
  const format = reformatted(before, after, value);
  return [
    ...(format ? [{ kind: 'formatted' as const, way, ...format }] : []),
    ...(isReadOnly(after) && !isReadOnly(before) ? [{ kind: 'unwritable' as const, way }] : []),
  ];
};

/** What is said otherwise of one value. */
const retold = (before: Applying, after: Applying, value: Json, way: string[]): Shift[] => {
  const words = reworded(before, after, value);
  return [
    ...(words ? [{ kind: 'reworded' as const, way, ...words }] : []),
    ...annotated(before, after, value).map((changed) => ({ kind: 'annotated' as const, way, ...changed })),
    ...demanded(before, after, value, way),
  ];
};

const defaultOf = ({ schemas }: Applying): Json | undefined =>
  schemas.map((schema) => own(schema, 'default')).find((value) => value !== undefined);

/** Parameters that have new names: where each was, by its old name, and what it is called now. */
export type NewNames = readonly { way: readonly string[]; to: string }[];

/** The new names of properties of the object at a place, by the old ones. */
const newNamesAt = (names: NewNames, place: readonly string[]): Map<string, string> =>
  new Map(
    names
      .filter(({ way }) => way.length === place.length + 1)
      .filter(({ way }) => place.every((step, index) => step === way[index] || way[index] === '*'))
      .map(({ way, to }) => [way.at(-1) ?? '', to]),
  );

/** Deeper arguments are not compared; that gives no verdict. */
const DEEPEST = 200;

class TooDeep extends Error {}

/** What both contracts say of one value of a call. */
interface BothSides {
  before: Applying;
  after: Applying;
  way: string[];
  names: NewNames;
  /** Schemas of the objects around this one that the server fills in. */
  filled: readonly Json[];
}

const shiftsIn = (sides: BothSides, value: Json): Shift[] => {
  if (sides.way.length > DEEPEST) throw new TooDeep();
  if (Array.isArray(value)) return [...ofElements(sides, value), ...ofMissing(sides, value)];
  if (!isObject(value)) return [];
  const newNames = newNamesAt(sides.names, sides.way);
  return [...ofPassed(sides, value as JsonObject, newNames), ...ofLeftOut(sides, value as JsonObject, newNames)];
};

const shiftsBelow = (
  { before, after, way, names }: BothSides,
  had: Json[],
  has: Json[],
  value: Json,
  step: string,
): Shift[] => {
  const [old, now] = [applyingTo(had, before.root, value), applyingTo(has, after.root, value)];
  const place = [...way, step];
  const inside = { before: old, after: now, way: place, names, filled: [] };
  return [...retold(old, now, value, place), ...shiftsIn(inside, value)];
};

/** Words of a position do not go on where no position says anything: what stands first is like all others now. */
const contradicted = (shift: Shift): Shift => {
  if (shift.kind !== 'reworded') return shift;
  const { untold: _untold, ...words } = shift;
  return words;
};

/** What changed about the elements that a call gives a list. */
const ofElements = (sides: BothSides, value: Json[]): Shift[] => {
  const { before, after, way } = sides;
  return value.flatMap((one, index): Shift[] => {
    if (isElementGone(before, after, index, one)) return [{ kind: 'gone', way: [...way, '*'] }];
    const shifts = shiftsBelow(sides, ofElement(before, index, one), ofElement(after, index, one), one, '*');
    const isOneOfMany = ofPosition(before, index).length > 0 && ofPosition(after, index).length === 0;
    return isOneOfMany
      ? shifts.map((shift) => (shift.way.length > way.length + 1 ? shift : contradicted(shift)))
      : shifts;
  });
};

/** What changed about the elements that stand at positions of their own and that a call leaves out: their defaults. */
const ofMissing = (sides: BothSides, value: Json[]): Shift[] => {
  const { before, after } = sides;
  const length = Math.max(0, ...before.schemas.map((schema) => positionsIn(schema).tuple.length));
  const missing = Array.from({ length: Math.max(0, length - value.length) }, (_, at) => value.length + at);
  return missing.flatMap((index) => ofDefault(sides, ofPosition(before, index), ofPosition(after, index), '*'));
};

/** What changed about the properties that a call gives an object. */
const ofPassed = (sides: BothSides, value: JsonObject, newNames: ReadonlyMap<string, string>): Shift[] => {
  const { before, after, way } = sides;
  const [namesHad, namesHas] = [ofName(before), ofName(after)];
  const oldNames = new Map([...newNames].map(([from, to]) => [to, from]));
  const ofNames = (name: string): Shift[] => {
    const [had, has] = [applyingTo(namesHad, before.root, name), applyingTo(namesHas, after.root, name)];
    return retold(had, has, name, [...way, '*']).map((shift) => ({ ...shift, ofNames: true as const }));
  };
  // Any name was taken, and this one may be read in one way now: in a unit, in a form.
  const ofNewlyTold = (name: string, inside: Json): Shift[] => {
    const place = [...way, name];
    const [none, now] = [applyingTo([], before.root, inside), applyingTo(ofProperty(after, name), after.root, inside)];
    const words = reworded(none, now, inside);
    return [
      ...(words ? [{ kind: 'reworded' as const, way: place, ...words }] : []),
      ...demanded(none, now, inside, place),
    ];
  };
  const ofDeclared = (name: string, inside: Json): Shift[] => {
    const [had, has] = [before, after].map((side) => declares(side, name, way.length === 0));
    if (had === 'unknown' || has === 'unknown') return [{ kind: 'unknown', way: [...way, name] }];
    if (had !== 'yes') return has === 'yes' && had !== 'no' ? ofNewlyTold(name, inside) : [];
    if (has === 'yes') return shiftsBelow(sides, ofProperty(before, name), ofProperty(after, name), inside, name);
    const isGone = has === 'no' || (has === 'open' && isNamed(before, name));
    if (!isGone) return [];
    const isElsewhere = namesOf(applyingTo([...after.declared], after.root, undefined)).has(name);
    return [{ kind: 'gone', way: [...way, name], ...(isElsewhere ? { isElsewhere } : {}) }];
  };
  // What is said of a renamed parameter is said under its new name, whichever name the call has.
  const ofRenamed = (name: string, inside: Json): Shift[] => {
    const [from, to] = newNames.has(name) ? [name, newNames.get(name)] : [oldNames.get(name), name];
    if (from === undefined || to === undefined) return [];
    return shiftsBelow(sides, ofProperty(before, from), ofProperty(after, to), inside, from);
  };
  return Object.entries(value).flatMap(([name, inside]) => [
    ...ofNames(name),
    ...ofDeclared(name, inside),
    ...ofRenamed(name, inside),
  ]);
};

/** The names of all properties that are declared for an object. */
const namesOf = ({ schemas }: Applying): Set<string> =>
  new Set(schemas.flatMap((schema) => Object.keys(objectAt(schema, 'properties'))));

/** Whether a property that was not there acts in calls that leave it out. Where anything was taken, it may have been there. */
const ofAdded = ({ before, after, way }: BothSides, name: string): Shift[] => {
  const place = [...way, name];
  const has = ofProperty(after, name);
  const [message] = has.flatMap((schema) => actingFinding(name, schema, after.root) ?? []);
  if (message === undefined) return [];
  const had = declares(before, name, way.length === 0);
  if (had === 'unknown') return [{ kind: 'unknown', way: place }];
  const isRequired = after.schemas.some((schema) => requiredNames(schema).includes(name));
  return had === 'free' || isRequired ? [] : [{ kind: 'acting', way: place, message, after: has[0] ?? true }];
};

/** What changed about the properties that a call leaves out: their defaults, and those that were added. */
const ofLeftOut = (sides: BothSides, value: JsonObject, newNames: ReadonlyMap<string, string>): Shift[] => {
  const declared = namesOf(sides.before);
  const renamed = new Set(newNames.values());
  const added = [...namesOf(sides.after)].filter(
    (name) => !declared.has(name) && !renamed.has(name) && !Object.hasOwn(value, name),
  );
  const ofDeclared = [...declared].flatMap((name) => {
    const to = newNames.get(name) ?? name;
    if (Object.hasOwn(value, name) || Object.hasOwn(value, to)) return [];
    return ofDefault(sides, ofProperty(sides.before, name), ofProperty(sides.after, to), name);
  });
  return [...ofDeclared, ...added.flatMap((name) => ofAdded(sides, name))];
};

const ofDefault = (sides: BothSides, had: Json[], has: Json[], step: string): Shift[] => {
  const { before, after, way, names, filled } = sides;
  const whole = applyingTo(had, before.root, undefined);
  const [old, now] = [defaultOf(whole), defaultOf(applyingTo(has, after.root, undefined))];
  const place = [...way, step];
  if (has.length === 0) {
    const acted = actedAs(whole.schemas, old);
    if (acted === undefined || after.opaque) return [];
    return [{ kind: 'default', way: place, before: acted, after: undefined, isGone: true }];
  }
  if (!sameJson(old, now)) return [{ kind: 'default', way: place, before: old, after: now }];
  if (!isObject(now) || had.some((schema) => filled.includes(schema))) return [];
  // The server fills in this object, and then what is left out in it.
  const [its, nowIts] = [applyingTo(had, before.root, now as Json), applyingTo(has, after.root, now as Json)];
  const inside = { before: its, after: nowIts, way: place, names, filled: [...filled, ...had] };
  return shiftsIn(inside, now as Json).filter(({ kind }) => ['acting', 'default', 'unknown'].includes(kind));
};

/** How long this may take, in ms, whatever the schemas are. */
const BUDGET_MS = 150;

/**
 * What a call relies on that no longer holds: compares what both contracts declare, anywhere, for the call's own values.
 * Undefined if that took too long, or the arguments are nested too deep.
 */
export const shiftsFor = (believed: Json, live: Json, args: JsonObject, names: NewNames = []): Shift[] | undefined => {
  const work = (): Shift[] => {
    const [before, after] = [asOneDocument(believed), asOneDocument(live)];
    const [old, now] = [applyingTo([before], before, args), applyingTo([after], after, args)];
    const sides = { before: old, after: now, way: [], names, filled: [] };
    return [...retold(old, now, args, []), ...shiftsIn(sides, args)];
  };
  try {
    const result = boundedForCall({ schemas: [believed, live], args }, work, BUDGET_MS);
    return result.done ? result.value : undefined;
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
};
