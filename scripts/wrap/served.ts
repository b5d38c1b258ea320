import { isObject, own } from '../contract/types.ts';

/** So many contracts of one tool are remembered; then the oldest but the first is forgotten. */
const MOST_OF_ONE = 20;

/**
 * The contracts that the host was given on this connection, by the tool's name: as JSON text, oldest first. Hosts differ in
 * which of them they go on showing to the model, so each of them may be what it believes.
 */
export class Served {
  readonly #contracts = new Map<string, string[]>();

  /** What an answer to the host's `tools/list` holds. */
  add(tools: readonly unknown[]): void {
    for (const tool of tools) {
      const name = own(tool, 'name');
      if (!isObject(tool) || typeof name !== 'string') continue;
      const text = JSON.stringify(tool);
      const known = (this.#contracts.get(name) ?? []).filter((one) => one !== text);
      this.#contracts.set(
        name,
        known.length < MOST_OF_ONE ? [...known, text] : [known[0] as string, ...known.slice(2), text],
      );
    }
  }

  /** All that a tool was served as, oldest first. */
  of(name: string): readonly string[] {
    return this.#contracts.get(name) ?? [];
  }
}
