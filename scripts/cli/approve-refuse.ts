// `approve --refuse`: for a person, who says no to a tool for all users of the lockfile.
import { CommandError, type Outcome, usageError } from '../command/command.ts';
import { defined } from '../contract/defined.ts';
import { labelOf, readLabel } from '../contract/label.ts';
import { findLock, lockIsGone, type WhoseLock } from '../lock/command.ts';
import { formerLock } from '../lock/former.ts';
import { needTypedCode } from '../lock/need-person.ts';
import { askPerson } from '../lock/question.ts';
import { makeRefused } from '../lock/seal.ts';
import { LOCKFILE, type Lock, toPins } from '../lock/types.ts';
import { updateLock } from '../lock/update.ts';
import { withPins } from '../lock/write.ts';
import { quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';

const CONTRACT = /@([0-9a-f]{64})$/;

/** @param given `SERVER/TOOL`, or `SERVER/TOOL@HASH` for one contract of it */
const read = (given: string): { server: string; tool: string; hash?: string } => {
  const hash = CONTRACT.exec(given)?.[1];
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
  output: typeof process.stdout,
): Promise<Outcome> => {
  const { server, tool, hash } = read(given);
  if (why === undefined)
    throw new CommandError('usage', '--refuse needs --why', 'the message of each stop shows that reason');
  const found = findLock(whose);
  const former = found.status === 'none' ? formerLock(whose.home, whose.project, true) : undefined;
  if (former) throw lockIsGone(former);
  const name = visible(labelOf(server, tool), { max: 200 });
  await needTypedCode('refuse', output);
  const what = hash === undefined ? 'in whatever contract it has' : `in the contract ${hash}`;
  output.write(`  ${name}, ${what}\n  its calls are stopped for: ${quoteText(why, 1_000)}\n`);
  const yes = (await askPerson(`Refuse ${name}?`, process.stdin, output)) === 'yes';
  output.write('\n');
  if (yes)
    await updateLock(whose, (now) => {
      const lock: Lock = now.status === 'lock' ? now.lock : new Map();
      const pins = lock.get(server);
      const refused = makeRefused(server, tool, { by, at: new Date().toISOString(), why, ...defined({ hash }) });
      const all = new Map([...(pins?.refused ?? []), [tool, refused] as const]);
      return withPins(lock, server, toPins(pins ?? new Map(), pins?.removed, all));
    });
  return {
    exit: yes ? 0 : 1,
    data: { lockfile: LOCKFILE, refused: yes ? [{ server, tool, ...defined({ hash }) }] : [] },
    text: yes ? `Refused, and written to ${LOCKFILE}: ${name}. Commit it.` : 'Nothing was refused.',
  };
};
