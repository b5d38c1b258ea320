import { readSync } from 'node:fs';
import { isObject } from '../contract/types.ts';
import { CLIENT_ID, TOOL_NAME } from '../state/client-names.ts';
import { tooOldNode } from '../state/node-version.ts';
import { ForeignHost, isForeign } from './foreign.ts';

/** Largest hook input that is read, in bytes. A larger one is not judged. */
export const INPUT_LIMIT = 50 * 1024 * 1024;

/** In a proposed call, a placeholder for a missing value begins with this. */
export const PLACEHOLDER = '<fill in: ';

/** An error whose message is ours alone, and may be shown. */
export class PlainError extends Error {}

/** Hook input that is not what Claude Code sends. */
export class BadInput extends PlainError {}

/** The call is of another tool: a user widened the matcher of our hooks. */
export class NotMcp extends BadInput {}

/** The hook was started with a Node that is too old for the rest of us; what that would do with a call is not known. */
export class OldNode extends Error {
  constructor(
    problem: string,
    readonly event: string | undefined,
  ) {
    super(problem);
  }
}

/** The last text that was JSON, and its value: none is parsed twice. */
let parsed: { text: string; value: unknown } | undefined;

/** Whether a text is JSON. A client on Windows may leave the input open: what is whole is read, and not waited for. */
const isWhole = (text: string): boolean => {
  try {
    parsed = { text, value: JSON.parse(text) };
    return true;
  } catch {
    return false;
  }
};

/**
 * Reads standard input, synchronously: to its end, or until it holds a whole object.
 * @throws BadInput if it is unreadable or larger than the limit
 */
export const readStdin = (): string => {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    let read: number;
    try {
      read = readSync(0, chunk, 0, chunk.length, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') break;
      if (code === 'EAGAIN') {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
        continue;
      }
      throw new BadInput(`standard input cannot be read (${code})`);
    }
    if (read === 0) break;
    total += read;
    if (total > INPUT_LIMIT) throw new BadInput(`the hook input is larger than ${INPUT_LIMIT} bytes`);
    chunks.push(chunk.subarray(0, read));
    // The last piece is not full, and ends as an object does.
    if (
      read < chunk.length &&
      /\}\s*$/.test(chunk.toString('latin1', 0, read)) &&
      isWhole(String(Buffer.concat(chunks)))
    )
      break;
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** What the input of every hook holds. */
export interface HookInput {
  session: string;
  transcript: string;
  cwd: string;
  event: string;
}

export interface ToolInput extends HookInput {
  /** The client's name for the tool: `mcp__server__tool`, with unusual characters replaced by `_`. */
  toolName: string;
  arguments: Record<string, unknown>;
  toolUseId: string;
  /** The name of the server; older clients do not tell it. */
  server?: string | undefined;
  /** Where the server is configured, `user` for example; older clients do not tell it. */
  scope?: string | undefined;
  /** Id of the subagent that makes the call, if one does. */
  agent?: string | undefined;
  /** For PostToolUseFailure: the error message. */
  error?: string | undefined;
}

export interface SessionInput extends HookInput {
  source: string;
}

const text = (record: Record<string, unknown>, key: string, pattern?: RegExp): string => {
  const value = record[key];
  if (typeof value !== 'string') throw new BadInput(`"${key}" of the hook input is not a string`);
  if (pattern && !pattern.test(value)) throw new BadInput(`"${key}" of the hook input has an unexpected form`);
  return value;
};

const optionalText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The id of a subagent. @throws BadInput */
const agentOf = (record: Record<string, unknown>): string | undefined =>
  typeof record.agent_id === 'string' ? text(record, 'agent_id', CLIENT_ID) : undefined;

const parse = (raw: string): Record<string, unknown> => {
  if (parsed?.text !== raw && !isWhole(raw))
    throw new BadInput(raw.trim() === '' ? 'the hook input is empty' : 'the hook input is not JSON');
  const value = parsed?.value;
  if (!isObject(value)) throw new BadInput('the hook input is not an object');
  if (isForeign(value, process.env)) throw new ForeignHost();
  return value;
};

/** What the input of any hook says. @throws BadInput if it has not the expected form */
export const toHookInput = (record: Record<string, unknown>): HookInput => {
  const problem = tooOldNode();
  if (problem !== undefined) throw new OldNode(problem, optionalText(record.hook_event_name));
  return {
    session: text(record, 'session_id', CLIENT_ID),
    transcript: optionalText(record.transcript_path) ?? '',
    cwd: optionalText(record.cwd) ?? '',
    event: text(record, 'hook_event_name'),
  };
};

const toolNameIn = (record: Record<string, unknown>, server: string | undefined): string => {
  // Where the client names a server, it is a tool of MCP, whatever it is called: that must not go by in silence.
  if ((server ?? '') === '' && /^(?!mcp__)./.test(text(record, 'tool_name')))
    throw new NotMcp('the hook input names no MCP tool');
  return text(record, 'tool_name', TOOL_NAME);
};

/** What the input of a hook says about a tool call. @throws BadInput if it has not the expected form */
export const toToolInput = (record: Record<string, unknown>): ToolInput => {
  const agent = agentOf(record);
  const input = record.tool_input ?? {};
  if (!isObject(input)) throw new BadInput('"tool_input" of the hook input is not an object');
  const server = isObject(record.mcp_server) ? record.mcp_server : {};
  const serverName = optionalText(server.name);
  return {
    ...toHookInput(record),
    toolName: toolNameIn(record, serverName),
    arguments: input,
    toolUseId: optionalText(record.tool_use_id) ?? '',
    server: serverName,
    scope: optionalText(server.source),
    agent,
    error: optionalText(record.error),
  };
};

/** Reads the input of a hook about a tool call. @throws BadInput if it has not the expected form */
export const readToolInput = (raw: string): ToolInput => toToolInput(parse(raw));

/** Reads the input of a SessionStart hook. @throws BadInput if it has not the expected form */
export const readSessionInput = (raw: string): SessionInput => {
  const record = parse(raw);
  return { ...toHookInput(record), source: optionalText(record.source) ?? 'startup' };
};

/** A use of a prompt or resource: the tool's name does not name the server. */
export interface OfferInput extends HookInput {
  toolUseId: string;
  agent?: string | undefined;
  /** The server that was named, where one was. */
  server?: string | undefined;
  /** PreToolUse: what is read. */
  uri?: string | undefined;
  /** PostToolUse: the resources that the model was shown. */
  shown?: Record<string, unknown>[] | undefined;
  /** UserPromptExpansion: the command for a server's prompt. */
  command?: string | undefined;
}

/** @throws BadInput */
export const readOfferInput = (raw: string): OfferInput => {
  const record = parse(raw);
  const agent = agentOf(record);
  const given = isObject(record.tool_input) ? record.tool_input : {};
  return {
    ...toHookInput(record),
    toolUseId: optionalText(record.tool_use_id) ?? '',
    agent,
    server: optionalText(given.server),
    uri: optionalText(given.uri),
    shown: Array.isArray(record.tool_response) ? record.tool_response.filter(isObject) : undefined,
    command: record.expansion_type === 'mcp_prompt' ? optionalText(record.command_name) : undefined,
  };
};
