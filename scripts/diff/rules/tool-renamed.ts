import { quoteName } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { ListPair, Rule } from '../types.ts';

export const toolRenamed: Rule<ListPair> = {
  id: 'tool-renamed',
  purpose:
    'A tool went, and one came that is likely the same: by its contract, the spelling of its name, or like words and the same parameters. Not if a word of one name tells of another act or thing.',
  at: 'list',
  keywords: [],
  find: ({ renamed }) =>
    renamed.map(({ before, after, evidence }) => ({
      tool: before.name,
      renamedTo: after.name,
      message: say`renamed: ${quoteName(before.name)} → ${quoteName(after.name)} (${evidence})`,
      before: before.name,
      after: after.name,
    })),
  examples: [
    {
      what: 'hyphens became underscores',
      before: [{ name: 'API-get-user', inputSchema: { type: 'object' } }],
      after: [{ name: 'API_get_user', inputSchema: { type: 'object' } }],
      gives: ['breaking tool-renamed '],
    },
    {
      what: 'a prefix that went away',
      before: [{ name: 'API-get-user', inputSchema: { type: 'object', properties: { id: { type: 'string' } } } }],
      after: [{ name: 'get-user', inputSchema: { type: 'object', properties: { id: { type: 'integer' } } } }],
      gives: ['breaking tool-renamed ', 'breaking input-property-type-changed /inputSchema/properties/id/type'],
    },
    {
      what: 'a word within the name, and the same parameters',
      before: [
        { name: 'get_order_items', inputSchema: { type: 'object', properties: { order: { type: 'integer' } } } },
      ],
      after: [
        { name: 'get_order_line_items', inputSchema: { type: 'object', properties: { order: { type: 'integer' } } } },
      ],
      gives: ['breaking tool-renamed '],
    },
    {
      what: 'a word within the name, and a parameter of another type: unknown',
      before: [
        { name: 'get_order_items', inputSchema: { type: 'object', properties: { order: { type: 'integer' } } } },
      ],
      after: [
        { name: 'get_order_line_items', inputSchema: { type: 'object', properties: { order: { type: 'string' } } } },
      ],
      gives: ['breaking tool-removed ', 'compatible tool-added '],
    },
    {
      what: 'two that are equally likely: unknown',
      before: [
        { name: 'get_order_items', inputSchema: { type: 'object', properties: { order: { type: 'integer' } } } },
      ],
      after: [
        { name: 'get_order_line_items', inputSchema: { type: 'object', properties: { order: { type: 'integer' } } } },
        { name: 'get_order_gift_items', inputSchema: { type: 'object', properties: { order: { type: 'integer' } } } },
      ],
      gives: ['breaking tool-removed ', 'compatible tool-added ', 'compatible tool-added '],
    },
    {
      what: 'a trial, and the act itself: unknown',
      before: [{ name: 'try_book_room', inputSchema: { type: 'object', properties: { room: { type: 'string' } } } }],
      after: [{ name: 'book_room', inputSchema: { type: 'object', properties: { room: { type: 'string' } } } }],
      gives: ['breaking tool-removed ', 'compatible tool-added '],
    },
    {
      what: 'a thing, and a part of it: unknown',
      before: [{ name: 'delete_room_key', inputSchema: { type: 'object', properties: { id: { type: 'string' } } } }],
      after: [{ name: 'delete_room', inputSchema: { type: 'object', properties: { id: { type: 'string' } } } }],
      gives: ['breaking tool-removed ', 'compatible tool-added '],
    },
    {
      what: 'another name for the same contract',
      before: [{ name: 'find', inputSchema: { type: 'object', required: ['q'] } }],
      after: [{ name: 'lookup', inputSchema: { type: 'object', required: ['q'] } }],
      gives: ['breaking tool-renamed '],
    },
  ],
};
