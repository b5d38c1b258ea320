import { sameJson } from '../contract/same.ts';
import { isObject, type Json } from '../contract/types.ts';
import { casesOf } from './cases.ts';
import { accepts } from './check.ts';
import { type Conjunct, conjunctsOf } from './conjuncts.ts';
import { isImpossible, isMap, valuesOf } from './facts.ts';
import { OBLIGATIONS } from './keywords/all.ts';

/** Steps after which a proof is abandoned: then nothing is proven. */
const FUEL = 20_000;
/** How deep inside a value claims are made at most. */
const DEEPEST = 60;
/** How often one claim may be split into cases. */
const MOST_SPLITS = 5;

/** Thrown when a proof has used up its steps or its depth. */
export class OutOfFuel extends Error {}

/**
 * The work on one proof. Its methods prove claims of the form: each value that satisfies all conjuncts in `given` also
 * satisfies a schema. They give false for what they cannot prove, and throw OutOfFuel if it takes too many steps.
 */
export class Proof {
  /** Steps that are left. */
  private fuel = FUEL;
  /** How deep the current claim is inside the value with which the proof began. */
  private depth = 0;
  /** Claims that are being proven, each with its depth: in recursive schemas, a claim depends on itself. */
  private readonly open = new Map<string, number>();
  /** Final results of claims. */
  private readonly settled = new Map<string, boolean>();
  /** Whether the latest result depends on a claim that is still open: then it is not final. */
  private restsOnOpen = false;
  /** Whether callers pass declared properties only. Not assumed in a claim about `after`: `before` may declare others. */
  private closedWorld = true;
  /** A number for each schema and each document, from which the keys of claims are made. */
  private readonly ids = new WeakMap<object, number>();
  private lastId = 0;

  /** @param sameDocuments whether references in `before` and in `after` mean the same */
  constructor(readonly sameDocuments: boolean) {}

  /** Proves that the given values satisfy a schema. `splits`: how often they were split into cases. */
  proves(given: Conjunct[], schema: Json, root: Json, splits = 0): boolean {
    if (schema === true) return true;
    if (--this.fuel < 0 || this.depth > DEEPEST) throw new OutOfFuel();
    const claims = conjunctsOf(schema, root);
    if (claims === false) return isImpossible(given);
    return claims.every((claim) => this.provesClaim(given, claim, splits));
  }

  /** Proves a claim about something inside the value of the current claim: an element, a property, a name. */
  provesInside(given: Conjunct[], schema: Json, root: Json): boolean {
    this.depth++;
    const proven = this.proves(given, schema, root);
    this.depth--;
    return proven;
  }

  /** Proves a claim about values that may hold undeclared properties. */
  provesOpenly(given: Conjunct[], schema: Json, root: Json): boolean {
    const outer = this.closedWorld;
    this.closedWorld = false;
    const proven = this.proves(given, schema, root);
    this.closedWorld = outer;
    return proven;
  }

  /** Whether no caller passes this property. `declared`: the properties that are declared in what is given. */
  isUnused(given: Conjunct[], declared: ReadonlySet<string>, name: string): boolean {
    return this.closedWorld && !declared.has(name) && !isMap(given);
  }

  /** Proves one claim; the result is cached. */
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
      // Assumed to hold only if this is deeper inside the value: by induction, a claim may depend on itself for a smaller
      // value, but not for the same one.
      this.restsOnOpen ||= openAt < this.depth;
      return openAt < this.depth;
    }
    this.open.set(key, this.depth);
    const outer = this.restsOnOpen;
    this.restsOnOpen = false;
    const proven = this.attempt(given, claim, splits);
    this.open.delete(key);
    // A result that depends on an open claim is not final.
    if (!this.restsOnOpen) this.settled.set(key, proven);
    this.restsOnOpen ||= outer;
    return proven;
  }

  /** Proves all obligations of a claim, for all values together or else case by case. */
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

  /** A key for a claim together with what is given. */
  private keyOf(given: Conjunct[], claim: Conjunct): string {
    return `${this.closedWorld} ${given.map(this.markOf).sort().join()}>${this.markOf(claim)}`;
  }

  /** A key for a conjunct. It includes the document, in which the schema's references have their meaning. */
  private readonly markOf = ({ schema, root }: Conjunct): string =>
    `${this.idOf(schema)}@${isObject(root) ? this.idOf(root) : 0}`;

  private idOf(value: object): number {
    const known = this.ids.get(value);
    if (known !== undefined) return known;
    this.ids.set(value, ++this.lastId);
    return this.lastId;
  }
}
