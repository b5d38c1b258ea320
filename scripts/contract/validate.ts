import { quoteList, quoteName, quoteText, quoteValue } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { boundedForCall } from './bounded.ts';
import { defined } from './defined.ts';
import { DEEPEST_ARGUMENTS, isDeeper } from './depth.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import { everydayErrors, type ValueError } from './everyday.ts';
import { groupBy } from './group-by.ts';
import { namesIn } from './json-pointer.ts';
import { toRegExp } from './pattern.ts';
import { readable, typeOf, UNREAD, type UnreadPart } from './readable.ts';
import { asOneDocument, holdsDocuments } from './references.ts';
import { isMultipleOf } from './steps.ts';
import { isObject, type Json, type JsonObject, own } from './types.ts';

/** One reason why arguments are invalid: the top-level parameter that it is about, if any, and a sentence. */
export interface Invalid {
  parameter?: string;
  /** The place of the value, or of what is missing, and the keyword that refuses it. */
  at?: readonly string[];
  keyword?: string;
  text: Shown;
}

/**
 * `unread`: unreadable places of the schema (JSON Pointers) that concern these arguments; all the rest was checked, and
 * holds. Absent if nothing could be checked.
 */
export type Validity =
  | { valid: true }
  | { valid: false; errors: Invalid[]; why?: Shown; unread?: string[] }
  | { valid: 'unknown'; why: Shown; unread?: string[] };

/** How long one validation may take, in ms: a hostile pattern or reference is stopped then. */
const BUDGET_MS = 250;
const MOST_ERRORS = 5;

// Without `ownProperties`, every object would have a property `constructor`. Formats are annotations, not assertions.
const OPTIONS = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  validateFormats: false,
  validateSchema: false,
  addUsedSchema: false,
  meta: false,
  logger: false,
  code: {
    regExp: Object.assign((pattern: string) => toRegExp(pattern) ?? new RegExp(pattern, 'u'), { code: '' }),
    // Each schema judges one call: better code would take longer to make than it saves.
    optimize: false,
  },
} as const;

/** Keywords that only 2020-12 knows, and it knows no list under `items`. */
const SINCE_2020 = /"(?:prefixItems|\$dynamicRef|\$dynamicAnchor)":/;

/** The dialect that a schema is read in: if it names none, and lists its first elements as earlier ones do, the last of these. */
const readAs = (schema: JsonObject): Dialect => {
  const dialect = dialectOf(schema);
  if (dialect !== 'unnamed') return dialect;
  const text = JSON.stringify(schema);
  return text.includes('"items":[') && !SINCE_2020.test(text) ? '2019-09' : dialect;
};

