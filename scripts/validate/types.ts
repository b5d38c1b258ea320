import type { Json } from '../contract/types.ts';

/** One value of a command or a tool: a flag, an argument, a part of the output. */
export interface Field {
  /** The name, as its own side spells it. */
  name: string;
  /** JSON types without null, sorted; empty if any is allowed. `['null']` if only null is, `['never']` if nothing is. */
  kinds: readonly string[];
  /** Set if its type is unknown and so not compared: the manifest's name for it, or true without a name. */
  unknown?: string | true;
  /** Why its schema, or a part of that, cannot be read. */
  unread?: string;
  /** Whether null is also allowed. */
  nullable: boolean;
  /** Undefined if the side does not say. */
  required?: boolean;
  default?: Json;
  /** The allowed values without null, if they are listed. */
  values?: readonly Json[];
  /** Whether its values alone tell its type: on a command line they are texts, and a wrapper may take them as such. */
  spelled?: true;
  /** The items of an array. What a field holds is told by functions, because references can make it endless. */
  items?: () => Field;
  /** The members of an object. */
  members?: () => ReadonlyMap<string, Field>;
  /** The members of an object that `members` does not name. */
  others?: () => Field;
  /** JSON Pointer into the contract or the manifest. */
  pointer: string;
  /** Equal for fields with the same content: which schemas they are read from. */
  source?: string;
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
  /** Whether it takes more than is known, so that what its tool takes is not compared. */
  open?: boolean;
  /** The schema of `data`, if the manifest has one. */
  output?: Json;
  /** Registered by the framework, not by the application; undefined if the manifest does not say. */
  builtin?: boolean;
  /** Why it can never be a tool. */
  notForMcp?: string;
  /** Whether it only holds other commands. */
  group: boolean;
}

export interface Manifest {
  commands: CliCommand[];
  /** Options that every command takes, and a wrapper may leave out. */
  globals: ReadonlyMap<string, Field>;
}

export type Aspect = 'type' | 'required' | 'values' | 'default';

/** One difference between the CLI and its wrapper. `field` is absent if it is about the whole command or tool. */
export interface Mismatch {
  kind: 'added' | 'removed' | 'changed' | 'missing';
  /** The command's name; the tool's if it has no command. */
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
