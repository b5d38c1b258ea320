// What is said about an assessed call. What was told once in a conversation, or asked about, is remembered, so that it is
// not repeated.
import { aboutHashes, aboutRelease, hashLine } from '../baseline/drift-line.ts';
import type { Circumstances } from '../state/circumstances.ts';
import { type About, firstTime, keepFirstLook, mark, unmark } from '../state/markers.ts';
import { contentStamp } from '../state/stamp.ts';
import type { HookAnswer } from './answer.ts';
import {
  type Assessment,
  type Judged,
  judgementOf,
  liveContract,
  type NotCovered,
  type UncheckedCall,
} from './assessment.ts';
import { isAttended } from './attended.ts';
import type { CallPlace } from './fast-path.ts';
import type { ToolInput } from './input.ts';
import { keyIn, lessonIn, lessonNumber, teach } from './lesson.ts';
import { answerFor, hiddenMessage, rebuiltMessage, uncheckedMessage, uncheckedQuestion } from './messages.ts';
import { releaseBefore, releaseQuestion, withLine, withRelease } from './release.ts';
import { type CallInTranscript, firstWarned, noteTold, OUTAGE, ofPerson } from './settled.ts';
import { subjectOf } from './subject.ts';
import { withDoubt } from './trust-message.ts';

/** How often a notice about one contract is given, if the server goes back and forth. */
const MOST_TURNS = 3;

/**
 * Where a call is answered: what the transcript says from there on shows whether a person who was asked said yes, and whether
 * the model still knows what it was told.
 */
const placeOf = ({ agent, toolUseId }: ToolInput, { index }: Assessment): CallInTranscript => ({
  agent,
  from: index?.offset ?? 0,
  toolUseId,
});

/** Remembers a stop or a question, so that it is not repeated. */
const remember = (home: string, input: ToolInput, found: Judged): void => {
  const { judgement, policy, facts, named, through } = found;
  const { session, agent } = input;
  const here = { session, agent, source: facts?.source.key, server: named.server, tool: facts?.tool?.name };
  const lesson = judgement.decision === 'deny' ? teach(home, lessonIn(input, found)) : undefined;
  for (const { key, change } of judgement.reasons) {
    const about = { ...here, about: key };
    if (judgement.decision === 'ask') mark(home, 'asked', ofPerson(about), placeOf(input, found));
    else if (lesson !== undefined && change?.effect?.verdict === 'ask' && policy.trusted) {
      // The model was told the new words, and decides again. If it may not read them, a person has to be asked.
      noteTold(home, { ...here, about: keyIn(lesson, key) }, placeOf(input, found), found.index?.request);
    } else if (judgement.decision === 'deny' && through?.near !== undefined) {
      // No list has this name, but a caller that repeats it may be right.
      noteTold(home, about, placeOf(input, found), found.index?.request);
    }
  }
};

/**
 * The answer for a judgement. A notice is given once for each tool and live contract, and not after a stop; if the model was
 * told of another contract since, again, a few times.
 */
const answerOnce = ({ home, env }: CallPlace, input: ToolInput, found: Judged, held: boolean): HookAnswer => {
  const { judgement, facts } = found;
  if (judgement.decision === 'silence') return {};
  const contract = liveContract(found);
  const concerned = judgement.decision === 'notice' ? judgement.reasons.map((reason) => reason.key) : [];
  const { session, agent, toolName } = input;
  const about = { session, agent, server: found.named.server, source: facts?.source.key, tool: toolName };
  const number =
    facts?.tool && contract ? lessonNumber(home, { ...about, tool: facts.tool.name }, facts.tool, contract) : 0;
  const turn = Math.min(number, MOST_TURNS);
  // A compaction or a rewind takes a warning from the model, which needs it for its next calls: then it is repeated.
  const told = { ...about, about: JSON.stringify([contract, concerned, turn]) };
  const first =
    concerned.length > 0 ? firstWarned(home, input, told, placeOf(input, found)) : firstTime(home, 'notice', told);
  if (judgement.decision === 'notice') {
    if (!first) return {};
    teach(home, lessonIn(input, found));
  }
  return answerFor(judgement, { ...subjectOf(input, found, isAttended(env)), held });
};

/** Identifies a message about an unchecked server: by the server, and the invoker through which it is called. */
const wayTo = (input: ToolInput, { named, through }: Assessment): About => ({
  session: input.session,
  server: named.server,
  ...(through ? { tool: through.toolName } : {}),
});

/** Whether the call is stopped, or waits for a person's yes: then no message may say that it was sent. */
export const isHeld = (found: Assessment): boolean =>
  (found.trust !== undefined && found.trust.verdict !== 'notice') ||
  ['ask', 'deny'].includes(judgementOf(found)?.decision ?? '');

/**
 * What is said of a tool that no source knows: once, that its server's program was rebuilt. In mode strict, calls are asked
 * about until a person has said yes to one; if the program is rebuilt after that, again.
 */
