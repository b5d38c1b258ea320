import { digestOf } from '../state/digest.ts';
import { askList, type McpRequest } from './mcp/ask-list.ts';
import { exchange, type PlainRequest } from './request.ts';

/** How a source that answered before is asked whether its answer is still the same. */
export type Repeat = (PlainRequest & { etag: string }) | McpRequest;

export type Repeated =
  | { status: 'same' }
  | { status: 'other'; text: string; etag?: string | undefined }
  | { status: 'timeout' }
  /** Errors, redirects, too much of it: the longer way finds out which. */
  | { status: 'unsettled' };

/** Asks whether an answer is still the same, with as little as possible: a conditional GET, or one `tools/list`. */
export const askAgain = async (repeat: Repeat, deadline: number): Promise<Repeated> => {
  if ('protocol' in repeat) {
    const reply = await askList(repeat, deadline);
    if (reply.status !== 'text') return reply;
    // MCP has no entity tags: what it sent stands for itself.
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
