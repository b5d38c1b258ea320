import type { LoadedConfig } from '../../config/config.ts';
import { defined } from '../../contract/defined.ts';
import { type Contract, isObject, own } from '../../contract/types.ts';
import { invokerByShape } from './shape.ts';
import type { Invoker } from './types.ts';

const setting = <T>(invokers: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(invokers, name) ? invokers[name] : undefined;

/**
 * How a tool works as an invoker; undefined if it is no invoker. The user's settings decide, else its contract, else the
 * project's file: that can name more invokers, but cannot hide one from the guard.
 * @param toolName the client's name for it
 * @param contract the live contract, or the model view; undefined if neither is known
 */
export const invokerOf = (
  { user, project }: Pick<LoadedConfig, 'user' | 'project'>,
  toolName: string,
  contract: Contract | undefined,
): Invoker | undefined => {
  const users = setting(user.invokers, toolName);
  if (users === false) return undefined;
  const shape = contract && invokerByShape(contract);
  const configured = users ?? (shape ? undefined : setting(project.invokers, toolName));
  if (configured === undefined) return shape;
  const properties = own(contract?.inputSchema, 'properties');
  const names = isObject(properties) ? Object.keys(properties) : [];
  const { server, tool } = configured;
  const given = configured.arguments;
  const schema = own(properties, given);
  return {
    ...defined({ server }),
    tool,
    arguments: given,
    ...(schema === undefined ? {} : { asText: own(schema, 'type') === 'string' }),
    others: names.filter((name) => name !== server && name !== tool && name !== given),
    sure: true,
  };
};
