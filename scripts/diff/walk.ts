import { sameJson } from '../contract/same.ts';
import { type Contract, type Json, type JsonObject, own } from '../contract/types.ts';
import { type Looker, looker } from './look.ts';
import { type ComparedPlace, type PlaceBelow, TRAITS } from './places.ts';
import type { SchemaPair } from './types.ts';

/** Most places that are compared in one tool. */
const MOST_PLACES = 4_000;
/** Most ways that lead to places in one tool: they multiply with each definition that uses others twice. */
const MOST_WAYS = 60_000;

/** The reference that a schema consists of; undefined if it says anything else. */
const referenceAlone = (schema: Json | undefined): string | undefined => {
  const reference = own(schema, '$ref');
  return typeof reference === 'string' && Object.keys(schema as JsonObject).length === 1 ? reference : undefined;
};

/** Looks only once at all places that consist of the same reference. */
const oncePerReference = (look: Looker): Looker => {
  const byReference = new Map<string, ComparedPlace | null>();
  return (place, isRoot) => {
    const reference = referenceAlone(place.before);
    if (reference === undefined || place.around !== undefined || reference !== referenceAlone(place.after))
      return look(place, isRoot);
    const key = JSON.stringify([isRoot, ...TRAITS.map((trait) => place[trait]), reference]);
    const known = byReference.get(key);
    if (known !== undefined) return known;
    const seen = look(place, isRoot);
    // Otherwise what it leads to is compared in place.
    if (seen?.pair.path !== place.path) byReference.set(key, seen);
    return seen;
  };
};

/**
 * Every place, also behind references and branches, that two input schemas share and where they differ, or refer to
 * something that does. A place in a shared definition comes once, with all ways that lead to it; a way through a recursive
 * definition ends where it would repeat. `allPlaces` and
 * `allWays` are false if there are more than are looked at.
 */
export const walk = (
  before: Contract,
  after: Contract,
): { pairs: SchemaPair[]; allPlaces: boolean; allWays: boolean } => {
  const look = oncePerReference(looker([before, after]));
  const pairs: SchemaPair[] = [];
  const root: PlaceBelow = {
    path: '/inputSchema',
    steps: [],
    wasRequired: false,
    isRenamed: false,
    newName: undefined,
    isOfNames: false,
    before: before.inputSchema,
    after: after.inputSchema,
    isShared: false,
  };
  const open: { place: PlaceBelow; parameter: readonly string[]; through: readonly string[] }[] = [
    { place: root, parameter: [], through: [] },
  ];
  let [places, ways] = [0, 0];
  for (let next = open.pop(); next; next = open.pop()) {
    if (places >= MOST_PLACES) return { pairs, allPlaces: false, allWays: false };
    const { place, parameter, through } = next;
    // Then only places that no other way has led to.
    if (ways >= MOST_WAYS && place.seen !== undefined) continue;
    ways++;
    place.seen = place.seen === undefined ? look(place, parameter.length === 0) : place.seen;
    const { seen } = place;
    if (seen === null || (seen.through !== undefined && through.includes(seen.through))) continue;
    const { pair } = seen;
    if (pair.ways.length === 0) {
      pair.parameter = parameter;
      pairs.push(pair);
      if (!sameJson(pair.before, pair.after)) places++;
    }
    pair.ways.push(parameter);
    const onward = seen.through === undefined ? through : [...through, seen.through];
    for (let index = seen.below.length - 1; index >= 0; index--) {
      const one = seen.below[index] as PlaceBelow;
      const way = one.steps.length === 0 ? parameter : [...parameter, ...one.steps];
      open.push({ place: one, parameter: way, through: onward });
    }
  }
  return { pairs, allPlaces: true, allWays: ways < MOST_WAYS };
};
