import { type Contract, isObject, type Json, type JsonObject, own } from './types.ts';

/** What Claude Code removes: format characters, private and unassigned ones, and halves of surrogate pairs. */
const REMOVED = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;
/** Characters that no cleaning changes. Most texts have no others. */
const PLAIN = /^[\0-\x7f]*$/;
/** Removing a character can bring others together. No text is known to need more rounds. */
const MOST_ROUNDS = 10;

/** A text as Claude Code shows it: in Unicode's form NFKC, without characters that nothing can be seen of. */
export const cleaned = (text: string): string => {
  let [before, now] = ['', text];
  if (PLAIN.test(text)) return text;
  for (let round = 0; before !== now && round < MOST_ROUNDS; round++) {
    before = now;
    now = now.normalize('NFKC').replace(REMOVED, '');
  }
  return now;
};

const cleanedIn = (value: Json): Json => {
  if (typeof value === 'string') return cleaned(value);
  if (Array.isArray(value)) return value.map(cleanedIn);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [cleaned(key), cleanedIn(one as Json)]));
};

/** How the client tells of the forms that it took apart. */
const CONSTRAINTS = {
  oneOf: 'Provide parameters for exactly one of',
  anyOf: 'Provide parameters for at least one of',
  allOf: 'all listed parameters apply together (flattened from a JSON Schema allOf).',
};
type FormKeyword = keyof typeof CONSTRAINTS;

/** What stands between that and the description. */
export const AFTER_CONSTRAINT = '\n\n';

/** What the client keeps of a root that it flattens, besides what it makes. */
const KEPT = ['$schema', '$defs', 'definitions', 'title', 'description', 'additionalProperties'];

const textsIn = (list: Json | undefined): string[] =>
  Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];

const requiredIn = (form: Json): string[] => textsIn(own(form, 'required'));

/** The properties of a form that say something: `true` and `false` are left out. */
const propertiesOf = (form: Json): [string, JsonObject][] =>
  Object.entries(own(form, 'properties') ?? {}).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));

/** A form, or the definition that it names. References in a definition are not followed. */
const followed = (form: Json, root: JsonObject): Json => {
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(own(form, '$ref') ?? '')) ?? [];
  return place === undefined || name === undefined ? form : (own(own(root, place), name) ?? {});
};

/** The sentence before the description, which says how the forms go together. */
const constraintOf = (keyword: FormKeyword, forms: readonly Json[]): string => {
  if (keyword === 'allOf') return CONSTRAINTS.allOf;
  const groups = forms.map((form) => {
    const required = requiredIn(form);
    return (required.length > 0 ? required : propertiesOf(form).map(([name]) => name)).join(', ');
  });
  const named = [...new Set(groups)].filter((group) => group !== '').map((group) => `(${group})`);
  const from = ` the documented parameter groups (flattened from a JSON Schema ${keyword}).`;
  return CONSTRAINTS[keyword] + (named.length > 0 ? `: ${named.join(' or ')}.` : from);
};

/** An input schema as the client shows it, and what it says of it before the description of the tool, if anything. */
interface ShownSchema {
  schema: Json;
  constraint?: string;
}

const formsIn = (root: Json, keyword: FormKeyword): Json[] => {
  const forms = own(root, keyword);
  return Array.isArray(forms) ? forms.map((form) => followed(form, root as JsonObject)) : [];
};

/** A property of several forms may be any of theirs; that of the root, and the first of an `allOf`, counts alone. */
const propertiesInForms = (root: Json): Map<string, JsonObject> => {
  const properties = new Map(propertiesOf(root));
  const several = new Map<string, Map<string, JsonObject>>();
  for (const [name, schema] of [...formsIn(root, 'anyOf'), ...formsIn(root, 'oneOf')].flatMap(propertiesOf))
    several.set(name, (several.get(name) ?? new Map()).set(JSON.stringify(schema), schema));
  const any = [...several].map(([name, schemas]): [string, JsonObject] => {
    const [one, ...more] = schemas.values();
    return [name, more.length === 0 ? (one as JsonObject) : { anyOf: [...schemas.values()] }];
  });
  for (const [name, schema] of [...any, ...formsIn(root, 'allOf').flatMap(propertiesOf)])
    if (!properties.has(name)) properties.set(name, schema);
  return properties;
};

/** What each of several forms requires. */
const requiredInEach = (forms: readonly Json[]): string[] => {
  const [one = [], ...others] = forms.map(requiredIn);
  const rest = others.map((names) => new Set(names));
  return one.filter((name) => rest.every((names) => names.has(name)));
};

/** A schema with forms at its root is shown as one form: with the properties of all. */
const flattened = (root: Json): ShownSchema => {
  const first = (Object.keys(CONSTRAINTS) as FormKeyword[]).find((keyword) => Array.isArray(own(root, keyword)));
  if (first === undefined) return { schema: root };
  const properties = propertiesInForms(root);
  const required = new Set([
    ...[root, ...formsIn(root, 'allOf')].flatMap(requiredIn),
    ...requiredInEach(formsIn(root, 'anyOf')),
    ...requiredInEach(formsIn(root, 'oneOf')),
  ]);
  const kept = Object.entries(root as JsonObject).filter(([keyword]) => KEPT.includes(keyword));
  return {
    constraint: `Input constraint: ${constraintOf(first, formsIn(root, first))}`,
    schema: {
      ...Object.fromEntries(kept),
      type: 'object',
      properties: Object.fromEntries(properties),
      required: [...required].filter((name) => properties.has(name)),
    },
  };
};

/** An input schema as Claude Code shows it to a model: 2.1.197 shows no tool whose schema has forms at its root. */
export const schemaAsShown = (schema: Json): ShownSchema => flattened(cleanedIn(schema));

/** A contract as Claude Code (2.1.197, 2.1.330) shows it to a model, before it cuts the description. */
export const asShown = ({ description, ...rest }: Contract): Contract => {
  const { schema, constraint } = schemaAsShown(rest.inputSchema);
  const parts = [constraint, description && cleaned(description)].filter((part) => part);
  return { ...rest, ...(parts.length > 0 ? { description: parts.join(AFTER_CONSTRAINT) } : {}), inputSchema: schema };
};
