import type { LoadedConfig } from '../../config/config.ts';
import { defined } from '../../contract/defined.ts';
import { spelled, waysToRead } from '../../contract/names.ts';
import type { Contract, JsonObject } from '../../contract/types.ts';
import type { Called } from '../../state/activity.ts';
import { readInnerCall } from './read-call.ts';
import { invokerOf } from './recognise.ts';
import { invokerByCall, saysSo } from './shape.ts';
import { waysTo } from './ways.ts';

const LONGEST_NAME = 200;

type NamedInvokers = Pick<LoadedConfig, 'user' | 'project'>;

const ownNames = (toolName: string): string[] => waysToRead(toolName, undefined).map(({ spelling }) => spelling);

/** Whether a call of this tool may be one of another tool, as far as its name and the settings tell. */
export const mayInvoke = ({ user, project }: NamedInvokers, toolName: string): boolean => {
  if (Object.hasOwn(user.invokers, toolName)) return user.invokers[toolName] !== false;
  return Object.hasOwn(project.invokers, toolName) || ownNames(toolName).some(saysSo);
};

/**
 * Which tool is called behind a call. Null: none, for certain. Undefined: the tool is called like a generic invoker, and
 * nothing tells whether it is one, and of what.
 * @param toolName the client's name for the tool that is called
 * @param contract its contract; absent if unknown
 * @param servers names of the servers that are known
 */
export const calledBehind = (
  settings: NamedInvokers,
  toolName: string,
  args: JsonObject,
  contract: Contract | undefined,
  servers: readonly string[],
): Called | null | undefined => {
  const known = invokerOf(settings, toolName, contract);
  if (known === undefined && (contract !== undefined || !mayInvoke(settings, toolName))) return null;
  const invoker = known ?? invokerByCall(args);
  const call = invoker && readInnerCall(invoker, args);
  if (call === undefined) return known === undefined ? undefined : null;
  const { server, plain } = waysTo(call, '', servers);
  const name = plain[0]?.spelling ?? call.tool;
  // `mcp__server__tool` of a server that is unknown here.
  const [way] = server === undefined && name.startsWith('mcp__') ? waysToRead(name, undefined) : [];
  const [owner, tool] = [way?.server ?? server, spelled(way?.spelling ?? name)];
  if (tool.length > LONGEST_NAME) return undefined;
  return { ...defined({ server: owner === undefined ? undefined : spelled(owner).slice(0, LONGEST_NAME) }), tool };
};
