import type { AstNode, Code } from '../code.ts';
import type { HandedTo, Unnamed, Uses } from '../types.ts';

/** Where the value was passed on, under which name, and to what, if that is a function of another file. */
interface Passed {
  name: string;
  node: AstNode;
  to?: HandedTo;
}

const indexOf = (node: AstNode): number => node.range().start.index;

/** Collects what is done with a value. */
export class CollectedUses {
  readonly #uses: Uses = { picks: [], whole: false, handed: [] };
  readonly #picked = new Set<string>();
  readonly #read = new Set<string>();
  readonly #deleted: { name: string; field: string; node: AstNode }[] = [];
  readonly #passed: Passed[] = [];

  /** @param counts whether a picked field counts, judged by where it is used */
  constructor(
    private readonly code: Code,
    private readonly counts: (used: readonly AstNode[], isSure: boolean) => boolean,
  ) {}

  pick(field: string, node: AstNode, used: readonly AstNode[], isSure = false): void {
    if (this.#picked.has(field) || !this.counts(used, isSure)) return;
    this.#picked.add(field);
    this.#uses.picks.push({ field, place: this.code.place(node), index: indexOf(node) });
  }

  /** A field is read under its name. */
  read(field: string): void {
    this.#read.add(field);
  }

  /** A field is deleted from the value, which has this name here. */
  delete(name: string, field: string, node: AstNode): void {
    this.#deleted.push({ name, field, node });
  }

  /** The fields that are not picked stay together. */
  keepRest(): void {
    this.#uses.rest = true;
  }

  /** The value is passed on unchanged. */
  pass(passed: Passed): void {
    this.#passed.push(passed);
  }

  /** A schema's result is passed on in its place. */
  passResult(node: AstNode, unnamed: Unnamed): void {
    this.#uses.schema ??= { place: this.code.place(node), unnamed };
  }

  validate(node: AstNode): void {
    this.#uses.validatedAt = Math.min(this.#uses.validatedAt ?? Number.POSITIVE_INFINITY, indexOf(node));
  }

  /** Fields that are deleted, and read nowhere, are lost for what gets the value afterwards. */
  #lostFor({ name, node }: Passed): { field: string; node: AstNode }[] {
    return this.#deleted.filter(
      (one) => one.name === name && !this.#read.has(one.field) && indexOf(one.node) < indexOf(node),
    );
  }

  /** All that was collected, once the value was followed to each of its ends. */
  settled(): Uses {
    for (const one of this.#passed) {
      const lost = this.#lostFor(one);
      if (lost.length > 0) this.keepRest();
      else if (one.to === undefined) this.#uses.whole = true;
      for (const { field, node } of lost) this.pick(field, node, [node], true);
      if (one.to) this.#uses.handed.push({ ...one.to, ...(lost.length > 0 ? { isPart: true as const } : {}) });
    }
    this.#uses.picks.sort((a, b) => a.index - b.index);
    return this.#uses;
  }
}
