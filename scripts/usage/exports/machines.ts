import { readFileSync, statSync } from 'node:fs';
import { CommandError } from '../../command/command.ts';
import { plural } from '../../text/plural.ts';
import { plainName, quoteText } from '../../text/quote.ts';

const LARGEST_LIST = 4 * 1024 * 1024;
const MOST_MACHINES = 100_000;
/** Most machines that are named; the others are only counted. */
const MOST_NAMED = 20;

/** The machines that have to have reported: how many, or which. */
export type Expected = number | readonly string[];

/** Reads `--machines`: a number, or a file with a name a line; `#` begins a comment. */
export const expectedMachines = (wanted: string, path: string): Expected => {
  const wrong = (message: string) =>
    new CommandError('usage', message, '--machines N, or a file with one machine a line');
  if (/^\d{1,6}$/.test(wanted)) {
    if (Number(wanted) === 0) throw wrong('--machines needs at least one machine');
    return Number(wanted);
  }
  let text: string;
  try {
    if (statSync(path).size > LARGEST_LIST)
      throw wrong(`${quoteText(wanted, 200)} is too large for a list of machines`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw wrong(`the list of machines ${quoteText(wanted, 200)} could not be read`);
  }
  const names = text.split(/\r?\n/).map((line) => line.replace(/(^|\s)#.*/, '').trim());
  const machines = [...new Set(names.filter((name) => name !== ''))];
  if (machines.length === 0) throw wrong(`${quoteText(wanted, 200)} names no machine`);
  if (machines.length > MOST_MACHINES)
    throw wrong(`${quoteText(wanted, 200)} names more than ${MOST_MACHINES} machines`);
  return machines;
};

/** What machines reported. */
export interface Reported {
  /** The last UTC day that the answer is about. */
  until: string;
  /** The day that each machine last reported: of its newest line or file. */
  machines: ReadonlyMap<string, string>;
  expected?: Expected;
}

export interface Missing {
  expected: number | null;
  /** How many machines reported after the last day, and so completely. */
  complete: number;
  /** Expected machines that did not, and when they last reported; null for never. */
  missing: { machine: string; last: string | null }[];
}

/** Which of the expected machines have not reported up to the end of the window. */
export const missingMachines = ({ until, machines, expected }: Reported): Missing => {
  const isComplete = (machine: string): boolean => (machines.get(machine) ?? '') > until;
  const names = typeof expected === 'object' ? expected : [...machines.keys()];
  return {
    expected: typeof expected === 'object' ? expected.length : (expected ?? null),
    complete: names.filter(isComplete).length,
    missing: names
      .filter((machine) => !isComplete(machine))
      .map((machine) => ({ machine, last: machines.get(machine) ?? null })),
  };
};

/** Why a tool cannot be retired yet, as far as machines are missing; empty if none is. */
export const missingText = (reported: Reported): string[] => {
  const { expected, complete, missing } = missingMachines(reported);
  const { until } = reported;
  const named = missing.slice(0, MOST_NAMED).map(({ machine, last }) => `${plainName(machine)} (${last ?? 'never'})`);
  const list = `${named.join(', ')}${missing.length > named.length ? ` and ${missing.length - named.length} more` : ''}`;
  if (expected === null)
    return ['which machines are expected is not known: --machines N, or a file that names them, says it'];
  // With only a number, machines that stopped reporting may not be the expected ones.
  if (complete >= expected) return [];
  return [
    `${complete} of ${plural(expected, 'machine')} reported after ${until}${named.length > 0 ? `; these did not, and last reported: ${list}` : ''}`,
  ];
};