/** The validator of a dialect. Each is loaded only when it is needed, since each is a copy of half the library. */
const libraryFor = (dialect: Dialect) => {
  if (dialect === 'legacy') {
    const { default: Ajv, _ } = require('ajv') as typeof import('ajv');
    return { ajv: new Ajv({ ...OPTIONS, ignoreKeywordsWithRef: true }), _ };
  }
  const { default: Ajv, _ } =
    dialect === '2019-09'
      ? (require('ajv/dist/2019.js') as typeof import('ajv/dist/2019.js'))
      : (require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js'));
  return { ajv: new Ajv(OPTIONS), _ };
};

const ajvFor = (schema: JsonObject) => {
  const { ajv, _ } = libraryFor(readAs(schema));
  // The library's own takes 19.99 for no multiple of 0.01.
  ajv.removeKeyword('multipleOf').addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: (step: number, value: number) => isMultipleOf(value, step),
    errors: false,
    error: { message: 'must be a multiple of a step', params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}` },
  });
  return ajv;
};

type ErrorSentence = (where: Shown | '', params: Record<string, unknown>) => Shown;

const limit =
  (is: string, of = ''): ErrorSentence =>
  (where, params) =>
    say`${where || 'the arguments'} must be ${visible(is)} ${Number(params.limit)}${visible(of)}`;

const count =
  (is: string, one: string, more: string): ErrorSentence =>
  (where, params) => {
    const number = Number(params.limit);
    return say`${where || 'the arguments'} must have ${visible(is)} ${number} ${visible(number === 1 ? one : more)}`;
  };

/** What no part of the schema is for. */
const unforeseen = (name: unknown, where: Shown | ''): Shown =>
  say`${quoteName(String(name))} is not a parameter${where && say` of ${where}`}`;

const SENTENCES: Record<string, ErrorSentence> = {
  required: (where, { missingProperty }) =>
    say`${quoteName(String(missingProperty))} is required${where && say` in ${where}`}`,
  additionalProperties: (where, { additionalProperty }) => unforeseen(additionalProperty, where),
  unevaluatedProperties: (where, { unevaluatedProperty }) => unforeseen(unevaluatedProperty, where),
  multipleOf: (where, { multipleOf }) => say`${where || 'the arguments'} must be a multiple of ${Number(multipleOf)}`,
  minItems: count('at least', 'element', 'elements'),
  maxItems: count('at most', 'element', 'elements'),
  minProperties: count('at least', 'name', 'names'),
  maxProperties: count('at most', 'name', 'names'),
  contains: (where, { minContains, maxContains }) => {
    const most = maxContains === undefined ? say`` : say`, and at most ${Number(maxContains)},`;
    return say`at least ${Number(minContains)}${most} of the elements of ${where || 'the arguments'} must have a certain form`;
  },
  uniqueItems: (where) => say`${where || 'the arguments'} must not have the same element twice`,
  type: (where, { type }) =>
    say`${where || 'the arguments'} must be ${visible([type].flat().join(' or '), { max: 100 })}`,
  enum: (where, { allowedValues, types }) => {
    const values = (allowedValues as unknown[] | undefined) ?? [];
    const others = ((types as string[] | undefined) ?? []).map((type) => say`${visible(type, { max: 100 })}`);
    const listed = say`${values.length === 1 && types !== undefined ? '' : 'one of '}${quoteList(values)}`;
    return say`${where} must be ${others.length > 0 ? say`${joined(others, ', ')}, or ${listed}` : listed}`;
  },
  const: (where, { allowedValue }) => say`${where || 'the arguments'} must be ${quoteValue(allowedValue, 80)}`,
  maximum: limit('at most'),
  minimum: limit('at least'),
  exclusiveMaximum: limit('less than'),
  exclusiveMinimum: limit('more than'),
  maxLength: limit('at most', ' characters long'),
  minLength: limit('at least', ' characters long'),
  // The library's own sentence would quote the server's pattern.
  pattern: (where) => say`${where} does not match the pattern of its parameter`,
  oneRequired: (where, { names }) =>
    say`one of ${joined(
      (names as string[]).map((name) => quoteName(name)),
      ', ',
    )} is required${where && say` in ${where}`}`,
  not: (where) => say`${where || 'the arguments'} must not have this value`,
  propertyNames: (where, { propertyName, allowedValues }) => {
    const told = say`${quoteName(String(propertyName))} is not a name that ${where || 'the arguments'} may have`;
    return Array.isArray(allowedValues) ? say`${told}: only ${quoteList(allowedValues)}` : told;
  },
  notTogether: (where, { names }) => {
    const [one = say``, other, ...more] = (names as string[]).map((name) => quoteName(name));
    const isIn = where ? say` in ${where}` : say``;
    if (other === undefined) return say`${one} must not be given${isIn}`;
    return more.length === 0
      ? say`not both ${one} and ${other}${isIn}`
      : say`not all of ${joined([one, other, ...more], ', ')} together${isIn}`;
  },
  dependentRequired: (where, { missingProperty, property }) =>
    say`${quoteName(String(missingProperty))} is required beside ${quoteName(String(property))}${where && say` in ${where}`}`,
};

type FoundError = ValueError & { schemaPath?: string };

const toInvalid = (error: ValueError): Invalid => {
  const path = namesIn(error.instancePath);
  const where = path.length > 0 ? quoteName(path.join('.')) : '';
  const sentence = SENTENCES[error.keyword];
  const params = error.params as Record<string, unknown>;
  const named = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  return {
    ...defined({ parameter: path[0] ?? (typeof named === 'string' ? named : undefined) }),
    at: typeof named === 'string' ? [...path, named] : path,
    keyword: error.keyword,
    text:
      sentence?.(where, params) ?? say`${where || 'the arguments'}: ${quoteText(error.message ?? error.keyword, 80)}`,
  };
};

const MOST_PLACES = 4;

/** Only names of parameters and keywords: the values are the server's text. */
const notRead = (places: string[]): Shown => {
  const named = places.slice(0, MOST_PLACES).map((place) => {
    const names = namesIn(place);
    const of = names.slice(0, -1).filter((_name, index) => names[index - 1] === 'properties');
    const keyword = quoteName(names.at(-1) ?? '');
    return of.length === 0 ? keyword : say`${keyword} of ${quoteName(of.join('.'))}`;
  });
  const more = places.length - named.length;
  return say`${joined(named, ', ')}${more > 0 ? say` and ${more} more` : ''} cannot be read, and was not checked`;
};

/** What a keyword says, if it stands where its error says. */
const saidAt = (schema: Json, { schemaPath = '' }: FoundError): Json | undefined =>
  namesIn(schemaPath.slice(1)).reduce<Json | undefined>(
    (value, name) => (Array.isArray(value) ? value[Number(name)] : own(value, name)),
    schema,
  );

/** The forms of a choice. */
const formsAt = (schema: Json, choice: FoundError): readonly Json[] | undefined => {
  const forms = saidAt(schema, choice);
  return Array.isArray(forms) ? forms : undefined;
};

/** The errors of each form of a choice that has any, by its index. Those of a definition stand there. */
const errorsByForm = (choice: FoundError, found: readonly FoundError[], schema: Json): Map<number, FoundError[]> => {
  const at = choice.instancePath;
  const starts = (formsAt(schema, choice) ?? []).map((form, index) => {
    const reference = own(form, '$ref');
    return [`${choice.schemaPath}/${index}/`, ...(typeof reference === 'string' ? [`${reference}/`] : [])];
  });
  const formOf = ({ schemaPath = '', instancePath }: FoundError): number =>
    instancePath === at || instancePath.startsWith(`${at}/`)
      ? starts.findIndex((ofForm) => ofForm.some((start) => schemaPath.startsWith(start)))
      : -1;
  const byForm = groupBy(found, formOf);
  byForm.delete(-1);
  return byForm;
};

/** Why each form of a choice refuses the value; none if one of them has several reasons. */
const refusalsOf = (choice: FoundError, found: readonly FoundError[], schema: Json): FoundError[] => {
  const forms = [...errorsByForm(choice, found, schema).values()];
  const isOfAll = forms.length === formsAt(schema, choice)?.length && forms.every(({ length }) => length === 1);
  const inner = forms.flat();
  return isOfAll && inner.every(({ instancePath }) => instancePath === choice.instancePath) ? inner : [];
};

/** Whether the errors of a form say that the value is marked as one of another form: `{"kind": "a"}` is meant as that of this kind. */
const isMarkedOther = (choice: FoundError, errors: readonly FoundError[]): boolean =>
  errors.some(
    ({ keyword, instancePath }) =>
      (keyword === 'const' || keyword === 'enum') &&
      namesIn(instancePath).length === namesIn(choice.instancePath).length + 1,
  );

/** The type that a form asks for, if the value has another one. */
const otherType = (choice: FoundError, errors: readonly FoundError[]): unknown =>
  errors.find(({ keyword, instancePath }) => keyword === 'type' && instancePath === choice.instancePath)?.params.type;

const isOfValues = (choice: FoundError, { keyword, instancePath }: FoundError): boolean =>
  (keyword === 'const' || keyword === 'enum') && instancePath === choice.instancePath;

/**
 * The errors of the other forms, if the value is meant as one of them: by its mark, or as it has the type of that one alone.
 * Beside a form that lists its values, another type is another way to call; null is none for a value.
 */
const ofOtherForms = (choice: FoundError, found: readonly FoundError[], schema: Json): FoundError[] => {
  const forms = [...errorsByForm(choice, found, schema).values()];
  if (forms.length !== formsAt(schema, choice)?.length) return [];
  const others = forms.filter((errors) => isMarkedOther(choice, errors) || otherType(choice, errors) !== undefined);
  const [meant = [], ...more] = forms.filter((errors) => !others.includes(errors));
  const isList = meant.some((error) => isOfValues(choice, error));
  const areClear = others.every(
    (errors) => !isList || [undefined, 'null'].includes(otherType(choice, errors) as string),
  );
  return meant.length > 0 && more.length === 0 && areClear ? others.flat() : [];
};

/** Errors that all forms of a choice have, if one form has no other: what is wrong with the value, whichever is meant. */
const ofAllForms = (choice: FoundError, found: readonly FoundError[], schema: Json): ReadonlySet<FoundError> => {
  const forms = [...errorsByForm(choice, found, schema).values()];
  if (forms.length === 0 || forms.length !== formsAt(schema, choice)?.length) return new Set();
  const keyOf = ({ instancePath, keyword, params }: FoundError) => JSON.stringify([instancePath, keyword, params]);
  const keys = forms.map((errors) => new Set(errors.map(keyOf)));
  const isOfAll = (error: FoundError): boolean => keys.every((ofForm) => ofForm.has(keyOf(error)));
  return new Set(forms.find((errors) => errors.every(isOfAll)));
};

/** The names of which only one may be given, where two forms of a choice fit and each asks for one of its own. */
const notTogether = (choice: FoundError, schema: Json): string[] => {
  const { passingSchemas } = choice.params as { passingSchemas?: unknown };
  const [one, other] = (Array.isArray(passingSchemas) ? passingSchemas : []).map((at) => {
    const required = own(formsAt(schema, choice)?.[at as number], 'required');
    return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  });
  if (one === undefined || other === undefined) return [];
  const only = [one.filter((name) => !other.includes(name)), other.filter((name) => !one.includes(name))];
  return only.every(({ length }) => length === 1) ? only.flat() : [];
};

/** More ways to exclude names are not told one by one. */
const MOST_EXCLUDED = 20;

/** The groups of names of which an excluded form asks for one, if it asks for nothing else. */
const groupsOf = (form: Json | undefined, left = 3): string[][] | undefined => {
  if (!isObject(form) || left === 0) return undefined;
  const { required = [], type = 'object', anyOf, allOf = [], ...more } = form as JsonObject;
  if (!Array.isArray(required) || !Array.isArray(allOf) || type !== 'object' || Object.keys(more).length > 0)
    return undefined;
  let groups: string[][] = [required.filter((name) => typeof name === 'string')];
  for (const forms of [...allOf.map((one) => [one]), ...(Array.isArray(anyOf) ? [anyOf] : [])]) {
    const others: string[][] = [];
    for (const one of forms) {
      const found = groupsOf(one, left - 1);
      if (found === undefined || others.length * groups.length > MOST_EXCLUDED) return undefined;
      others.push(...found);
    }
    groups = groups.flatMap((group) => others.map((other) => [...new Set([...group, ...other])]));
  }
  return groups.length > MOST_EXCLUDED || groups.some(({ length }) => length === 0) ? undefined : groups;
};

/** Errors with the names that must not stand together and do, where forms of just these are excluded. */
const withExcluded = (found: readonly FoundError[], schema: Json, args: JsonObject): FoundError[] =>
  found.flatMap((error): FoundError[] => {
    if (error.keyword !== 'not') return [error];
    const value = saidAt(args, { ...error, schemaPath: `#${error.instancePath}` });
    const together = (groupsOf(saidAt(schema, error)) ?? []).filter(
      (names) => isObject(value) && names.every((name) => Object.hasOwn(value, name)),
    );
    const told = together.map((names) => ({
      instancePath: error.instancePath,
      keyword: 'notTogether',
      params: { names },
    }));
    return told.length === 0 ? [error] : told;
  });

