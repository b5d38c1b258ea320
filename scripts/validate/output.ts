import type { Json } from '../contract/types.ts';
import { type Budget, readSchema } from './schema-fields.ts';
import type { Field } from './types.ts';

const ENVELOPE = ['ok', 'error', 'warnings', 'meta'];

/** `data` within an envelope, where the schema is that of the envelope. */
const dataOf = (whole: Field): Field | undefined => {
  const members = whole.members?.();
  const data = members?.get('data');
  return data !== undefined && ENVELOPE.some((name) => members?.has(name)) ? data : undefined;
};

/** Some servers put what is no object into `{result: …}`, because a tool's structured answer has to be one. */
const wrapped = (mcp: Field, cli: Field): Field | undefined => {
  if (cli.kinds.includes('object') || cli.kinds.length === 0) return undefined;
  const members = mcp.members?.();
  return members?.size === 1 ? (members.get('result') ?? members.get('data')) : undefined;
};

/** The `data` that a command prints and the one that its tool promises, whether or not the envelope is around them. */
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
