import type { LoadedConfig } from '../../config/config.ts';
import { defined } from '../../contract/defined.ts';
import { type Contract, isObject, own } from '../../contract/types.ts';
import { invokerByShape } from './shape.ts';
import type { Invoker } from './types.ts';

const setting = <T>(invokers: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(invokers, name) ? invokers[name] : undefined;

/**
 * Whether a tool is a generic invoker: as the user says, as its contract shows, or as the project says, in this order: a
 * project's file can name more invokers, and cannot turn the guard's eyes away from one.
 * @param toolName the client's name for it
 * @param contract as its server runs it, or as the model sees it; absent where neither is known
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
