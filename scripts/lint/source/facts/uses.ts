import { defined } from '../../../contract/defined.ts';
import { type AstNode, argumentsOf, type Code, callee } from '../code.ts';
import type { Unnamed, Uses } from '../types.ts';
import { isAnswer, isValidator, looksOnly, PASSES_ON } from './calls.ts';
import { CollectedUses } from './collected.ts';
import type { FindHelper } from './helpers.ts';
import { type Names, namesIn } from './names.ts';
import { dataOf, takenBy } from './patterns.ts';
import { isPutTogether } from './put-together.ts';
import { type Step, stepFrom } from './steps.ts';
import { type Fate, fateOfEntries, fateOfKeys, pickedBy } from './strips.ts';
import { unnamedFields } from './unnamed-fields.ts';

export interface FollowOptions {
  /** Whether to follow a schema's result, too. */
  through?: boolean;
  /** Patterns that take the value apart where it comes in: `({ title }) => …`. */
  patterns?: readonly AstNode[];
  /** Whether a picked field counts, judged by where it is used. Without this, all count. */
  counts?(used: readonly AstNode[], isSure: boolean): boolean;
  /** Whether to report if only a schema's result is handed on. */
  schemas?: boolean;
  /** What is known about a function that gets the value. */
  helper?: FindHelper;
}

/** The result of a schema: what became of other fields, and whether it is `safeParse`'s, under `data`. */
interface SchemaResult {
  call: AstNode;
  unnamed: Unnamed;
  isSafe: boolean;
}

const MOST_STEPS = 100;

/** Whether a step takes the value out of what `safeParse` returns. */
const isData = (step: Step): step is Extract<Step, { key: unknown }> =>
  step.does === 'is read' && step.key === 'data' && step.at.kind() === 'member_expression';

/** Follows a value, under each of its names, through a piece of code. */
class Follower {
  readonly #names: Names;
  readonly #found: CollectedUses;
  readonly #aliases = new Set<string>();
  /** Names of what `safeParse` found, taken out of its result. */
  readonly #unwrapped = new Set<string>();
  readonly #queue: AstNode[] = [];
  readonly #results: SchemaResult[] = [];
  /** The name that is followed now. */
  #name = '';
  /** The schema's result that is followed now; undefined as long as the value itself is. */
  #result: SchemaResult | undefined;

  constructor(
    private readonly code: Code,
    region: AstNode,
    private readonly options: FollowOptions,
  ) {
    this.#names = namesIn(code, region);
    this.#found = new CollectedUses(code, (used, isSure) => options.counts?.(used, isSure) !== false);
  }

  run(sources: readonly AstNode[]): Uses {
    this.#queue.push(...sources);
    for (const pattern of this.options.patterns ?? []) this.#bind(pattern);
    this.#followAll();
    // The results of schemas come after the rest.
    for (let next = this.#results.pop(); next; next = this.#results.pop()) {
      this.#result = next;
      this.#follow(next.call);
      this.#followAll();
    }
    return this.#found.settled();
  }

  #followAll(): void {
    for (let node = this.#queue.pop(); node; node = this.#queue.pop()) this.#follow(node);
  }

