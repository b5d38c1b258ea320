import type { JsonObject } from '../contract/types.ts';

/** A tool that changes state, with an endpoint that validates: used in most examples. */
export const SIBLING: JsonObject = {
  name: 'save',
  annotations: { readOnlyHint: false },
  validated: true,
  inputSchema: {
    type: 'object',
    properties: { title: { type: 'string' }, pinned: { type: 'boolean' } },
    required: ['title'],
  },
};

/** Its twin, without any finding. */
export const TWIN: JsonObject = {
  name: 'save_raw',
  annotations: { readOnlyHint: false },
  description: 'Saves. payload: JSON with title (required) and pinned (optional). Example: {"title": "x"}',
  inputSchema: { type: 'object', properties: { payload: { type: 'string' } }, required: ['payload'] },
};
