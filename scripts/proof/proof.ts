import { referencesIn } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import type { Json } from '../contract/types.ts';
import { casesOf } from './cases.ts';
import { acceptsPart } from './check.ts';
import { type Conjunct, conjunctsOf, isFree, isMap, knownKeys, NOTHING } from './conjuncts.ts';
import {
  elementOf,
  isImpossible,
  largest,
  operandsOf,
  propertyOf,
  requiredOf,
  typesOf,
  valuesOf,
  withDependents,
} from './facts.ts';
import { OBLIGATIONS, SHALLOW } from './keywords/all.ts';
import type { SchemaScope } from './scope.ts';

/** Steps after which a proof is abandoned: then nothing is proven. */
const FUEL = 40_000;
/** Deepest level inside a value for which claims are made. */
const DEEPEST = 250;
/** How often one claim may be split into cases. */
const MOST_SPLITS = 6;

/** Thrown when a proof has used up its steps or its depth. */
class OutOfFuel extends Error {}

/** A claim that was proven while it rests on others that are still open. */
interface Provisional {
  /** How deep inside the value it was proven. */
  depth: number;
  /** The outermost open claim that it rests on, as a position among the open ones. */
  restsOn: number;
}

/**
 * The work on one proof. Its methods prove claims of the form: each value that satisfies all conjuncts in `given` also
 * satisfies a schema. They return false for what they cannot prove, and throw OutOfFuel if it takes too many steps.
 *
 * In recursive schemas a claim depends on itself. Values are finite, so by induction it may do so for what is inside the
 * value, and every cycle of claims that rest on each other must lead inside. A claim that rests on a still open one is
 * proven provisionally: it is final once the outermost claim that it rests on is proven, and forgotten if that one is not.
 * Until then it may be used at the depth where it was proven, and deeper inside, so that no cycle ends where it began.
 */
export class Proof {
  /** Remaining steps. */
  private fuel = FUEL;
  /** How deep the current claim is inside the value with which the proof began. */
  private depth = 0;
  /** Claims that are being proven: how deep, and at which position. */
  private readonly open = new Map<string, { depth: number; position: number }>();
  private readonly proven = new Set<string>();
  /** Claims that could not be proven, with the number of splits before that: with fewer splits another try is worth it. */
  private readonly failed = new Map<string, number>();
  private readonly provisional = new Map<string, Provisional>();
  /** The keys of provisional claims, in the order in which they were proven. */
  private readonly trail: string[] = [];
  /** The outermost open claim that the latest result rests on. */
  private restsOn = Number.POSITIVE_INFINITY;
  /** A number for each schema and each scope: keys of claims consist of these. */
  private readonly ids = new WeakMap<object, number>();
  private lastId = 0;

  /** Whether the whole values are the arguments of a tool: one that names no parameter takes none. */
  private isCall = false;

  /** @param changed references that do not mean the same in `before` and in `after` */
  constructor(private readonly changed: ReadonlySet<string>) {}

  /** Proves a claim about whole values, if it does not take too many steps. Results stay known. */
  about(given: Conjunct[], schema: Json, scope: SchemaScope, isCall: boolean): boolean {
    this.isCall = isCall;
    // The previous proof may have been cut off anywhere.
    for (const open of [this.open, this.provisional]) open.clear();
    this.trail.length = 0;
    this.depth = 0;
    this.restsOn = Number.POSITIVE_INFINITY;
    this.fuel = FUEL;
    try {
      return this.proves(given, schema, scope);
    } catch (error) {
      if (error instanceof OutOfFuel || error instanceof RangeError) return false;
      throw error;
    }
  }

  /** Proves that the given values satisfy a schema. `splits`: how often they were split into cases. */
  proves(given: Conjunct[], schema: Json, scope: SchemaScope, splits = 0): boolean {
    if (schema === true) return true;
    const claims = conjunctsOf(schema, scope);
    if (claims !== false && claims.length === 0) return true;
    this.spend(1 + given.length);
    const known = unique(withDependents(given));
    if (claims === false) return this.provesClaim(known, NOTHING, splits);
    return claims.every((claim) => this.provesClaim(known, claim, splits));
  }

  /** Proves a claim about something inside the value of the current claim: an element, a property, a name. */
  provesInside(given: Conjunct[], schema: Json, scope: SchemaScope): boolean {
    if (this.depth >= DEEPEST) throw new OutOfFuel();
    this.depth++;
    const proven = this.proves(given, schema, scope);
    this.depth--;
    return proven;
  }

  /** Whether no caller passes this property. */
  isUnused(given: Conjunct[], name: string): boolean {
    if (knownKeys(given).has(name) || isMap(given)) return false;
    return (this.isCall && this.depth === 0) || !isFree(given);
  }

  /** Whether a part of a given schema and a part of a claim mean the same. */
  isSame(one: Json, scope: SchemaScope, other: Json, otherScope: SchemaScope): boolean {
    if (!sameJson(one, other)) return false;
    return scope === otherScope || this.isUnchanged(one);
  }

  private isUnchanged(schema: Json): boolean {
    return this.changed.size === 0 || ![...referencesIn(schema)].some((reference) => this.changed.has(reference));
  }

  private spend(steps: number): void {
    this.fuel -= steps;
    if (this.fuel < 0) throw new OutOfFuel();
  }

  private isGiven(given: Conjunct[], claim: Conjunct): boolean {
    const whole = claim.within ?? claim.schema;
    return given.some(
      (one) =>
        (one.within === undefined) === (claim.within === undefined) &&
        (claim.opaque === true || one.opaque !== true) &&
        this.isSame(one.within ?? one.schema, one.scope, whole, claim.scope),
    );
  }

