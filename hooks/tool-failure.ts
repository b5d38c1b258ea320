// PostToolUseFailure: says whether a failed tool has drifted, so that the model does not think it is broken.
import { readStdin } from '../scripts/guard/input.ts';
import { runHook } from '../scripts/guard/run-hook.ts';
import { afterFailure } from '../scripts/guard/tool-failed.ts';

runHook('PostToolUseFailure', (env) => afterFailure(readStdin(), env));
