import { canonical } from '../contract/canonical.ts';
import { meaningHash, meaningOfSchema } from '../contract/meaning.ts';
import { type Contract, type JsonObject, own } from '../contract/types.ts';
import type { Rename } from './types.ts';

const letters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const typeOf = (schema: JsonObject): string => canonical(own(schema, 'type') ?? null);

const withoutWords = (schema: JsonObject): string => {
  const { description: _words, title: _title, ...rest } = meaningOfSchema(schema) as JsonObject;
  return canonical(rest);
};

/** Why `to` may be `from` under a new name, and how good the reason is; null if there is none. */
const evidenceFor = (
  [from, before]: [string, JsonObject],
  [to, after]: [string, JsonObject],
  onlyPair: boolean,
): { score: number; evidence: string } | null => {
  if (typeOf(before) !== typeOf(after)) return null;
  const words = own(before, 'description');
  const sameWords = typeof words === 'string' && words !== '' && words === own(after, 'description');
  if (letters(from) === letters(to)) return { score: 4, evidence: 'the same name in another spelling' };
  if (sameWords) return { score: 3, evidence: 'the same type and the same words' };
  if (letters(from).includes(letters(to)) || letters(to).includes(letters(from))) {
    return { score: 2, evidence: 'the same type and a similar name' };
  }
  if (onlyPair && withoutWords(before) === withoutWords(after)) {
    return { score: 1, evidence: 'the same type, the only one that went and the only one that came' };
  }
  return null;
};

/** Pairs properties that went with properties that came. Each is used once, the best reason first. */
export const findRenames = (
  removed: readonly [string, JsonObject][],
  added: readonly [string, JsonObject][],
): Rename[] => {
  // The number of pairs grows with the square; beyond this it is a new contract, not a handful of renames.
  if (removed.length * added.length > 2_500) return [];
  const onlyPair = removed.length === 1 && added.length === 1;
  const candidates = removed.flatMap((before) =>
    added.flatMap((after) => {
      const reason = evidenceFor(before, after, onlyPair);
      return reason ? [{ from: before[0], to: after[0], ...reason }] : [];
    }),
  );
  candidates.sort((a, b) => b.score - a.score);
  const taken = new Set<string>();
  const renames: Rename[] = [];
  for (const { from, to, evidence } of candidates) {
    if (taken.has(`-${from}`) || taken.has(`+${to}`)) continue;
    taken.add(`-${from}`).add(`+${to}`);
    renames.push({ from, to, evidence });
  }
  return renames;
};

/** Pairs tools that went with tools that came: the same name in another spelling, or the same contract. */
export const findToolRenames = (removed: readonly Contract[], added: readonly Contract[]) => {
  const bySpelling = new Map(added.map((tool) => [letters(tool.name), tool]));
  const byContract = new Map(added.map((tool) => [meaningHash(tool), tool]));
  const taken = new Set<string>();
  return removed.flatMap((before) => {
    const spelled = bySpelling.get(letters(before.name));
    const same = byContract.get(meaningHash(before));
    const after = spelled ?? same;
    if (!after || taken.has(after.name)) return [];
    taken.add(after.name);
    return [{ before, after, evidence: spelled ? 'the same name in another spelling' : 'the same contract' }];
  });
};
