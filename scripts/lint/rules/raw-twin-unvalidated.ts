import { quoteName } from '../../text/quote.ts';
import { twinOf, validates } from '../criteria.ts';
import { SIBLING, TWIN } from '../samples.ts';
import { TEXTS } from '../texts.ts';
import type { ToolRule } from '../types.ts';

export const rawTwinUnvalidated: ToolRule = {
  id: 'raw-twin-unvalidated',
  purpose:
    'A tool whose endpoint does not validate has no twin: the flat schema was the only check. Said only where a gateway says that the endpoint does not validate.',
  at: 'tool',
  governance: TEXTS.criteria,
  find: (tool, list) => {
    const twin = twinOf(tool, list);
    return twin !== undefined && validates(tool, list) === false
      ? [{ message: `has the twin ${quoteName(twin.name)}, and an endpoint that does not validate` }]
      : [];
  },
  examples: [
    {
      what: 'the gateway says that nothing validates',
      tools: [{ ...SIBLING, validated: false }, TWIN],
      gives: ['error raw-twin-unvalidated save'],
    },
  ],
};
