/** A hook for Claude Code's settings, in exec form: without a shell, so that any path works unquoted. */
export interface HookRegistration {
  event: string;
  matcher?: string;
  script: string;
  hook: Record<string, unknown>;
}

const command = (folder: string, script: string): Record<string, unknown> => ({
  type: 'command',
  command: 'node',
  args: [`${folder}/${script}.cjs`],
  timeout: 10,
});

/** All our hooks, which run the scripts in a folder. */
export const registrations = (folder: string): HookRegistration[] => [
  { event: 'SessionStart', script: 'session-start', hook: command(folder, 'session-start') },
  {
    event: 'PreToolUse',
    matcher: 'mcp__.*',
    script: 'guard',
    // Without it, a guard that crashes would let the call through unnoticed. Clients before 2.1.295 ignore it.
    hook: { ...command(folder, 'guard'), onFailure: 'block' },
  },
  // A hook of its own, so that calls of tools do not pay for what is listed besides them.
  {
    event: 'PreToolUse',
    matcher: '^ReadMcpResource(Dir)?Tool$',
    script: 'offers',
    hook: { ...command(folder, 'offers'), onFailure: 'block' },
  },
  { event: 'PostToolUse', matcher: 'ListMcpResourcesTool', script: 'offers', hook: command(folder, 'offers') },
  { event: 'UserPromptExpansion', matcher: 'mcp__.*', script: 'offers', hook: command(folder, 'offers') },
  {
    event: 'PostToolUseFailure',
    matcher: 'mcp__.*',
    script: 'tool-failure',
    hook: command(folder, 'tool-failure'),
  },
  { event: 'SessionEnd', script: 'session-end', hook: command(folder, 'session-end') },
];

const OURS =
  /(?:^|[/\\])skills[/\\]konnichiwagwan[/\\]dist[/\\](session-start|session-end|guard|tool-failure|offers)\.cjs(?=$|[\s"'])/;

/** Which of our scripts a hook runs, in exec form or in a shell's command line; undefined if it is not ours. */
export const scriptOf = (hook: unknown): string | undefined => {
  if (typeof hook !== 'object' || hook === null) return undefined;
  const { command, args } = hook as { command?: unknown; args?: unknown };
  const words = [command, ...(Array.isArray(args) ? args : [])];
  return words.map((word) => (typeof word === 'string' ? OURS.exec(word)?.[1] : undefined)).find(Boolean);
};
