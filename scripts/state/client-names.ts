/** Ids that the client gives to sessions, agents and calls. They become parts of file names, and are shown without quoting. */
export const CLIENT_ID = /^[A-Za-z0-9_-]{1,100}$/;
/** What the client calls the tools of servers; a part of file names, too. */
export const TOOL_NAME = /^mcp__[A-Za-z0-9_-]{1,200}$/;
