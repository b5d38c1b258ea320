import { canonical } from '../contract/canonical.ts';
import type { Json } from '../contract/types.ts';
import type { Aspect, Field } from './types.ts';

/** How two fields are looked at. */
export interface FieldLook {
  /** What a command prints, and not what it takes. */
  output: boolean;
  /** Without the allowances that wrappers are usually given. */
  strict: boolean;
  /** Pairs of definitions whose insides were looked at: what refers to itself, or to each other, is told of once. */
  seen: Set<string>;
}

const covers = (mcp: readonly string[], kind: string, strict: boolean): boolean =>
  mcp.includes(kind) || (!strict && kind === 'integer' && mcp.includes('number'));

/**
 * A wrapper may take more than the CLI: a number for an integer, null for what can be left out, one more type, anything.
 * It may not take less.
 */
const typeDiffers = (cli: Field, mcp: Field, look: FieldLook): boolean => {
  const { strict, output } = look;
  if (cli.kinds.length === 0) return false;
  if (mcp.kinds.length === 0) return strict;
  if (cli.nullable && !mcp.nullable) return true;
  if (mcp.nullable && !cli.nullable && (strict || (!output && cli.required === true))) return true;
  if (cli.kinds.some((kind) => !covers(mcp.kinds, kind, strict))) return true;
  return strict && mcp.kinds.some((kind) => !cli.kinds.includes(kind));
};

/** `"5"` and `5` are the same on a command line. */
const spelling = (value: Json, strict: boolean): string =>
  strict || typeof value === 'object' ? canonical(value) : String(value);

const sameValues = (a: readonly Json[], b: readonly Json[], strict: boolean): boolean => {
  const [left, right] = [a, b].map((values) => new Set(values.map((value) => spelling(value, strict)))) as [
    Set<string>,
    Set<string>,
  ];
  return left.size === right.size && [...left].every((value) => right.has(value));
};

const valuesDiffer = (cli: Field, mcp: Field, { output, strict }: FieldLook): boolean => {
  if (cli.values !== undefined && mcp.values !== undefined) return !sameValues(cli.values, mcp.values, strict);
  // A boolean has its two values anyway.
  if (cli.kinds.join() === 'boolean' || cli.kinds.length === 0) return false;
  if (mcp.values !== undefined) return true;
  // What a wrapper passes on without a list is still what the command printed.
  return cli.values !== undefined && (strict || (!output && mcp.kinds.length > 0));
};

/** A required flag has to be given, unless somebody gives it; what may be null can be left out, in strict clients. */
const inputRequiredDiffers = (cli: Field, mcp: Field, strict: boolean): boolean => {
  const [cliNeeds, mcpNeeds] = [cli.required === true, mcp.required === true];
  if (strict || cliNeeds === mcpNeeds) return cliNeeds !== mcpNeeds;
  if (cliNeeds) return cli.default === undefined && mcp.default === undefined;
  return mcp.default === undefined && !mcp.nullable;
};

/** An answer without a field that the wrapper promises is refused by the client. */
const outputRequiredDiffers = (cli: Field, mcp: Field, strict: boolean): boolean => {
  if (cli.required === undefined || mcp.required === undefined) return strict && cli.required !== mcp.required;
  return strict ? cli.required !== mcp.required : mcp.required && !cli.required;
};

const EMPTY: ReadonlySet<string> = new Set(['null', 'false', '""', '[]', '{}']);

const defaultDiffers = (cli: Field, mcp: Field, strict: boolean): boolean => {
  const [old, now] = [cli.default, mcp.default];
  if (old === undefined && now === undefined) return false;
  if (now === undefined) return strict;
  // The wrapper fills in what the CLI insists on, or says aloud what leaving it out means.
  if (old === undefined) return strict || (cli.required !== true && !EMPTY.has(canonical(now)));
  return spelling(old, strict) !== spelling(now, strict);
};

/** In which respects two fields differ. Where the types do, what depends on them is not looked at. */
export const differences = (cli: Field, mcp: Field, look: FieldLook): Aspect[] => {
  const type = typeDiffers(cli, mcp, look);
  const required = (look.output ? outputRequiredDiffers : inputRequiredDiffers)(cli, mcp, look.strict);
  const aspects: [Aspect, boolean][] = [
    ['type', type],
    ['required', required],
    ['values', !type && valuesDiffer(cli, mcp, look)],
    ['default', !type && !look.output && defaultDiffers(cli, mcp, look.strict)],
  ];
  return aspects.filter(([, differs]) => differs).map(([aspect]) => aspect);
};