  /** Proves one claim; the result is remembered. */
  private provesClaim(given: Conjunct[], claim: Conjunct, splits: number): boolean {
    if (Object.keys(claim.schema).length > 0 && this.isGiven(given, claim)) return true;
    if (claim.opaque) return this.provesClaim(given, NOTHING, splits);
    const key = this.keyOf(given, claim);
    if (this.proven.has(key)) return true;
    if ((this.failed.get(key) ?? Number.POSITIVE_INFINITY) <= splits) return false;
    const above = this.open.get(key);
    if (above !== undefined) {
      if (above.depth >= this.depth) return false;
      this.restsOn = Math.min(this.restsOn, above.position);
      return true;
    }
    const before = this.provisional.get(key);
    if (before !== undefined && before.depth <= this.depth) {
      this.restsOn = Math.min(this.restsOn, before.restsOn);
      return true;
    }
    const position = this.open.size;
    const mark = this.trail.length;
    const outer = this.restsOn;
    this.open.set(key, { depth: this.depth, position });
    this.restsOn = Number.POSITIVE_INFINITY;
    const proven = this.attempt(given, claim, splits);
    this.open.delete(key);
    if (!proven) {
      for (const one of this.trail.splice(mark)) this.provisional.delete(one);
      this.failed.set(key, splits);
      this.restsOn = outer;
    } else if (this.restsOn >= position) {
      for (const one of this.trail.splice(mark)) {
        this.proven.add(one);
        this.provisional.delete(one);
      }
      this.proven.add(key);
      this.restsOn = outer;
    } else {
      // Claims that rest on this one also rest on what it rests on.
      for (const one of this.trail.slice(mark)) {
        const its = this.provisional.get(one);
        if (its) its.restsOn = Math.min(its.restsOn, this.restsOn);
      }
      this.provisional.set(key, { depth: this.depth, restsOn: this.restsOn });
      this.trail.push(key);
      this.restsOn = Math.min(outer, this.restsOn);
    }
    return proven;
  }

  /** Proves all obligations of a claim, for all values together or else case by case. */
  private attempt(given: Conjunct[], claim: Conjunct, splits: number): boolean {
    this.spend(1 + given.length);
    const values = valuesOf(given);
    if (values) {
      this.spend(values.length >> 3);
      if (values.every((value) => acceptsPart(claim, value) === true)) return true;
      if (values.some((value) => isCounterexample(value, given, claim))) return false;
    }
    if (isImpossible(given)) return true;
    if (
      claim === NOTHING ? this.contradicts(given) : this.holds(given, claim) || this.provesClaim(given, NOTHING, splits)
    )
      return true;
    if (splits >= MOST_SPLITS) return false;
    const cases = casesOf(given, claim)?.map((one) => unique(withDependents(one)));
    return cases?.every((one) => this.provesClaim(one, claim, splits + 1)) ?? false;
  }

  /** Proves all obligations of a claim: first those that need no further claims. */
  private holds(given: Conjunct[], claim: Conjunct): boolean {
    const entries = Object.entries(claim.schema);
    const prove = ([keyword, operand]: [string, Json]) =>
      OBLIGATIONS.get(keyword)?.(given, operand, claim, this) ?? true;
    return (
      entries.every((entry) => !SHALLOW.has(entry[0]) || prove(entry)) &&
      entries.every((entry) => SHALLOW.has(entry[0]) || prove(entry))
    );
  }

  /** Proves that no value is given: a part of it is impossible, or a `not` excludes all of them. */
  private contradicts(given: Conjunct[]): boolean {
    const types = typesOf(given);
    const only = (type: 'array' | 'object') => types.size === 1 && types.has(type);
    if (
      only('object') &&
      [...requiredOf(given)].some((name) => this.provesInside(propertyOf(given, name), false, NOTHING.scope))
    )
      return true;
    const least = only('array') ? largest(given, 'minItems') : 0;
    if (least > 0 && this.provesInside(elementOf(given, 0), false, NOTHING.scope)) return true;
    return operandsOf(given, 'not').some((one) => this.proves(given, one.operand, one.scope));
  }

  /** A key for a claim together with what is given. */
  private keyOf(given: Conjunct[], claim: Conjunct): string {
    // A tool that names no parameter takes none; an object inside its arguments that names no property takes any.
    const isCall = this.isCall && this.depth === 0;
    return `${isCall ? 'call ' : ''}${given.map(this.markOf).sort().join()}>${this.markOf(claim)}`;
  }

  /** A key for a conjunct. It includes the scope, in which the schema's references have their meaning. */
  private readonly markOf = ({ schema, scope, within }: Conjunct): string =>
    `${this.idOf(within ?? schema)}${within ? 'u' : '@'}${this.idOf(scope)}`;

  private idOf(value: object): number {
    const known = this.ids.get(value);
    if (known !== undefined) return known;
    this.ids.set(value, ++this.lastId);
    return this.lastId;
  }
}

/** Whether a value is certainly given, and does not satisfy a claim. */
const isCounterexample = (value: Json, given: Conjunct[], claim: Conjunct): boolean =>
  acceptsPart(claim, value) === false && given.every((one) => one.opaque !== true && acceptsPart(one, value) === true);

/** Each conjunct once: a duplicate would make the same claim look different. */
const unique = (given: Conjunct[]): Conjunct[] => {
  if (given.length < 2) return given;
  const kept = new Map<object, Conjunct[]>();
  const found = given.filter((one) => {
    const whole = one.within ?? one.schema;
    const alike = kept.get(whole) ?? [];
    kept.set(whole, alike);
    if (alike.some((other) => other.scope === one.scope && (other.within === undefined) === (one.within === undefined)))
      return false;
    alike.push(one);
    return true;
  });
  return found.length === given.length ? given : found;
};
