import { parsedJson } from '../contract/parsed-json.ts';
import { isObject } from '../contract/types.ts';
import { viewHash } from '../contract/view.ts';
import { TOOL_NAME } from '../state/client-names.ts';
import { nothingRead } from '../state/history.ts';
import { streamLines } from '../state/lines.ts';
import { toView } from '../transcript/model-view.ts';
import { answersIn, mcpCallsIn, recordAt, showsTools, timeIn } from '../transcript/records.ts';
import type { FileScan, Place, ScannedCall } from './types.ts';

/** These occur only in a record's own structure: inside of a text, the quotes would be escaped. */
const MCP = Buffer.from('"mcp__');
const USE = Buffer.from('"tool_use"');
const FAILED = Buffer.from('"is_error":true');
const TIME = Buffer.from('"timestamp":"');
/** The time is near one end of a record. */
const NEAR_END = 600;
/** How many bytes are read between two reports of progress. */
const STEP = 8 * 1024 * 1024;
/** What the client, or a hook, answers to a call that it did not send. */
const NOT_SENT = /^(?:<tool_use_error>)?(?:Error: )?(?:No such tool available|PreToolUse:|The user doesn't want to)/;
/** The guard's own words about a call that it stopped, which the client hands to the model. */
const STOPPED = /^(?:<tool_use_error>)?(?:[\w: ]{0,80}: ?)?konnichiwagwan stopped this call\b/;
const MOST_KNOWN = 20_000;

/** How many more brackets are opened than closed in a part of a line that begins outside of a text. */
const depthOf = (part: Buffer): number => {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < part.length; at++) {
    const sign = part[at];
    if (isText && sign === 92) at++;
    else if (sign === 34) isText = !isText;
    else if (isText) continue;
    else if (sign === 123 || sign === 91) depth++;
    else if (sign === 125 || sign === 93) depth--;
  }
  return depth;
};

/** The last time in a part of a record that is the record's own: arguments and contracts may hold others. */
const ownTimeIn = (part: Buffer, isOwn: (at: number) => boolean): number | undefined => {
  for (let at = part.lastIndexOf(TIME); at !== -1; at = at === 0 ? -1 : part.lastIndexOf(TIME, at - 1)) {
    const from = at + TIME.length;
    const time = Date.parse(part.toString('latin1', from, from + 30).split('"', 1)[0] as string);
    if (!Number.isNaN(time) && isOwn(at)) return time;
  }
  return undefined;
};

/** The time of a record, in ms; undefined if it has none of its own near its ends. */
const timeOf = (line: Buffer): number | undefined => {
  const [head, tail] = [line.subarray(0, NEAR_END), line.subarray(-NEAR_END)];
  return (
    ownTimeIn(head, (at) => depthOf(head.subarray(0, at)) === 1) ??
    ownTimeIn(tail, (at) => depthOf(tail.subarray(at)) === -1)
  );
};

/** Equal contracts are hashed once, by the client's text for them: the same tools are in most transcripts. */
const known = new Map<string, string>();
const hashOf = (tool: unknown): [name: string, hash: string] | undefined => {
  const view = toView(tool);
  if (view === null || !TOOL_NAME.test(view[0])) return undefined;
  const text = JSON.stringify([view[1].description, view[1].inputSchema]);
  let hash = known.get(text);
  if (hash === undefined) {
    hash = viewHash(view[1]);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(text, hash);
  }
  return [view[0], hash];
};

const hashesIn = (tools: unknown): Map<string, string> =>
  new Map((Array.isArray(tools) ? tools : []).map(hashOf).filter((found) => found !== undefined));

const parse = (line: Buffer): Record<string, unknown> | undefined => {
  const value = parsedJson(line.toString('utf8'));
  return isObject(value) ? value : undefined;
};

/**
 * Reads a transcript once, in memory that only grows with its calls and contracts. Most lines are never parsed.
 * @param born when the file was made, in ms: for records before the first that has a time
 */
