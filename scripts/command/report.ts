import { painter } from '../text/paint.ts';
import { quoteText } from '../text/quote.ts';
import { type Args, type Io, type Options, type Outcome, usageError } from './command.ts';
import { writeOutput } from './write-output.ts';

/** Options of every command that reports in several formats. */
export const REPORT_OPTIONS: Options = { format: { type: 'string' }, output: { type: 'string', short: 'o' } };

/** The value of an option that has a few allowed values. @throws CommandError for any other value */
export const oneOf = <T extends string>(command: string, option: string, value: unknown, allowed: readonly T[]): T => {
  const found = allowed.find((one) => one === value);
  if (found !== undefined) return found;
  throw usageError(command, `--${option} is one of ${allowed.join(', ')}, not ${quoteText(String(value), 40)}`);
};

/** For commands whose answer is expensive, or may differ next time: more reports about the same answer. */
export const ALSO: Options = { also: { type: 'string', multiple: true } };

/** A report in addition to the printed one. */
interface MoreReport<Format extends string> {
  format: Format;
  file: string;
}

/** Reads `--also`. @throws CommandError if a format or a file is missing */
export const moreReports = <Format extends string>(
  command: string,
  { values }: Args,
  formats: Readonly<Record<Format, unknown>>,
): MoreReport<Format>[] =>
  ((values.also ?? []) as string[]).map((given) => {
    const [, format, file] = /^([a-z]+)=(.+)$/s.exec(given) ?? [];
    if (file === undefined) throw usageError(command, `--also is NAME=FILE, not ${quoteText(given, 60)}`);
    return { format: oneOf(command, 'also', format, Object.keys(formats) as Format[]), file };
  });

/** Writes reports to their files. @throws CommandError if one cannot be written */
export const writeReports = async <Format extends string>(
  more: readonly MoreReport<Format>[],
  { cwd }: Io,
  makeReport: (format: Format) => Promise<string>,
): Promise<void> => {
  for (const { format, file } of more) {
    const text = await makeReport(format);
    writeOutput(file, cwd, text === '' ? '' : `${text}\n`);
  }
};

/** Which report is wanted. `output` is the file that it is written to. */
export interface ReportOptions<Format extends string> {
  format: Format;
  json: boolean;
  output: string | undefined;
}

/** Reads `--format`, `--output` and `--json`. @throws CommandError if they are wrong, or contradict each other */
export const reportOptions = <Format extends string>(
  command: string,
  { values }: Args,
  formats: Readonly<Record<Format, unknown>>,
): ReportOptions<Format> => {
  const format = oneOf(command, 'format', values.format ?? 'text', Object.keys(formats) as Format[]);
  const [json, output] = [values.json === true, values.output as string | undefined];
  if (json && values.format !== undefined && output === undefined)
    throw usageError(command, '--json is a format of its own', 'add --output FILE for the other one');
  return { format, json, output };
};

/** The width if the output is not a terminal: the same for everyone. */
const PLAIN_COLUMNS = 100;

/** How a report for people looks: coloured and as wide as the terminal, but only on one. */
export const lookOf = ({ output }: { output: string | undefined }, { colour, env, stdout }: Io) => ({
  paint: painter(colour && output === undefined),
  columns: (stdout.isTTY && (Number(env.COLUMNS) || stdout.columns)) || PLAIN_COLUMNS,
});

/**
 * Makes the report, and prints it or writes it to the file that was asked for; then `outcome.text` is printed. With
 * `--json` and no file no report is made. @throws CommandError if the file cannot be written
 */
export const reported = async (
  { format, json, output }: ReportOptions<string>,
  { cwd }: Io,
  outcome: Outcome,
  makeReport: () => string | Promise<string>,
): Promise<Outcome> => {
  if (json && output === undefined) return { ...outcome, text: '' };
  const text = await makeReport();
  if (output !== undefined) {
    writeOutput(output, cwd, text === '' ? '' : `${text}\n`);
    return outcome;
  }
  const { warnings = [], ...rest } = outcome;
  // The other formats, for programs, contain the warnings.
  return { ...rest, text, warnings: format === 'text' ? warnings : [] };
};
