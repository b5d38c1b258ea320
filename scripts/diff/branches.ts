import { canonical } from '../contract/canonical.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';

/** Which branches of two lists belong together, and which were removed or added, all by index. */
export interface BranchMatch {
  pairs: [number, number][];
  removed: number[];
  added: number[];
}

/** What distinguishes a branch from its siblings: the values of its constant properties, else its reference or title. */
const discriminator = (branch: Json): string | undefined => {
  const constants = Object.entries((own(branch, 'properties') as JsonObject) ?? {}).flatMap(([name, schema]) => {
    const value =
      own(schema, 'const') ??
      (Array.isArray(own(schema, 'enum')) && (own(schema, 'enum') as Json[]).length === 1
        ? own(schema, 'enum')
        : undefined);
    return value === undefined ? [] : [`${name}=${canonical(value)}`];
  });
  if (constants.length > 0) return constants.sort().join();
  const name = own(branch, '$ref') ?? own(branch, 'title');
  return typeof name === 'string' ? name : undefined;
};

const shape = (branch: Json): string | undefined => {
  if (!isObject(branch)) return undefined;
  const type = own(branch, 'type');
  return type === undefined ? undefined : canonical(type);
};

/**
 * Pairs the branches of `anyOf` and the like: first equal ones, then those with the same discriminator, then those of the
 * same type, and at last a single remaining branch on each side.
 */
export const pairBranches = (before: readonly Json[], after: readonly Json[]): BranchMatch => {
  const removed = new Set(before.keys());
  const added = new Set(after.keys());
  const pairs: [number, number][] = [];
  const group = (positions: Iterable<number>, list: readonly Json[], mark: (branch: Json) => string | undefined) => {
    const groups = new Map<string, number[]>();
    for (const at of positions) {
      const key = mark(list[at] as Json);
      if (key !== undefined) {
        const members = groups.get(key);
        if (members) members.push(at);
        else groups.set(key, [at]);
      }
    }
    return groups;
  };
  const pairBy = (mark: (branch: Json) => string | undefined): void => {
    const alike = group(added, after, mark);
    for (const [key, rivals] of group(removed, before, mark)) {
      // If several have the same mark, they are paired in order.
      for (const [index, from] of rivals.entries()) {
        const to = alike.get(key)?.[index];
        if (to === undefined) continue;
        pairs.push([from, to]);
        removed.delete(from);
        added.delete(to);
      }
    }
  };
  pairBy(canonical);
  pairBy(discriminator);
  pairBy(shape);
  if (removed.size === 1 && added.size === 1) pairs.push([[...removed][0] as number, [...added][0] as number]);
  else return { pairs: pairs.sort((a, b) => a[0] - b[0]), removed: [...removed], added: [...added] };
  return { pairs: pairs.sort((a, b) => a[0] - b[0]), removed: [], added: [] };
};
