// Asks a server that answered before for its prompts or resources, without the MCP library, which takes 60 ms to load.
import { nextCursor } from '../../contract/next-cursor.ts';
import { parsedJson } from '../../contract/parsed-json.ts';
import { isObject, type OfferKind, own } from '../../contract/types.ts';
import { askList, type McpRequest } from './ask-list.ts';
import type { SessionKeeper } from './kept-session.ts';
import { type ListPart, METHODS, PARTS } from './list-parts.ts';

/** The items of a list that arrived complete on its first page; undefined for anything else. */
const itemsOf = (text: string, part: ListPart): unknown[] | undefined => {
  const result = own(parsedJson(text), 'result');
  if (!isObject(result) || nextCursor(result) !== undefined) return undefined;
  const items = result[part];
  return Array.isArray(items) ? items : undefined;
};

/**
 * What a server lists of one kind. Undefined if this way of asking does not work: the server has no such list, sends it in
 * pages, changes it meanwhile, or no longer answers as before. Never throws.
 * @param deadline milliseconds
 */
export const askOffers = async (
  request: McpRequest,
  kind: OfferKind,
  deadline: number,
  keeper: SessionKeeper | undefined,
): Promise<{ [part in ListPart]?: unknown[] } | undefined> => {
  const end = Date.now() + deadline;
  const lists: { [part in ListPart]?: unknown[] } = {};
  for (const part of PARTS[kind]) {
    const left = end - Date.now();
    if (left <= 0) return undefined;
    const reply = await askList({ ...request, method: METHODS[part] }, left, keeper);
    const items = reply.status === 'text' ? itemsOf(reply.text, part) : undefined;
    if (items === undefined) return undefined;
    lists[part] = items;
  }
  return lists;
};