/** Errors with one in place of all about one name: the value that is refused there is the name. */
const withNames = (found: readonly FoundError[]): FoundError[] => {
  const names = found.filter(({ keyword }) => keyword === 'propertyNames');
  const isOfName = ({ schemaPath = '' }: FoundError) =>
    names.some((name) => schemaPath.startsWith(`${name.schemaPath}/`));
  return found
    .filter((error) => !isOfName(error))
    .map((error) => {
      if (error.keyword !== 'propertyNames') return error;
      const list = found.find(
        ({ keyword, schemaPath = '' }) => keyword === 'enum' && schemaPath.startsWith(`${error.schemaPath}/`),
      );
      const { allowedValues } = (list?.params ?? {}) as Record<string, unknown>;
      return { ...error, params: { ...error.params, ...defined({ allowedValues }) } };
    });
};

/** Errors without what others tell: what a condition asks for, and which of the elements are not the one that has to be there. */
const withoutRepeated = (found: readonly FoundError[]): readonly FoundError[] => {
  const isWithin = ({ schemaPath = '' }: FoundError, around: string): boolean => schemaPath.startsWith(`${around}/`);
  const isTold = ({ keyword, schemaPath = '', params }: FoundError): boolean => {
    const part = `${schemaPath.slice(0, -'if'.length)}${String((params as { failingKeyword?: unknown }).failingKeyword)}`;
    return keyword === 'if' && found.some((other) => isWithin(other, part));
  };
  const contained = found.filter(({ keyword }) => keyword === 'contains');
  return found.filter(
    (error) => !isTold(error) && !contained.some(({ schemaPath = '' }) => isWithin(error, schemaPath)),
  );
};