export const scanFile = (path: string, born: number, progress: (bytes: number) => void): FileScan => {
  const read = nothingRead();
  const scan: FileScan = { path, sightings: [], calls: [], stopped: 0, read };
  /** The tools of each shape, with its place. */
  const shapes = new Map<string, { tools: Map<string, string>; place: Place }>();
  const shown = new Map<string, string>();
  const waiting = new Map<string, ScannedCall>();
  let [current, now, reported] = ['', born, 0];

  const show = (tools: ReadonlyMap<string, string>, place: Place): void => {
    for (const [tool, hash] of tools) {
      if (shown.get(tool) === hash) continue;
      shown.set(tool, hash);
      scan.sightings.push({ tool, hash, at: now, place });
    }
  };
  /** The conversation goes on with the tools of this shape. */
  const switchTo = (shape: string): void => {
    if (shape === current) return;
    current = shape;
    const known = shapes.get(shape);
    if (known) show(known.tools, known.place);
  };
  const addShape = (shape: string, line: Buffer, place: Place): void => {
    if (shapes.has(shape)) return;
    const value = parse(line);
    if (value && isObject(value.shape)) shapes.set(shape, { tools: hashesIn(value.shape.tools), place });
    else read.damaged += 1;
  };
  const attach = (line: Buffer, place: Place): void => {
    const attachment = parse(line)?.attachment;
    if (!isObject(attachment)) return;
    const tools = hashesIn(attachment.tools ?? attachment.entries);
    // For tools of the current shape, the shape counts; an attachment only adds other tools.
    for (const tool of shapes.get(current)?.tools.keys() ?? []) tools.delete(tool);
    show(tools, place);
  };
  const noteCalls = (record: Record<string, unknown>, place: Place): void => {
    const at = timeIn(record);
    for (const { id, tool } of mcpCallsIn(record)) {
      if (Number.isNaN(at)) {
        read.damaged += 1;
        continue;
      }
      const hash = shown.get(tool);
      const call: ScannedCall = { id, tool, at, failed: false, place, ...(hash === undefined ? {} : { hash }) };
      waiting.set(id, call);
      scan.calls.push(call);
    }
  };
  const notSent = new Set<ScannedCall>();
  const noteFailures = (record: Record<string, unknown>): void => {
    for (const { id, isError, text } of answersIn(record)) {
      const call = isError ? waiting.get(id) : undefined;
      if (call === undefined) continue;
      call.failed = true;
      const isStopped = STOPPED.test(text);
      if (isStopped && !notSent.has(call)) scan.stopped += 1;
      if (isStopped || NOT_SENT.test(text)) notSent.add(call);
    }
  };

  const noteMessage = (line: Buffer, place: Place, uses: boolean, ended: boolean): void => {
    const fails = waiting.size > 0 && line.indexOf(FAILED) !== -1;
    if (!uses && !fails) return;
    const message = parse(line);
    if (message === undefined && uses && ended) read.damaged += 1;
    if (message === undefined) return;
    if (uses) noteCalls(message, place);
    if (fails) noteFailures(message);
  };

  const see = (line: Buffer, ended: boolean, at: number): void => {
    if (at - reported > STEP) {
      progress(at - reported);
      reported = at;
    }
    now = timeOf(line) ?? now;
    const place: Place = [at, line.length];
    const record = recordAt(line, 0, line.length);
    const names = record === null && line.indexOf(MCP) !== -1;
    if (record?.kind === 'request') switchTo(record.shape);
    else if (record?.kind === 'shape') addShape(record.shape, line, place);
    else if (names && showsTools(line, 0, line.length)) attach(line, place);
    else noteMessage(line, place, names && line.indexOf(USE) !== -1, ended);
  };
  const error = streamLines(path, read, see);
  if (error !== undefined && error !== 'ENOENT') read.unread += 1;
  progress(read.bytes - reported);
  return { ...scan, calls: scan.calls.filter((call) => !notSent.has(call)) };
};
