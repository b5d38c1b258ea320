// Lists of tools on one connection: what the host was given, and what the server lists now.
import { toJson } from '../contract/to-json.ts';
import { isObject } from '../contract/types.ts';
import { thisMoment } from '../state/circumstances.ts';
import type { Announcements, PagePosition } from './announce.ts';
import type { ListFreshness } from './freshness.ts';
import type { Listed, OwnRequests } from './own-requests.ts';
import { Served } from './served.ts';
import type { HeldCall, HostTools } from './types.ts';

interface ListsSettings {
  own: OwnRequests;
  announcements: Announcements;
  offer?: HostTools | undefined;
  /** The last answer of a server that is too far away to be asked before each call. */
  fresh?: ListFreshness | undefined;
  /** Whether the server has said something that was not read yet: it may announce a change. */
  isBehind(): boolean;
  /** Told of each whole list that the host was given. */
  given?: ((tools: readonly unknown[]) => void) | undefined;
}

type ListedCall = Pick<HeldCall, 'name' | 'served' | 'listed'>;

export class Lists {
  readonly served = new Served();
  /** Resolves when the host has been given its first list. */
  readonly isGiven: Promise<void>;
  /** The question to the server for calls that arrived together. */
  #forCalls: Promise<Listed> | undefined;
  /** The pages that the host was given last. */
  #pages: unknown[] = [];
  #givenFirst = (): void => {};
  /** Tools that equal what was served, while the server lists the same. */
  #listed: Listed | undefined;
  readonly #unchanged = new Map<string, { served: readonly string[]; is: boolean }>();

  constructor(private readonly settings: ListsSettings) {
    this.isGiven = new Promise((done) => {
      this.#givenFirst = done;
    });
  }

  /** The host was given a list, or a page of one. */
  give(tools: readonly unknown[], page: PagePosition): void {
    this.served.add(tools, page.isFirst);
    this.settings.announcements.given(tools, page);
    this.#pages = page.isFirst ? [...tools] : [...this.#pages, ...tools];
    if (!page.isLast) return;
    this.settings.given?.(this.#pages);
    this.#givenFirst();
  }

  /** What the host would be given if it asked now. */
  async now(meta: unknown): Promise<Listed> {
    const { own, fresh, offer } = this.settings;
    const asking = thisMoment();
    const listed = await own.list(meta);
    fresh?.learned(listed, asking);
    if (listed.failed !== undefined || !offer?.isActive()) return listed;
    try {
      return { ...listed, tools: await offer.list(listed.tools, own, meta) };
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The same for a call. The server is not asked if the tool is known to equal what was served. */
  async forCall(name: string, meta: unknown): Promise<Listed> {
    const { fresh, offer, isBehind } = this.settings;
    const known = offer?.isActive() || isBehind() ? undefined : fresh?.known(name);
    if (known !== undefined && this.isUnchanged({ name, served: this.served.of(name), listed: known })) return known;
    if (this.#forCalls === undefined) {
      this.#forCalls = this.now(meta);
      queueMicrotask(() => {
        this.#forCalls = undefined;
      });
    }
    return this.#forCalls;
  }

  /** We saw what the host would be given now. */
  looked(listed: Listed): void {
    if (listed.failed === undefined) this.settings.announcements.looked(listed.tools);
  }

  /** Whether the host was given one contract for a tool, and the server lists that one, and no other of this name. */
  isUnchanged({ name, served, listed }: ListedCall): boolean {
    if (listed.failed !== undefined) return false;
    if (this.#listed !== listed) {
      this.#listed = listed;
      this.#unchanged.clear();
    }
    const known = this.#unchanged.get(name);
    if (known?.served === served) return known.is;
    const now = listed.tools.filter((tool) => isObject(tool) && tool.name === name);
    const is = now.length > 0 && served.length === 1 && now.every((tool) => served[0] === toJson(tool));
    this.#unchanged.set(name, { served, is });
    return is;
  }
}
