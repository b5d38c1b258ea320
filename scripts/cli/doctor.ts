import type { Command, Io } from '../command/command.ts';
import { type Guarded, guardCommand, guardedText } from '../session/guarded.ts';
import { stateHome } from '../state/paths.ts';
import { type Paint, painter } from '../text/paint.ts';
import type { Check } from './doctor/check.ts';
import { formsOf } from './doctor/forms.ts';
import { checkGuard } from './doctor/guard.ts';
import { checkHooks } from './doctor/hooks.ts';
import { checkClient, checkNode } from './doctor/programs.ts';
import { checkLines } from './doctor/render.ts';
import { checkRules } from './doctor/rules.ts';
import { checkSources } from './doctor/sources.ts';
import { checkState } from './doctor/state.ts';

const checkSwitch = ({ env }: Io): Check[] =>
  env.KONNICHIWAGWAN === 'off'
    ? [{ name: 'switch', state: 'wrong', detail: 'KONNICHIWAGWAN=off: the hooks do nothing', hint: 'unset it' }]
    : [];

/** The summary, with the command for what is left to do. */
const endLine = (
  wrong: number,
  guarded: Guarded,
  command: string | undefined,
  paint: Paint,
  columns: number,
): string => {
  const count = guarded.total === 0 ? '' : `, ${guardedText(guarded)}`;
  const rest = `. For the ${guarded.guarded === 0 ? 'rest' : 'others'}:`;
  const length = `${wrong} wrong${count}${rest} ${command}`.length;
  // A command is never broken: where there is no room beside the words, it stands below them.
  const next = command === undefined ? '' : `${rest}${length > columns ? '\n  → ' : ' '}${command}`;
  if (wrong > 0) return paint('red', `${wrong} wrong${count}`) + next;
  return guarded.others.length > 0
    ? paint('yellow', `nothing is wrong${count}`) + next
    : paint('green', `all is well${count}`);
};

export const doctor: Command = {
  name: 'doctor',
  summary: 'is everything in place, and does the installed guard work?',
  usage: '',
  help: `
Checks Node and Claude Code, the registered hooks and the files they point at, the rules that leave approving to
people, every source and the state folder. Starts the guard of each form in which it is registered (settings, plugin,
folder of skills) as Claude Code does, with a stale call, which it must stop, and a fresh one, which it must let pass in
silence, and says which of them judges. Exits with 1 if something is wrong, or a command would guard more servers.`,
  run: async (_args, io) => {
    const home = stateHome(io.env);
    const project = io.env.CLAUDE_PROJECT_DIR || io.cwd;
    io.progress('checking …');
    const forms = formsOf(io, project);
    const sources = await checkSources(io, home, project);
    const checks = [
      checkNode(io, forms),
      checkClient(io, forms),
      ...checkHooks(io, forms),
      checkRules(io, project, forms),
      ...sources.checks,
      checkState(home),
      ...checkSwitch(io),
      ...(await checkGuard(io, forms)),
    ];
    const wrong = checks.filter((check) => check.state === 'wrong').length;
    const { guarded } = sources;
    const paint = painter(io.colour);
    const command = guardCommand(guarded);
    return {
      exit: wrong > 0 || command !== undefined ? 1 : 0,
      data: { checks, servers: { guarded: guarded.guarded, total: guarded.total } },
      text: [...checkLines(checks, io), '', endLine(wrong, guarded, command, paint, io.columns)].join('\n'),
    };
  },
};
