import { defined } from '../contract/defined.ts';
import type { Circumstances } from '../state/circumstances.ts';
import {
  type About,
  anyMarked,
  firstTime,
  type MarkerKind,
  mark,
  readMarker,
  unmark,
  wasMarked,
} from '../state/markers.ts';
import { findTranscript } from '../transcript/find-transcript.ts';
import { resultOf } from '../transcript/one-call.ts';
import { type Landmark, newestBehind } from '../transcript/rewind.ts';
import { transcriptSize } from '../transcript/transcript-index.ts';
import type { ToolInput } from './input.ts';

/**
 * The reason for the message about a server that does not answer. It is told once until the server answers again, for
 * whatever it was asked.
 */
export const OUTAGE = 'it did not answer';

/** A person's yes holds for every conversation of the session: the person is one and the same. */
export const ofPerson = ({ agent: _agent, ...about }: About): About => about;

/** A call in the transcript of a conversation. The path is not kept: a transcript moves when its session enters a worktree. */
export interface CallInTranscript {
  /** The subagent that made it, if one did. */
  agent?: string | undefined;
  /** Offset in bytes: the result stands behind it. */
  from: number;
  toolUseId: string;
}

/** A session, and where its transcript is now. */
type HookPlace = Pick<ToolInput, 'session' | 'transcript'>;

/** What a marker notes of a call; undefined if it notes none. */
const callIn = ({ agent, from, toolUseId }: Record<string, unknown>): CallInTranscript | undefined =>
  typeof from === 'number' && typeof toolUseId === 'string'
    ? { agent: typeof agent === 'string' ? agent : undefined, from, toolUseId }
    : undefined;

/** Identifies a call that failed in a conversation. */
const failureOf = (session: string, { agent, toolUseId }: Omit<CallInTranscript, 'from'>): About => ({
  session,
  agent,
  about: toolUseId,
});

/**
 * Notes that a call was sent and failed: its result in the transcript will look like that of a call that a person refused, after
 * which the client runs no hook. To be called in that hook, before the transcript has the result.
 */
export const noteFailed = (home: string, input: ToolInput): void => {
  // Where no person was asked, there is no yes to know of.
  if (!anyMarked(home, 'asked', input.session)) return;
  mark(home, 'ran', failureOf(input.session, input), { size: transcriptSize(findTranscript(input)) });
};

/** Whether a person said yes to a call that they were asked about: it was sent, and gave a result or failed. */
const saidYes = (
  home: string,
  { session, transcript }: HookPlace,
  asked: Record<string, unknown>,
  ran?: (toolUseId: string) => boolean,
): boolean => {
  const call = callIn(asked);
  if (call === undefined) return false;
  const { agent, from, toolUseId } = call;
  const result = resultOf(findTranscript({ transcript, session, agent }), from, toolUseId);
  if (result === undefined) return ran?.(toolUseId) === true;
  if (!result.isError) return true;
  const size = readMarker(home, 'ran', failureOf(session, call))?.size;
  // A model may use an id again: another call of this id failed before the question, or after its result.
  return typeof size === 'number' && size >= from && size <= result.at;
};

/** Notes that the model is told a reason, with the answer to a call. @param request the one that the call follows, if that is known */
export const noteTold = (home: string, about: About, call: CallInTranscript, request: number | undefined): void =>
  mark(home, 'told', about, defined({ ...call, request }));

/** After so many bytes of a transcript, the search for a rewind begins at a newer record: it must not grow with the conversation. */
const FAR = 256 * 1024;

const landmarkIn = (value: unknown): Landmark | undefined => {
  const { from, uuid } = Object(value) as Record<string, unknown>;
  return typeof from === 'number' && typeof uuid === 'string' ? { from, uuid } : undefined;
};

/**
 * Whether a person has since rewound the conversation to before the call with whose answer the model was told something.
 * @param kind of the marker that notes the call
 */
const isForgotten = (home: string, kind: MarkerKind, about: About, { session, transcript }: HookPlace): boolean => {
  const note = readMarker(home, kind, about) ?? {};
  const call = callIn(note);
  if (call === undefined) return false;
  const path = findTranscript({ transcript, session, agent: call.agent });
  const newer = landmarkIn(note.newer);
  let newest = newer && newestBehind(path, newer);
  // A rewind to between the two takes away the newer one alone.
  if (typeof newest !== 'object') newest = newestBehind(path, call);
  if (typeof newest !== 'object') return newest === 'rewound';
  if (newest.from - (newer?.from ?? call.from) > FAR) mark(home, kind, about, { ...note, newer: newest });
  return false;
};

/** Whether the model was told a reason before it made a call: it makes all calls of a turn before it reads an answer. */
const wasTold = (home: string, place: HookPlace, about: About, request: number | undefined): boolean => {
  const told = readMarker(home, 'told', about);
  if (told === undefined || (request !== undefined && told.request === request)) return false;
  return !isForgotten(home, 'told', about, place);
};

/** Notes that the model is warned, with the answer to a call; false if it was before, and still knows. */
export const firstWarned = (home: string, place: HookPlace, about: About, call: CallInTranscript): boolean => {
  if (isForgotten(home, 'warned', about, place)) unmark(home, 'warned', about);
  return firstTime(home, 'warned', about, call);
};

/**
 * Whether a reason need not be given again: telling it was enough, or a person was asked and said yes.
 * @param ran whether a call is known to have run, before the transcript says so
 */
export const settledIn =
  (home: string, { session, transcript }: HookPlace, ran?: (toolUseId: string) => boolean) =>
  (reason: Circumstances, request?: number): boolean => {
    const here = { session, transcript };
    const told = { ...reason, session };
    const granted = ofPerson(told);
    if (wasTold(home, here, told, request) || wasMarked(home, 'granted', granted)) return true;
    const asked = readMarker(home, 'asked', granted);
    if (asked === undefined || !saidYes(home, here, asked, ran)) return false;
    mark(home, 'granted', granted);
    return true;
  };
