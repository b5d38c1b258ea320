// Passes the server's messages to the host, except answers to us, and reads what they say about tools.
import { LONGEST_ANSWER } from '../contract/limits.ts';
import { nextCursor } from '../contract/next-cursor.ts';
import { isObject } from '../contract/types.ts';
import { ACKNOWLEDGED, CHANGED, declaring } from './announce.ts';
import type { Connection } from './connection.ts';
import { readLines } from './lines.ts';
import { CALL, idTextOf, type Message, readMessages } from './message.ts';
import { Outline, type Outlined, outlineOf } from './outline.ts';
import { nameOf } from './verdicts.ts';

/** Learns what tools the server has from its answer to a request of the host. */
const learn = ({ settings, lists }: Connection, request: Message, result: Record<string, unknown>): void => {
  if (request.method === CALL) {
    settings.behind?.heard(request, result);
    return;
  }
  lists.give(Array.isArray(result.tools) ? result.tools : [], {
    isFirst: typeof request.params.cursor !== 'string',
    isLast: nextCursor(result) === undefined,
  });
};

export const readServer = (connection: Connection): void => {
  const { settings, fresh, lists, announcements, underWay, own, toHost, fromServer, tellings } = connection;
  let isLooking = false;

  /** Asks while the model thinks, if that saves its next call a wait. */
  const lookAhead = (): void => {
    const { lastCall } = connection;
    if (lastCall === undefined || isLooking || !fresh?.answered(nameOf(lastCall))) return;
    isLooking = true;
    void lists.now(lastCall.params._meta).then((listed) => {
      isLooking = false;
      lists.looked(listed);
    });
  };

  /** A message of the server, from a held line or from one that passes while it is read. */
  const heard = (messages: readonly Outlined[], line?: Buffer): void => {
    if (messages.some(({ method }) => method === CHANGED || method === ACKNOWLEDGED)) {
      const said = (line && readMessages(line)?.messages) ?? [{ method: CHANGED, params: {} }];
      for (const message of said) announcements.heard(message);
      if (said.some(({ method }) => method === CHANGED)) connection.changed();
    }
    const ids = messages.flatMap(({ id, method }) => (id === undefined || method !== undefined ? [] : [idTextOf(id)]));
    if (underWay.answered(ids)) lookAhead();
  };

  /** What the host gets for an answer to one of its requests. */
  const answered = (line: Buffer, outlined: readonly Outlined[]): Buffer => {
    if (!underWay.isRead(outlined)) return line;
    const { messages = [], batch } = readMessages(line) ?? {};
    for (const { idText, method, result } of messages) {
      const request = idText === undefined || method !== undefined ? undefined : underWay.take(idText);
      if (request === undefined) continue;
      if (request.method === 'initialize') return (batch === undefined && declaring(line)) || line;
      if (isObject(result)) learn(connection, request, result);
    }
    return line;
  };

  /** A line of the server that is too long to be held: its messages, and whether it answers us. */
  let passing: { outline: Outline; isOurs: boolean } | undefined;
  const passPiece = (bytes: Buffer, last: boolean): void => {
    const isFirst = passing === undefined;
    passing ??= { outline: new Outline(), isOurs: false };
    const { outline } = passing;
    outline.feed(bytes);
    if (isFirst) passing.isOurs = !outline.isBatch && own.isOurs(outline.messages[0]?.id);
    if (!passing.isOurs) toHost.pass(bytes, last, fromServer);
    if (!last) return;
    passing = undefined;
    heard(outline.messages);
    tellings.missed(outline.messages);
  };

  readLines(settings.server.output, {
    limit: () => (own.isWaiting || underWay.hasRead || tellings.isOwing ? LONGEST_ANSWER : 0),
    line: (line) => {
      const taken = own.take(line);
      const said = taken === undefined ? line : taken.rest;
      if (said === undefined) return;
      const { messages } = outlineOf(said);
      const given = answered(said, messages);
      heard(messages, said);
      toHost.pass(given === said ? tellings.into(said, messages) : given, true, fromServer);
    },
    piece: passPiece,
    end: () => own.end(),
  });
};
