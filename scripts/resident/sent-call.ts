// One call that was sent, and what the next process needs to know of it if this one dies.
import type { HookInput, ToolInput } from '../guard/input.ts';
import { ageOf, type Moment, thisMoment } from '../state/circumstances.ts';
import { CLIENT_ID, TOOL_NAME } from '../state/client-names.ts';
import { notesBefore } from '../state/judging.ts';

/** A call that went out, or may. */
export interface SentCall {
  input: ToolInput;
  /** A person was asked whether it is sent, and no answer of its tool shows that it was. */
  asked?: true;
  /** The answers of sources that its verdict rests on, by key. */
  digests: Map<string, string>;
  reads: boolean;
  /** When it was checked, or for a recalled one noted. */
  checked: Moment;
  /** Where the transcript ended when it was checked, in bytes: its result stands behind that. */
  from?: number;
  /** When its answer came. */
  answered?: Moment;
  /** A look after its answer found no change, so later changes concern only later calls. */
  verified?: true;
  /** An earlier process sent it: only the transcript holds its arguments. */
  recalled?: true;
}

/** A sent call as it is noted. Holds no argument. */
interface SentNote extends Moment {
  tool: string;
  server?: string | undefined;
  agent?: string | undefined;
  digests: [key: string, digest: string][];
  reads: boolean;
}

/** How many tools of a session the next process remembers, each by its last call. */
const MOST_RECALLED = 50;

const isText = (value: unknown): boolean => typeof value === 'string';
const isOptional = (value: unknown): boolean => value === undefined || isText(value);

const isNote = (value: unknown): value is SentNote => {
  const note = value as Partial<Record<keyof SentNote, unknown>> | null | undefined;
  return (
    TOOL_NAME.test(String(note?.tool)) &&
    isOptional(note?.server) &&
    (note?.agent === undefined || CLIENT_ID.test(String(note.agent))) &&
    Number.isFinite(note?.at) &&
    Number.isFinite(note?.up) &&
    Array.isArray(note?.digests) &&
    note.digests.every((one) => Array.isArray(one) && one.length === 2 && one.every(isText))
  );
};

/** What to note of a call that is sent now. */
export const noteOf = ({ input, digests, reads }: SentCall): SentNote => {
  const { toolName: tool, server, agent } = input;
  return { tool, server, agent, digests: [...digests], reads, ...thisMoment() };
};

/** The calls that processes before this one sent in a session: the last one of each tool. */
export const sentBefore = (home: string, { session, transcript, cwd }: HookInput): SentCall[] => {
  const last = new Map<string, SentCall>();
  for (const { toolUseId, note } of notesBefore(home, session)) {
    if (!isNote(note)) continue;
    const { tool: toolName, server, agent, digests, reads, at, up } = note;
    const about = { session, transcript, cwd, event: 'PreToolUse', toolName, server, agent, toolUseId };
    const key = `${agent} ${toolName}`;
    last.delete(key);
    last.set(key, {
      input: { ...about, arguments: {} },
      digests: new Map(digests),
      reads,
      checked: { at, up },
      answered: { at, up },
      recalled: true,
      // The machine's clock restarted since then: that call is long over.
      ...(ageOf({ at, up }) === undefined ? { verified: true } : {}),
    });
  }
  return [...last.values()].slice(-MOST_RECALLED);
};
