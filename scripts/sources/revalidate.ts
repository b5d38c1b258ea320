import { digestOf } from '../state/digest.ts';
import { askList, type McpRequest } from './mcp/ask-list.ts';
import type { SessionKeeper } from './mcp/kept-session.ts';
import { exchange, type PlainRequest } from './request.ts';

/** The request that asks a source whether its last answer is still the same. */
export type Repeat = (PlainRequest & { etag: string }) | McpRequest;

export type Repeated =
  | { status: 'same' }
  | { status: 'other'; text: string; etag?: string | undefined }
  | { status: 'timeout' }
  /** An error, a redirect, or too large an answer: the slow path finds out which. */
  | { status: 'unsettled' };

/**
 * Asks as cheaply as possible whether an answer is still the same: a conditional GET, or one `tools/list`. Never throws.
 * @param deadline milliseconds
 * @param keeper see `askList`
 */
export const askAgain = async (repeat: Repeat, deadline: number, keeper?: SessionKeeper): Promise<Repeated> => {
  if ('protocol' in repeat) {
    const reply = await askList(repeat, deadline, keeper);
    if (reply.status !== 'text') return reply;
    // MCP has no entity tags: a digest of the text is used instead.
    const etag = digestOf(reply.text);
    return etag === repeat.etag ? { status: 'same' } : { status: 'other', text: reply.text, etag };
  }
  const { etag, headers } = repeat;
  const reply = await exchange(
    { ...repeat, headers: { ...headers, accept: 'application/json', 'if-none-match': etag } },
    deadline,
  );
  if (reply.status === 304) return { status: 'same' };
  if (reply.status === 200) return { status: 'other', text: reply.text, etag: reply.headers.etag };
  return { status: reply.status === 'timeout' ? 'timeout' : 'unsettled' };
};