  /** Follows what happens to the value from one node on. */
  #follow(start: AstNode): void {
    this.#name = start.kind() === 'identifier' ? start.text() : '';
    // The value itself is under `data` in there.
    let isWrapped = this.#result?.isSafe === true && !this.#unwrapped.has(this.#name);
    let node: AstNode | undefined = start;
    for (let steps = 0; node && steps < MOST_STEPS; steps++) {
      const step = stepFrom(this.code, node);
      if (isWrapped && isData(step)) {
        isWrapped = false;
        node = step.at;
      } else if (step.does === 'stays') node = step.in;
      else if (step.does === 'is an argument') node = this.#inCall(step.of, node);
      else {
        this.#end(step, node, isWrapped);
        return;
      }
    }
  }

  /** What happens to the value last. */
  #end(step: Step, node: AstNode, isWrapped: boolean): void {
    if (step.does === 'is handed on') this.#handOn(node);
    else if (step.does === 'is bound') this.#bind(step.to, isWrapped);
    else if (isWrapped) return;
    else if (step.does === 'is read') this.#read(step.key, step.at);
    else if (step.does === 'is deleted' && step.key !== undefined) this.#found.delete(this.#name, step.key, step.at);
    else if (step.does === 'is indexed' && isPutTogether(this.code, step.at))
      this.#keep(fateOfKeys(this.code, step.at), step.at);
  }

  /** A name that also means something else here is not followed: a missed finding is better than a false one. */
  #addAlias(name: string): void {
    if (this.#aliases.has(name) || this.#names.clashes.has(name)) return;
    this.#aliases.add(name);
    this.#queue.push(...(this.#names.at.get(name) ?? []));
  }

  #bind(target: AstNode, isWrapped = false): void {
    if (target.kind() === 'identifier') this.#addAlias(target.text());
    if (target.kind() !== 'object_pattern') return;
    if (isWrapped) {
      const data = dataOf(target);
      if (data === undefined) return;
      this.#unwrapped.add(data);
      this.#addAlias(data);
      return;
    }
    const { taken, hasRest, whole } = takenBy(this.code, target, this.#names);
    for (const { field, part, used, isDropped } of taken) {
      if (!isDropped) this.#found.read(field);
      this.#found.pick(field, part, isDropped ? [part] : used, isDropped);
    }
    // If fields are picked, and not put back, the rest is not the whole.
    if (whole !== undefined) this.#addAlias(whole);
    else if (hasRest) this.#found.keepRest();
  }

  #read(key: string | undefined, at: AstNode): void {
    if (key === undefined) return;
    this.#found.read(key);
    if (key !== 'length') this.#found.pick(key, at, [at]);
  }

  /** The code keeps some or all fields without naming each. */
  #keep(fate: Fate, node: AstNode): void {
    if (fate === undefined || isAnswer(this.code, node)) return;
    if (fate.kept === 'all') {
      this.#handOn(node);
      return;
    }
    for (const field of fate.fields) this.#found.pick(field, node, [node], true);
    if (fate.rest) this.#found.keepRest();
  }

  /** The code passes the value on unchanged. */
  #handOn(node: AstNode): void {
    if (this.#result && this.options.schemas) this.#found.passResult(node, this.#result.unnamed);
    else this.#found.pass({ name: this.#name, node });
  }

  /** The value is an argument. Returns the call if its result is the value again. */
  #inCall(call: AstNode, node: AstNode): AstNode | undefined {
    const { name } = callee(call);
    const fields = pickedBy(this.code, call, node);
    if (fields !== undefined) this.#keep({ kept: 'some', fields }, call);
    else if (isValidator(call)) return this.#validate(call, node);
    else if (PASSES_ON.test(name)) return call;
    else if (/^(entries|keys)$/.test(name)) this.#keep(fateOfEntries(this.code, call), call);
    else if (!looksOnly(call)) this.#handTo(call, node);
    return undefined;
  }

  /** The value is validated. Returns the call if its result is followed as the value itself. */
  #validate(call: AstNode, node: AstNode): AstNode | undefined {
    const { name, object } = callee(call);
    const { through, schemas } = this.options;
    this.#found.validate(node);
    if (!through || !/^(parse|safeParse)(Async)?$/.test(name)) return undefined;
    // `v.parse(Schema, body)` names the schema first.
    const [first] = argumentsOf(call);
    const unnamed = unnamedFields(this.code, first && first.id() !== node.id() ? first : object);
    const isSafe = name.startsWith('safe');
    if (!schemas || unnamed === 'passed') return isSafe ? undefined : call;
    this.#results.push({ call, unnamed, isSafe });
    return undefined;
  }

  /** The value is an argument of a function. */
  #handTo(call: AstNode, node: AstNode): void {
    const at = argumentsOf(call).findIndex((arg) => arg.id() === node.id());
    const known = this.options.helper?.(call, at);
    if (known === undefined) this.#handOn(node);
    else if ('module' in known) this.#found.pass({ name: this.#name, node, to: known });
    else if (known.picks.length === 0 || known.whole) this.#handOn(node);
    else for (const { field } of known.picks) this.#found.pick(field, call, [call], true);
  }
}

/** Follows a value through a piece of code: which of its fields are picked, and whether it is handed on whole. */
export const usesOf = (code: Code, region: AstNode, sources: readonly AstNode[], options: FollowOptions = {}): Uses =>
  sources.length === 0 && (options.patterns ?? []).length === 0
    ? { picks: [], whole: false, handed: [] }
    : new Follower(code, region, options).run(sources);

/** What is done with a value in several pieces of code. */
export const mergedUses = (all: readonly Uses[]): Uses => ({
  picks: all.flatMap(({ picks }) => picks),
  whole: all.some(({ whole }) => whole),
  handed: all.flatMap(({ handed }) => handed),
  ...defined({ schema: all.find(({ schema }) => schema !== undefined)?.schema }),
  ...(all.some(({ rest }) => rest) ? { rest: true as const } : {}),
  ...(all.some(({ validatedAt }) => validatedAt !== undefined) ? { validatedAt: 0 } : {}),
});
