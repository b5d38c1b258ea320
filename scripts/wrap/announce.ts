// Tells the host that the list of tools changed, where the server itself said nothing.
import { toJson } from '../contract/to-json.ts';
import { isObject, own } from '../contract/types.ts';
import { CANCELLED, type Id, type Message, readMessage, toLine, withId } from './message.ts';

/** Says that the server's list of tools changed. */
export const CHANGED = 'notifications/tools/list_changed';
export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
/** How many times in a row a list that differs at each look is announced. */
const MOST_IN_A_ROW = 3;

/** A host lists again if this part of a tool changes. No call depends on `_meta` and icons. */
const meaningOf = (tool: unknown): string => {
  if (!isObject(tool)) return toJson(tool);
  const { _meta: _, icons: __, ...contract } = tool;
  return toJson(contract);
};

/**
 * The answer to `initialize`, made to say that changes of the tools are announced: without it, Claude Code does not heed
 * what we announce. Undefined where it says so already, or the server has no tools.
 */
export const declaring = (line: Buffer): Buffer | undefined => {
  const { idSpelled = '', result } = readMessage(line) ?? {};
  const capabilities = own(result, 'capabilities');
  const tools = own(capabilities, 'tools');
  if (!isObject(result) || !isObject(capabilities) || !isObject(tools) || tools.listChanged === true) return undefined;
  const declared = { ...result, capabilities: { ...capabilities, tools: { ...tools, listChanged: true } } };
  return withId(idSpelled, { result: declared });
};

/** Where a part of a list stands in it. */
export interface PagePosition {
  isFirst: boolean;
  isLast: boolean;
}

/** Keeps in mind which list the host was given last, and what was said of it since. */
export class Announcements {
  /** The tools in the last list that the host was given; undefined while it is being given one, page after page. */
  #given: Set<string> | undefined;
  #pages = new Set<string>();
  /** Of the current change: true if the server announced it, the list that we announced, undefined if it is not announced. */
  #said: string | true | undefined;
  /** The list that we saw last, unless the host was given or told something since. Seeing it again means nothing new. */
  #looked: readonly unknown[] | undefined;
  #inARow = 0;
  /** In the protocol's newer revision, the host says where it wants to be told; before that, `initialize` is enough. */
  #initialized = false;
  readonly #wanted = new Set<Id>();
  readonly #subscriptions = new Set<Id>();

  constructor(private readonly tell: (line: Buffer) => void) {}

  /** What the host asks for. */
  asked({ id, method, params }: Message): void {
    if (method === 'initialize') this.#initialized = true;
    else if (method === 'subscriptions/listen' && id !== undefined) {
      if (own(params.notifications, 'toolsListChanged') === true) this.#wanted.add(id);
    } else if (method === CANCELLED) {
      for (const ids of [this.#wanted, this.#subscriptions]) ids.delete(params.requestId as Id);
    }
  }

  /** Reads a message of the server: its list changed, or it will tell the host from now on. */
  heard({ method, params }: Message): void {
    if (method === CHANGED) [this.#said, this.#looked] = [true, undefined];
    if (method !== ACKNOWLEDGED) return;
    const id = own(params._meta, SUBSCRIPTION) as Id;
    if (this.#wanted.delete(id)) this.#subscriptions.add(id);
  }

  /** The host was given a list, or a page of one. */
  given(tools: readonly unknown[], { isFirst, isLast }: PagePosition): void {
    if (isFirst) this.#pages = new Set();
    for (const tool of tools) this.#pages.add(meaningOf(tool));
    this.#given = isLast ? this.#pages : undefined;
    [this.#said, this.#looked] = [undefined, undefined];
  }

  /** We saw what the host would be given now. */
  looked(tools: readonly unknown[]): void {
    if (this.#given === undefined || tools === this.#looked) return;
    this.#looked = tools;
    const now = new Set(tools.map(meaningOf));
    if (now.size === this.#given.size && [...now].every((tool) => this.#given?.has(tool))) {
      this.#inARow = 0;
      this.#said = undefined;
      return;
    }
    const list = [...now].join();
    if (this.#said === true || this.#said === list || this.#inARow >= MOST_IN_A_ROW) return;
    this.#said = list;
    this.#inARow++;
    this.announce();
  }

  /** Tells the host that it would be given another list now. */
  announce(): void {
    if (this.#initialized) this.tell(toLine({ method: CHANGED }));
    for (const id of this.#subscriptions)
      this.tell(toLine({ method: CHANGED, params: { _meta: { [SUBSCRIPTION]: id } } }));
  }
}
