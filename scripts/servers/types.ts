/** Where Claude Code found a server: `dynamic` is `--mcp-config`, `managed` is what an organization gives. */
export type Scope = 'managed' | 'dynamic' | 'local' | 'project' | 'user' | 'plugin';

/** How a server is reached. */
export type Launch =
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string>; cwd?: string }
  | { type: 'http' | 'sse'; url: string; headers: Record<string, string>; headersHelper?: string; oauth?: boolean }
  /** What cannot be asked from outside: ws, sdk. */
  | { type: 'other'; what: string };

export interface Server {
  /** As hook inputs call it in `mcp_server.name`: "github", or "plugin:<plugin>:<server>". */
  name: string;
  scope: Scope;
  /** Where it is configured; absent for JSON in the command line. */
  file?: string;
  /**
   * As Claude Code starts it: `${VAR}` and `${VAR:-default}` expanded where set, credentials that it keeps from servers
   * read as empty, and the folder and variables that it adds. Holds secrets: for asking alone, never to be written.
   */
  launch: Launch;
  /** As configured, unexpanded: safe to derive an identity from. */
  configured: Launch;
  /** Environment variables (and plugin options, as `user_config.NAME`) that it names and that are not known here. */
  unset: string[];
  /** `ready`: Claude Code starts it. Everything else is never started and never called. */
  state: 'ready' | 'unapproved' | 'rejected' | 'disabled';
  /** For a state that is not ready: which setting says so, and what the user can do. */
  why?: string;
}

/** What is wrong with one server or one file; the part in question is left out. */
export interface ServerProblem {
  name: string;
  why: string;
}

/** The session whose servers are wanted. */
export interface ClientPlace {
  /** The folder it was started in (CLAUDE_PROJECT_DIR). */
  project: string;
  /** HOME. */
  home: string;
  /** CLAUDE_CONFIG_DIR, or `.claude` in HOME. */
  claudeHome: string;
  /** The environment of a hook: the client's own, and what the client adds. */
  env: NodeJS.ProcessEnv;
  /** CLAUDE_PID; without it nothing is known of `--mcp-config` and other options. */
  client?: number;
}