/** What the refusals of all forms say together, if they are of one kind: names that are missing, or types and values. */
const jointly = (refusals: readonly FoundError[]): Pick<FoundError, 'keyword' | 'params'> | undefined => {
  const params = refusals.map((error) => error.params as Record<string, unknown>);
  const areOf = (...keywords: string[]): boolean => refusals.every(({ keyword }) => keywords.includes(keyword));
  if (refusals.length === 0) return undefined;
  if (areOf('required')) {
    const names = [...new Set(params.map(({ missingProperty }) => missingProperty))];
    return names.length === 1
      ? { keyword: 'required', params: { missingProperty: names[0] } }
      : { keyword: 'oneRequired', params: { names } };
  }
  if (!areOf('type', 'const', 'enum')) return undefined;
  const type = [...new Set(params.flatMap((one) => one.type ?? []))];
  if (areOf('type')) return { keyword: 'type', params: { type } };
  const allowedValues = refusals.flatMap(({ keyword, params: { allowedValue, allowedValues } }) =>
    keyword === 'const' ? [allowedValue] : (allowedValues ?? []),
  );
  // Null is no other way to give a value.
  return { keyword: 'enum', params: { allowedValues, types: type.filter((one) => one !== 'null') } };
};

/** Errors with one in place of a choice none of whose forms fits: "`a` is required" and "`b` is" mean that one of them is. */
const withChoices = (found: readonly FoundError[], schema: Json): readonly FoundError[] => {
  const left = new Set(found);
  for (const choice of found.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')) {
    const apart = notTogether(choice, schema);
    if (apart.length > 0) {
      left.delete(choice);
      left.add({ instancePath: choice.instancePath, keyword: 'notTogether', params: { names: apart } });
    }
    const others = ofOtherForms(choice, found, schema);
    for (const error of others.length > 0 ? [choice, ...others] : []) left.delete(error);
    const ofAll = ofAllForms(choice, found, schema);
    if (ofAll.size > 0) {
      const ofForms = [...errorsByForm(choice, found, schema).values()].flat();
      for (const error of [choice, ...ofForms]) if (!ofAll.has(error)) left.delete(error);
    }
    const inner = refusalsOf(choice, found, schema);
    const joint = jointly(inner);
    if (joint === undefined) continue;
    for (const error of [choice, ...inner]) left.delete(error);
    left.add({ instancePath: choice.instancePath, ...joint });
  }
  return [...left];
};

