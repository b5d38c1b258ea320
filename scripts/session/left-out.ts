import { join } from 'node:path';
import { leavesOut } from '../servers/discover.ts';
import { PLUGIN_GUARD } from '../servers/own-guard.ts';
import type { System } from '../servers/system.ts';
import { claudeHome, homeOf } from '../state/paths.ts';
import { shellWord } from '../text/shell-word.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import type { Start } from './start.ts';

/**
 * The message if the client does not start the guard that its hooks ask: then it sends no MCP call, and says only that the
 * guard is not connected. Undefined if it does, or if a process for each call judges.
 */
export const tellLeftOut = (
  { project, env, client }: Pick<Start, 'project' | 'env' | 'client'>,
  system?: System,
): Shown | undefined => {
  const root = env.CLAUDE_PLUGIN_ROOT;
  const place = { project, home: homeOf(env), claudeHome: claudeHome(env), env, client };
  if (root === undefined || !leavesOut(PLUGIN_GUARD, place, system)) return undefined;
  const guard = { command: 'node', args: [join(root, 'dist/resident.cjs')] };
  const option = shellWord(JSON.stringify({ mcpServers: { [PLUGIN_GUARD]: guard } }));
  return say`konnichiwagwan: --strict-mcp-config keeps Claude Code from starting the guard, and without it no MCP call is sent. A person can start Claude Code with this as well: --mcp-config ${visible(option, { max: 1_000 })}`;
};
