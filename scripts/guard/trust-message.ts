import { defined } from '../contract/defined.ts';
import { LOCKFILE } from '../lock/types.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import type { HookAnswer } from './answer.ts';
import { bullets, changeLine } from './change-lines.ts';
import { type Subject, subjectText } from './subject.ts';
import type { LockDoubt } from './trust.ts';

const WHAT = {
  changed: 'is not the contract that is pinned',
  new: 'came after the tools of its server were pinned',
  removed: 'is gone, though it is pinned',
  edited: 'has a pin that was edited by hand, without an approval',
  refused: 'was refused',
  unconfirmed: 'is as pinned, and its approval is not what the settings ask for',
  unpinned: 'belongs to a server without a pin',
  unreadable: 'cannot be compared with what is pinned',
  gone: 'cannot be compared with what was pinned',
} as const satisfies Record<LockDoubt['what'], string>;

const head = (trust: LockDoubt, about: Subject): Shown => {
  const why = visible(trust.why ?? '', { max: 600 });
  if (trust.what === 'gone')
    return trust.path === undefined
      ? say`konnichiwagwan: ${LOCKFILE} is gone from this project (${why}), so nothing is compared with what was pinned.`
      : say`konnichiwagwan: ${visible(trust.path, { max: 400 })} is gone (${why}), so what it refused is no longer stopped.`;
  if (trust.what === 'refused') return say`konnichiwagwan: ${subjectText(about)} ${WHAT.refused} ${why}.`;
  return trust.what === 'unreadable'
    ? say`konnichiwagwan: ${LOCKFILE} cannot be read (${why}), so it is unknown whether ${subjectText(about)} is as it was pinned.`
    : trust.what === 'unconfirmed'
      ? say`konnichiwagwan: ${subjectText(about)} ${WHAT[trust.what]}: ${why} (${LOCKFILE}).`
      : say`konnichiwagwan: ${subjectText(about)} ${WHAT[trust.what]} (${LOCKFILE}).`;
};

const remedy = ({ what, command, path }: LockDoubt): Shown => {
  const line = visible(command, { max: 400 });
  if (what === 'gone') {
    const back = command === '' ? say`Restore it. ` : say`This restores it: ${line}\n`;
    const there = path === undefined ? say`at a terminal` : say`at a terminal in its folder`;
    return say`${back}If it was deleted on purpose, a person says so ${there}: konnichiwagwan approve`;
  }
  if (what === 'refused' && command === '')
    return say`The people who publish these approvals can lift that, in the repository of these approvals.`;
  return what === 'unreadable'
    ? say`A person has to update konnichiwagwan if a newer one wrote it; else repair it, or bring back the committed one, in its folder: git checkout HEAD -- ${LOCKFILE}`
    : say`A person looks at it and decides, at a terminal: ${line}`;
};

/** Adds the lockfile's doubt to the answer about freshness: the stricter verdict of both holds. */
export const withDoubt = (answer: HookAnswer, trust: LockDoubt, about: Subject): HookAnswer => {
  /** @param before what stands before it, which may list some of the changes already */
  const lines = (words: boolean, before: string = ''): Shown[] => {
    const listed = new Set(before.split('\n'));
    const changes = trust.changes.map((change) => changeLine(change, words));
    return [head(trust, about), ...bullets(changes.filter((line) => !listed.has(`- ${line}`))), remedy(trust)];
  };
  const toPerson = joined(lines(true, answer.systemMessage), '\n');
  const beside = answer.systemMessage === undefined ? toPerson : joined([answer.systemMessage, toPerson], '\n');
  if (trust.verdict === 'notice') return { ...answer, systemMessage: beside };
  if (answer.decision === 'deny') return { ...answer, systemMessage: beside };
  const words = about.attended || about.trusted;
  const reason = [...(answer.reason === undefined ? [] : [answer.reason]), ...lines(words, answer.reason)];
  if (trust.verdict === 'deny') {
    return {
      decision: 'deny',
      reason: joined([...reason, say`Nothing was sent. Do not go around it, and do not approve it yourself.`], '\n'),
      // Nothing that the reason says is repeated.
      ...defined({ systemMessage: words ? answer.systemMessage : beside }),
    };
  }
  const plea = about.attended
    ? say`Yes sends this call and, in this session, others of the same contract. It approves nothing.`
    : say`A person has to say yes to this call; where no person can be asked, it is not sent.`;
  // A person who is not asked at a terminal sees the words in the output of the run, which no model reads.
  return {
    ...answer,
    decision: 'ask',
    reason: joined([...reason, plea], '\n'),
    ...(words ? {} : { systemMessage: beside }),
  };
};
