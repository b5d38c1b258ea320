import type { ListKind } from '../../contract/types.ts';
import { LIST_KINDS } from './kept-session.ts';

/** The list that a notification reports as changed; undefined for any other message. */
export const changedList = (method: unknown): ListKind | undefined =>
  LIST_KINDS.find((kind) => method === `notifications/${kind}/list_changed`);

/** What needs its own request. */
export type ListPart = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

export const METHODS: Record<ListPart, string> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
};
/** The parts of each list: a server announces changes for the list as a whole. */
export const PARTS: Record<ListKind, ListPart[]> = {
  tools: ['tools'],
  prompts: ['prompts'],
  resources: ['resources', 'resourceTemplates'],
};
