import { parsedJson } from '../contract/parsed-json.ts';
import { eachLine, readFrom } from '../state/files.ts';
import { recordAt } from './records.ts';
import { MOST_SEARCHED, readTranscript, type TranscriptIndex, transcriptSize } from './transcript-index.ts';

/** How the transcript of a subagent begins that was forked off another conversation. It names no request of its own. */
const FORKED = Buffer.from('{"type":"fork-context-ref"');
/** How much of its beginning is read, in bytes: its second line names the request whose answer forked it off. */
const FORK_HEAD = 1024 * 1024;

/** The request whose answer forked a subagent off; undefined if it was not forked. */
const forkRequest = (path: string): string | undefined => {
  const head = readFrom(path, 0, FORK_HEAD)?.bytes;
  if (head === undefined || !head.subarray(0, FORKED.length).equals(FORKED)) return undefined;
  const [, second] = head.toString('utf8').split('\n', 2);
  const { requestRef } = Object(parsedJson(second ?? '')) as Record<string, unknown>;
  return typeof requestRef === 'string' ? requestRef : undefined;
};

/**
 * The index of the conversation that a subagent was forked off, as of then: it sees the tools that this one saw. Undefined if
 * it was not forked, or if that is not known.
 * @param own the subagent's own index
 * @param parent path of the other conversation's transcript
 * @param known that one's index from before
 */
export const forkedFrom = (
  own: TranscriptIndex | null,
  parent: string,
  known?: TranscriptIndex,
): TranscriptIndex | undefined => {
  if (own === null || own.current !== undefined || own.path === parent) return undefined;
  const request = forkRequest(own.path);
  const from = Math.max(0, transcriptSize(parent) - MOST_SEARCHED);
  const tail = request && readFrom(parent, from, MOST_SEARCHED);
  const index = tail && readTranscript(parent, known);
  if (!tail || !index) return undefined;
  const sought = Buffer.from(`"id":${JSON.stringify(request)}`);
  let current: string | undefined;
  let at = 0;
  eachLine(tail.bytes, (start, end) => {
    const record = recordAt(tail.bytes, start, end);
    if (record?.kind !== 'request' || !tail.bytes.subarray(start, end).includes(sought)) return;
    [current, at] = [record.shape, from + start];
  });
  if (current === undefined) return undefined;
  // What the other conversation loads later, the subagent is not shown.
  const { unrecorded: _later, ...then } = index;
  return { ...then, current, attachments: index.attachments.filter(([offset]) => offset < at) };
};
