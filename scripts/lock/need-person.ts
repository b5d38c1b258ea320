import { CommandError, type Io } from '../command/command.ts';
import { agentThatRuns, whyNoPerson } from './person.ts';
import { chainOf, type Process, thisProcess } from './processes.ts';
import { askCode, type Terminal } from './question.ts';
import { tmuxWatchers } from './tmux.ts';

const WINDOWS = process.platform === 'win32';

/** This process and those above it; null on Windows if PowerShell, which shows them, is barred. */
const chainHere = (): Process[] | null => {
  const chain = thisProcess.chain();
  return WINDOWS && chain.length === 0 ? null : chain;
};

/** Why there is no one here to ask; undefined if a person seems to be at the terminal. */
export const noPersonHere = ({ env, stdin, stdout }: Io): string | undefined => {
  const terminal = { stdin: stdin.isTTY === true, stdout: stdout.isTTY === true };
  const look = { chainOf, watchersOf: (tmux: Process, inside: number[]) => tmuxWatchers(tmux, inside, env) };
  return whyNoPerson(env, terminal, chainHere(), WINDOWS ? null : look);
};

/** Makes sure that no agent runs this, in CI or elsewhere. @throws CommandError if one does */
export const needNoAgent = (what: string, env: NodeJS.ProcessEnv): void => {
  const why = agentThatRuns(env, chainHere());
  if (why === undefined) return;
  throw new CommandError(
    'needs-a-person',
    `an agent cannot ${what}: ${why}`,
    'that is for a person at a terminal, or for a workflow that a person wrote',
  );
};

/** The error of a command that only a person may run. `what`: what it does; `why`: why this is not a person. */
export const needsAPerson = (what: string, why: string): CommandError =>
  new CommandError(
    'needs-a-person',
    `only a person can ${what}, at a terminal of their own: ${why}`,
    'open a terminal that no agent and no script started, and run the same command there',
  );

/** Makes sure that a person is at the terminal: an agent must not approve in their place. @throws CommandError if not */
export const needPerson = (what: string, io: Io): void => {
  const why = noPersonHere(io);
  if (why !== undefined) throw needsAPerson(what, why);
};

/**
 * Asks for digits that are on the screen, before the first question: answers written beforehand cannot contain them.
 * @throws CommandError if they are not typed
 */
export const needTypedCode = async (what: string, terminal: Terminal): Promise<void> => {
  if (!(await askCode(terminal))) throw needsAPerson(what, 'the digits were not typed');
};
