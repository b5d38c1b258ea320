import { toJson } from '../contract/to-json.ts';
import { isObject, own } from '../contract/types.ts';

/** How many contracts of one tool are kept. Beyond that, the second oldest is dropped. */
const MOST_OF_ONE = 20;

/** How many tools are kept, as many as a list may hold. Beyond that, those served longest ago are dropped. */
const MOST_TOOLS = 20_000;

interface ServedTool {
  contracts: readonly string[];
  /** In which list it came first, and in which it was last. */
  first: number;
  last: number;
}

/**
 * The contracts that the host was given on this connection, by the tool's name: as JSON text, oldest first. Hosts differ in
 * which of them they go on showing to the model, so each of them may be what it believes.
 */
export class Served {
  readonly #known = new Map<string, ServedTool>();
  #lists = 0;

  /** What an answer to the host's `tools/list` holds. @param isFirst whether it is the first page, or all of the list */
  add(tools: readonly unknown[], isFirst = true): void {
    this.addAs(
      tools.flatMap((tool) => {
        const key = own(tool, 'name');
        return isObject(tool) && typeof key === 'string' ? [{ key, listed: tool }] : [];
      }),
      isFirst,
    );
  }

  /** The same under other keys than the tools' names. */
  addAs(tools: readonly { key: string; listed: object }[], isFirst = true): void {
    if (isFirst) this.#lists++;
    for (const { key, listed } of tools) {
      const text = toJson(listed);
      const { contracts, first } = this.#known.get(key) ?? { contracts: [], first: this.#lists };
      const others = contracts.filter((one) => one !== text);
      const kept = others.length < MOST_OF_ONE ? others : [others[0] as string, ...others.slice(2)];
      this.#known.delete(key);
      this.#known.set(key, { contracts: [...kept, text], first, last: this.#lists });
    }
    for (const name of this.#known.keys()) {
      if (this.#known.size <= MOST_TOOLS) break;
      this.#known.delete(name);
    }
  }

  /** The tools that were served last, in no order. */
  latest(): readonly string[] {
    return [...this.#known.values()]
      .filter(({ last }) => last === this.#lists)
      .map(({ contracts }) => contracts.at(-1) as string);
  }

  /** All contracts under which a tool was served, oldest first. */
  of(name: string): readonly string[] {
    return this.#known.get(name)?.contracts ?? [];
  }

  /** In which list a tool was served last. */
  lastOf(name: string): number | undefined {
    return this.#known.get(name)?.last;
  }

  /** Names of all tools that were listed before a tool was last served, or together with it. */
  beside(name: string): ReadonlySet<string> {
    const last = this.#known.get(name)?.last ?? 0;
    return new Set([...this.#known].filter(([, { first }]) => first <= last).map(([other]) => other));
  }
}
