import { CommandError } from '../command/command.ts';
import { isObject, type Json, type JsonObject } from '../contract/types.ts';
import { quoteName } from '../text/quote.ts';

const HINT = '{"deploy.rollback": "undo_deploy", "login": null}: null for a command that has no tool on purpose';

/**
 * Reads a map from commands to tools.
 * @throws CommandError
 */
export const readMap = (value: Json): Map<string, string | null> => {
  if (!isObject(value)) throw new CommandError('not-a-map', 'the map must be an object', HINT);
  const map = new Map<string, string | null>();
  const tools = new Map<string, string>();
  for (const [command, tool] of Object.entries(value as JsonObject)) {
    if (tool !== null && (typeof tool !== 'string' || tool === ''))
      throw new CommandError('not-a-map', `the map's ${quoteName(command)} must be the name of a tool, or null`, HINT);
    const other = tool === null ? undefined : tools.get(tool);
    if (other !== undefined) {
      const both = `${quoteName(other)} and ${quoteName(command)}`;
      throw new CommandError(
        'not-a-map',
        `the map gives ${both} one tool: they would be compared with each other`,
        HINT,
      );
    }
    map.set(command, tool);
    if (tool !== null) tools.set(tool, command);
  }
  return map;
};
