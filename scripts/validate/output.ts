import type { Json } from '../contract/types.ts';
import { type Budget, readSchema } from './schema-fields.ts';
import type { Field } from './types.ts';

const ENVELOPE = ['ok', 'error', 'warnings', 'meta'];

/** The field `data`, if a schema is that of a response envelope; else undefined. */
const dataOf = (whole: Field): Field | undefined => {
  const members = whole.members?.();
  const data = members?.get('data');
  return data !== undefined && ENVELOPE.some((name) => members?.has(name)) ? data : undefined;
};

/** The field in `{result: …}`: some servers wrap other values so, because a tool's structured answer must be an object. */
const wrapped = (mcp: Field, cli: Field): Field | undefined => {
  if (cli.kinds.includes('object') || cli.kinds.length === 0) return undefined;
  const members = mcp.members?.();
  return members?.size === 1 ? (members.get('result') ?? members.get('data')) : undefined;
};

/** The `data` that a command prints, and that its tool promises, each with or without an envelope around it. */
export const outputFields = (
  cliSchema: Json,
  mcpSchema: Json,
  cliBudget: Budget,
  mcpBudget: Budget,
): { cli: Field; mcp: Field } => {
  const [cliWhole, mcpWhole] = [
    readSchema(cliSchema, '/output_schema', cliBudget),
    readSchema(mcpSchema, '/outputSchema', mcpBudget),
  ];
  const cli = dataOf(cliWhole) ?? cliWhole;
  const mcp = dataOf(mcpWhole) ?? wrapped(mcpWhole, cli) ?? mcpWhole;
  return { cli, mcp };
};
