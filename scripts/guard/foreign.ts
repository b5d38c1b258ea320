/** The hook was started by another program than Claude Code, which read its hook files: no call of ours to judge. */
export class ForeignHost extends Error {}

/**
 * Whether a hook's input comes from another program that reads Claude Code's hook files by itself: VS Code writes names
 * in camelCase, Codex numbers turns, Cursor names its version, and Copilot dates its events and knows no permission mode.
 */
export const isForeign = (input: Record<string, unknown>, env: NodeJS.ProcessEnv): boolean => {
  const has = (name: string): boolean => Object.hasOwn(input, name);
  // Claude Code says itself which session is its own; whatever it may write into its input one day, it is not foreign.
  if (has('session_id') && env.CLAUDE_CODE_SESSION_ID === input.session_id) return false;
  return (
    has('turn_id') ||
    has('cursor_version') ||
    (has('sessionId') && (has('hookEventName') || has('toolName'))) ||
    (has('timestamp') && !has('permission_mode'))
  );
};
