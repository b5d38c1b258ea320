import { isObject } from '../contract/types.ts';
import { nothingRead, oneCopy, type ReadCount, SESSION_ID, type Span, TOOL_NAME, within } from '../state/history.ts';
import { streamLines } from '../state/lines.ts';
import { blocksOf } from './records.ts';
import { transcriptFiles } from './transcript-files.ts';

const MOST_CALLS = 500_000;
const MOST_BYTES = 50 * 1024 ** 3;

/** Both stand in a record's own structure alone: in a text the quotes would be escaped. */
const USE = Buffer.from('"tool_use"');
const RESULT = Buffer.from('"tool_result"');
const MCP = Buffer.from('"mcp__');
const ABSENT = Buffer.from('No such tool available');

/** Word for word what the client answers for a tool that it does not have: other texts may hold such words, too. */
const isAbsent = (text: string, tool: string): boolean => {
  const [, named] = /^(?:<tool_use_error>)?(?:Error: )?No such tool available: ([\w-]+)/.exec(text) ?? [];
  return named === tool;
};

/** Ids of the API are unique. Those of other models' proxies need not be. */
const UNIQUE = /^toolu_\w{16,}$/;

/** One call of an MCP tool that the client had. */
export interface TranscriptCall {
  session: string;
  /** As the client writes it. */
  tool: string;
  /** Milliseconds. */
  at: number;
}

interface Call extends TranscriptCall {
  ran: boolean;
}

const has = (line: Buffer, part: Buffer): boolean => line.indexOf(part) !== -1;

const textOf = (content: unknown): string => {
  const first = Array.isArray(content) ? content[0] : content;
  return typeof first === 'string' ? first : isObject(first) && typeof first.text === 'string' ? first.text : '';
};

/** A fork or a resumed conversation holds copies of older records; newer clients say whose they were. */
const sessionOf = (record: Record<string, unknown>, fallback: string): string | undefined =>
  [record.requestSessionId, record.sessionId, fallback].find(
    (id): id is string => typeof id === 'string' && SESSION_ID.test(id),
  );

/**
 * Calls of MCP tools in the transcripts that Claude Code keeps: names, sessions and times, nothing else.
 * @param only the one session whose transcripts are read
 */
export const readCalls = (
  env: NodeJS.ProcessEnv,
  span: Span,
  { only, progress }: { only?: string; progress?: (bytes: number, of: number) => void } = {},
): { calls: TranscriptCall[]; read: ReadCount } => {
  const read = nothingRead();
  const calls = new Map<string, Call>();
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
    /** Calls of this file by id: a result speaks of the last one before it. */
    const here = new Map<string, Call>();
    const use = (record: Record<string, unknown>, block: Record<string, unknown>): void => {
      const { id, name } = block;
      if (typeof name !== 'string' || !TOOL_NAME.test(name) || typeof id !== 'string' || id.length > 200) return;
      const at = typeof record.timestamp === 'string' ? Date.parse(record.timestamp) : Number.NaN;
      const session = sessionOf(record, fallback);
      if (session === undefined || Number.isNaN(at)) {
        read.damaged += 1;
        return;
      }
      if (!within(span, at, read)) return;
      // Copies keep their time.
      const key = UNIQUE.test(id) ? `${id} ${name}` : `${id} ${name} ${at}`;
      const call = calls.get(key) ?? { session: once(session), tool: once(name), at, ran: true };
      if (!calls.has(key) && calls.size >= MOST_CALLS) {
        read.overflow = true;
        return;
      }
      calls.set(key, call);
      here.set(id, call);
    };
    const see = (line: Buffer, ended: boolean): void => {
      const uses = has(line, USE) && has(line, MCP);
      if (!uses && !(has(line, ABSENT) && has(line, RESULT))) return;
      let record: unknown;
      try {
        record = JSON.parse(line.toString('utf8'));
      } catch {
        // A record is written whole before its call runs: half a line at the end is no call yet.
        if (uses && ended) read.damaged += 1;
        return;
      }
      if (!isObject(record)) return;
      for (const block of blocksOf(record)) {
        if (record.type === 'assistant' && block.type === 'tool_use') use(record, block);
        if (record.type === 'user' && block.type === 'tool_result' && block.is_error === true) {
          const call = here.get(String(block.tool_use_id));
          if (call && isAbsent(textOf(block.content), call.tool)) call.ran = false;
        }
      }
    };
    const error = streamLines(path, read, see);
    if (error !== undefined && error !== 'ENOENT') read.unread += 1;
    progress?.(read.bytes, total);
  }
  const ran = [...calls.values()].filter((call) => call.ran && (only === undefined || call.session === only));
  return { calls: ran, read };
};
