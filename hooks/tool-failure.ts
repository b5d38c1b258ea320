// PostToolUseFailure: says of a tool that failed whether it has drifted, so that nobody takes it for broken.
import { readStdin } from '../scripts/guard/input.ts';
import { runHook } from '../scripts/guard/run-hook.ts';
import { afterFailure } from '../scripts/guard/tool-failed.ts';

runHook('PostToolUseFailure', (env) => afterFailure(readStdin(), env));
