import { type Branch, branchesOf } from './branches.ts';
import { canonical } from './canonical.ts';
import { targetOf } from './references.ts';
import { type Contract, isObject, type Json, own } from './types.ts';

/** A place in the arguments where a branch takes only these values. */
export interface Mark {
  /** Names of properties, from the arguments down. */
  way: readonly string[];
  /** Canonical JSON of each value. */
  values: ReadonlySet<string>;
}

/** A branch with the marks that identify it in a call. */
export interface Form {
  branch: Branch;
  /** All marks that its schema fixes, and those that tell branches apart. */
  fixed: Mark[];
  marks: Mark[];
  /** Whether another branch has other values there: a call with those values does not mean this branch. */
  certain: boolean;
}

/** How deep a mark may lie, and how many one branch may have. */
const DEEPEST = 6;
const MOST = 64;

const fixedValues = (schema: Json): Json[] => {
  const [only, list] = [own(schema, 'const'), own(schema, 'enum')];
  return only === undefined ? (Array.isArray(list) ? list : []) : [only];
};

const fixedBy = (root: Json): Mark[] => {
  const found = new Map<string, Mark>();
  const look = (schema: Json | undefined, way: readonly string[], steps: number): void => {
    if (!isObject(schema) || steps > DEEPEST || found.size >= MOST) return;
    const values = fixedValues(schema as Json);
    if (way.length > 0 && values.length > 0 && !found.has(canonical([...way])))
      found.set(canonical([...way]), { way, values: new Set(values.map(canonical)) });
    const [reference, all, properties] = ['$ref', 'allOf', 'properties'].map((key) => own(schema, key));
    if (typeof reference === 'string') look(targetOf(reference, root), way, steps + 1);
    if (Array.isArray(all)) for (const one of all) look(one, way, steps + 1);
    if (isObject(properties))
      for (const [name, one] of Object.entries(properties)) look(one as Json, [...way, name], steps + 1);
  };
  look(root, [], 0);
  return [...found.values()];
};

const isAt = (mark: Mark, other: Mark): boolean =>
  mark.way.length === other.way.length && mark.way.every((name, index) => name === other.way[index]);

const share = (mark: Mark, other: Mark): boolean => [...mark.values].some((value) => other.values.has(value));

const onlyConstants = (marks: Mark[]): Mark[] => {
  const constants = marks.filter(({ values }) => values.size === 1);
  return constants.length > 0 ? constants : marks;
};

const formsIn = (branches: readonly Branch[]): Form[] => {
  const all = branches.map((branch) => ({ branch, fixed: branch.schema === undefined ? [] : fixedBy(branch.schema) }));
  const byWay = new Map<string, Mark[]>();
  for (const mark of all.flatMap(({ fixed }) => fixed)) {
    const key = canonical([...mark.way]);
    const there = byWay.get(key);
    if (there) there.push(mark);
    else byWay.set(key, [mark]);
  }
  const others = (mark: Mark): Mark[] => byWay.get(canonical([...mark.way])) ?? [];
  return all.map(({ branch, fixed }) => {
    const telling = fixed.filter((mark) => others(mark).some((other) => !share(mark, other)));
    if (telling.length > 0) return { branch, fixed, marks: onlyConstants(telling), certain: true };
    // A mark that all branches share identifies none of them.
    const own = fixed.filter((mark) => branches.length === 1 || others(mark).length < branches.length);
    return { branch, fixed, marks: onlyConstants(own), certain: false };
  });
};

/** The branches that a contract lists, each with the constants and enums that identify it in calls. */
export const formsOf = (contract: Pick<Contract, 'branches'>): Form[] => formsIn(branchesOf(contract));

/** Whether the same values identify two branches of two lists, whatever their names. */
export const isSameForm = (form: Form, other: Form): boolean => {
  const hasAll = (marks: Mark[], fixed: Mark[]) =>
    marks.every((mark) => fixed.some((one) => isAt(mark, one) && share(mark, one)));
  return (
    form.marks.length > 0 &&
    other.marks.length > 0 &&
    hasAll(form.marks, other.fixed) &&
    hasAll(other.marks, form.fixed)
  );
};

/** The marks for which a call has a value, and whether the value fits. */
const shownIn = ({ marks }: Form, args: Json): { mark: Mark; fits: boolean }[] =>
  marks.flatMap((mark) => {
    const value = mark.way.reduce<Json | undefined>((inside, name) => own(inside, name), args);
    return value === undefined ? [] : [{ mark, fits: mark.values.has(canonical(value)) }];
  });

/**
 * Whether arguments mean a branch by its marks; undefined if these do not tell, so that a name may.
 */
export const showsForm = (form: Form, args: Json): boolean | undefined => {
  const shown = shownIn(form, args);
  if (shown.length === 0) return undefined;
  if (shown.every(({ fits }) => fits)) return true;
  const { name } = form.branch;
  const isNamedThere = name !== undefined && shown.some(({ mark }) => mark.values.has(canonical(name)));
  return form.certain || name === undefined || isNamedThere ? false : undefined;
};

/** Whether arguments that mean a removed branch also mean another one, by one of the same places. */
export const isTakenOver = (gone: Form, live: readonly Form[], args: Json): boolean =>
  live.some(
    (form) => showsForm(form, args) === true && form.marks.some((mark) => gone.marks.some((one) => isAt(mark, one))),
  );
