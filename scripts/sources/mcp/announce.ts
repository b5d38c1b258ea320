/** Claude Code's client name, and below its capabilities. Some servers give each client other tools, so we say the same. */
export const CLIENT_INFO = {
  name: 'claude-code',
  title: 'Claude Code (a look at its contracts by konnichiwagwan)',
  version: '2.1.330',
};
export const CAPABILITIES = { roots: { listChanged: true }, elicitation: { form: {}, url: {} } };

/** The newest revision of MCP, and the newest one that begins with `initialize`. */
export const MODERN = '2026-07-28';
export const LEGACY = '2025-11-25';
