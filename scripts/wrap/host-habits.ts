// What a host adds to calls by itself, so that it is nobody's belief.

import { isObject } from '../contract/types.ts';
import type { Message } from './message.ts';

/** A parameter of the host's own: Gemini CLI adds it to every tool, and sends it on to the server, which does not know it. */
interface Added {
  host: string;
  parameter: string;
  /** Where it stands as a member of an object: never inside of a text, where quotes are escaped. */
  member: RegExp;
}

const ADDED: readonly Added[] = [
  {
    host: 'gemini-cli-mcp-client',
    parameter: 'wait_for_previous',
    member: /,\s*"wait_for_previous"\s*:\s*(?:true|false)|"wait_for_previous"\s*:\s*(?:true|false)\s*,?/g,
  },
];

interface Call {
  line: Buffer;
  message: Message;
}

/**
 * A call without what the host added to it; the same where it added nothing, or where nobody can tell.
 * @param served all contracts of the tool that the host was given: one of them may have the parameter itself
 */
export const withoutAdded = (call: Call, host: string | undefined, served: readonly string[]): Call => {
  const added = host === undefined ? undefined : ADDED.find((one) => one.host === host);
  const { line, message } = call;
  const args = message.params.arguments;
  if (added === undefined || !isObject(args) || !Object.hasOwn(args, added.parameter)) return call;
  if (served.some((contract) => contract.includes(`"${added.parameter}"`))) return call;
  const text = line.toString('utf8');
  if (text.match(added.member)?.length !== 1) return call;
  const { [added.parameter]: _, ...rest } = args;
  return {
    line: Buffer.from(text.replace(added.member, '')),
    message: { ...message, params: { ...message.params, arguments: rest } },
  };
};