/** More errors are told as they are: only a few of them are shown, and to join those that belong together is quadratic. */
const MOST_JOINED = 300;

const toErrors = (found: readonly FoundError[], schema: Json, args: JsonObject): Invalid[] => {
  const errors = new Map<Shown, Invalid>();
  for (const one of found.length > MOST_JOINED
    ? found
    : withChoices(withExcluded(withNames(withoutRepeated(found)), schema, args), schema)) {
    if (errors.size === MOST_ERRORS) break;
    const error = toInvalid(one);
    errors.set(error.text, error);
  }
  return [...errors.values()];
};

/** `validateArguments` for any schema that says something. */
export const validateByLibrary = (schema: JsonObject, args: JsonObject): Validity => {
  // Loaded outside the time limit: loading takes long on a busy machine, and is not the schema's fault.
  const ajv = ajvFor(schema);
  const unread = new Set<string>();
  const compiled = () => {
    // The library takes a dynamic reference to a definition for one to the root.
    const plain = holdsDocuments(schema) ? schema : (asOneDocument(schema) as JsonObject);
    const { $schema: _dialect, $id: _id, ...rest } = plain;
    try {
      // Without an `$id`, a reference to the whole schema leads nowhere.
      return ajv.compile({ ...rest, $id: 'input:' });
    } catch {
      // Check the rest if one keyword cannot be read.
      const tell = (places: UnreadPart[], value: unknown): true => {
        const type = typeOf(value as Json);
        for (const { at, types } of places) if (types === undefined || types.includes(type)) unread.add(at);
        return true;
      };
      ajv.addKeyword({ keyword: UNREAD, validate: tell, errors: false });
      const { $schema: _named, $id: _too, ...read } = readable(plain, ajv);
      return ajv.compile({ ...read, $id: 'read:' });
    }
  };
  const work = (): Validity => {
    const validate = compiled();
    const isValid = validate(args);
    const places = [...unread];
    const doubt = places.length > 0 ? { why: notRead(places), unread: places } : undefined;
    if (isValid) return doubt ? { valid: 'unknown', ...doubt } : { valid: true };
    return { valid: false, errors: toErrors(validate.errors ?? [], schema, args), ...doubt };
  };
  const found = boundedForCall({ schemas: [schema], args }, work, BUDGET_MS);
  if (found.done) return found.value;
  const failed = isDeeper(args, DEEPEST_ARGUMENTS)
    ? say`they are nested too deeply`
    : say`the schema cannot be compiled`;
  return { valid: 'unknown', why: found.timedOut ? say`took longer than ${BUDGET_MS} ms` : failed };
};

/**
 * Whether arguments are valid under an input schema. An unreadable keyword is left out: arguments that are wrong without it
 * are wrong. If they are not, `unknown`; also if the schema cannot be compiled, the arguments are nested too deeply, or it
 * takes more than 250 ms.
 */
export const validateArguments = (schema: Json, args: JsonObject): Validity => {
  if (schema === true) return { valid: true };
  if (schema === false) return { valid: false, errors: [{ text: say`the tool takes no arguments at all` }] };
  const errors = everydayErrors(schema as JsonObject, args);
  if (errors === undefined) return validateByLibrary(schema as JsonObject, args);
  return errors.length === 0 ? { valid: true } : { valid: false, errors: toErrors(errors, schema, args) };
};
