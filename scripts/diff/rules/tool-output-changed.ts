import { sameJson } from '../../contract/same.ts';
import { isSubset } from '../../proof/subset.ts';
import { quoteNames } from '../../text/quote.ts';
import { type Shown, say } from '../../text/shown.ts';
import { changesInResults } from '../results.ts';
import type { Finding, Rule, ToolPair } from '../types.ts';

type Stated = Pick<Finding, 'kind' | 'brief'> & { message: Shown };

/** What changed of what no validator checks, though every result is still one that was promised. */
const toldOf = ({ before, after }: ToolPair): Stated[] => {
  const { unnamed, reworded } = changesInResults(after.name, before.outputSchema ?? true, after.outputSchema ?? true);
  const found: Stated[] = [];
  if (unnamed.length > 0)
    found.push({ kind: 'unnamed', message: say`the form of its results no longer names ${quoteNames(unnamed)}` });
  const [first, ...others] = reworded;
  if (first) {
    const what = say`what is said about its results changed`;
    const more = others.length === 0 ? say`` : say`; and ${others.length} more`;
    found.push({
      kind: 'reworded',
      message: say`${what}${first.message}${more}`,
      brief: say`${what}${first.brief}${more}`,
    });
  }
  return found;
};

const findingsIn = (pair: ToolPair): Stated[] => {
  const { before, after } = pair;
  if (before.outputSchema === undefined)
    return [{ kind: 'promised', message: say`the form of its results is promised now` }];
  if (after.outputSchema === undefined)
    return [{ kind: 'unpromised', message: say`the form of its results is no longer promised` }];
  // The reverse of inputs: every result that the tool gives now must be one that its caller was promised.
  if (!isSubset(after.outputSchema, before.outputSchema)) {
    const message = say`the form of its results changed; something that was promised may be missing or different`;
    return [{ kind: 'broken', message }];
  }
  const told = toldOf(pair);
  if (told.length > 0) return told;
  return [{ kind: 'kept', message: say`the form of its results changed; what was promised is kept` }];
};

export const toolOutputChanged: Rule<ToolPair> = {
  id: 'tool-output-changed',
  purpose: 'What the tool promises about its results changed. The direction is reversed: what callers rely on may go.',
  at: 'tool',
  keywords: ['outputSchema'],
  find: (pair): Finding[] => {
    const { before, after } = pair;
    if (sameJson(before.outputSchema, after.outputSchema)) return [];
    return findingsIn(pair).map((finding) => ({
      ...finding,
      path: '/outputSchema',
      before: before.outputSchema,
      after: after.outputSchema,
    }));
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
    {
      what: 'the same number in another unit',
      before: {
        name: 'a',
        inputSchema: {},
        outputSchema: { type: 'object', properties: { wait: { type: 'integer', description: 'in seconds' } } },
      },
      after: {
        name: 'a',
        inputSchema: {},
        outputSchema: { type: 'object', properties: { wait: { type: 'integer', description: 'in milliseconds' } } },
      },
      gives: ['semantic tool-output-changed /outputSchema'],
    },
    {
      what: 'a field that is no longer declared',
      before: {
        name: 'a',
        inputSchema: {},
        outputSchema: { type: 'object', properties: { id: { type: 'string' }, owner: { type: 'string' } } },
      },
      after: { name: 'a', inputSchema: {}, outputSchema: { type: 'object', properties: { id: { type: 'string' } } } },
      gives: ['silent tool-output-changed /outputSchema'],
    },
  ],
};
