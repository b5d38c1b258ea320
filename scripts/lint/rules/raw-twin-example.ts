import type { Json, JsonObject } from '../../contract/types.ts';
import { validateArguments } from '../../contract/validate.ts';
import { quoteText } from '../../text/quote.ts';
import { visible } from '../../text/visible.ts';
import { siblingOf, surelyShown } from '../criteria.ts';
import { type Candidate, candidatesIn } from '../example.ts';
import { SIBLING, TWIN } from '../samples.ts';
import { TEXTS } from '../texts.ts';
import type { RuleFinding, ToolRule } from '../types.ts';

/** How many examples are checked, since each takes compiling a schema; a description has a few. */
const MOST_JUDGED = 5;

const reasonOf = (schema: Json, value: JsonObject): { valid: boolean | 'unknown'; why: string } => {
  const found = validateArguments(schema, value);
  if (found.valid === true) return { valid: true, why: '' };
  if (found.valid === 'unknown') return { valid: 'unknown', why: found.why };
  return { valid: false, why: found.errors.map(({ text }) => text).join('; ') };
};

const judge = (candidates: readonly Candidate[], schema: Json): Omit<RuleFinding, 'path'> | undefined => {
  const judged = candidates.flatMap((one) => ('value' in one ? [one.value] : [])).slice(0, MOST_JUDGED);
  const [broken] = candidates.flatMap((one) => ('why' in one ? [one.why] : []));
  if (judged.length === 0) {
    return broken === undefined
      ? { message: 'the description holds no example payload' }
      : { message: `the example payload does not parse: ${quoteText(broken, 100)}` };
  }
  const reasons = judged.map((value) => reasonOf(schema, value));
  // Other objects in the text may be parts of a payload, so one valid example is enough.
  if (reasons.some(({ valid }) => valid === true)) return undefined;
  const unknown = reasons.find(({ valid }) => valid === 'unknown');
  if (unknown)
    return { kind: 'unknown', message: `whether the example payload is valid could not be told: ${unknown.why}` };
  const why = visible(reasons[0]?.why ?? '', { max: 400 });
  return { message: `the example payload is not valid under the sibling's schema: ${why}` };
};

export const rawTwinExample: ToolRule = {
  id: 'raw-twin-example',
  purpose:
    "The description of a twin holds an example payload that parses, is valid under the sibling's schema, and stands within the 4,096 characters that the client shows: callers copy it.",
  at: 'tool',
  governance: TEXTS.registration,
  find: (twin, list) => {
    const sibling = siblingOf(twin, list);
    if (sibling === undefined) return [];
    const { description = '' } = twin;
    const candidates = candidatesIn(description);
    const wrong = judge(candidates, sibling.inputSchema);
    if (wrong !== undefined) return [{ path: '/description', ...wrong }];
    const shown = surelyShown(description);
    if (shown === description) return [];
    const hidden = judge(candidatesIn(shown), sibling.inputSchema);
    if (hidden === undefined || hidden.kind === 'unknown') return [];
    const message = 'the example payload does not end within the 4,096 characters that the client shows';
    return [{ path: '/description', message }];
  },
  examples: [
    {
      what: 'none',
      tools: [SIBLING, { ...TWIN, description: 'payload: a title {string} and pinned' }],
      gives: ['error raw-twin-example save_raw /description'],
    },
    {
      what: 'not JSON',
      tools: [SIBLING, { ...TWIN, description: "title and pinned: {'title': 'x', pinned: true}" }],
      gives: ['error raw-twin-example save_raw /description'],
    },
    {
      what: 'not valid for the sibling',
      tools: [SIBLING, { ...TWIN, description: 'title and pinned: {"title": "x", "pinned": "yes"}' }],
      gives: ['error raw-twin-example save_raw /description'],
    },
    {
      what: 'valid: as it is, among parts and prose, as arguments of the twin, as a string of a program',
      tools: [
        SIBLING,
        { ...TWIN, description: 'For {who}: title and pinned, say {"pinned": true}. In full: {"title": "a } b"}' },
        { ...SIBLING, name: 'keep' },
        { ...TWIN, name: 'keep_raw', description: 'title, pinned: {"payload": "{\\"title\\": \\"x\\"}"}' },
        { ...SIBLING, name: 'hold' },
        { ...TWIN, name: 'hold_raw', description: 'title, pinned: payload = "{\\"title\\": \\"x\\"}"' },
      ],
      gives: [],
    },
    {
      what: 'a schema that cannot be judged by',
      tools: [
        {
          ...SIBLING,
          inputSchema: {
            type: 'object',
            properties: { title: { $ref: '#/$defs/absent' }, pinned: { type: 'boolean' } },
          },
        },
        TWIN,
      ],
      gives: ['note raw-twin-example save_raw /description'],
    },
    {
      what: 'where no client shows it',
      tools: [SIBLING, { ...TWIN, description: `title, pinned${' and so on'.repeat(500)}: {"title": "x"}` }],
      gives: ['error raw-twin-example save_raw /description'],
    },
  ],
};
