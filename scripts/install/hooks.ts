import { GUARD_SERVER } from '../servers/own-guard.ts';

/** A hook for Claude Code's settings, in exec form: without a shell, so that any path works unquoted. */
export interface HookRegistration {
  event: string;
  matcher?: string;
  script: string;
  hook: Record<string, unknown>;
}

/** How the scripts of a folder are started: the command that starts Node. */
interface HookStart {
  folder: string;
  node: string;
}

const command = ({ folder, node }: HookStart, script: string): Record<string, unknown> => ({
  type: 'command',
  command: node,
  args: [`${folder}/${script}.cjs`],
  timeout: 10,
});

/**
 * The code that Node runs if the program is missing. A project's hooks are committed, but its programs may not be:
 * then a stack trace of an unknown program would stop every call of a teammate.
 */
const START = [
  'try{require(process.argv[1])}catch({message}){',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: filled in when it runs
  'const why=`konnichiwagwan cannot start: ${message.split("\\n")[0]} (Node ${process.version}). The call was not sent. ',
  'A person can commit or restore .claude/skills/konnichiwagwan (konnichiwagwan install --project), take the hooks out of ',
  '.claude/settings.json, or start Claude Code with KONNICHIWAGWAN=off.`;',
  'process.env.KONNICHIWAGWAN==="off"||console.log(JSON.stringify({systemMessage:why,hookSpecificOutput:',
  '{hookEventName:"PreToolUse",permissionDecision:"deny",permissionDecisionReason:why}}))}',
].join('');

const started = (start: HookStart, script: string): Record<string, unknown> => ({
  ...command(start, script),
  args: ['-e', START, `${start.folder}/${script}.cjs`],
});

const guardPerCall = (start: HookStart, shared: boolean): HookRegistration => ({
  event: 'PreToolUse',
  matcher: 'mcp__.*',
  script: 'guard',
  // Without it, a guard that crashes would let the call through unnoticed. Clients before 2.1.295 ignore it.
  hook: { ...(shared ? started : command)(start, 'guard'), onFailure: 'block' },
});

/** What `scriptOf` calls a hook that asks the resident guard. */
export const RESIDENT = 'resident';

const OF_SESSION = ['hook_event_name', 'session_id', 'transcript_path', 'cwd'];
const OF_CALL = [...OF_SESSION, 'agent_id', 'tool_name', 'tool_use_id'];

/** Arguments of the hook's tool that are not named like the field that fills them. */
const ARGUMENTS: Record<string, string> = { 'mcp_server.name': 'mcp_server', 'mcp_server.source': 'mcp_source' };

/** A hook that asks the resident guard; Claude Code fills the fields of the hook's input into the arguments. */
const asked = (server: string, fields: readonly string[], timeout: number): Record<string, unknown> => ({
  type: 'mcp_tool',
  server,
  tool: 'check',
  input: Object.fromEntries(fields.map((field) => [ARGUMENTS[field] ?? field, `\${${field}}`])),
  timeout,
});

/** The hooks of the resident guard: they ask it before a call, and report to it the call's result and each prompt. */
const asking = (server: string): HookRegistration[] => [
  {
    event: 'PreToolUse',
    matcher: 'mcp__.*',
    script: RESIDENT,
    // Without it, a guard that is not connected would let the call through.
    hook: {
      ...asked(server, [...OF_CALL, 'tool_input', 'mcp_server.name', 'mcp_server.source'], 10),
      onFailure: 'block',
    },
  },
  // The arguments again: another hook may have changed them since.
  { event: 'PostToolUse', matcher: 'mcp__.*', script: RESIDENT, hook: asked(server, [...OF_CALL, 'tool_input'], 5) },
  { event: 'PostToolUseFailure', matcher: 'mcp__.*', script: RESIDENT, hook: asked(server, OF_CALL, 5) },
  { event: 'UserPromptSubmit', script: RESIDENT, hook: asked(server, OF_SESSION, 5) },
];

/**
 * All our hooks, which run the scripts in a folder.
 * @param shared whether they are committed, so that a clone may have them without the scripts
 * @param server the resident guard; without one, a program is started for each call
 * @param node what starts Node
 */
export const registrations = (folder: string, shared = false, server?: string, node = 'node'): HookRegistration[] => {
  const start = { folder, node };
  return [
    { event: 'SessionStart', script: 'session-start', hook: command(start, 'session-start') },
    ...(server === undefined ? [guardPerCall(start, shared)] : asking(server)),
    // A separate hook, so that tool calls do not pay for checks of resources.
    {
      event: 'PreToolUse',
      matcher: '^ReadMcpResource(Dir)?Tool$',
      script: 'offers',
      hook: { ...(shared ? started : command)(start, 'offers'), onFailure: 'block' },
    },
    { event: 'PostToolUse', matcher: 'ListMcpResourcesTool', script: 'offers', hook: command(start, 'offers') },
    { event: 'UserPromptExpansion', matcher: 'mcp__.*', script: 'offers', hook: command(start, 'offers') },
    {
      event: 'PostToolUseFailure',
      matcher: 'mcp__.*',
      script: 'tool-failure',
      hook: command(start, 'tool-failure'),
    },
    { event: 'SessionEnd', script: 'session-end', hook: command(start, 'session-end') },
  ];
};

const OURS =
  /(?:^|[/\\])skills[/\\]konnichiwagwan[/\\](?:program|dist)[/\\](session-start|session-end|guard|tool-failure|offers)\.cjs(?=$|[\s"'])/;

const argsOf = (hook: object): unknown[] => {
  const { args } = hook as { args?: unknown };
  return Array.isArray(args) ? args : [];
};

/** Which of our scripts a hook runs, in exec form or in a shell's command line; undefined if it is not ours. */
export const scriptOf = (hook: unknown): string | undefined => {
  if (typeof hook !== 'object' || hook === null) return undefined;
  const { type, server } = hook as { type?: unknown; server?: unknown };
  if (type === 'mcp_tool') return server === GUARD_SERVER ? RESIDENT : undefined;
  const words = [(hook as { command?: unknown }).command, ...argsOf(hook)];
  return words.map((word) => (typeof word === 'string' ? OURS.exec(word)?.[1] : undefined)).find(Boolean);
};

/** The path of our script in a hook in exec form, as written there; undefined if there is none. */
export const pathOf = (hook: unknown): string | undefined =>
  typeof hook === 'object' && hook !== null
    ? argsOf(hook).find((word): word is string => typeof word === 'string' && /\.cjs$/.test(word) && OURS.test(word))
    : undefined;
