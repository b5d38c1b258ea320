import { parsedJson } from '../contract/parsed-json.ts';
import { isObject, type JsonObject } from '../contract/types.ts';
import type { Called } from '../state/activity.ts';
import { CLIENT_ID, TOOL_NAME } from '../state/client-names.ts';
import { nothingRead, oneCopy, type ReadCount, type Span, within } from '../state/history.ts';
import { streamLines } from '../state/lines.ts';
import { blocksOf } from './records.ts';
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

const textOf = (content: unknown): string => {
  const first = Array.isArray(content) ? content[0] : content;
  return typeof first === 'string' ? first : isObject(first) && typeof first.text === 'string' ? first.text : '';
};

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
  const found = transcriptFiles(env, span.since, only);
  read.unread = found.unread;
  read.overflow = found.overflow;
  const total = found.files.reduce((sum, { size }) => sum + size, 0);

  for (const { path, session: fallback, size } of found.files) {
    if (read.bytes + size > MOST_BYTES) {
      read.overflow = true;
      continue;
    }
    /** Calls of this file by id: a result belongs to the last call with its id before it. */
    const here = new Map<string, ReadCall>();
    const use = (record: Record<string, unknown>, block: Record<string, unknown>): void => {
      const { id, name, input } = block;
      if (typeof name !== 'string' || !TOOL_NAME.test(name) || typeof id !== 'string' || id.length > 200) return;
      const at = typeof record.timestamp === 'string' ? Date.parse(record.timestamp) : Number.NaN;
      const session = sessionOf(record, fallback);
      if (session === undefined || Number.isNaN(at)) {
        read.damaged += 1;
        return;
      }
      if (!within(span, at, read)) return;
      // Copies keep the time, which makes other ids unique.
      const key = UNIQUE.test(id) ? `${id} ${name}` : `${id} ${name} ${at}`;
      const call = calls.get(key) ?? {
        session: once(session),
        tool: once(name),
        at,
        inner: behind?.(name, isObject(input) ? (input as JsonObject) : {}),
        ran: true,
        sent: false,
      };
      if (!calls.has(key) && calls.size >= MOST_CALLS) {
        read.overflow = true;
        return;
      }
      calls.set(key, call);
      here.set(id, call);
    };
    const see = (line: Buffer, ended: boolean): void => {
      const uses = has(line, USE) && has(line, MCP);
      if (!uses && !(has(line, RESULT) && (answers || has(line, ABSENT)))) return;
      const record = parsedJson(line.toString('utf8'));
      // A record is written completely before its call runs, so an incomplete line at the end is not yet a call.
      if (record === undefined && uses && ended) read.damaged += 1;
      if (!isObject(record)) return;
      for (const block of blocksOf(record)) {
        if (record.type === 'assistant' && block.type === 'tool_use') use(record, block);
        if (record.type !== 'user' || block.type !== 'tool_result') continue;
        const call = here.get(String(block.tool_use_id));
        if (call === undefined) continue;
        if (block.is_error !== true) call.sent = true;
        else if (isAbsent(textOf(block.content), call.tool)) call.ran = false;
      }
    };
    const error = streamLines(path, read, see);
    if (error !== undefined && error !== 'ENOENT') read.unread += 1;
    progress?.(read.bytes, total);
  }
  const ran = [...calls.values()].filter((call) => call.ran && (only === undefined || call.session === only));
  return { calls: ran, read };
};
