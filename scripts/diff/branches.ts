import { canonical } from '../contract/canonical.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { bare } from '../proof/conjuncts.ts';
import { opened } from './references.ts';

/** Which branches of two lists belong together, and which were removed or added, all by index. */
interface BranchMatch {
  pairs: [number, number][];
  removed: number[];
  added: number[];
}

/** The lists of branches at one place of two schemas. `keyword` is that of the old one. */
export interface BranchLists extends BranchMatch {
  keyword: string;
  had: readonly Json[];
  has: readonly Json[];
  /** The values that went and came, if all forms only list values, and some of them several: they say what an enum says. */
  values?: { dropped: Json[]; gained: Json[] };
}

/** The documents that references on both sides point into, and the references to what changed. */
export interface Documents {
  old: Json;
  now: Json;
  changed: ReadonlySet<string>;
}

/** A branch as it stands in its list, and with its reference replaced by the definition. */
interface ListedBranch {
  written: Json;
  schema: Json;
}

type Trait = (branch: ListedBranch) => string | undefined;

/** The values that a schema lists, each with the name of its parameter; empty if it lists none. */
const listed = (schema: Json, name = ''): string[] => {
  const [only, some] = [own(schema, 'const'), own(schema, 'enum')];
  const values = only !== undefined ? [only] : Array.isArray(some) ? some : [];
  return values.map((value) => canonical([name, value]));
};

/** The values that a form lists, where it stands; undefined if it may take others. */
export const valuesOfForm = (form: Json): readonly Json[] | undefined => {
  const [only, some] = [own(form, 'const'), own(form, 'enum')];
  if (only !== undefined) return [only];
  if (Array.isArray(some)) return some;
  return own(form, 'type') === 'null' ? [null] : undefined;
};

/** Of some values, those that are not among others. */
export const valuesWithout = (values: readonly Json[], others: readonly Json[]): Json[] => {
  const known = new Set(others.map(canonical));
  return values.filter((value) => !known.has(canonical(value)));
};

/** What went and came in two lists of forms that only list values. */
const valuesChanged = (had: readonly Json[], has: readonly Json[]): Pick<BranchLists, 'values'> => {
  const [old, now] = [had.map(valuesOfForm), has.map(valuesOfForm)];
  const all = [...old, ...now];
  // Forms of one value each are compared one by one.
  if (!all.every((values) => values !== undefined) || all.every((values) => values?.length === 1)) return {};
  const [before, after] = [old, now].map((lists) => lists.flatMap((values) => values ?? [])) as [Json[], Json[]];
  return { values: { dropped: valuesWithout(before, after), gained: valuesWithout(after, before) } };
};

export const parametersIn = (form: Json | undefined): string[] => {
  const properties = own(form, 'properties');
  return isObject(properties) ? Object.keys(properties) : [];
};

/** Whether several forms became one that names all their parameters: it may still take what they took. */
export const becameOne = ({ keyword, had, has }: BranchLists): boolean => {
  const [only, ...others] = has;
  const names = new Set(parametersIn(only));
  return (
    keyword !== 'allOf' &&
    had.length > 1 &&
    others.length === 0 &&
    had.every((form) => parametersIn(form).length > 0 && parametersIn(form).every((name) => names.has(name)))
  );
};

/** For a branch itself and each of its properties: the values that it lists there. */
const listedIn = (branch: Json): string[][] => {
  const properties = own(branch, 'properties');
  const parts = isObject(properties) ? Object.entries(properties as JsonObject) : [];
  return [listed(branch), ...parts.map(([name, schema]) => listed(schema, name))];
};

/** What distinguishes a branch from its siblings: its only value, or those of its properties. */
const constants: Trait = ({ schema }) => {
  const found = listedIn(schema).flatMap((values) => (values.length === 1 ? values : []));
  return found.length > 0 ? found.sort().join() : undefined;
};

const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
const reference = ({ written }: ListedBranch): string | null => textOf(own(written, '$ref'));
const title = ({ schema }: ListedBranch): string | null => textOf(own(schema, 'title'));

/** Its reference, else its title. */
const name: Trait = (branch) => reference(branch) ?? title(branch) ?? undefined;

const shape: Trait = ({ schema }) => {
  const type = own(schema, 'type');
  return type === undefined ? undefined : canonical(type);
};

/** Its types, whether it takes null as well or not. */
const shapeBesideNull: Trait = ({ schema }) => {
  const types = [own(schema, 'type') ?? []].flat().filter((type) => type !== 'null');
  return types.length === 0 ? undefined : canonical(types as Json);
};

