import { CommandError } from '../command/command.ts';
import { whyNoPerson } from './person.ts';
import { chainOf } from './processes.ts';
import { askCode } from './question.ts';
import { tmuxWatchers } from './tmux.ts';

/** Why nobody can be asked here; undefined where a person seems to sit at the terminal. */
export const nobodyHere = (env: NodeJS.ProcessEnv): string | undefined => {
  const terminal = { stdin: process.stdin.isTTY === true, stdout: process.stdout.isTTY === true };
  const chain = process.platform === 'win32' ? null : chainOf(process.pid);
  return whyNoPerson(env, terminal, chain, {
    chainOf,
    watchersOf: (tmux, inside) => tmuxWatchers(tmux, inside, env),
  });
};

/** What an error says where only a person will do. */
export const needsAPerson = (what: string, why: string): CommandError =>
  new CommandError(
    'needs-a-person',
    `only a person can ${what}, at a terminal of their own: ${why}`,
    'open a terminal that no agent and no script started, and run the same command there',
  );

/** The agent must not approve for a person: nothing is asked, or answered, where nobody sits. */
export const needPerson = (what: string, env: NodeJS.ProcessEnv): void => {
  const why = nobodyHere(env);
  if (why !== undefined) throw needsAPerson(what, why);
};

/** Before the first question: an answer that was written beforehand does not know the digits. */
export const needTypedCode = async (what: string, output: typeof process.stdout): Promise<void> => {
  if (!(await askCode(process.stdin, output))) throw needsAPerson(what, 'the digits were not typed');
};
