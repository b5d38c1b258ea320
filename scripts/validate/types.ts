import type { Json } from '../contract/types.ts';

/** One value that a command or a tool takes or gives: a flag, an argument, a part of the output. */
export interface Field {
  /** As its own side spells it. */
  name: string;
  /** JSON types without null, sorted; empty where anything goes. `null` alone is `['null']`. */
  kinds: readonly string[];
  /** Whether null is allowed beside the other types. */
  nullable: boolean;
  /** Undefined where the side does not say. */
  required?: boolean;
  default?: Json;
  /** The allowed values, where they are listed; without null. */
  values?: readonly Json[];
  /** What an array holds. */
  items?: Field;
  /** What an object holds; found out when it is asked for, because references can make it endless. */
  members?: () => ReadonlyMap<string, Field>;
  /** JSON Pointer into the contract or the manifest. */
  pointer: string;
  /** The definition that it refers to. */
  shared?: string;
  /** The flag's single letter. */
  short?: string;
}

/** A command as the manifest describes it. */
export interface CliCommand {
  /** Dotted path: `deploy.rollback`. */
  name: string;
  description?: string;
  aliases: readonly string[];
  fields: ReadonlyMap<string, Field>;
  /** The shape of `data`, where the manifest tells it. */
  output?: Json;
  /** Registered by the framework and not by the application; undefined where the manifest does not say. */
  builtin?: boolean;
  /** Why it can never be a tool. */
  notForMcp?: string;
  /** Only holds other commands. */
  group: boolean;
}

export interface Manifest {
  commands: CliCommand[];
  /** Options that every command takes: a wrapper may leave them out. */
  globals: ReadonlyMap<string, Field>;
  warnings: string[];
}

export type Aspect = 'type' | 'required' | 'values' | 'default';

/** One difference between the CLI and its wrapper. `field` is absent where it is about the whole command or tool. */
export interface Mismatch {
  kind: 'added' | 'removed' | 'changed' | 'missing';
  /** The command's name; the tool's where no command belongs to it. */
  command: string;
  /** The tool that was compared with the command. */
  tool?: string;
  field?: string;
  /** Whether it is about what the command prints. */
  output: boolean;
  cli?: Field;
  mcp?: Field;
  aspects: readonly Aspect[];
  /** JSON Pointer into the tool's contract. */
  pointer: string;
  /** Why a tool must not be there. */
  why?: string;
}

/** One entry of the wire form. A side that has no such field is null; a field whose type is null says `"null"`. */
export interface DriftEntry {
  command: string;
  field: string | null;
  cli_type: string | null;
  mcp_type: string | null;
}

export interface ManifestDrift {
  added: DriftEntry[];
  removed: DriftEntry[];
  changed: DriftEntry[];
  missing_from_mcp: string[];
}
