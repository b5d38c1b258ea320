// Resources and prompts: before one is read, after a list was shown, when a prompt is typed. A hook of its own, so that no call
// of a tool waits for it.
import { readStdin } from '../scripts/guard/input.ts';
import { ofOffers } from '../scripts/guard/offers/answer-offers.ts';
import { runHook } from '../scripts/guard/run-hook.ts';

runHook('PreToolUse', (env, run) => ofOffers(readStdin(), env, run));
