import { own } from '../contract/types.ts';
import { addressOf, PROGRAM } from '../servers/address.ts';
import type { Server } from '../servers/types.ts';
import { isRunning } from '../state/running.ts';
import type { SessionBaseline } from './sessions.ts';

type WithAddresses = Pick<SessionBaseline, 'addresses'>;

/** The addresses of the clients that run: a process ID of one that has ended may be another process's now. */
export const runningClients = (started: WithAddresses | undefined): NonNullable<SessionBaseline['addresses']> =>
  Object.fromEntries(Object.entries(started?.addresses ?? {}).filter(([client]) => isRunning(Number(client))));

/**
 * Says so if an entry names another address, or other headers, than those with which a client connected when its session
 * began, or an address in place of a program. A program in place of an address cannot be asked anyway.
 * @param client its process ID: another client of the same session may have connected to another address
 */
export const otherAddress = (
  server: Server | undefined,
  started: WithAddresses | undefined,
  client: number,
): string | undefined => {
  // Where a variable is not set, that is what is told: a terminal may lack what the client has.
  const now = server && server.unset.length === 0 ? addressOf(server) : undefined;
  if (now === undefined || now.address === PROGRAM) return undefined;
  const recorded = own(started?.addresses, String(client));
  // If its start was not recorded, it may have any of the addresses of the other clients. One that does not give its process ID
  // has a new one in each hook: then none of those that are recorded runs.
  const connected = recorded === undefined ? Object.values(runningClients(started)) : [recorded];
  const isOther = connected.some((addresses) => (own(addresses, now.entry) ?? now.address) !== now.address);
  if (!isOther) return undefined;
  // For a reconnect, the client reads its entry again. No hook tells of that, so it is unknown which one it uses now.
  return 'its entry in the settings changed since this session started, or a variable that it names has another value here; Claude Code uses the new one after /mcp reconnect, and konnichiwagwan checks the server again after a restart of Claude Code';
};
