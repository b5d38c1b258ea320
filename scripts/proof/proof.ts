import { sameJson } from '../contract/same.ts';
import { isObject, type Json } from '../contract/types.ts';
import { casesOf } from './cases.ts';
import { accepts } from './check.ts';
import { type Conjunct, conjunctsOf } from './conjuncts.ts';
import { isImpossible, isMap, valuesOf } from './facts.ts';
import { OBLIGATIONS } from './keywords/all.ts';

/** Steps after which a proof is given up: what takes longer is not proven. */
const FUEL = 20_000;
/** How deep inside a value claims are made. */
const DEEPEST = 60;
/** How often one claim may be split into cases. */
const MOST_SPLITS = 5;

export class OutOfFuel extends Error {}

/**
 * The work on one proof. Its methods prove claims: that each value that satisfies all that is given satisfies a schema,
 * too. They take what is given as it is, and throw OutOfFuel where a claim takes too many steps.
 */
export class Proof {
  /** Steps that are left. */
  private fuel = FUEL;
  /** How deep inside the value that the proof began with the present claim is made. */
  private depth = 0;
  /** Claims that are being proven, with the depth at which each was made: recursion comes back to them. */
  private readonly open = new Map<string, number>();
  /** Results of claims, for good. */
  private readonly settled = new Map<string, boolean>();
  /** Whether what was found last rests on a claim that is still open: then it is no result yet. */
  private restsOnOpen = false;
  /** Names that nobody declared are not used. Not so in a claim about `after`: there `before` may declare them. */
  private closedWorld = true;
  /** A number for each schema and each document, from which the keys of claims are made. */
  private readonly ids = new WeakMap<object, number>();
  private lastId = 0;

  /** @param sameDocuments whether references in `before` and in `after` mean the same */
  constructor(readonly sameDocuments: boolean) {}

  /** Proves a schema of the same value that is given. */
  proves(given: Conjunct[], schema: Json, root: Json, splits = 0): boolean {
    if (schema === true) return true;
    if (--this.fuel < 0 || this.depth > DEEPEST) throw new OutOfFuel();
    const claims = conjunctsOf(schema, root);
    if (claims === false) return isImpossible(given);
    return claims.every((claim) => this.provesClaim(given, claim, splits));
  }

  /** Proves a schema of something inside the value of the present claim: an element, a property, a name. */
  provesInside(given: Conjunct[], schema: Json, root: Json): boolean {
    this.depth++;
    const proven = this.proves(given, schema, root);
    this.depth--;
    return proven;
  }

  /** Proves a schema of values that may hold names that nobody declared. */
  provesOpenly(given: Conjunct[], schema: Json, root: Json): boolean {
    const outer = this.closedWorld;
    this.closedWorld = false;
    const proven = this.proves(given, schema, root);
    this.closedWorld = outer;
    return proven;
  }

  /** Whether a property is one that no caller passes. `declared`: the names in what is given. */
  isUnused(given: Conjunct[], declared: ReadonlySet<string>, name: string): boolean {
    return this.closedWorld && !declared.has(name) && !isMap(given);
  }

  /** Proves one claim, once: what it was found to be is remembered. */
  private provesClaim(given: Conjunct[], claim: Conjunct, splits: number): boolean {
    const isSame = (one: Conjunct) =>
      sameJson(one.schema, claim.schema) && (this.sameDocuments || one.root === claim.root);
    if (
      given.some((one) => !one.opaque && isSame(one)) ||
      (claim.opaque && given.some(isSame) && Object.keys(claim.schema).length > 0)
    )
      return true;
    if (claim.opaque) return isImpossible(given);
    const key = this.keyOf(given, claim);
    const result = this.settled.get(key);
    if (result !== undefined) return result;
    const openAt = this.open.get(key);
    if (openAt !== undefined) {
      // Only deeper inside the value: a claim must not rest on itself about the same value.
      this.restsOnOpen ||= openAt < this.depth;
      return openAt < this.depth;
    }
    this.open.set(key, this.depth);
    const outer = this.restsOnOpen;
    this.restsOnOpen = false;
    const proven = this.attempt(given, claim, splits);
    this.open.delete(key);
    // What rests on a claim that is still open is not known for certain yet.
    if (!this.restsOnOpen) this.settled.set(key, proven);
    this.restsOnOpen ||= outer;
    return proven;
  }

  /** Proves all obligations of a claim, at once or else case by case. */
  private attempt(given: Conjunct[], claim: Conjunct, splits: number): boolean {
    if (--this.fuel < 0) throw new OutOfFuel();
    const values = valuesOf(given);
    if (values) return values.every((value) => accepts(claim.schema, claim.root, value) === true);
    if (isImpossible(given)) return true;
    const holds = Object.entries(claim.schema).every(
      ([keyword, operand]) => OBLIGATIONS.get(keyword)?.(given, operand, claim, this) ?? true,
    );
    if (holds || splits >= MOST_SPLITS) return holds;
    return casesOf(given)?.every((one) => this.provesClaim(one, claim, splits + 1)) ?? false;
  }

  /** The same for the same claim from the same that is given. */
  private keyOf(given: Conjunct[], claim: Conjunct): string {
    return `${this.closedWorld} ${given.map(this.markOf).sort().join()}>${this.markOf(claim)}`;
  }

  /** The same schema means something else in another document, if it refers to that. */
  private readonly markOf = ({ schema, root }: Conjunct): string =>
    `${this.idOf(schema)}@${isObject(root) ? this.idOf(root) : 0}`;

  private idOf(value: object): number {
    const known = this.ids.get(value);
    if (known !== undefined) return known;
    this.ids.set(value, ++this.lastId);
    return this.lastId;
  }
}
