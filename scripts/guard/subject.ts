import type { JsonObject } from '../contract/types.ts';
import { quoteName } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import type { Assessment } from './assessment.ts';
import type { OuterCall } from './invoker/outer-call.ts';

/** What a message is about. */
export interface Subject {
  /** The tool's own name. */
  tool: string;
  server: string;
  /** The client's name for the tool, up to the tool's own name: `mcp__server__`. Empty: tools are called by their own names. */
  prefix: string;
  args: JsonObject;
  /** Whether the server's prose may reach the model. */
  trusted: boolean;
  /** Whether a person at a terminal reads the question; else the model does. */
  attended: boolean;
  /** For a tool that is called through an invoker. */
  through?: OuterCall;
  /** Whether the call is stopped, or waits for a person's yes, for another reason. */
  held?: boolean;
  /** Set if the lockfile holds up calls of the live contract, too. */
  isUnapproved?: true;
  /** Set if no call of a changed tool goes through, whatever its form: mode strict. */
  isStrict?: true;
  /** Set if the transcript does not show the tool: what the client shows after a `/clear` is then not known either. */
  isUnseen?: true;
}

/** The subject of messages about a call. */
export const subjectOf = (
  input: { arguments: Record<string, unknown> },
  { facts, named, policy, through, trust }: Assessment,
  attended: boolean,
): Subject => ({
  tool: through?.tool ?? facts?.tool?.name ?? named.spelling,
  server: named.server,
  prefix: named.prefix,
  args: input.arguments as JsonObject,
  trusted: policy.trusted,
  attended,
  ...(through ? { through } : {}),
  ...(trust && trust.verdict !== 'notice' ? { isUnapproved: true } : {}),
  // Where the server is back at what the client shows, a call by that goes through.
  ...(policy.mode === 'strict' && facts?.tool?.belief.from !== 'told' ? { isStrict: true } : {}),
  ...(facts?.tool !== undefined && facts.tool.view === undefined ? { isUnseen: true } : {}),
});

/** The tool and its server, quoted: `tool` (server `server`). */
export const subjectText = ({ tool, server, through }: Subject): Shown =>
  say`${quoteName(tool)} (server ${quoteName(server)}${through ? say`, called through ${quoteName(through.name)}` : ''})`;
