import type { ListKind } from '../../contract/types.ts';

/** What is asked for with a request of its own. */
export type ListPart = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

export const METHODS: Record<ListPart, string> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
};
/** What a list consists of, and what is called changed as one. */
export const PARTS: Record<ListKind, ListPart[]> = {
  tools: ['tools'],
  prompts: ['prompts'],
  resources: ['resources', 'resourceTemplates'],
};
