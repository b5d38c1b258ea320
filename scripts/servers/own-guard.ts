/** The resident guard's name as a plugin's. */
export const PLUGIN_GUARD = 'plugin:konnichiwagwan:guard';

/** The resident guard's name in a project's `.mcp.json`. */
export const GUARD_SERVER = 'konnichiwagwan-guard';

/** How it is started. The path is relative: Claude Code starts servers in the project's folder. */
export const GUARD_ENTRY = {
  command: 'node',
  args: ['--max-semi-space-size=2', '--max-old-space-size=1024', '.claude/skills/konnichiwagwan/program/resident.cjs'],
};

/** Whether an entry of a configuration is our guard, as a project's installation writes it. */
export const isGuardServer = (name: string, entry: unknown): boolean => {
  const { command, args } = (entry ?? {}) as { command?: unknown; args?: unknown };
  return (
    name === GUARD_SERVER &&
    command === GUARD_ENTRY.command &&
    Array.isArray(args) &&
    args.at(-1) === GUARD_ENTRY.args.at(-1)
  );
};
