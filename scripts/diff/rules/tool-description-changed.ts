import type { Contract } from '../../contract/types.ts';
import { quoteText, quoteValue } from '../../text/quote.ts';
import { type Shown, say } from '../../text/shown.ts';
import { clarifies } from '../clarify.ts';
import type { Rule, ToolPair } from '../types.ts';

const LONGEST = 80;
/** As much of what stayed the same is shown before what did not. */
const BEFORE = 20;

/** Old and new from their beginnings; from where they differ, if that is not among what is shown of them. */
const shownChange = (before: string | undefined, after: string | undefined): Shown => {
  const [old, now] = [quoteValue(before, LONGEST), quoteValue(after, LONGEST)];
  if (old !== now || before === undefined || after === undefined) return say`${old} → ${now}`;
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  const from = Math.max(0, at - BEFORE);
  return say`… ${quoteText(before.slice(from), LONGEST)} → … ${quoteText(after.slice(from), LONGEST)}`;
};

const isPlainer = (before: Contract, after: Contract): boolean =>
  before.description !== undefined &&
  after.description !== undefined &&
  clarifies(before.description, after.description, {
    names: [before.name],
    parameters: JSON.stringify(before.inputSchema),
  });

export const toolDescriptionChanged: Rule<ToolPair> = {
  id: 'tool-description-changed',
  purpose: 'The words that tell the model what the tool does changed.',
  at: 'tool',
  keywords: ['description'],
  find: ({ before, after }) =>
    before.description === after.description
      ? []
      : [
          {
            kind: isPlainer(before, after) ? 'plainer' : 'words',
            path: '/description',
            message: say`description changed: ${shownChange(before.description, after.description)}`,
            brief: say`the description changed`,
            before: before.description,
            after: after.description,
          },
        ],
  examples: [
    {
      what: 'the tool now does more',
      before: { name: 'a', description: 'Lists files.', inputSchema: { type: 'object' } },
      after: { name: 'a', description: 'Lists and deletes files.', inputSchema: { type: 'object' } },
      gives: ['tool-description-changed /description'],
    },
    {
      what: 'the same words, and some that the tool was known by',
      before: { name: 'list_files', description: 'Lists all files', inputSchema: { type: 'object' } },
      after: {
        name: 'list_files',
        description: 'Lists all files (for a list of files).',
        inputSchema: { type: 'object' },
      },
      gives: ['tool-description-changed /description'],
    },
  ],
};
