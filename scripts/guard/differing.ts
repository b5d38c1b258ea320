import { contractHash } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import type { Contract } from '../contract/types.ts';
import { Redactor } from '../servers/secrets.ts';
import type { Activity } from '../state/activity.ts';
import { keepContract } from '../state/contracts.ts';
import { type Assessment, judgementOf, liveContract } from './assessment.ts';

type Differing = { [role in 'from' | 'to' | 'pinned']?: Contract };

const differing = (found: Assessment): Differing => {
  const tool = (judgementOf(found)?.changes.length ?? 0) > 0 ? found.facts?.tool : undefined;
  const compared = found.trust?.compared;
  return defined({
    // A tool that is gone and was never shown: only its name is known.
    from: tool?.view || tool?.baseline ? tool.belief.contract : undefined,
    to: (tool && liveContract(found)) ?? compared?.live,
    pinned: compared?.pinned,
  });
};

/**
 * For the line of a call in the log: hashes of the contracts that differ, and the contracts themselves kept under them.
 * @param inside the assessment of the call inside the call: what changed is more likely about that one
 */
export const keepDiffering = (
  home: string,
  found: Assessment,
  inside: Assessment | undefined,
): Pick<Activity, 'from' | 'to' | 'pinned'> => {
  const [one = found] = [inside, found].filter((each) => each && Object.keys(differing(each)).length > 0);
  const contracts = Object.entries(differing(one));
  if (contracts.length === 0) return {};
  const secrets = new Redactor(one.all.secrets);
  const hashes = contracts.map(([role, contract]) => [
    role,
    secrets.isIn(contract) ? contractHash(contract) : keepContract(home, contract),
  ]);
  return Object.fromEntries(hashes);
};
