import type { HookAnswer } from '../hook/answer.ts';
import { LOCKFILE } from '../lock/types.ts';
import type { Trust } from '../trust.ts';
import { bullets, changeLine, type Subject, subjectText } from './messages.ts';

const WHAT: Record<Trust['what'], string> = {
  changed: 'is not the contract that a person approved',
  new: 'came after a person approved the tools of its server',
  removed: 'is gone, though a person approved it',
  edited: `has a pin that was edited by hand, which nobody approved`,
  unpinned: 'belongs to a server that nobody has pinned',
  unreadable: 'cannot be compared with what was approved',
  gone: 'cannot be compared with what was approved',
};

const head = (trust: Trust, about: Subject): string =>
  trust.what === 'gone'
    ? `konnichiwagwan: ${LOCKFILE} is gone from this project (${trust.why}), so nothing is compared with what a person approved.`
    : trust.what === 'unreadable'
      ? `konnichiwagwan: ${LOCKFILE} cannot be read (${trust.why}), so nobody can tell whether ${subjectText(about)} is as it was approved.`
      : `konnichiwagwan: ${subjectText(about)} ${WHAT[trust.what]} (${LOCKFILE}).`;

const remedy = ({ what, command }: Trust): string =>
  what === 'gone'
    ? `${command === '' ? 'Bring it back.' : `This brings it back: ${command}`} If it is meant to be gone, a person says so at a terminal: konnichiwagwan approve`
    : what === 'unreadable'
      ? 'A person repairs it: git log and git checkout show and bring back what it was.'
      : `A person looks at it and decides, at a terminal: ${command}`;

/** What the lockfile's verdict says, beside what freshness says: the stricter of both holds. */
export const withTrust = (answer: HookAnswer, trust: Trust, about: Subject): HookAnswer => {
  const lines = (words: boolean): string[] => [
    head(trust, about),
    ...bullets(trust.changes.map((change) => changeLine(change, words))),
    remedy(trust),
  ];
  const toPerson = lines(true).join('\n');
  const beside = answer.systemMessage === undefined ? toPerson : `${answer.systemMessage}\n${toPerson}`;
  if (trust.verdict === 'notice') return { ...answer, systemMessage: beside };
  if (answer.decision === 'deny') return { ...answer, systemMessage: beside };
  const words = about.attended || about.trusted;
  const reason = [...(answer.reason === undefined ? [] : [answer.reason]), ...lines(words)];
  if (trust.verdict === 'deny') {
    return {
      decision: 'deny',
      reason: [...reason, 'Nothing was sent. Do not go around it, and do not approve it yourself.'].join('\n'),
      systemMessage: beside,
    };
  }
  const plea = about.attended
    ? 'Yes sends this call, and approves nothing for later.'
    : 'A person has to say yes to this call; where nobody can be asked, it was not sent.';
  return { ...answer, decision: 'ask', reason: [...reason, plea].join('\n') };
};
