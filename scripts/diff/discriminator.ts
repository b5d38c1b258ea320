import { canonical } from '../contract/canonical.ts';
import { rewritten, wayOf } from '../contract/references.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { opened } from './references.ts';
import type { SchemaPair } from './types.ts';

const FORMS = ['anyOf', 'oneOf'] as const;

/** What a `discriminator` says: the property that tells the form, and which form each of its values means. */
interface Choice {
  property: string;
  mapping: [value: string, target: Json][];
}

const choiceOf = (discriminator: Json | undefined): Choice | undefined => {
  if (!isObject(discriminator)) return undefined;
  const { propertyName, mapping = {}, ...others } = discriminator as JsonObject;
  if (typeof propertyName !== 'string' || !isObject(mapping) || Object.keys(others).length > 0) return undefined;
  return { property: propertyName, mapping: Object.entries(mapping as JsonObject) };
};

/** The place of the form that a mapping names, by its reference or by the name of its definition. */
const formMeant = (target: Json, forms: readonly Json[]): number =>
  forms.findIndex((form) => {
    const reference = own(form, '$ref');
    return typeof reference === 'string' && (reference === target || wayOf(reference)?.at(-1) === target);
  });

/** The values that one form takes for a property, if it lists them. */
const tagsOf = (form: JsonObject, property: string, root: Json): Json[] => {
  const tag = own(own(form, 'properties'), property);
  if (!isObject(tag)) return [];
  const { schema } = opened(tag as JsonObject, root);
  const [only, some] = [own(schema, 'const'), own(schema, 'enum')];
  return only !== undefined ? [only] : Array.isArray(some) ? some : [];
};

/**
 * How much of a `discriminator` the forms beside it say themselves, by the values that each lists for the property: all of
 * it, its mapping only, as a form may leave the property out, or nothing.
 */
const saidByForms = (schema: JsonObject, root: Json): 'all' | 'mapping' | 'nothing' => {
  const choice = choiceOf(own(schema, 'discriminator'));
  const lists = FORMS.map((keyword) => own(schema, keyword)).filter((list) => list !== undefined);
  const [list] = lists;
  if (choice === undefined || lists.length !== 1 || !Array.isArray(list) || !list.every(isObject)) return 'nothing';
  const { property, mapping } = choice;
  const forms = (list as JsonObject[]).map((form) => opened(form, root).schema);
  const tags = forms.map((form) => tagsOf(form, property, root));
  const all = tags.flat().map(canonical);
  if (tags.some(({ length }) => length === 0) || new Set(all).size < all.length) return 'nothing';
  if (!mapping.every(([value, target]) => tags[formMeant(target, list)]?.includes(value))) return 'nothing';
  const areRequired = forms.every((form) => {
    const required = own(form, 'required');
    return Array.isArray(required) && required.includes(property);
  });
  return areRequired ? 'all' : 'mapping';
};

const saidIn = (root: Json): Set<ReturnType<typeof saidByForms>> => {
  const said = new Set<ReturnType<typeof saidByForms>>();
  rewritten(root, (schema) => {
    if (Object.hasOwn(schema, 'discriminator')) said.add(saidByForms(schema, root));
    return schema;
  });
  return said;
};

/**
 * Two schemas without what every `discriminator` in both repeats of the forms beside it: its mapping names definitions, and
 * these may have other names now. If one of them says more, all stay: it may have said it of the same values.
 */
export const withoutRepeatedChoices = (before: Json, after: Json): [Json, Json] => {
  const said = new Set([...saidIn(before), ...saidIn(after)]);
  if (said.size === 0 || said.has('nothing')) return [before, after];
  const isAll = !said.has('mapping');
  const plain = (root: Json): Json =>
    rewritten(root, (schema) => {
      const { discriminator, ...others } = schema;
      if (discriminator === undefined) return schema;
      return isAll
        ? others
        : { ...schema, discriminator: { propertyName: own(discriminator, 'propertyName') as Json } };
    });
  return [plain(before), plain(after)];
};

/** The only list of forms beside a `discriminator`. */
const formsBeside = ({ lists }: SchemaPair) => {
  const [list, another] = lists.filter(({ keyword }) => keyword !== 'allOf');
  return another === undefined ? list : undefined;
};

/** Whether two versions of a `discriminator` name forms that belong together, under whatever names. */
export const isSameChoice = (pair: SchemaPair): boolean => {
  const [old, now] = [choiceOf(own(pair.before, 'discriminator')), choiceOf(own(pair.after, 'discriminator'))];
  const list = formsBeside(pair);
  if (old === undefined || now === undefined || list === undefined) return false;
  if (old.property !== now.property || old.mapping.length !== now.mapping.length) return false;
  const targets = new Map(now.mapping);
  return old.mapping.every(([value, target]) => {
    const [from, to] = [formMeant(target, list.had), formMeant(targets.get(value) ?? null, list.has)];
    return list.pairs.some(([one, other]) => one === from && other === to);
  });
};

/**
 * Whether a `discriminator` that stayed the same means other forms: what a definition held stands under the name of another
 * one now. Without a mapping, the values are the names of the definitions.
 */
export const namesOtherForms = (pair: SchemaPair): boolean => {
  const choice = choiceOf(own(pair.before, 'discriminator'));
  const list = formsBeside(pair);
  if (choice === undefined || list === undefined) return false;
  const targets =
    choice.mapping.length > 0
      ? choice.mapping.map(([, target]) => target)
      : list.had.map((form) => own(form, '$ref') ?? null);
  return targets.some((target) => {
    const [from, to] = [formMeant(target, list.had), formMeant(target, list.has)];
    return to !== -1 && list.pairs.some(([one, other]) => one === from && other !== to);
  });
};
