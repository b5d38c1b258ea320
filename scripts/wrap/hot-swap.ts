// New names for tools whose contract broke: a host that pins what it shows by the name shows a new name's contract.
import { toJson } from '../contract/to-json.ts';
import { isObject, own } from '../contract/types.ts';
import { digestOf } from '../state/digest.ts';
import { setBounded } from './bounded.ts';
import { lostNameText } from './plain-words.ts';
import type { HeldCall, HostTools, Verdict } from './types.ts';

/** How many new names one tool gets, and all tools together. After that, a stop only explains. */
const MOST_OF_ONE = 3;
const MOST = 20;
const MOST_STOPPED = 1_000;
/** What hosts and models allow for the whole name of a tool, and what is taken for the server's part where it is unknown. */
const LONGEST_NAME = 64;
const USUAL_PREFIX = 'mcp__'.length + 24 + '__'.length;
const SHORTEST_START = 8;

interface Swap {
  /** The tool's own name. */
  tool: string;
  /** The contract that it was made for, as the server sent it. */
  made: string;
}

/** Whether this host goes on showing the first contract under a name. */
const isPinning = (host: string | undefined): boolean => host === 'claude-code';

const namesIn = (tools: readonly unknown[]): Set<unknown> => new Set(tools.map((tool) => own(tool, 'name')));

const keyOf = ({ tool, made }: Swap): string => digestOf(JSON.stringify([tool, made]));

export class HotSwap implements HostTools {
  /** By the new name. */
  readonly #swaps = new Map<string, Swap>();
  /** Our names that the server took for tools of its own later, each with the tool that it stood for. */
  readonly #lost = new Map<string, string>();
  /** Those of which the model was told, and how many calls had come by then. */
  readonly #saidLost = new Map<string, number>();
  /** Current contracts whose stop the model was told already, as digests of name and contract, and after how many calls. */
  readonly #stopped = new Map<string, number>();
  readonly #longest: number;

  /**
   * @param server what the server is called
   * @param inner what is offered in place of the server's own list
   */
  constructor(
    server: string | undefined,
    private readonly inner?: HostTools,
  ) {
    const before = server === undefined ? USUAL_PREFIX : `mcp__${server}__`.length;
    this.#longest = Math.max(LONGEST_NAME - before, SHORTEST_START + 3);
  }

  isActive(): boolean {
    return this.#swaps.size + this.#lost.size > 0 || this.inner?.isActive() === true;
  }

  async list(...[tools, own, meta]: Parameters<HostTools['list']>): Promise<unknown[]> {
    const listed = this.inner?.isActive() ? await this.inner.list(tools, own, meta) : [...tools];
    const taken = namesIn(listed);
    // A name that the server uses itself now belongs to the server for good.
    for (const [name, { tool }] of this.#swaps) {
      if (!taken.has(name)) continue;
      this.#swaps.delete(name);
      this.#lost.set(name, tool);
    }
    const swapped = [...this.#swaps].flatMap(([name, { tool }]) => {
      const now = listed.find((one) => isObject(one) && one.name === tool);
      return isObject(now) ? [{ ...now, name }] : [];
    });
    return [...listed, ...swapped];
  }

  renamed(name: string, order: number): Verdict | undefined {
    const tool = this.#lost.get(name);
    const told = this.#saidLost.get(name);
    if (tool === undefined || (told !== undefined && told < order)) return undefined;
    const delivered = (calls: number): void => {
      if (!this.#saidLost.has(name)) this.#saidLost.set(name, calls);
    };
    return { pass: false, text: lostNameText(name, tool), isOffered: true, delivered };
  }

  call(name: string): ReturnType<HostTools['call']> {
    const tool = this.#swaps.get(name)?.tool;
    const inner = this.inner?.call(tool ?? name);
    return inner ?? (tool === undefined ? undefined : { name: tool, around: (args) => args });
  }

  /** The tool that is called by a name: the name itself, unless it is a new name of ours. */
  ownName(name: string): string {
    return this.#swaps.get(name)?.tool ?? name;
  }

  /** The tool that each new name stands for; undefined if there is none. */
  standsFor(): Record<string, string> | undefined {
    const names = [...this.#swaps].map(([name, { tool }]): [string, string] => [name, tool]);
    return names.length === 0 ? undefined : Object.fromEntries(names);
  }

  isTyped(name: string): boolean {
    return this.inner?.isTyped?.(this.ownName(name)) === true;
  }

  answer(name: string, args: Record<string, unknown>): string | undefined {
    return this.inner?.answer?.(name, args);
  }

  /** The tool and the contract of a stale call that was stopped. */
  #stale({ name, listed }: HeldCall, verdict: Verdict): Swap | undefined {
    if (verdict.pass || !verdict.isStale || listed.failed !== undefined) return undefined;
    const tool = this.ownName(name);
    const now = listed.tools.find((one) => own(one, 'name') === tool);
    return now === undefined ? undefined : { tool, made: toJson(now) };
  }

  /** The model was told of a stop, after so many calls. */
  stopped(call: HeldCall, verdict: Verdict, calls: number): void {
    const stale = this.#stale(call, verdict);
    const key = stale && keyOf(stale);
    if (key !== undefined && !this.#stopped.has(key)) setBounded(this.#stopped, key, calls, MOST_STOPPED);
  }

  /**
   * The new name of a tool whose stale call was stopped; undefined where it gets none. A host that may heed what was
   * announced gets one only if it goes on calling the old contract.
   */
  nameFor(call: HeldCall, verdict: Verdict): string | undefined {
    const { listed, host, order = Number.POSITIVE_INFINITY } = call;
    const stale = this.#stale(call, verdict);
    if (stale === undefined || listed.failed !== undefined) return undefined;
    const { tool, made } = stale;
    const known = [...this.#swaps].find(([, swap]) => swap.tool === tool && swap.made === made);
    if (known !== undefined) return known[0];
    const goesOn = (this.#stopped.get(keyOf(stale)) ?? Number.POSITIVE_INFINITY) < order;
    if (!goesOn && !isPinning(host)) return undefined;
    const given = [...[...this.#swaps.values()].map((swap) => swap.tool), ...this.#lost.values()];
    const own = given.filter((one) => one === tool).length;
    if (own >= MOST_OF_ONE || given.length >= MOST) return undefined;
    const name = this.#freeName(tool, own + 2, namesIn(listed.tools));
    this.#swaps.set(name, { tool, made });
    return name;
  }

  #freeName(tool: string, from: number, taken: ReadonlySet<unknown>): string {
    for (let version = from; ; version++) {
      const end = `_v${version}`;
      const name = `${tool.slice(0, this.#longest - end.length)}${end}`;
      if (!taken.has(name) && !this.#swaps.has(name) && !this.#lost.has(name)) return name;
    }
  }
}
