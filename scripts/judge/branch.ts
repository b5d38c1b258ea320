import { formsOf, isTakenOver, showsForm } from '../contract/branch-marks.ts';
import { branchesOf } from '../contract/branches.ts';
import { type Contract, isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import type { Invalid } from '../contract/validate.ts';
import { changedBranches, shownForm } from '../diff/rules/tool-branch-changed.ts';
import type { BranchSides, FoundChange } from '../diff/types.ts';
import { say } from '../text/shown.ts';
import type { Judgement, LiveQuestion } from './judge.ts';
import { carriedBy } from './twin.ts';
import { validityOf } from './validity.ts';

/** Usual names of parameters that say which form of an input is meant, if nothing else does. */
const TELLING = /(^|[a-z_])(type|kind|branch|variant|action|operation|op|mode|event|command|method)$/i;

const valuesOf = (schema: unknown): unknown[] => {
  const [only, list] = [own(schema, 'const'), own(schema, 'enum')];
  return [...(only === undefined ? [] : [only]), ...(Array.isArray(list) ? list : [])];
};

/**
 * The parameters whose value names a branch: those that a branch's own schema fixes to its name, else those whose listed
 * values are names of branches, else those with a usual name.
 */
const tagsOf = (contracts: readonly Contract[], names: ReadonlySet<unknown>): Set<string> => {
  const propertiesOf = (schema: unknown): [string, unknown][] => {
    const properties = own(schema, 'properties');
    return isObject(properties) ? Object.entries(properties) : [];
  };
  const inBranches = contracts.flatMap((contract) =>
    branchesOf(contract).flatMap(({ name, schema }) =>
      propertiesOf(schema).filter(([, property]) => name !== undefined && valuesOf(property).includes(name)),
    ),
  );
  const flat = contracts.flatMap(({ inputSchema }) => propertiesOf(inputSchema));
  const listing = flat.filter(([, property]) => valuesOf(property).some((value) => names.has(value)));
  const called = flat.filter(([name]) => TELLING.test(name));
  const found = [inBranches, listing, called].find((some) => some.length > 0) ?? [];
  return new Set(found.map(([name]) => name));
};

/**
 * The values by which a call may name its branch. If the parameters for that are known and hold a branch's name, only
 * those; otherwise every text of the call, since any of them may be it.
 */
const namedBy = (contracts: readonly Contract[], args: JsonObject): ((name: string) => boolean) => {
  const names = new Set<unknown>(contracts.flatMap((contract) => branchesOf(contract).map(({ name }) => name)));
  if (names.size === 0) return () => false;
  const tags = tagsOf(contracts, names);
  const told = Object.entries(args).flatMap(([name, value]) => (tags.has(name) && names.has(value) ? [value] : []));
  const values = new Set<unknown>(told.length > 0 ? told : Object.values(args));
  return (name) => values.has(name);
};

/**
 * Tells whether a call means a branch: by the constants and enums of its old and new schema, or, if they do not tell, by its
 * name. A removed branch is not meant if the call now means another listed one.
 */
const branchMeantBy = (believed: Contract, live: Contract, args: JsonObject): ((of: BranchSides) => boolean) => {
  const forms = formsOf(live);
  const isNamed = namedBy([believed, live], args);
  return ({ had, has }) => {
    const sides = [had, has].filter((form) => form !== undefined);
    const shown = sides.map((form) => showsForm(form, args));
    if (shown.includes(true)) return has !== undefined || had === undefined || !isTakenOver(had, forms, args);
    return sides.some(({ branch }, index) => {
      return shown[index] === undefined && branch.name !== undefined && isNamed(branch.name);
    });
  };
};

export const branchesNow = (changes: readonly FoundChange[], live: Contract): Pick<Judgement, 'branches'> => {
  if (!changes.some(({ rule }) => rule === 'tool-branch-changed')) return {};
  const names = branchesOf(live).flatMap(({ name }) => (name === undefined ? [] : [name]));
  return names.length === 0 ? {} : { branches: names };
};

/**
 * Errors of a call against what its branch takes now that were none against what it took before.
 * @param isCorrected the arguments are a proposal of ours: all errors count, whatever the branch took before
 */
export const branchErrors = (
  believed: Contract,
  live: Contract,
  args: JsonObject,
  isMeant: (branch: BranchSides) => boolean,
  isCorrected = false,
): Invalid[] =>
  changedBranches(believed, live).flatMap(({ had, has }) => {
    if (!isMeant({ had, has })) return [];
    const found = validityOf(has.branch.schema as Json, args);
    if (found.valid !== false) return [];
    if (!isCorrected && validityOf(had.branch.schema as Json, args).valid !== true) return [];
    return found.errors.map((error) => ({ ...error, text: say`branch ${shownForm(has)}: ${error.text}` }));
  });

/** The branch that a call means, if its tool has several. */
export const meantBranch = ({ believed, live, args }: LiveQuestion) => {
  const carried = carriedBy(live, args);
  const isMeant = branchMeantBy(believed, live, carried);
  return {
    /** The arguments, or the payload of a twin. */
    carried,
    isMeant,
    /** Whether a change concerns the call: what changed about a branch matters to the calls that mean it. */
    isConcerned: ({ of }: FoundChange): boolean => of === undefined || isMeant(of),
    errors: branchErrors(believed, live, carried, isMeant),
  };
};
