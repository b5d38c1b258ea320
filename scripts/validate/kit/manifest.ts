import { defined } from '../../contract/defined.ts';
import { isObject } from '../../contract/types.ts';
import type * as Kit from './validate.d.ts';

/** Our own command: it is not a tool, and a wrapper need not have it. */
export const OWN_NAME = 'mcp-validate';

/** A value that JSON can hold; undefined for any other, as for functions that make a default. */
const plain = (value: unknown): unknown => {
  try {
    const text = JSON.stringify(value);
    return text === undefined || (typeof value === 'number' && !Number.isFinite(value)) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A flag in the manifest's terms, without unknown facts. */
export const flagOf = ({ default: preset, enum_values, required, variadic, ...rest }: Kit.ManifestFlag) =>
  ({
    ...defined(rest),
    ...(required === true ? { required } : {}),
    ...(variadic === true ? { variadic } : {}),
    ...(enum_values === undefined || enum_values.length === 0 ? {} : { enum_values }),
    ...defined({ default: plain(preset) }),
  }) satisfies Kit.ManifestFlag;

/** A command as an adapter found it. */
export interface FoundCommand {
  path: readonly string[];
  /** Undefined for one that only holds others. */
  takes?:
    | { flags: Record<string, Kit.ManifestFlag>; positionals: (Kit.ManifestFlag & { name: string })[] }
    | { input_schema: true }
    | undefined;
  description?: unknown;
  aliases?: readonly string[];
  /** The names of its subcommands. */
  holds?: readonly string[];
  builtin?: boolean;
}

export const manifestOf = (
  commands: readonly FoundCommand[],
  flags: Record<string, Kit.ManifestFlag>,
): Kit.Manifest => ({
  commands: Object.fromEntries(
    commands.map(({ path, takes, description, aliases = [], holds = [], builtin }): [string, Kit.ManifestCommand] => [
      path.join('.'),
      {
        ...(typeof description === 'string' && description !== '' ? { description } : {}),
        ...(takes === undefined ? { flags: {}, subcommands: holds } : takes),
        ...(aliases.length === 0 ? {} : { aliases }),
        ...defined({ builtin }),
        ...(path.join('.') === OWN_NAME ? { mcp: false } : {}),
      },
    ]),
  ),
  flags,
});

/** The members of another package's object; any of them may be missing. */
export const membersOf = (value: unknown): Record<string, unknown> =>
  isObject(value) || typeof value === 'function' ? (value as Record<string, unknown>) : {};

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string');
