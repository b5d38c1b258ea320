// The fields of a hook that is a tool of ours.
import { parsedJson } from '../contract/parsed-json.ts';
import { BadInput } from '../guard/input.ts';

/** As the client fills them in. */
export type Fields = Record<string, unknown>;

/**
 * Whether the model calls the hook's tool itself. The client says by which of the model's calls a request was caused; it says
 * nothing for a hook, whose input names the call that it is about (2.1.330 and 2.1.197). No model knows the id of a call that
 * it is about to make.
 */
export const isDirect = (fields: Fields, meta: Record<string, unknown>): boolean => {
  const cause = meta['claudecode/toolUseId'];
  return cause !== undefined && cause !== fields.tool_use_id;
};

/** A field of the hook's input, as the client fills it in: an empty text if it is missing. */
export const field = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  if (value !== undefined && typeof value !== 'string')
    throw new BadInput(`"${name}" of the hook input is not a string`);
  return value === '' ? undefined : value;
};

const argumentsIn = (fields: Fields): unknown => {
  const value = parsedJson(field(fields, 'tool_input') ?? '{}');
  if (value === undefined) throw new BadInput('"tool_input" of the hook input is not JSON');
  return value;
};

/** Whether the arguments are told: a hook that an earlier version registered does not tell them after a call. */
export const tellsArguments = (fields: Fields): boolean => field(fields, 'tool_input') !== undefined;

/** The fields in the form in which a hook that is a command gets them. */
export const toRecord = (fields: Fields): Fields => ({
  session_id: field(fields, 'session_id'),
  transcript_path: field(fields, 'transcript_path'),
  cwd: field(fields, 'cwd'),
  hook_event_name: field(fields, 'hook_event_name'),
  tool_name: field(fields, 'tool_name'),
  tool_input: argumentsIn(fields),
  tool_use_id: field(fields, 'tool_use_id'),
  mcp_server: { name: field(fields, 'mcp_server'), source: field(fields, 'mcp_source') },
  agent_id: field(fields, 'agent_id'),
});
