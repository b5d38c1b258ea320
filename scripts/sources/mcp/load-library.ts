import type { ListKind } from '../../contract/types.ts';
import { type Deadline, type Unanswered, within } from '../deadline.ts';
import { LIST_KINDS } from './kept-session.ts';

/** What lists over MCP. Loaded only if needed: the library takes 60 ms. */
export const library = () => import('./list-over-mcp.ts');

/** Asks a server something that has to be answered within some ms, which do not begin before the library is loaded. */
export const inTime = async <T>(ms: number, question: (deadline: Deadline) => Promise<T>): Promise<T | Unanswered> => {
  await library();
  return within(ms, question);
};

/** Which lists are asked for. */
export const listsOf = (everything: boolean): readonly ListKind[] => (everything ? LIST_KINDS : ['tools']);
