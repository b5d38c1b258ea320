import type { Outcome } from '../../command/command.ts';
import { present } from '../../contract/defined.ts';
import { labelOf } from '../../contract/label.ts';
import { goneText } from '../../lock/command.ts';
import { pathTo, type WhoseLock } from '../../lock/folder.ts';
import type { Former } from '../../lock/former.ts';
import { needTypedCode } from '../../lock/need-person.ts';
import { askPerson, type Terminal } from '../../lock/question.ts';
import { letGo } from '../../lock/record.ts';
import { plural } from '../../text/plural.ts';
import { visible } from '../../text/visible.ts';

/** Asks about a lockfile that is gone: dropping all approvals needs an approval, too. */
export const askLetGo = async (whose: WhoseLock, former: Former, terminal: Terminal): Promise<Outcome> => {
  const { from, restore, lock } = former;
  const held = [...(lock ?? [])].map(
    ([server, pins]) => `  ${visible(labelOf(server), { max: 100 })}: ${plural(pins.size, 'tool')}`,
  );
  terminal.output.write(
    present([
      `${goneText(whose, from)}.`,
      ...(held.length > 0 ? ['What was pinned in it:', ...held] : []),
      restore !== undefined && `This restores it: ${restore}`,
      '',
      '',
    ]).join('\n'),
  );
  await needTypedCode('approve', terminal);
  const reply = await askPerson('Was it deleted on purpose? Then all approvals in it end.', terminal);
  terminal.output.write('\n');
  const gone = reply === 'yes';
  if (gone) letGo(whose.home, whose.project, former.hashes);
  return {
    exit: gone ? 0 : 1,
    data: { lockfile: pathTo(whose), gone, approved: [], not_approved: [], not_checked: [] },
    text: gone
      ? 'This project no longer has pins. To start again: konnichiwagwan pin'
      : `Nothing was changed. ${restore === undefined ? 'Bring the lockfile back.' : `To bring the lockfile back: ${restore}`}`,
  };
};
