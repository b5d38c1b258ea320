// What a schema does with fields that it does not name.
import { type AstNode, argumentsOf, type Code, callee, parts } from '../code.ts';
import type { Unnamed } from '../types.ts';

type OfUnnamed = Unnamed | 'passed';

/** More parts than those of a real schema are not looked at. */
const MOST_PARTS = 500;

const PASSES = /^(passthrough|nonstrict|loose|catchall|looseObject|record|any|unknown|json)$/;
const DROPS = /^(object|strip)$/;
const REFUSES = /^(strict|strictObject)$/;
const UNIONS = /^(union|discriminatedUnion|variant|or)$/;
/** Methods and functions whose result does with such fields what the schema that they get does. */
const ALIKE =
  /^(refine|refinement|superRefine|check|describe|meta|register|brand|readonly|optional|exactOptional|nonoptional|nullable|nullish|default|prefault|catch|extend|safeExtend|omit|pick|partial|deepPartial|required|array)$/;
/** One after the other: a field that one drops is gone. */
const ROWS = /^(transform|pipe)$/;

/** A union passes or drops them if all of its members do. Where no member drops any, it may refuse them. */
const ofMembers = (members: readonly (OfUnnamed | undefined)[]): OfUnnamed | undefined => {
  const [first] = members;
  if (members.every((one) => one === first)) return first;
  return members.every((one) => one === 'passed' || one === 'refused') ? 'refused' : undefined;
};

class Reader {
  readonly #known = new Map<number, OfUnnamed | undefined>();

  constructor(private readonly code: Code) {}

  /** Each part is read once: a schema may name one part many times, or itself. */
  read(schema: AstNode | undefined): OfUnnamed | undefined {
    const bare = this.code.resolve(schema);
    if (bare?.kind() === 'call_expression' && !this.#known.has(bare.id()) && this.#known.size < MOST_PARTS) {
      this.#known.set(bare.id(), undefined);
      this.#known.set(bare.id(), this.#ofCall(bare));
    }
    return bare && this.#known.get(bare.id());
  }

  #ofCall(call: AstNode): OfUnnamed | undefined {
    const { name, object } = callee(call);
    const [first] = argumentsOf(call);
    if (REFUSES.test(name)) return 'refused';
    if (PASSES.test(name)) return 'passed';
    if (DROPS.test(name)) return 'dropped';
    if (UNIONS.test(name)) return ofMembers(this.#members(call).map((one) => this.read(one)));
    // What the second object says of other fields counts.
    if (name === 'merge') return this.read(first);
    if (ALIKE.test(name)) return this.read(object) ?? this.read(first);
    if (!ROWS.test(name)) return undefined;
    return [object, ...argumentsOf(call)].some((one) => this.read(one) === 'dropped') ? 'dropped' : undefined;
  }

  /** The members of `z.union([a, b])`, `z.discriminatedUnion('kind', [a, b])` and `a.or(b)`. */
  #members(call: AstNode): (AstNode | undefined)[] {
    const list = argumentsOf(call)
      .map((arg) => this.code.resolve(arg))
      .find((arg) => arg?.kind() === 'array');
    return list ? parts(list) : [callee(call).object, argumentsOf(call)[0]];
  }
}

/** What becomes of fields that a schema does not name, as far as this file shows. */
export const unnamedFields = (code: Code, schema: AstNode | undefined): OfUnnamed =>
  new Reader(code).read(schema) ?? 'unknown';
