import { own as field, isObject } from '../contract/types.ts';
import { type Message, withId } from './message.ts';

const INVALID_PARAMS = -32602;
/** The first revision of MCP in which each result says of what kind it is. */
const KIND_SINCE = '2026-07-28';

/** Our answer to a call, in a form that the host accepts; undefined where the call has no id to answer under. */
export const ownAnswer = ({ idSpelled, params }: Message, text: string, isError: boolean): Buffer | undefined => {
  if (idSpelled === undefined) return undefined;
  // A request for a task gets a task, or an error.
  if (isObject(params.task)) return withId(idSpelled, { error: { code: INVALID_PARAMS, message: text } });
  const revision = field(params._meta, 'io.modelcontextprotocol/protocolVersion');
  const kind = typeof revision === 'string' && revision >= KIND_SINCE ? { resultType: 'complete' } : {};
  return withId(idSpelled, { result: { ...kind, content: [{ type: 'text', text }], ...(isError ? { isError } : {}) } });
};
