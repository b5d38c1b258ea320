import { digestOf } from '../state/digest.ts';
import type { Server } from './types.ts';

/** Stands for the address of a server that the client starts as a program. */
export const PROGRAM = 'program';

/**
 * The entry of a server, and how it is reached: a digest of its URL and headers, which may hold secrets, or that it is a
 * program. Headers belong to it, since a server can answer each tenant in its own way.
 */
export const addressOf = ({
  name,
  scope,
  launch,
  configured,
}: Server): { entry: string; address: string } | undefined => {
  const entry = `${scope} ${name}`;
  if (launch.type === 'stdio') return { entry, address: PROGRAM };
  if (launch.type === 'other') return undefined;
  // As configured: each update of a plugin moves its helper to another folder.
  const { headersHelper } = configured as typeof launch;
  return { entry, address: digestOf(JSON.stringify({ ...launch, headersHelper })) };
};

/** The addresses of the servers that the client connects to, by entry. */
export const addressesOf = (configured: readonly Server[]): Record<string, string> =>
  Object.fromEntries(
    configured.flatMap((server) => {
      const at = server.state === 'ready' ? addressOf(server) : undefined;
      return at === undefined ? [] : [[at.entry, at.address] as const];
    }),
  );
