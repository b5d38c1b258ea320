/** Where Claude Code found a server: `dynamic` is `--mcp-config`, `managed` an organization's settings. */
export type ServerScope = 'managed' | 'dynamic' | 'local' | 'project' | 'user' | 'plugin';

/** How a server is reached. */
export type Launch =
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string>; cwd?: string }
  | { type: 'http' | 'sse'; url: string; headers: Record<string, string>; headersHelper?: string; oauth?: boolean }
  /** Kinds that cannot be asked from outside: ws, sdk. */
  | { type: 'other'; what: string };

export interface Server {
  /** Its name in hook inputs, `mcp_server.name`: "github", or "plugin:<plugin>:<server>". */
  name: string;
  scope: ServerScope;
  /** Scopes of other servers of this name, whose place it takes once Claude Code starts again. */
  hides?: ServerScope[];
  /** Where it is configured; absent for JSON in the command line. */
  file?: string;
  /**
   * As Claude Code starts it: variables expanded, credentials that it withholds from servers read as empty, its folder and
   * own variables added. Holds secrets: use it for asking only, never write it to a file.
   */
  launch: Launch;
  /** As configured, unexpanded: safe to derive an identity from. */
  configured: Launch;
  /** Environment variables (and plugin options, as `user_config.NAME`) that it names and whose value is not known. */
  unset: string[];
  /** `ready`: Claude Code starts it. We never start or ask a server in any other state. */
  state: 'ready' | 'unapproved' | 'rejected' | 'disabled';
  /** If it is not ready: which setting says so, and what the user can do. */
  why?: string;
}

/** What is wrong with one server or one file, which is left out. */
export interface ServerProblem {
  name: string;
  why: string;
}

/** The session whose servers are to be found. */
export interface ClientPlace {
  /** The folder it was started in (CLAUDE_PROJECT_DIR). */
  project: string;
  /** HOME. */
  home: string;
  /** CLAUDE_CONFIG_DIR, or `.claude` in HOME. */
  claudeHome: string;
  /** The environment of a hook: the client's own, and what the client adds. */
  env: NodeJS.ProcessEnv;
  /** CLAUDE_PID; without it, `--mcp-config` and other options are unknown. */
  client?: number;
  /** For this run a person approved the servers that `.mcp.json` names, in the project's folder and its repository. */
  approvesProject?: boolean;
  /** The server of a call that the client makes: no list of another session turns that one off. */
  called?: string;
}
