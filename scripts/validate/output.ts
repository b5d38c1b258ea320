import type { Json } from '../contract/types.ts';
import { type Budget, readSchema } from './schema-fields.ts';
import type { Field } from './types.ts';

const ENVELOPE = ['ok', 'error', 'warnings', 'meta'];

/**
 * The field `data`, if a schema is that of a response envelope; else undefined. A page may have `data` and `meta`, too: with
 * less than `ok` and one more, it is an envelope only if the other side has no `data`.
 */
const dataOf = (whole: Field, other: Field): Field | undefined => {
  const members = whole.members?.();
  const named = ENVELOPE.filter((name) => members?.has(name));
  const isWhole = named.length > 1 && named[0] === 'ok';
  const isPart = named.length > 0 && other.members?.().has('data') !== true;
  return isWhole || isPart ? members?.get('data') : undefined;
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
  const cli = dataOf(cliWhole, mcpWhole) ?? cliWhole;
  const mcp = dataOf(mcpWhole, cliWhole) ?? wrapped(mcpWhole, cli) ?? mcpWhole;
  return { cli, mcp };
};
