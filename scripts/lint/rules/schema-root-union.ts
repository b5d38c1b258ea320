import { own } from '../../contract/types.ts';
import { TEXTS } from '../texts.ts';
import type { ToolRule } from '../types.ts';

export const schemaRootUnion: ToolRule = {
  id: 'schema-root-union',
  purpose:
    "The root of an input is one flat object. For `anyOf`, `oneOf` or `allOf` there, Claude's API refuses the whole request, and clients drop the tool.",
  at: 'tool',
  governance: TEXTS.flat,
  find: ({ inputSchema }) =>
    ['anyOf', 'oneOf', 'allOf']
      .filter((key) => own(inputSchema, key) !== undefined)
      .map((key) => ({
        path: `/inputSchema/${key}`,
        message: `\`${key}\` at the root of the input: clients refuse it`,
      })),
  examples: [
    {
      what: 'one of two forms',
      tools: [
        {
          name: 'look',
          annotations: { readOnlyHint: true },
          inputSchema: { type: 'object', oneOf: [{ required: ['url'] }, { required: ['file'] }] },
        },
      ],
      gives: ['error schema-root-union look /inputSchema/oneOf'],
    },
    {
      what: 'a union of one field',
      tools: [
        {
          name: 'look',
          annotations: { readOnlyHint: true },
          inputSchema: { type: 'object', properties: { at: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } },
        },
      ],
      gives: [],
    },
  ],
};
