import { propertiesOf } from '../../contract/object-schema.ts';
import { isObject, own } from '../../contract/types.ts';
import { quoteName } from '../../text/quote.ts';
import { isTwin } from '../criteria.ts';
import { SIBLING, TWIN } from '../samples.ts';
import { TEXTS } from '../texts.ts';
import type { RuleFinding, ToolRule } from '../types.ts';

/** Annotations of a schema, which do not restrict values. */
const WORDS = ['title', 'description', '$comment', 'examples', 'contentMediaType', 'markdownDescription'];
const ROOT = new Set([...WORDS, '$schema', 'type', 'properties', 'required', 'additionalProperties']);
const PAYLOAD = new Set([...WORDS, 'type']);

const more = (schema: unknown, known: ReadonlySet<string>): string[] =>
  isObject(schema) ? Object.keys(schema).filter((key) => !known.has(key)) : [];

export const rawTwinInput: ToolRule = {
  id: 'raw-twin-input',
  purpose:
    'The input of a twin is one required text, `payload`, and nothing else: that is what never changes, however stale a client is.',
  at: 'tool',
  governance: TEXTS.pattern,
  find: (tool) => {
    if (!isTwin(tool)) return [];
    const { inputSchema } = tool;
    const payload = own(propertiesOf(inputSchema), 'payload');
    const required = own(inputSchema, 'required');
    const others = Object.keys(propertiesOf(inputSchema)).filter((name) => name !== 'payload');
    const found: RuleFinding[] = [];
    if (own(payload, 'type') !== 'string')
      found.push({ path: '/inputSchema/properties/payload', message: '`payload` is not a text' });
    if (!Array.isArray(required) || !required.includes('payload'))
      found.push({ path: '/inputSchema', message: '`payload` is not required' });
    for (const name of others.slice(0, 5))
      found.push({ path: '/inputSchema/properties', message: `${quoteName(name)} stands beside \`payload\`` });
    for (const key of more(payload, PAYLOAD).slice(0, 5))
      found.push({
        path: '/inputSchema/properties/payload',
        message: `${quoteName(key)} limits what \`payload\` may be`,
      });
    for (const key of more(inputSchema, ROOT).slice(0, 5))
      found.push({ path: '/inputSchema', message: `${quoteName(key)} is more than one required text` });
    return found;
  },
  examples: [
    {
      what: 'one required text, with words about it',
      tools: [
        SIBLING,
        {
          ...TWIN,
          inputSchema: {
            $schema: 'http://json-schema.org/draft-07/schema#',
            type: 'object',
            properties: { payload: { type: 'string', description: 'JSON' } },
            required: ['payload'],
            additionalProperties: false,
          },
        },
      ],
      gives: [],
    },
    {
      what: 'an object, optional, with a companion',
      tools: [
        SIBLING,
        {
          ...TWIN,
          inputSchema: { type: 'object', properties: { payload: { type: 'object' }, dry_run: { type: 'boolean' } } },
        },
      ],
      gives: [
        'error raw-twin-input save_raw /inputSchema/properties/payload',
        'error raw-twin-input save_raw /inputSchema',
        'error raw-twin-input save_raw /inputSchema/properties',
      ],
    },
    {
      what: 'a text of a certain form',
      tools: [
        SIBLING,
        {
          ...TWIN,
          inputSchema: {
            type: 'object',
            properties: { payload: { type: 'string', maxLength: 10 } },
            required: ['payload'],
            minProperties: 1,
          },
        },
      ],
      gives: [
        'error raw-twin-input save_raw /inputSchema/properties/payload',
        'error raw-twin-input save_raw /inputSchema',
      ],
    },
  ],
};
