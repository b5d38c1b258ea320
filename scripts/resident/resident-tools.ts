import { BadInput, INPUT_LIMIT } from '../guard/input.ts';
import { lookUpLine } from '../servers/client-line.ts';
import { isDirect } from './hook-fields.ts';
import { keepShared } from './keep-shared.ts';
import { ResidentGuard } from './resident-guard.ts';
import type { ResidentProcess, Tools } from './serve.ts';

/** The answer to a model that calls the hook's tool. */
const DIRECT = 'This tool is for a hook of Claude Code. Nothing was checked, and nothing was changed.';

/** The tools of the resident guard, with all that they need loaded. */
export const openTools = ({ env: given, ppid }: Pick<ResidentProcess, 'env' | 'ppid'>): Tools => {
  // Neither this process nor its hooks are told the client's process id: it is the parent.
  given.CLAUDE_PID ||= String(ppid);
  lookUpLine(Number(given.CLAUDE_PID));
  const env = { ...given };
  const guard = new ResidentGuard(env);
  keepShared(env);
  return {
    call: async (name, args, meta) => {
      if (name !== 'check') return guard.contract(args.tool);
      return isDirect(args, meta) ? DIRECT : JSON.stringify(await guard.answer(args));
    },
    failed: (error, name, args) => {
      if (name !== 'check') return 'konnichiwagwan could not read the contract, for an error of its own.';
      const cause = error === 'too large' ? new BadInput(`the hook input is larger than ${INPUT_LIMIT} bytes`) : error;
      return JSON.stringify(guard.failed(cause, args));
    },
    cancelled: (name, args, meta) => {
      if (name === 'check' && !isDirect(args, meta)) guard.cancelled(args);
    },
    close: () => guard.close(),
  };
};
