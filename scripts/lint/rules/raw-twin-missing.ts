import { quoteName } from '../../text/quote.ts';
import { isTwin, namesake, requiresTwin, twinOf, type Unknown } from '../criteria.ts';
import { TEXTS } from '../texts.ts';
import type { ToolRule } from '../types.ts';

const QUESTIONS: Record<Unknown, string> = {
  mutation: 'whether it changes state (it has no readOnlyHint)',
  validation: 'whether its endpoint validates the input (--validated)',
};

const create = {
  name: 'create_note',
  inputSchema: { type: 'object', properties: { tags: { type: 'array' }, draft: { type: 'boolean' } } },
};
const writes = { annotations: { readOnlyHint: false } };

export const rawTwinMissing: ToolRule = {
  id: 'raw-twin-missing',
  purpose:
    'A tool that changes state, has structured or evolving input and an endpoint that validates it has a `_raw` twin: stale clients strip what they do not know. Where one of these is not known, that is said in a note.',
  at: 'tool',
  governance: TEXTS.criteria,
  find: (tool, list) => {
    if (isTwin(tool) || twinOf(tool, list)) return [];
    const required = requiresTwin(tool, list);
    if (required === false) return [];
    const other = namesake(tool, list);
    const but = other === undefined ? '' : `; ${quoteName(other.name)} takes no \`payload\` and is none`;
    if (required === true) return [{ message: `changes state with structured input, and has no \`_raw\` twin${but}` }];
    const open = required.map((unknown) => QUESTIONS[unknown]).join(' and ');
    return [{ kind: 'undecided', message: `structured input and no \`_raw\` twin; not known: ${open}${but}` }];
  },
  examples: [
    {
      what: 'the endpoint validates, as the gateway says',
      tools: [{ ...create, ...writes, validated: true }],
      gives: ['error raw-twin-missing create_note'],
    },
    {
      what: 'the same, as the settings say; a gateway lists nothing but what changes state',
      tools: { schema_version: '2026-04-10', tools: [create] },
      known: { gateway: true, validated: ['create_note'] },
      gives: ['error raw-twin-missing create_note'],
    },
    {
      what: 'it is unknown whether it changes state and whether the endpoint validates',
      tools: [create],
      gives: ['note raw-twin-missing create_note'],
    },
    {
      what: 'out of scope: it only reads, sends everything in the URL, takes plain texts, or does not validate',
      tools: [
        { ...create, name: 'a', annotations: { readOnlyHint: true }, validated: true },
        { ...create, ...writes, name: 'b', validated: true },
        {
          ...writes,
          name: 'c',
          validated: true,
          inputSchema: { type: 'object', properties: { text: { type: ['string', 'null'] } } },
        },
        { ...create, ...writes, name: 'd', validated: false },
      ],
      known: { urlOnly: ['b'] },
      gives: [],
    },
    {
      what: 'a tool that only has the name of a twin',
      tools: [
        { ...create, ...writes, validated: true },
        { name: 'create_note_raw', inputSchema: { type: 'object', properties: { markdown: { type: 'string' } } } },
      ],
      gives: ['error raw-twin-missing create_note'],
    },
  ],
};
