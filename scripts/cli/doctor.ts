import { type Command, type Io, usageError } from '../command/command.ts';
import { loadConfig } from '../config/config.ts';
import { present } from '../contract/defined.ts';
import { isManaged } from '../servers/settings.ts';
import { type Guarded, guardCommand, guardedText, restText } from '../session/guarded.ts';
import { stateHome } from '../state/paths.ts';
import { type Paint, painter } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { visibleJson } from '../text/visible.ts';
import { type Check, entryOf, note, wrong } from './doctor/check.ts';
import { checkEvents } from './doctor/events.ts';
import { formsOf } from './doctor/forms.ts';
import { checkGuard } from './doctor/guard.ts';
import { checkHooks, isJudge } from './doctor/hooks.ts';
import { checkLockfile } from './doctor/lockfile.ts';
import { checkPolicy } from './doctor/policy.ts';
import { checkClient, checkNode } from './doctor/programs.ts';
import { checkLines } from './doctor/render.ts';
import { checkRules } from './doctor/rules.ts';
import { checkShared } from './doctor/shared.ts';
import { checkSources } from './doctor/sources.ts';
import { checkState } from './doctor/state.ts';

const checkSwitch = ({ env }: Io, home: string, project: string): Check[] =>
  present([
    env.KONNICHIWAGWAN === 'off' &&
      (isManaged()
        ? note('switch', 'KONNICHIWAGWAN=off does nothing: an organization has settings here')
        : wrong('switch', 'KONNICHIWAGWAN=off: the hooks do nothing', 'unset it')),
    loadConfig(home, project, env).user.mode === 'off' &&
      wrong('switch', '"mode": "off" in config.json: calls are not checked', 'take that out'),
  ]);

/** The summary, with the command for what is left to do. */
const endLine = (
  problems: number,
  guarded: Guarded,
  command: string | undefined,
  paint: Paint,
  columns: number,
): string => {
  const count = guarded.total === 0 ? '' : `, ${guardedText(guarded)}`;
  const rest = `. ${restText(guarded)}`;
  const length = `${plural(problems, 'problem')}${count}${rest} ${command}`.length;
  // A command is never broken across lines: if it doesn't fit behind the words, it goes below them.
  const next = command === undefined ? '' : `${rest}${length > columns ? '\n  → ' : ' '}${command}`;
  if (problems > 0) return paint('red', `${plural(problems, 'problem')}${count}`) + next;
  return guarded.others.length > 0
    ? paint('yellow', `no problem${count}`) + next
    : paint('green', `all is well${count}`);
};

export const doctor: Command = {
  name: 'doctor',
  usage: '[--format text|lines]',
  options: { format: { type: 'string' } },
  help: `
Checks Node and Claude Code, the registered hooks and the files they point at, the rules that leave approving to
people, every source, the lockfile and the state folder. Reads the managed settings of an organization, and says what
of ours they keep from running. Fetches the approvals that are shared with this machine. Starts the guard of each form in which it is
registered (settings, plugin, folder of skills) as Claude Code does, with a stale call, which it must stop, and a fresh
one, which it must let pass in silence, and says which of them judges.

  --format lines  one JSON object for each check, each on a line: id, level (ok, warning, problem), name, message, fix

Exits with 1 if something is wrong, or a command would guard more servers.`,
  run: async ({ values }, io) => {
    const { format = 'text' } = values;
    if (format !== 'text' && format !== 'lines') throw usageError('doctor', '--format is text or lines');
    const home = stateHome(io.env);
    const project = io.env.CLAUDE_PROJECT_DIR || io.cwd;
    io.progress('checking …');
    const forms = formsOf(io, project);
    const isHooked = forms.some(({ hooks }) => hooks.some(isJudge));
    const sources = await checkSources(io, home, project, isHooked);
    const checks = [
      checkNode(io, forms),
      checkClient(io, forms),
      ...checkHooks(io, forms),
      checkRules(io, project, forms),
      ...checkPolicy(io, project, forms),
      ...sources.checks,
      ...checkLockfile(io, home, project),
      ...(await checkShared(io, home, project)),
      checkState(home),
      ...checkEvents(io, home, project),
      ...checkSwitch(io, home, project),
      ...(await checkGuard(io, forms)),
    ];
    const problems = checks.filter(({ state }) => state === 'wrong').length;
    const { guarded } = sources;
    const paint = painter(io.colour);
    const command = guardCommand(guarded);
    return {
      exit: problems > 0 || command !== undefined ? 1 : 0,
      data: {
        checks: checks.map((check) => ({ ...check, ...entryOf(check) })),
        servers: { guarded: guarded.guarded, total: guarded.total },
      },
      text:
        format === 'lines'
          ? checks.map((check) => visibleJson(JSON.stringify(entryOf(check)))).join('\n')
          : [...checkLines(checks, io), '', endLine(problems, guarded, command, paint, io.columns)].join('\n'),
    };
  },
};
