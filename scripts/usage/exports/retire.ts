import { present } from '../../contract/defined.ts';
import { plural } from '../../text/plural.ts';
import type { Named } from '../names.ts';
import { type Retirement, retire } from '../retire.ts';
import type { Exported } from './gather.ts';
import { type Missing, missingMachines, missingText, type Reported } from './machines.ts';

/** What exports cannot tell, for every answer. */
export const EXPORTS_SCOPE =
  'Only what these machines exported is known. A session in which the guard was off, or not installed, is in no export: only the transcripts on its machine have it, which usage --retire reads there.';

/**
 * Whether a tool can be removed, as `retire` decides it for one machine. A yes also needs every machine that is expected to
 * have reported up to the end of the window; a call that came later, or that names no session, is a no as well.
 */
export const retireFrom = async (
  { evidence, offered, gaps }: Exported,
  named: Named,
  wanted: number,
  reported: Reported,
): Promise<{ retirement: Retirement; machines: Missing }> => {
  const { later, sessionless, overflow, ...found } = await evidence(named, wanted, reported.until);
  const missed = [...gaps, ...(overflow ? ['exports: there is more than is counted; --days N makes it less'] : [])];
  const local = retire({ ...found, offered, gaps: missed }, named, wanted);
  const called = present([
    later > 0 && `${plural(later, 'call')} of ${named.tool} came after ${reported.until}`,
    sessionless > 0 && `${plural(sessionless, 'call')} of ${named.tool} in exports that name no session`,
  ]);
  const missing = missingText(reported);
  const isNo = local.answer === 'no' || called.length > 0;
  const retirement: Retirement = isNo
    ? { ...local, answer: 'no', because: [...(local.answer === 'no' ? local.because : []), ...called] }
    : missing.length > 0
      ? { ...local, answer: 'not-enough-data', because: [...(local.answer === 'yes' ? [] : local.because), ...missing] }
      : local;
  return { retirement, machines: missingMachines(reported) };
};
