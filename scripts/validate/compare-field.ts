import { canonical } from '../contract/canonical.ts';
import type { Json } from '../contract/types.ts';
import type { Aspect, Field, Mismatch } from './types.ts';

/** Further findings that are not differences. */
export interface Aside {
  /** Differences of type that do not count with `lenient`. */
  tolerated: Mismatch[];
  /** Flags whose type in the manifest is not a known one. */
  unknown: { command: string; field: string; type: string }[];
  /** Places whose schema cannot be read. */
  unread: { command: string; field: string; why: string }[];
}

/** How two fields are compared. */
export interface FieldLook {
  /** Whether they are part of the output, not the input. */
  output: boolean;
  /** Whether to compare without the usual tolerance for wrappers. */
  strict: boolean;
  /** Whether a wrapper's type may be wider than the CLI's, or say nothing. */
  lenient: boolean;
  /** Further findings that are not differences. */
  aside: Aside;
  /** Pairs of sources that were compared: what several places refer to is compared and reported once. */
  seen: Set<string>;
}

/** Whether some types accept every value of another one. */
export const covers = (kinds: readonly string[], kind: string): boolean =>
  kinds.includes(kind) || (kind === 'integer' && kinds.includes('number'));

/** Whether a field takes no value: then it might as well not be there. */
export const isNever = ({ kinds }: Field): boolean => kinds.join() === 'never';

/** `wider`: one of the two accepts everything that the other does, and more: a number, one more type, anything. */
type TypeDifference = 'none' | 'wider' | 'other';

/** Whether a call may leave it out: it is optional, or has a default. */
const canBeLeftOut = ({ required, default: preset }: Field): boolean => required !== true || preset !== undefined;

/** A wrapper may accept null for what can be left out. */
const typeDifference = (cli: Field, mcp: Field, { strict, output }: FieldLook): TypeDifference => {
  if (cli.unknown !== undefined || mcp.unknown !== undefined) return 'none';
  if (cli.kinds.length === 0 || mcp.kinds.length === 0) return cli.kinds.length === mcp.kinds.length ? 'none' : 'wider';
  if (cli.nullable && !mcp.nullable) return 'other';
  if (mcp.nullable && !cli.nullable && (strict || (!output && !canBeLeftOut(cli)))) return 'other';
  if (cli.spelled && !strict && mcp.kinds.join() === 'string') return 'none';
  if (cli.kinds.some((kind) => !covers(mcp.kinds, kind))) return 'other';
  // A list of values allows nothing that it does not name, whatever its type.
  if (cli.spelled && !strict && mcp.values !== undefined) return 'none';
  const isMore = (kind: string): boolean => !(strict ? cli.kinds.includes(kind) : covers(cli.kinds, kind));
  return mcp.kinds.some(isMore) ? 'wider' : 'none';
};

/** A value for comparing: on a command line `"5"` and `5` are the same. */
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
  // The values of a boolean are known, so a list of them makes no difference.
  if (cli.kinds.join() === 'boolean' || cli.kinds.length === 0) return false;
  if (mcp.values !== undefined) return true;
  // A wrapper need not list the values of an output that it only passes on.
  return cli.values !== undefined && (strict || (!output && mcp.kinds.length > 0));
};

/**
 * Whether `required` disagrees. A default excuses that; so does null for a parameter that only the wrapper requires, since
 * some clients make all parameters required.
 */
const inputRequiredDiffers = (cli: Field, mcp: Field, strict: boolean): boolean => {
  const [cliNeeds, mcpNeeds] = [cli.required === true, mcp.required === true];
  if (strict || cliNeeds === mcpNeeds) return cliNeeds !== mcpNeeds;
  // A default of null fills nothing in.
  if (cliNeeds) return cli.default === undefined && (mcp.default ?? undefined) === undefined;
  return mcp.default === undefined && !mcp.nullable;
};

/** A client refuses an answer without a field that the wrapper promises. */
const outputRequiredDiffers = (cli: Field, mcp: Field, strict: boolean): boolean => {
  if (cli.required === undefined || mcp.required === undefined) return strict && cli.required !== mcp.required;
  return strict ? cli.required !== mcp.required : mcp.required && !cli.required;
};

const EMPTY: ReadonlySet<string> = new Set(['false', '""', '[]', '{}']);

const defaultDiffers = (cli: Field, mcp: Field, strict: boolean): boolean => {
  // Some libraries write null where nothing is given.
  const [old, now] = [cli.default, strict ? mcp.default : (mcp.default ?? undefined)];
  if (old === undefined && now === undefined) return false;
  if (now === undefined) return strict;
  // A default only in the wrapper is fine if it fills in a required flag, or spells out that nothing is given.
  if (old === undefined) return strict || (cli.required !== true && !EMPTY.has(canonical(now)));
  return spelling(old, strict) !== spelling(now, strict);
};

/**
 * In which respects two fields differ. If their types do, what depends on types is not compared.
 * @returns `tolerated`: their types differ, but `lenient` allows it
 */
export const differences = (cli: Field, mcp: Field, look: FieldLook): { aspects: Aspect[]; tolerated: boolean } => {
  const difference = typeDifference(cli, mcp, look);
  const tolerated = look.lenient && difference === 'wider';
  const type = difference !== 'none' && !tolerated;
  const required = (look.output ? outputRequiredDiffers : inputRequiredDiffers)(cli, mcp, look.strict);
  const aspects: [Aspect, boolean][] = [
    ['type', type],
    ['required', required],
    ['values', !type && valuesDiffer(cli, mcp, look)],
    ['default', !type && !look.output && defaultDiffers(cli, mcp, look.strict)],
  ];
  return { aspects: aspects.filter(([, differs]) => differs).map(([aspect]) => aspect), tolerated };
};
