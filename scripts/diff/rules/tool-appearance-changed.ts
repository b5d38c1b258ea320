import { sameJson } from '../../contract/same.ts';
import { own } from '../../contract/types.ts';
import { say } from '../../text/shown.ts';
import type { Rule, ToolPair } from '../types.ts';

/** Fields besides the contract that mean something to people or programs; others, such as `execution`, are noise. */
const FIELDS = ['icons', '_meta'] as const;

export const toolAppearanceChanged: Rule<ToolPair> = {
  id: 'tool-appearance-changed',
  purpose: 'Icons or metadata of the tool changed. It is reported, and no call is judged by it.',
  at: 'tool',
  keywords: [],
  find: ({ before, after }) =>
    FIELDS.filter((field) => !sameJson(own(before.extra, field), own(after.extra, field))).map((field) => ({
      path: `/${field}`,
      message: say`${field} changed`,
      before: own(before.extra, field),
      after: own(after.extra, field),
    })),
  examples: [
    {
      what: 'another icon',
      before: { name: 'a', inputSchema: { type: 'object' }, extra: { icons: [{ src: 'a.png' }] } },
      after: { name: 'a', inputSchema: { type: 'object' }, extra: { icons: [{ src: 'b.png' }] } },
      gives: ['compatible tool-appearance-changed /icons'],
    },
    {
      what: 'how a tool may be run is no part of its contract',
      before: { name: 'a', inputSchema: { type: 'object' }, extra: { execution: { taskSupport: 'optional' } } },
      after: { name: 'a', inputSchema: { type: 'object' } },
      gives: [],
    },
  ],
};
