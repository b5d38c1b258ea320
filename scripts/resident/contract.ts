// Shows a tool's current contract to a model whose call was stopped and that wants more than the message said.
import { withoutProse } from '../contract/prose.ts';
import { signature } from '../contract/signature.ts';
import type { JsonObject } from '../contract/types.ts';
import { assess } from '../guard/assess.ts';
import { liveContract } from '../guard/assessment.ts';
import type { CallPlace } from '../guard/fast-path.ts';
import type { ToolInput } from '../guard/input.ts';
import { TOOL_NAME } from '../state/client-names.ts';
import { quoteName, quoteText } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible, visibleJson } from '../text/visible.ts';

const LONGEST_SCHEMA = 8_000;
const LONGEST_WORDS = 2_000;

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

const hintsOf = (annotations: JsonObject | undefined): Shown[] => {
  const given = HINTS.filter((hint) => typeof annotations?.[hint] === 'boolean');
  return given.length === 0
    ? []
    : [say`Hints: ${visible(given.map((hint) => `${hint} ${annotations?.[hint]}`).join(', '))}.`];
};

/** The current contract of a tool, by the name that the client gives it; bounded and quoted. */
export const contractText = async (toolName: unknown, session: string, around: CallPlace): Promise<Shown> => {
  if (typeof toolName !== 'string' || !TOOL_NAME.test(toolName))
    return say`Give the name by which the tool is called, as in mcp__server__tool.`;
  const input: ToolInput = {
    session,
    transcript: '',
    cwd: around.project,
    event: 'PreToolUse',
    toolName,
    arguments: {},
    toolUseId: '',
  };
  const found = await assess(input, '', { ...around, settled: () => false, force: true });
  const contract = liveContract(found);
  if (found.verdict === 'off') return say`konnichiwagwan is switched off for this server.`;
  if (contract === undefined) {
    const why = 'why' in found && found.why ? say`: ${visible(found.why, { max: 300 })}` : say``;
    return found.facts && found.verdict === 'judged'
      ? say`${quoteName(toolName)} is gone: its server lists no such tool now.`
      : say`The contract of ${quoteName(toolName)} could not be read${why}.`;
  }
  const { trusted } = found.policy;
  const schema = JSON.stringify(trusted ? contract.inputSchema : withoutProse(contract.inputSchema));
  const fits = schema.length <= LONGEST_SCHEMA;
  return joined(
    [
      say`${quoteName(contract.name)} of server ${quoteName(found.named.server)}, asked just now: ${signature(contract)}`,
      ...(trusted && contract.description
        ? [say`Its description: ${quoteText(contract.description, LONGEST_WORDS)}`]
        : []),
      fits ? say`Its input schema: ${visibleJson(schema)}` : say`Its input schema is too long to be shown here.`,
      ...hintsOf(contract.annotations),
      ...(trusted ? [] : [say`Words of this server are left out, because the user has not marked it as trusted.`]),
    ],
    '\n',
  );
};
