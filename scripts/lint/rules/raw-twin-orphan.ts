import { quoteName } from '../../text/quote.ts';
import { isTwin, siblingName, siblingOf } from '../criteria.ts';
import { SIBLING, TWIN } from '../samples.ts';
import { TEXTS } from '../texts.ts';
import type { ToolRule } from '../types.ts';

export const rawTwinOrphan: ToolRule = {
  id: 'raw-twin-orphan',
  purpose:
    'A twin stands beside its sibling. Without it, it is unknown whether the documented payload is right: it was misnamed, or the sibling was retired, which a waiver can say.',
  at: 'tool',
  governance: TEXTS.migration,
  find: (tool, list) =>
    isTwin(tool) && siblingOf(tool, list) === undefined
      ? [{ message: `there is no ${quoteName(siblingName(tool))} that it is the twin of` }]
      : [],
  examples: [
    { what: 'the sibling is gone', tools: [TWIN], gives: ['warning raw-twin-orphan save_raw'] },
    { what: 'both are there', tools: [TWIN, SIBLING], gives: [] },
    {
      what: 'a tool that only ends like one',
      tools: [{ name: 'draw_raw', inputSchema: { type: 'object', properties: { file: { type: 'string' } } } }],
      gives: [],
    },
  ],
};
