import { fromCommander } from './from-commander.ts';
import { fromOclif } from './from-oclif.ts';
import { manifestFrom, stateOf } from './from-yargs.ts';
import { membersOf, OWN_NAME } from './manifest.ts';
import { type Given, OPTIONS, run, SUMMARY } from './run.ts';
import type * as Kit from './validate.d.ts';

interface Commander extends Kit.CommanderProgram {
  command(name: string): Commander;
  description(text: string): Commander;
  option(flags: string, description: string, collect?: (value: string, all: string[]) => string[]): Commander;
  exitOverride(act?: (error: { exitCode: number }) => void): Commander;
  action(act: (given: Given) => Promise<void>): Commander;
  opts(): Given;
  getOptionValueSource(name: string): string | undefined;
}

/** A program's option of the same name takes the value even after our command; its default is not meant for us. */
const withPrograms = (program: Commander, given: Given): Given => {
  const options = program.opts();
  const said = Object.keys(options).filter((name) => program.getOptionValueSource(name) === 'cli');
  return { ...Object.fromEntries(said.map((name) => [name, options[name]])), ...given };
};

const onCommander = (program: Commander, options: Kit.McpValidateOptions): void => {
  const command = program.command(OWN_NAME).description(SUMMARY);
  for (const { name, value, text, many } of OPTIONS) {
    const more = (value: string, all: string[] = []): string[] => [...all, value];
    command.option(`--${name} <${value}>`, text, ...(many ? [more] : []));
  }
  // Commander exits with 1 for wrong arguments, which means drift here. A program's own override is kept.
  if (typeof membersOf(program)._exitCallback !== 'function')
    command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  // What the program requires is for its own commands, and would end ours with 1.
  Object.assign(command, { _checkForMissingMandatoryOptions: () => {} });
  command.action(async (given) => run(withPrograms(program, given), () => fromCommander(program), options));
};

interface YargsBuilder {
  option(name: string, option: object): YargsBuilder;
  fail(act: (message: string | null, error?: Error) => void): YargsBuilder;
}

interface Yargs {
  command(
    name: string,
    summary: string,
    builder: (yargs: YargsBuilder) => YargsBuilder,
    handler: (given: Record<string, unknown>) => Promise<void>,
  ): unknown;
}

const onYargs = (program: Kit.YargsProgram, options: Kit.McpValidateOptions): void => {
  // Taken now: while a command runs, yargs has forgotten the others.
  const state = stateOf(program);
  (program as unknown as Yargs).command(
    OWN_NAME,
    SUMMARY,
    (yargs) => {
      for (const { name, value, text, many } of OPTIONS) {
        // The program's own option of this name may have a default, which is not meant for us.
        const shape = { type: 'string', array: many === true, requiresArg: true, default: undefined };
        yargs.option(name, { ...shape, describe: `${value}: ${text}` });
      }
      // Yargs exits with 1 for wrong arguments, which means drift here.
      return yargs.fail((message, error) => {
        process.stderr.write(`${OWN_NAME}: ${message ?? error?.message ?? 'failed'}\n`);
        process.exit(2);
      });
    },
    async (given) => run(given as Given, () => manifestFrom(state), options),
  );
};

type OclifClass = abstract new (
  ...args: never[]
) => {
  config: Kit.OclifConfig;
  parse(command: unknown): Promise<{ flags: Record<string, unknown> }>;
};

const oclifClass = (Base: OclifClass, options: Kit.McpValidateOptions): unknown => {
  const flags = OPTIONS.map(({ name, value, text, many }) => [
    name,
    {
      type: 'option',
      input: [],
      multiple: many === true,
      helpValue: value,
      description: text,
      parse: async (given: string) => given,
    },
  ]);
  abstract class McpValidate extends Base {
    static readonly summary = SUMMARY;
    static readonly flags = Object.fromEntries(flags);
    async run(): Promise<void> {
      const { flags: given } = await this.parse(McpValidate);
      await run(given, () => fromOclif(this.config), options);
    }
  }
  return McpValidate;
};

export const enableMcpValidate: typeof Kit.enableMcpValidate = (program, options = {}) => {
  const { getInternalMethods, commands, registeredArguments, _args, prototype } = membersOf(program);
  if (typeof getInternalMethods === 'function') onYargs(program as Kit.YargsProgram, options);
  else if (Array.isArray(commands) && Array.isArray(registeredArguments ?? _args))
    onCommander(program as unknown as Commander, options);
  else if (typeof membersOf(prototype).parse === 'function')
    return oclifClass(program as unknown as OclifClass, options) as typeof program;
  else throw new TypeError('enableMcpValidate takes a program of commander or yargs, or the class Command of oclif');
  return program;
};
