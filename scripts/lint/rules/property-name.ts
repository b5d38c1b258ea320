import { propertiesOf } from '../../contract/object-schema.ts';
import { quoteName } from '../../text/quote.ts';
import type { ToolRule } from '../types.ts';

const ACCEPTED = /^[a-zA-Z0-9_.-]{1,64}$/;
const MOST = 5;

export const propertyName: ToolRule = {
  id: 'property-name',
  purpose:
    "The names of an input's own properties match `^[a-zA-Z0-9_.-]{1,64}$`: Claude's API refuses the whole request for one that does not.",
  at: 'tool',
  find: ({ inputSchema }) =>
    Object.keys(propertiesOf(inputSchema))
      .filter((name) => !ACCEPTED.test(name))
      .slice(0, MOST)
      .map((name) => ({
        path: '/inputSchema/properties',
        message: `Claude's API refuses the property name ${quoteName(name)}`,
      })),
  examples: [
    {
      what: 'brackets, as in the parameters of a URL',
      tools: [
        {
          name: 'list',
          inputSchema: { type: 'object', properties: { 'tags[]': { type: 'string' }, 'v1.x-y_z': { type: 'string' } } },
        },
      ],
      gives: ['error property-name list /inputSchema/properties'],
    },
  ],
};
