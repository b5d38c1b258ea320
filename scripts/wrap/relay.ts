// One connection. Everything passes both ways unchanged; calls of tools wait until the server has listed its current
// tools.
import { Connection, type RelaySettings } from './connection.ts';
import { readHost } from './from-host.ts';
import { readServer } from './from-server.ts';
import type { Message } from './message.ts';
import { type Listed, ownMeta } from './own-requests.ts';

/** Lets others than the host ask the server, once the host has been given its tools. */
export interface Upstream {
  /** What the host would be given if it asked now. */
  look(): Promise<Listed>;
  /** The tools that the host was given last, as JSON. */
  served(): Promise<readonly string[]>;
  request(method: string, params: object): Promise<Message>;
}

interface Relay extends Upstream {
  /** Whether the server still owes the host an answer. */
  isAtWork(): boolean;
}

/**
 * Passes everything on between two sides, until one of them ends. Closes the server's input after the host's last
 * message.
 */
export const relay = (settings: RelaySettings): Relay => {
  const connection = new Connection(settings);
  const { lists, own, underWay } = connection;
  const waiting = readHost(connection);
  readServer(connection);
  return {
    isAtWork: () => !waiting.isEmpty || underWay.isAny,
    look: async () => {
      await lists.isGiven;
      return lists.now(connection.hostMeta);
    },
    served: async () => {
      await lists.isGiven;
      return lists.served.latest();
    },
    request: async (method, params) => {
      await lists.isGiven;
      return own.request(method, { ...params, ...ownMeta(connection.hostMeta) });
    },
  };
};
