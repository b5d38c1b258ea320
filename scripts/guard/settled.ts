import { defined } from '../contract/defined.ts';
import type { Circumstances } from '../state/circumstances.ts';
import { type About, anyMarked, firstTime, mark, readMarker, unmark, wasMarked } from '../state/markers.ts';
import { isRewound, resultOf, transcriptSize } from '../transcript/model-view.ts';
import { transcriptOf } from '../transcript/records.ts';
import type { ToolInput } from './input.ts';

/**
 * The reason for the message about a server that does not answer. It is told once until the server answers again, for
 * whatever it was asked.
 */
export const OUTAGE = 'it did not answer';

/** A person's yes holds for every conversation of the session: the person is one and the same. */
export const ofPerson = ({ agent: _agent, ...about }: About): About => about;

/** Identifies a call that failed in a conversation. */
const failureOf = (session: string, toolUseId: string, transcript: string): About => ({
  session,
  about: JSON.stringify([toolUseId, transcript]),
});

/**
 * Notes that a call was sent and failed: its result in the transcript will look like that of a call that a person refused, after
 * which the client runs no hook. To be called in that hook, before the transcript has the result.
 */
export const noteFailed = (home: string, input: ToolInput): void => {
  const { session, toolUseId } = input;
  // Where no person was asked, there is no yes to know of.
  if (!anyMarked(home, 'asked', session)) return;
  const transcript = transcriptOf(input);
  mark(home, 'ran', failureOf(session, toolUseId, transcript), { size: transcriptSize(transcript) });
};

/** Whether a person said yes to a call that they were asked about: it was sent, and gave a result or failed. */
const saidYes = (
  home: string,
  session: string,
  { path, from, toolUseId }: Record<string, unknown>,
  ran?: (toolUseId: string) => boolean,
): boolean => {
  if (typeof path !== 'string' || typeof from !== 'number' || typeof toolUseId !== 'string') return false;
  const result = resultOf(path, from, toolUseId);
  if (result === undefined) return ran?.(toolUseId) === true;
  if (!result.isError) return true;
  const size = readMarker(home, 'ran', failureOf(session, toolUseId, path))?.size;
  // A model may use an id again: another call of this id failed before the question, or after its result.
  return typeof size === 'number' && size >= from && size <= result.at;
};

/** Where the transcript has a call, by its result. */
export interface CallInTranscript {
  path: string;
  /** Offset in bytes: the result stands behind it. */
  from: number;
  toolUseId: string;
}

/** Notes that the model is told a reason, with the answer to a call. @param request the one that the call follows, if that is known */
export const noteTold = (home: string, about: About, call: CallInTranscript, request: number | undefined): void =>
  mark(home, 'told', about, defined({ ...call, request }));

/** Whether a person has since rewound the conversation to before the call with whose answer the model was told something. */
const isForgotten = ({ path, from, toolUseId }: Record<string, unknown>): boolean =>
  typeof path === 'string' &&
  typeof from === 'number' &&
  typeof toolUseId === 'string' &&
  isRewound(path, from, toolUseId);

/** Whether the model was told a reason before it made a call: it makes all calls of a turn before it reads an answer. */
const wasTold = (home: string, about: About, request: number | undefined): boolean => {
  const told = readMarker(home, 'told', about);
  return told !== undefined && (request === undefined || told.request !== request) && !isForgotten(told);
};

/** Notes that the model is warned, with the answer to a call; false if it was before, and still knows. */
export const firstWarned = (home: string, about: About, call: CallInTranscript): boolean => {
  if (isForgotten(readMarker(home, 'warned', about) ?? {})) unmark(home, 'warned', about);
  return firstTime(home, 'warned', about, call);
};

/**
 * Whether a reason need not be given again: telling it was enough, or a person was asked and said yes.
 * @param ran whether a call is known to have run, before the transcript says so
 */
export const settledIn =
  (home: string, session: string, ran?: (toolUseId: string) => boolean) =>
  (reason: Circumstances, request?: number): boolean => {
    const told = { ...reason, session };
    const granted = ofPerson(told);
    if (wasTold(home, told, request) || wasMarked(home, 'granted', granted)) return true;
    const asked = readMarker(home, 'asked', granted);
    if (asked === undefined || !saidYes(home, session, asked, ran)) return false;
    mark(home, 'granted', granted);
    return true;
  };
