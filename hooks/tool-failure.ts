// PostToolUseFailure: an error of a tool that has drifted is named as drift, so that nobody takes the tool for broken.
import { assess } from '../scripts/assess.ts';
import type { JsonObject } from '../scripts/contract/types.ts';
import { runHook } from '../scripts/hook/failure.ts';
import { readStdin, readToolInput } from '../scripts/hook/input.ts';
import { firstTime } from '../scripts/state/markers.ts';
import { stateHome } from '../scripts/state/paths.ts';
import { failureContext } from '../scripts/text/messages.ts';
import { transcriptOf } from '../scripts/view/records.ts';

/** What servers say when arguments do not fit. */
const LOOKS_LIKE_DRIFT =
  /-3260[12]|invalid (?:param|argument|input|type|enum|value|union)|unknown (?:option|param|argument|tool|field|property)|unrecognized|unexpected (?:field|key|param|argument|property|keyword)|not (?:was )?provided|was not provided|missing|required|must (?:have|be|match)|validation|not found|undefined/i;

runHook('PostToolUseFailure', async () => {
  const { env } = process;
  const input = readToolInput(readStdin());
  if (!LOOKS_LIKE_DRIFT.test((input.error ?? '').slice(0, 20_000))) return {};
  const home = stateHome(env);
  const found = await assess(input, transcriptOf(input), {
    home,
    project: env.CLAUDE_PROJECT_DIR || input.cwd,
    env,
    settled: () => false,
    // The call that failed may be what a release of this very second looks like.
    since: Date.now(),
    force: true,
  });
  const { judgement, tool, named, policy } = found;
  if (!judgement || judgement.changes.length === 0 || tool === undefined) return {};
  const subject = {
    tool,
    server: named.server,
    prefix: named.prefix,
    args: input.arguments as JsonObject,
    trusted: policy.trusted,
    attended: false,
  };
  const context = failureContext(judgement, subject);
  const first = firstTime(home, input.session, 'failure', context);
  return {
    context,
    ...(first
      ? {
          systemMessage: `konnichiwagwan: the error of ${input.toolName} looks like drift; Claude was told what changed.`,
        }
      : {}),
  };
});
