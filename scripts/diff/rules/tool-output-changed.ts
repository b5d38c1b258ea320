import { sameJson } from '../../contract/same.ts';
import { isSubset } from '../../proof/subset.ts';
import { say } from '../../text/shown.ts';
import type { Finding, Rule, ToolPair } from '../types.ts';

const kindOf = ({ before, after }: ToolPair): keyof typeof MESSAGES => {
  if (before.outputSchema === undefined) return 'promised';
  if (after.outputSchema === undefined) return 'unpromised';
  // The reverse of inputs: every result that the tool gives now must be one that its caller was promised.
  return isSubset(after.outputSchema, before.outputSchema) ? 'kept' : 'broken';
};

const MESSAGES = {
  promised: 'the form of its results is promised now',
  unpromised: 'the form of its results is no longer promised',
  kept: 'the form of its results changed; what was promised is kept',
  broken: 'the form of its results changed; something that was promised may be missing or different',
} as const;

export const toolOutputChanged: Rule<ToolPair> = {
  id: 'tool-output-changed',
  purpose: 'What the tool promises about its results changed. The direction is reversed: what callers rely on may go.',
  at: 'tool',
  keywords: ['outputSchema'],
  find: (pair): Finding[] => {
    const { before, after } = pair;
    if (sameJson(before.outputSchema, after.outputSchema)) return [];
    const kind = kindOf(pair);
    return [
      {
        kind,
        path: '/outputSchema',
        message: say`${MESSAGES[kind]}`,
        before: before.outputSchema,
        after: after.outputSchema,
      },
    ];
  },
  examples: [
    {
      what: 'a promise where there was none',
      before: { name: 'a', inputSchema: { type: 'object' } },
      after: { name: 'a', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } },
      gives: ['compatible tool-output-changed /outputSchema, quiet'],
    },
    {
      what: 'the promise is gone',
      before: { name: 'a', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } },
      after: { name: 'a', inputSchema: { type: 'object' } },
      gives: ['breaking tool-output-changed /outputSchema'],
    },
    {
      what: 'one more field that is always there',
      before: { name: 'a', inputSchema: {}, outputSchema: { type: 'object', required: ['id'] } },
      after: { name: 'a', inputSchema: {}, outputSchema: { type: 'object', required: ['id', 'name'] } },
      gives: ['compatible tool-output-changed /outputSchema, quiet'],
    },
    {
      what: 'a field that is no longer always there',
      before: { name: 'a', inputSchema: {}, outputSchema: { type: 'object', required: ['id'] } },
      after: { name: 'a', inputSchema: {}, outputSchema: { type: 'object' } },
      gives: ['breaking tool-output-changed /outputSchema'],
    },
  ],
};
