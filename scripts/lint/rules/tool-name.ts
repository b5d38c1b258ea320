import { present } from '../../contract/defined.ts';
import type { ToolRule } from '../types.ts';

const LONGEST = 128;
/** Longest name that the oldest clients and the interfaces of other models accept. */
const LONGEST_EVERYWHERE = 64;

const named = (name: string) => ({ name, inputSchema: { type: 'object' } });

export const toolName: ToolRule = {
  id: 'tool-name',
  purpose:
    'The name of a tool has 1 to 128 characters of A-Z, a-z, 0-9, `_`, `-` and `.`, as MCP asks; clients refuse others, and some refuse more than 64.',
  at: 'tool',
  find: ({ name }) => {
    const length = Array.from(name).length;
    const strange = /[^A-Za-z0-9_.-]/u.test(name);
    return present([
      length > LONGEST && { path: '/name', message: `the name has ${length} characters; ${LONGEST} are allowed` },
      length > LONGEST_EVERYWHERE &&
        length <= LONGEST && {
          kind: 'long',
          path: '/name',
          message: `the name has ${length} characters; some clients take ${LONGEST_EVERYWHERE} at most`,
        },
      strange && { path: '/name', message: 'the name has characters outside A-Za-z0-9_-.' },
    ]);
  },
  examples: [
    { what: 'every character that is allowed', tools: [named('Notes.get_2-all')], gives: [] },
    {
      what: 'others',
      tools: [named('notes/get'), named('größe')],
      gives: ['error tool-name notes/get /name', 'error tool-name größe /name'],
    },
    { what: 'long', tools: [named('a'.repeat(65))], gives: [`warning tool-name ${'a'.repeat(65)} /name`] },
    { what: 'too long', tools: [named('a'.repeat(129))], gives: [`error tool-name ${'a'.repeat(129)} /name`] },
  ],
};