/** The best evidence first. What a branch takes comes before what it is called: words may be swapped. */
const BY_MEANING: readonly Trait[] = [
  ({ schema }) => canonical(schema),
  (branch) => canonical([bare(branch.schema), reference(branch), title(branch)]),
  (branch) => canonical([bare(branch.schema), title(branch)]),
  ({ schema }) => canonical(bare(schema)),
  constants,
];

const grouped = (positions: Iterable<number>, marks: (at: number) => readonly string[]): Map<string, number[]> => {
  const groups = new Map<string, number[]>();
  for (const at of positions) {
    for (const key of marks(at)) {
      const members = groups.get(key);
      if (members) members.push(at);
      else groups.set(key, [at]);
    }
  }
  return groups;
};

/**
 * Pairs the branches of `anyOf` and the like: first equal ones, then those that take the same values, those that list some
 * of the same values, those with the same name, those of the same type, and at last a single remaining branch on each side.
 */
const pairBranches = (had: readonly Json[], has: readonly Json[], { old, now, changed }: Documents): BranchMatch => {
  const open = (list: readonly Json[], root: Json): ListedBranch[] =>
    list.map((written) => ({
      written,
      schema: isObject(written) ? opened(written as JsonObject, root).schema : written,
    }));
  const [before, after] = [open(had, old), open(has, now)];
  const removed = new Set(before.keys());
  const added = new Set(after.keys());
  const pairs: [number, number][] = [];
  const pair = (from: number, to: number): void => {
    pairs.push([from, to]);
    removed.delete(from);
    added.delete(to);
  };
  const pairBy = (mark: Trait): void => {
    if (removed.size === 0 || added.size === 0) return;
    const marks = (list: readonly ListedBranch[]) => (at: number) => [mark(list[at] as ListedBranch) ?? []].flat();
    const alike = grouped(added, marks(after));
    for (const [key, rivals] of grouped(removed, marks(before))) {
      // If several have the same mark, they are paired in order.
      for (const [index, from] of rivals.entries()) {
        const to = alike.get(key)?.[index];
        if (to !== undefined) pair(from, to);
      }
    }
  };
  const pairByValues = (): void => {
    const holders = grouped(added, (at) => listedIn((after[at] as ListedBranch).schema).flat());
    const shared = [...removed].flatMap((from) => {
      const counts = new Map<number, number>();
      for (const value of listedIn((before[from] as ListedBranch).schema).flat())
        for (const to of holders.get(value) ?? []) counts.set(to, (counts.get(to) ?? 0) + 1);
      const its = name(before[from] as ListedBranch);
      const isNamesake = (to: number) => its !== undefined && its === name(after[to] as ListedBranch);
      return [...counts].map(([to, count]) => ({ from, to, score: count + (isNamesake(to) ? 0.5 : 0) }));
    });
    for (const { from, to } of shared.sort((a, b) => b.score - a.score))
      if (removed.has(from) && added.has(to)) pair(from, to);
  };
  // The same reference to a changed definition may mean other values now.
  pairBy(({ written }) => (changed.has(textOf(own(written, '$ref')) ?? '') ? undefined : canonical(written)));
  for (const mark of BY_MEANING) pairBy(mark);
  pairByValues();
  pairBy(name);
  pairBy(shape);
  pairBy(shapeBesideNull);
  if (removed.size === 1 && added.size === 1) pair([...removed][0] as number, [...added][0] as number);
  return { pairs: pairs.sort((a, b) => a[0] - b[0]), removed: [...removed], added: [...added] };
};

/** Keywords that hold the forms of a value. */
const FORMS = ['anyOf', 'oneOf'] as const;

/** The lists of branches that two schemas share. A list of forms may stand under the other keyword now. */
export const branchLists = (before: JsonObject, after: JsonObject, documents: Documents): BranchLists[] => {
  const found = (keyword: string, now = keyword): BranchLists[] => {
    const [had, has] = [own(before, keyword), own(after, now)];
    return Array.isArray(had) && Array.isArray(has)
      ? [
          {
            keyword,
            had,
            has,
            ...pairBranches(had, has, documents),
            ...(keyword === 'allOf' ? {} : valuesChanged(had, has)),
          },
        ]
      : [];
  };
  const [only, other] = [before, after].map((schema) => FORMS.filter((keyword) => Object.hasOwn(schema, keyword)));
  const [from, to] = [only?.length === 1 ? only[0] : undefined, other?.length === 1 ? other[0] : undefined];
  const moved = from !== undefined && to !== undefined && from !== to ? found(from, to) : [];
  return ['allOf', ...FORMS].flatMap((keyword) => found(keyword)).concat(moved);
};
