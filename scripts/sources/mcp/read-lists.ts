// The lists of a server, whole, and of one moment.
import type { Client } from '@modelcontextprotocol/client';
import { defined } from '../../contract/defined.ts';
import { nextCursor } from '../../contract/next-cursor.ts';
import { isObject, type JsonObject, type ListKind, type Unread } from '../../contract/types.ts';
import { type Shown, say } from '../../text/shown.ts';
import { visible } from '../../text/visible.ts';
import { type Deadline, orPending } from '../deadline.ts';
import { MODERN } from './announce.ts';
import { Endless } from './bounded-fetch.ts';
import { changedList, type ListPart, METHODS, PARTS } from './list-parts.ts';

const MOST_PAGES = 64;
const MOST_ITEMS = 20_000;
/** How often a server may report a list as changed while it is read. */
const MOST_SIGNALS = 500;
/** How long a server may take to confirm that it will announce changes, in ms. */
const LONGEST_CONFIRMATION = 250;

/** A list that changed while it was read, and once more. */
export class KeepsChanging extends Error {}
/** An answer without a list. */
export class NoList extends Error {}

export const keepsChanging = (kind: ListKind): Shown =>
  say`its ${kind} changed while being read, and again when they were read once more: reconnect it or start it again`;

/** A schema that accepts every result unchanged: contracts must be hashed as the server sent them. */
const AS_IT_IS = {
  '~standard': { version: 1 as const, vendor: 'konnichiwagwan', validate: (value: unknown) => ({ value }) },
};

/** `late`: aborted when we stop waiting for an answer. */
type Asking = { client: Client; late: AbortSignal; deadline: Deadline };

const page = async ({ client, late, deadline }: Asking, part: ListPart, cursor?: string): Promise<JsonObject> => {
  const params = defined({ cursor });
  const result = await client.request({ method: METHODS[part], params } as never, AS_IT_IS, {
    signal: late,
    timeout: deadline.ms,
  });
  return isObject(result) ? (result as JsonObject) : {};
};

const itemsOf = (page: JsonObject, part: ListPart): JsonObject[] => {
  const items = page[part] ?? [];
  if (!Array.isArray(items)) throw new NoList();
  return items as JsonObject[];
};

type Walked = { items: JsonObject[]; pages: JsonObject[] };

/** Every page, from the first. If the server no longer knows a cursor, starts over once. */
const walk = async (asking: Asking, part: ListPart, again = true): Promise<Walked> => {
  const first = await page(asking, part);
  const items = [...itemsOf(first, part)];
  let cursor = nextCursor(first);
  const pages = [first];
  while (cursor !== undefined) {
    if (pages.length === MOST_PAGES || items.length > MOST_ITEMS) throw new Endless();
    let next: JsonObject;
    try {
      next = await page(asking, part, cursor);
    } catch (error) {
      if (!again || asking.late.aborted || (error as { code?: unknown }).code !== -32602) throw error;
      return walk(asking, part, false);
    }
    items.push(...itemsOf(next, part));
    pages.push(next);
    cursor = nextCursor(next);
  }
  return { items, pages };
};

type Walks = { [part in ListPart]?: Walked };

/** One list, with all that belongs to it. */
const readList = async (asking: Asking, kind: ListKind): Promise<Walks> => {
  const read: Walks = {};
  for (const part of PARTS[kind]) {
    try {
      read[part] = await walk(asking, part);
    } catch (error) {
      // A server may offer resources without supporting templates.
      if (kind === 'tools' || asking.late.aborted || (error as { code?: unknown }).code !== -32601) throw error;
    }
  }
  return read;
};

/** What a server announced about its lists. Only a notification's method is read: the rest may be anything. */
export class Signals {
  readonly pending = new Set<ListKind>();
  readonly seen = new Set<ListKind>();
  #reading: { kind: ListKind; heard: number; flood: AbortController } | undefined;

  /**
   * Counts the announcements about a list, which is read from now on.
   * @returns aborted once there are absurdly many: they would use up the time
   */
  flooded(kind: ListKind): AbortSignal {
    this.#reading = { kind, heard: 0, flood: new AbortController() };
    return this.#reading.flood.signal;
  }

  hear(message: unknown): void {
    const kind = changedList(isObject(message) ? message.method : undefined);
    if (kind === undefined) return;
    this.pending.add(kind);
    this.seen.add(kind);
    if (this.#reading?.kind === kind && ++this.#reading.heard > MOST_SIGNALS) this.#reading.flood.abort();
  }
}

/** How long after an answer a related announcement may arrive, in ms. */
const ASIDE = 50;

/**
 * The lists at a moment when nothing changed: a list that the server reports as changed since it was read is read once more.
 * If it changes again, its content is unknown, and only that list is unusable.
 */
export const readLists = async (
  { client, deadline }: Omit<Asking, 'late'>,
  kinds: readonly ListKind[],
  signals: Signals,
  whyNot: (error: unknown) => string,
): Promise<{ read: Walks; unread: Unread }> => {
  const found = new Map<ListKind, Walks>();
  const unread: Unread = {};
  const { pending } = signals;
  const attempt = async (kind: ListKind): Promise<void> => {
    pending.delete(kind);
    const flooded = signals.flooded(kind);
    // A list that never arrives must not use up the others' time.
    const share = kind === 'tools' ? [] : [AbortSignal.timeout(Math.max(1, Math.floor(deadline.left() / 2)))];
    const late = AbortSignal.any([deadline.late, flooded, ...share]);
    try {
      found.set(kind, await readList({ client, deadline, late }, kind));
    } catch (error) {
      if (deadline.late.aborted) throw error;
      found.delete(kind);
      if (kind === 'tools') throw flooded.aborted ? new KeepsChanging() : error;
      if (flooded.aborted) unread[kind] = keepsChanging(kind);
      else
        unread[kind] =
          say`its ${kind} could not be read (${late.aborted ? 'no answer in time' : visible(whyNot(error), { max: 300 })})`;
    }
  };
  for (const kind of kinds) await attempt(kind);
  const again = new Set<ListKind>();
  const moved = () => kinds.find((kind) => pending.has(kind) && !again.has(kind) && found.has(kind));
  for (let kind = moved(); kind !== undefined; kind = moved()) {
    again.add(kind);
    await attempt(kind);
    await new Promise((wait) => setTimeout(wait, ASIDE));
  }
  for (const kind of [...pending].filter((one) => found.has(one))) {
    if (kind === 'tools') throw new KeepsChanging();
    found.delete(kind);
    unread[kind] = keepsChanging(kind);
  }
  return { read: Object.assign({}, ...found.values()), unread };
};

/** Servers of the newer revisions announce changes only to clients that subscribe. */
export const listen = async (client: Client, kinds: readonly ListKind[], deadline: Deadline): Promise<void> => {
  if ((client.getNegotiatedProtocolVersion() ?? '') < MODERN) return;
  const able = client.getServerCapabilities() ?? {};
  const wanted = kinds.filter((kind) => able[kind]?.listChanged === true);
  if (wanted.length === 0) return;
  const filter = Object.fromEntries(wanted.map((kind) => [`${kind}ListChanged`, true]));
  const told = client.listen(filter, { timeout: deadline.ms, signal: deadline.late });
  // A server that does not confirm is still asked.
  await orPending(
    told.catch(() => {}),
    LONGEST_CONFIRMATION,
  );
};
