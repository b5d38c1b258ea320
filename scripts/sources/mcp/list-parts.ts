import type { ListKind } from '../../contract/types.ts';

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
