// Parameters that hosts add themselves; the model never saw them.
import { own as field, isObject } from '../contract/types.ts';
import type { Message } from './message.ts';

/** A parameter of the host's own: Gemini CLI adds it to every tool, and sends it on to the server, which does not know it. */
interface Added {
  host: string;
  parameter: string;
  /** Finds it as a member of an object. Inside of a text quotes are escaped, so it is not found there. */
  member: RegExp;
}

const ADDED: readonly Added[] = [
  {
    host: 'gemini-cli-mcp-client',
    parameter: 'wait_for_previous',
    member: /,\s*"wait_for_previous"\s*:\s*(?:true|false)|"wait_for_previous"\s*:\s*(?:true|false)\s*,?/g,
  },
];

/**
 * The line of a call without what the host added to it, and so its message; the same where it added nothing, or where
 * that is unknown.
 * @param served all contracts of the tool that the host was given: one of them may have the parameter itself
 */
export const withoutAdded = (
  line: Buffer,
  { params }: Message,
  host: string | undefined,
  served: readonly string[],
): Buffer => {
  const added = host === undefined ? undefined : ADDED.find((one) => one.host === host);
  const args = params.arguments;
  if (added === undefined || !isObject(args) || typeof field(args, added.parameter) !== 'boolean') return line;
  if (served.some((contract) => contract.includes(`"${added.parameter}"`))) return line;
  const text = line.toString('utf8');
  if (text.match(added.member)?.length !== 1) return line;
  const { [added.parameter]: _, ...rest } = args;
  params.arguments = rest;
  return Buffer.from(text.replace(added.member, ''));
};

/** What the host calls itself: where a connection begins, or in each request of the protocol's newer revision. */
export const hostIn = ({ method, params }: Message): string | undefined => {
  const told = method === 'initialize' ? params.clientInfo : field(params._meta, 'io.modelcontextprotocol/clientInfo');
  const name = field(told, 'name');
  return typeof name === 'string' ? name : undefined;
};
