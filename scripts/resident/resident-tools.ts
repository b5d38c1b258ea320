import { BadInput, INPUT_LIMIT } from '../guard/input.ts';
import { answerOf, failureOf, isDirect } from './check.ts';
import type { Tools } from './serve.ts';

/** What the model gets that calls the hook's tool. */
const DIRECT = 'This tool is for a hook of Claude Code. Nothing was checked, and nothing was changed.';

/** The tools of the resident guard, with all that they need loaded. */
export const openTools = (): Tools => {
  // Neither this process nor its hooks are told the client's process id: it is the parent.
  process.env.CLAUDE_PID ||= String(process.ppid);
  const given = { ...process.env };
  return {
    call: async (name, args, meta) => {
      if (name !== 'check') return 'Not available yet.';
      if (isDirect(args, meta)) return DIRECT;
      return JSON.stringify(await answerOf(args, given));
    },
    failed: (error, name, args) => {
      if (name !== 'check') return 'konnichiwagwan could not read the contract, for an error of its own.';
      const cause = error === 'too large' ? new BadInput(`the hook input is larger than ${INPUT_LIMIT} bytes`) : error;
      return JSON.stringify(failureOf(cause, args, given));
    },
    close: async () => {},
  };
};
