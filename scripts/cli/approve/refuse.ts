// `approve --refuse`: for a person, who says no to a tool for all users of the lockfile.
import { CommandError, type Outcome, usageError } from '../../command/command.ts';
import { defined } from '../../contract/defined.ts';
import { labelOf, readLabel } from '../../contract/label.ts';
import { findLock, lockIsGone } from '../../lock/command.ts';
import { formerOf, pathTo, type WhoseLock } from '../../lock/folder.ts';
import { needTypedCode } from '../../lock/need-person.ts';
import { askPerson, type Terminal } from '../../lock/question.ts';
import { makeRefused } from '../../lock/seal.ts';
import { type Lock, toPins } from '../../lock/types.ts';
import { stillThere, updateLock } from '../../lock/update.ts';
import { withPins } from '../../lock/write.ts';
import { quoteText } from '../../text/quote.ts';
import { visible } from '../../text/visible.ts';

const CONTRACT = /@([0-9a-f]{64})$/;
/** A hash that is not whole. Taken as part of the tool's name, the refusal would stop nothing. */
const CUT = /@[0-9a-f]{4,63}$/i;

/** @param given `SERVER/TOOL`, or `SERVER/TOOL@HASH` for one contract of it */
const read = (given: string): { server: string; tool: string; hash?: string } => {
  const hash = CONTRACT.exec(given)?.[1];
  if (hash === undefined && CUT.test(given))
    throw usageError('approve', `--refuse ${quoteText(given, 160)} ends in a part of a hash: write all 64 characters`);
  const { server, tool } = readLabel(given.replace(CONTRACT, ''));
  if (server !== '' && tool) return { server, tool, ...defined({ hash }) };
  throw usageError('approve', `--refuse ${quoteText(given, 60)} is not SERVER/TOOL`);
};

/** Asks about one refusal, and writes it. */
export const askRefusal = async (
  whose: WhoseLock,
  given: string,
  by: string,
  why: string | undefined,
  terminal: Terminal,
): Promise<Outcome> => {
  const { server, tool, hash } = read(given);
  if (why === undefined)
    throw new CommandError('usage', '--refuse needs --why', 'the message of each stop shows that reason');
  const found = findLock(whose);
  const former = found.status === 'none' ? formerOf(whose, true) : undefined;
  if (former) throw lockIsGone(whose, former);
  const name = visible(labelOf(server, tool), { max: 200 });
  await needTypedCode('refuse', terminal);
  const what = hash === undefined ? 'in whatever contract it has' : `in the contract ${hash}`;
  terminal.output.write(`  ${name}, ${what}\n  its calls are stopped for: ${quoteText(why, 1_000)}\n`);
  const yes = (await askPerson(`Refuse ${name}?`, terminal)) === 'yes';
  terminal.output.write('\n');
  if (yes)
    await updateLock(whose, (now) => {
      const lock: Lock = found.status === 'none' && now.status === 'none' ? new Map() : stillThere(now);
      const pins = lock.get(server);
      const refused = makeRefused(server, tool, { by, at: new Date().toISOString(), why, ...defined({ hash }) });
      const all = new Map([...(pins?.refused ?? []), [tool, refused] as const]);
      return withPins(lock, server, toPins(pins ?? new Map(), pins?.removed, all));
    });
  return {
    exit: yes ? 0 : 1,
    data: { lockfile: pathTo(whose), refused: yes ? [{ server, tool, ...defined({ hash }) }] : [] },
    text: yes ? `Refused, and written to ${pathTo(whose)}: ${name}. Commit it.` : 'Nothing was refused.',
  };
};
