import { own } from '../../contract/types.ts';
import { say } from '../../text/shown.ts';
import type { Rule, ToolPair } from '../types.ts';

const isRequired = (extra: ToolPair['before']['extra']): boolean =>
  own(own(extra, 'execution'), 'taskSupport') === 'required';

export const toolTaskRequired: Rule<ToolPair> = {
  id: 'tool-task-required',
  purpose:
    'The tool runs as a task only, or no longer does. Since the revision 2025-11-25 a server refuses a plain call of such a tool.',
  at: 'tool',
  keywords: [],
  find: ({ before, after }) => {
    const [had, has] = [isRequired(before.extra), isRequired(after.extra)];
    if (had === has) return [];
    return [
      {
        kind: has ? 'required' : 'free',
        path: '/execution/taskSupport',
        message: has ? say`runs as a task only: a plain call is refused` : say`may be called without a task`,
        before: own(own(before.extra, 'execution'), 'taskSupport'),
        after: own(own(after.extra, 'execution'), 'taskSupport'),
      },
    ];
  },
  examples: [
    {
      what: 'a plain call is refused from now on',
      before: { name: 'a', inputSchema: { type: 'object' }, extra: { execution: { taskSupport: 'optional' } } },
      after: { name: 'a', inputSchema: { type: 'object' }, extra: { execution: { taskSupport: 'required' } } },
      gives: ['breaking tool-task-required /execution/taskSupport'],
    },
    {
      what: 'a plain call is taken again',
      before: { name: 'a', inputSchema: { type: 'object' }, extra: { execution: { taskSupport: 'required' } } },
      after: { name: 'a', inputSchema: { type: 'object' } },
      gives: ['compatible tool-task-required /execution/taskSupport'],
    },
    {
      what: 'the default, no longer said, is no change',
      before: { name: 'a', inputSchema: { type: 'object' }, extra: { execution: { taskSupport: 'forbidden' } } },
      after: { name: 'a', inputSchema: { type: 'object' } },
      gives: [],
    },
  ],
};
