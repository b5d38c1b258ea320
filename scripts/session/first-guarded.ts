import { realFolder } from '../servers/folder.ts';
import type { Server } from '../servers/types.ts';
import { digestOf } from '../state/digest.ts';
import { firstEver } from '../state/once.ts';
import { quoteName } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { guardCommand, guardedText, restText } from './guarded.ts';
import type { Start, Started } from './start.ts';

/** How many new servers are named. */
const MOST = 3;

const keyOf = ({ name, scope }: Server, project: string): string =>
  `guard-${digestOf(JSON.stringify([name, scope, scope === 'user' ? '' : realFolder(project)]))}`;

/**
 * The message about unguarded servers: their number in a user's very first session, and after that each new server once.
 * Undefined if there is a gateway, which may list the tools of any of them.
 */
export const tellUnguarded = ({ home, project }: Start, { guarded, config }: Started): Shown | undefined => {
  if (Object.keys(config.user.gateways).length > 0) return undefined;
  const fresh = guarded.others.filter(
    ({ server, isOff, isBroken }) => !isOff && !isBroken && firstEver(home, keyOf(server, project)),
  );
  const isFirst = firstEver(home, 'guard-counted');
  if (fresh.length === 0) return undefined;
  if (isFirst) {
    const command = guardCommand(guarded) ?? say`kwg doctor`;
    return say`konnichiwagwan is on: ${guardedText(guarded)}. ${restText(guarded)} ${command}`;
  }
  const lines = fresh
    .slice(0, MOST)
    .map(
      ({ server, command }) =>
        say`konnichiwagwan: ${quoteName(server.name)} is new and not guarded${command === undefined ? '' : say`: ${command}`}`,
    );
  const more = fresh.length - lines.length;
  if (more > 0) lines.push(say`konnichiwagwan: and ${more} more new servers: kwg wrap --add --all`);
  return joined(lines, '\n');
};
