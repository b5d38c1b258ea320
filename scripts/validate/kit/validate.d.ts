/**
 * For authors of CLIs: checks whether the MCP server that wraps a CLI still matches what the CLI takes and prints, as a
 * function and as a command of the CLI itself. Node ≥ 20.18.1, ESM and CommonJS; depends on no version of a framework.
 *
 * This file is both what the package ships and what the sources are checked against.
 */

/** A flag or a positional argument. */
export interface ManifestFlag {
  /** `string`, `integer`, `number`, `boolean`, `array`, `object` or `enum`; absent if unknown. */
  type?: string | undefined;
  required?: boolean | undefined;
  default?: unknown;
  enum_values?: readonly unknown[] | undefined;
  /** Can be given several times. */
  variadic?: boolean | undefined;
  /** JSON Schema of the value; for an array, of its items. */
  schema?: object | undefined;
  /** Its single letter. */
  short?: string | undefined;
  description?: string | undefined;
}

export interface ManifestCommand {
  description?: string | undefined;
  flags?: Readonly<Record<string, ManifestFlag>> | undefined;
  positionals?: readonly (ManifestFlag & { name: string })[] | undefined;
  /** True: it takes anything, so what its tool takes is not compared. */
  input_schema?: object | true | undefined;
  output_schema?: object | undefined;
  aliases?: readonly string[] | undefined;
  subcommands?: readonly string[] | undefined;
  /** Registered by the framework, not by the application. */
  builtin?: boolean | undefined;
  /** False: it is never a tool. */
  mcp?: boolean | undefined;
}

/** A CLI's description of itself. */
export interface Manifest {
  /** By dotted path: `deploy.rollback`. */
  commands: Readonly<Record<string, ManifestCommand>>;
  /** What every command takes; a wrapper may leave it out. */
  flags?: Readonly<Record<string, ManifestFlag>> | undefined;
}

/** Named like the options of the command. */
export interface McpValidateOptions {
  /** From command to tool; null for a command that intentionally has none. */
  map?: Readonly<Record<string, string | null>> | undefined;
  /** The prefix of the tools' names; detected if absent. */
  prefix?: string | undefined;
  ignoreBuiltins?: boolean | undefined;
  ignoreFlags?: readonly string[] | undefined;
  ignoreTools?: readonly string[] | undefined;
  strict?: boolean | undefined;
  /** Whether a wider type in the wrapper, an unknown type, or a schema that cannot be read, is only a warning. */
  lenient?: boolean | undefined;
}

export interface McpValidateInput extends Manifest, McpValidateOptions {
  /** The wrapper's tools: a `tools/list` result, an array of tools, a gateway's answer, a map from name to tool. */
  mcp: object;
}

/** A side that has no such field is null; a field whose type is null says `"null"`; a whole tool has no field. */
export interface DriftEntry {
  command: string;
  field: string | null;
  cli_type: string | null;
  mcp_type: string | null;
}

export interface Drift {
  /** In the CLI but not in the wrapper. */
  added: DriftEntry[];
  /** In the wrapper but not in the CLI. */
  removed: DriftEntry[];
  changed: DriftEntry[];
  /** Commands without a tool. */
  missing_from_mcp: string[];
}

/** What `mcp-validate --output json` prints. */
export type McpValidateAnswer =
  | { ok: boolean; data: { drift: Drift }; error: null; warnings: string[]; meta: McpValidateMeta }
  | {
      ok: false;
      data: null;
      error: { code: string; message: string; hint: string };
      warnings: string[];
      meta: { duration_ms: number };
    };

export interface McpValidateMeta {
  duration_ms: number;
  commands: number;
  tools: number;
  /** Commands that were compared with a tool. */
  compared: number;
  left_out: { builtin: number; group: number; not_for_mcp: number };
  levels: { [level: string]: number };
  /** Output schemas that were compared; commands of which one side has none. */
  outputs: { compared: number; not_compared: string[] };
}

/**
 * Compares a CLI with its wrapper. If that is not possible, the answer has an `error`. Prints nothing, reads neither files
 * nor arguments, and ends no process.
 */
export declare const mcpValidate: (input: McpValidateInput) => McpValidateAnswer;

/** The exit code of the command for an answer: 0 no drift, 1 drift, 2 could not be checked. */
export declare const exitCode: (answer: McpValidateAnswer) => 0 | 1 | 2;

/** A `Command` of commander 8 or later. */
export interface CommanderProgram {
  name(): string;
  readonly commands: readonly object[];
  readonly options: readonly object[];
  exitOverride(...args: never[]): unknown;
}

/** An instance of yargs 17 or later. */
export interface YargsProgram {
  command(...args: never[]): unknown;
  demandCommand(...args: never[]): unknown;
  positional(...args: never[]): unknown;
}

/** The `Config` of oclif 2 or later: `this.config` in a command. */
export interface OclifConfig {
  readonly commands: readonly object[];
  findCommand(...args: never[]): unknown;
}

/** The class `Command` of oclif, or one that extends it. */
export type OclifCommand = abstract new (...args: never[]) => { run(): PromiseLike<unknown> };

/** A commander program as a manifest. Hidden commands and options are left out. */
export declare const fromCommander: (program: CommanderProgram) => Manifest;

/**
 * A yargs program as a manifest. Hidden commands and options are left out. Runs the builders of its commands, with a
 * stand-in for yargs that notes what they declare; call it before the program parses.
 */
export declare const fromYargs: (program: YargsProgram) => Promise<Manifest>;

/**
 * An oclif program as a manifest. Hidden commands, flags and arguments are left out. Loads the commands, and asks each
 * flag's `parse` what it makes of `1`: nothing else tells an integer from a string.
 */
export declare const fromOclif: (config: OclifConfig) => Promise<Manifest>;

/**
 * Gives a program the command `mcp-validate`, with `--mcp-schema-file`, `--mcp-server-url`, `--header` and `--output`;
 * exit codes are 0 no drift, 1 drift, 2 could not be checked. Commander and yargs: call it before the program parses; adds
 * the command to the program, and returns the program. Oclif: returns a class that extends the given one, to be exported
 * from `commands/mcp-validate`.
 * @throws TypeError if it is not such a program
 */
export declare const enableMcpValidate: <P extends CommanderProgram | YargsProgram | OclifCommand>(
  program: P,
  options?: McpValidateOptions,
) => P;
