import { quoteName, quoteText } from '../../text/quote.ts';
import { twinOf } from '../criteria.ts';
import { SIBLING, TWIN } from '../samples.ts';
import { TEXTS } from '../texts.ts';
import type { ToolRule } from '../types.ts';

/** Whether a tool is marked as deprecated: by a field, at the start of its description, or in capitals. */
const isDeprecated = (description: string, said: unknown): boolean =>
  said === true || /^\W{0,20}deprecated\b/i.test(description) || /\bDEPRECATED\b/.test(description);

export const deprecationWording: ToolRule = {
  id: 'deprecation-wording',
  purpose:
    'A tool that is deprecated in favour of its twin says so word for word, `DEPRECATED — use X for new work`, so that callers find the way and programs find the tool.',
  at: 'tool',
  governance: TEXTS.migration,
  find: (tool, list) => {
    const twin = twinOf(tool, list);
    const { description = '' } = tool;
    if (twin === undefined || !isDeprecated(description, tool.extra?.deprecated)) return [];
    const wanted = `DEPRECATED — use ${twin.name} for new work`;
    if (description.includes(wanted)) return [];
    const other = /DEPRECATED — use (\S{1,64}) for new work/u.exec(description)?.[1];
    const message =
      other === undefined
        ? `is deprecated, and does not say ${quoteText(wanted, 200)}`
        : `points to ${quoteName(other)}, and its twin is ${quoteName(twin.name)}`;
    return [{ path: '/description', message }];
  },
  examples: [
    {
      what: 'word for word',
      tools: [{ ...SIBLING, description: 'DEPRECATED — use save_raw for new work. Saves.' }, TWIN],
      gives: [],
    },
    {
      what: 'in other words',
      tools: [{ ...SIBLING, description: 'Deprecated: use save_raw instead.' }, TWIN],
      gives: ['error deprecation-wording save /description'],
    },
    {
      what: 'another tool',
      tools: [{ ...SIBLING, description: 'DEPRECATED — use keep_raw for new work. Saves.' }, TWIN],
      gives: ['error deprecation-wording save /description'],
    },
    {
      what: 'no deprecation, or none that a twin replaces',
      tools: [
        { ...SIBLING, description: 'Saves. The field old_title is deprecated.' },
        TWIN,
        { name: 'read', description: 'DEPRECATED: Use look instead.', inputSchema: { type: 'object' } },
      ],
      gives: [],
    },
  ],
};