const answerToUncovered = (
  home: string,
  input: ToolInput,
  found: NotCovered,
  settled: (reason: Circumstances) => boolean,
): HookAnswer => {
  const { server } = found.named;
  const [file] = found.program?.rebuilt ?? [];
  const files = JSON.stringify(found.program?.files.map(({ hash, stamp }) => hash ?? contentStamp(stamp)) ?? []);
  const isFirst = file !== undefined && firstTime(home, 'rebuilt', { ...wayTo(input, found), about: files });
  if (found.policy.mode === 'strict') {
    const unknown = { server, about: `not covered ${files}` };
    if (settled(unknown)) return {};
    mark(home, 'asked', { session: input.session, ...unknown }, placeOf(input, found));
    return uncheckedQuestion(server, file === undefined ? found.why : 'its program was rebuilt');
  }
  return isFirst ? { systemMessage: rebuiltMessage(server, file) } : {};
};

const answerToUnchecked = (home: string, input: ToolInput, found: UncheckedCall, held: boolean): HookAnswer => {
  const { facts, named, why } = found;
  const { session, agent } = input;
  const current = liveContract(found);
  if (facts?.tool?.belief.from === 'unknown' && current) {
    const about = { session, agent, source: facts.source.key, server: named.server, tool: facts.tool.name };
    keepFirstLook(home, about, current);
  }
  if (found.policy.mode === 'strict') return uncheckedQuestion(named.server, why);
  // While the baseline is still being asked for, there is no alarm; later calls are judged by it.
  if (found.pending) return {};
  if (found.hidden)
    return firstTime(home, 'unchecked', { session, agent, about: 'hidden' }) ? { systemMessage: hiddenMessage() } : {};
  const about = facts === undefined ? OUTAGE : undefined;
  const first = firstTime(home, 'unchecked', { ...wayTo(input, found), about });
  return first ? { systemMessage: uncheckedMessage(named.server, why, found.unaskable, held) } : {};
};

/** What the assessment itself says. */
const answerToAssessment = (
  place: CallPlace,
  input: ToolInput,
  found: Assessment,
  held: boolean,
  settled: (reason: Circumstances) => boolean,
): HookAnswer => {
  const { home } = place;
  if (found.verdict === 'off') return {};
  if (found.verdict === 'not-covered') return answerToUncovered(home, input, found, settled);
  if (found.verdict === 'unchecked') return answerToUnchecked(home, input, found, held);
  // It answers again, so the next outage is worth a message.
  unmark(home, 'unchecked', { ...wayTo(input, found), about: OUTAGE });
  remember(home, input, found);
  return answerOnce(place, input, found, held);
};

/** Adds the lockfile's doubt to the answer, and remembers that it was asked or told. */
const heedTrust = ({ home, env }: CallPlace, input: ToolInput, found: Assessment, answer: HookAnswer): HookAnswer => {
  const { trust } = found;
  if (trust === undefined) return answer;
  const about = { session: input.session, about: trust.key };
  if (trust.verdict === 'ask') mark(home, 'asked', about, placeOf(input, found));
  else if (trust.verdict === 'notice' && !firstTime(home, 'unapproved', about)) return answer;
  return withDoubt(answer, trust, subjectOf(input, found, isAttended(env)));
};

/**
 * Tells of a release with the first call after it, once in a session. In mode strict, calls are asked about until a person
 * has said yes to one.
 */
const heedRelease = (
  { home }: CallPlace,
  input: ToolInput,
  found: Assessment,
  answer: HookAnswer,
  settled: (reason: Circumstances) => boolean,
): HookAnswer => {
  const { facts, policy } = found;
  if (facts?.atStart === undefined || facts.atStart.digest === facts.live.digest || policy.mode === 'off')
    return answer;
  const release = { source: facts.source.key, about: aboutRelease(facts.live.digest) };
  const about = { session: input.session, ...release };
  const isFirst = firstTime(home, 'release', about);
  const mayHold = policy.mode === 'strict' && answer.decision === undefined && !settled(release);
  const released = isFirst || mayHold ? releaseBefore(found) : undefined;
  if (released === undefined) return answer;
  if (!mayHold || !released.holds) return isFirst ? withRelease(answer, released, facts.tool?.name) : answer;
  mark(home, 'asked', about, placeOf(input, found));
  return releaseQuestion(answer, released);
};

/** Tells of advertised hashes that are wrong, once, with the first call after they appeared. */
const heedHashes = ({ home }: CallPlace, input: ToolInput, { facts }: Assessment, answer: HookAnswer): HookAnswer => {
  if (facts === undefined || facts.live.mismatched.length === 0) return answer;
  const { source, live } = facts;
  const about = { session: input.session, source: source.key, about: aboutHashes(live) };
  return firstTime(home, 'release', about) ? withLine(answer, hashLine(source.name, live.mismatched)) : answer;
};

/**
 * The answer to a call: what the assessment itself says, then the lockfile's doubt, a release and wrong hashes.
 * @param held whether this call, or the one around or inside it, is not sent at once
 * @param settled whether a reason was told, or asked about and granted
 */
export const respond = (
  place: CallPlace,
  input: ToolInput,
  found: Assessment,
  held: boolean,
  settled: (reason: Circumstances) => boolean,
): HookAnswer => {
  const answer = heedTrust(place, input, found, answerToAssessment(place, input, found, held, settled));
  return heedHashes(place, input, found, heedRelease(place, input, found, answer, settled));
};
