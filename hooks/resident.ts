// The resident guard: an MCP server that Claude Code starts with a session and calls from its hooks (type `mcp_tool`). It
// judges calls as the command hook does, and need not be started for each of them.
import { serve } from '../scripts/resident/serve.ts';

serve(async () => {
  (await import('../scripts/state/compile-cache.ts')).cacheCompiled();
  const { openTools } = await import('../scripts/resident/resident-tools.ts');
  return openTools(process);
}, process);
