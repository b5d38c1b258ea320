import { parsedJson } from '../contract/parsed-json.ts';
import { isObject, type JsonObject } from '../contract/types.ts';
import type { Called } from '../state/activity.ts';
import { CLIENT_ID } from '../state/client-names.ts';
import { nothingRead, oneCopy, type ReadCount, type Span, within } from '../state/history.ts';
import { streamLines } from '../state/lines.ts';
import { answersIn, type McpCall, mcpCallsIn, timeIn } from './records.ts';
import { transcriptFiles } from './transcript-files.ts';

const MOST_CALLS = 500_000;
const MOST_BYTES = 50 * 1024 ** 3;

/** Both occur only in a record's own structure: inside a text, the quotes would be escaped. */
const USE = Buffer.from('"tool_use"');
const RESULT = Buffer.from('"tool_result"');
const MCP = Buffer.from('"mcp__');
const ABSENT = Buffer.from('No such tool available');

/** Whether a result is the client's own answer for a tool that it does not have, word for word. */
const isAbsent = (text: string, tool: string): boolean => {
  const [, named] = /^(?:<tool_use_error>)?(?:Error: )?No such tool available: ([\w-]+)/.exec(text) ?? [];
  return named === tool;
};

/** Ids of the API, which are unique; those of other models' proxies may not be. */
const UNIQUE = /^toolu_\w{16,}$/;

/** One call of an MCP tool that the client had. */
export interface TranscriptCall {
  session: string;
  /** The client's name for it. */
  tool: string;
  /** Milliseconds since 1970. */
  at: number;
  /** The tool behind the call, as `behind` tells it. */
  inner: Called | null | undefined;
  /** Whether an answer came that is not an error; false if answers are not read. */
  sent: boolean;
}

interface ReadCall extends TranscriptCall {
  ran: boolean;
}

const has = (line: Buffer, part: Buffer): boolean => line.indexOf(part) !== -1;

/** The session of a record. A forked or resumed conversation holds copies of records; newer clients name their session. */
const sessionOf = (record: Record<string, unknown>, fallback: string): string | undefined =>
  [record.requestSessionId, record.sessionId, fallback].find(
    (id): id is string => typeof id === 'string' && CLIENT_ID.test(id),
  );

/**
 * Reads the calls of MCP tools in Claude Code's transcripts: names, sessions and times, nothing else.
 * @param only the session whose transcripts are read
 * @param answers whether to look for the answers of calls as well
 * @param behind tells which tool is called behind a call: null for none, undefined if unknown
 */
export const readCalls = (
  env: NodeJS.ProcessEnv,
  span: Span,
  {
    only,
    answers = false,
    behind,
    progress,
  }: {
    only?: string;
    answers?: boolean;
    behind?: (tool: string, args: JsonObject) => Called | null | undefined;
    progress?: (bytes: number, of: number) => void;
  } = {},
): { calls: TranscriptCall[]; read: ReadCount } => {
  const read = nothingRead();
  const calls = new Map<string, ReadCall>();
  const once = oneCopy();

  /** A call as it is kept: a copy is the call that it was copied from. Undefined if it does not count. */
  const kept = (
    { id, tool, input }: McpCall,
    record: Record<string, unknown>,
    fallback: string,
  ): ReadCall | undefined => {
    const [at, session] = [timeIn(record), sessionOf(record, fallback)];
    if (session === undefined || Number.isNaN(at)) {
      read.damaged += 1;
      return undefined;
    }
    if (!within(span, at, read)) return undefined;
    // Copies keep the time, which makes other ids unique.
    const key = UNIQUE.test(id) ? `${id} ${tool}` : `${id} ${tool} ${at}`;
    const known = calls.get(key);
    if (known !== undefined) return known;
    if (calls.size >= MOST_CALLS) {
      read.overflow = true;
      return undefined;
    }
    const inner = behind?.(tool, isObject(input) ? (input as JsonObject) : {});
    const call = { session: once(session), tool: once(tool), at, inner, ran: true, sent: false };
    calls.set(key, call);
    return call;
  };

  const readFile = (path: string, fallback: string): void => {
    /** Calls of this file by id: a result belongs to the last call with its id before it. */
    const here = new Map<string, ReadCall>();
    const noteCalls = (record: Record<string, unknown>): void => {
      for (const one of mcpCallsIn(record)) {
        const call = kept(one, record, fallback);
        if (call !== undefined) here.set(one.id, call);
      }
    };
    const noteAnswers = (record: Record<string, unknown>): void => {
      for (const { id, isError, text } of answersIn(record)) {
        const call = here.get(id);
        if (call === undefined) continue;
        if (!isError) call.sent = true;
        else if (isAbsent(text, call.tool)) call.ran = false;
      }
    };
    const error = streamLines(path, read, (line, ended) => {
      const uses = has(line, USE) && has(line, MCP);
      if (!uses && !(has(line, RESULT) && (answers || has(line, ABSENT)))) return;
      const record = parsedJson(line.toString('utf8'));
      // A record is written completely before its call runs, so an incomplete line at the end is not yet a call.
      if (record === undefined && uses && ended) read.damaged += 1;
      if (!isObject(record)) return;
      noteCalls(record);
      noteAnswers(record);
    });
    if (error !== undefined && error !== 'ENOENT') read.unread += 1;
  };

  const found = transcriptFiles(env, span.since, only);
  read.unread = found.unread;
  read.overflow = found.overflow;
  const total = found.files.reduce((sum, { size }) => sum + size, 0);
  for (const { path, session, size } of found.files) {
    if (read.bytes + size > MOST_BYTES) {
      read.overflow = true;
      continue;
    }
    readFile(path, session);
    progress?.(read.bytes, total);
  }
  const ran = [...calls.values()].filter((call) => call.ran && (only === undefined || call.session === only));
  return { calls: ran, read };
};
