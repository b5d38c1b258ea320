import { basename, dirname, join } from 'node:path';
import { type Args, type Command, type Io, type Outcome, usageError } from '../command/command.ts';
import { tilde } from '../command/tilde.ts';
import { present } from '../contract/defined.ts';
import { withFileErrors } from '../install/errors.ts';
import { type InstallPlan, isChanged, isSettingsChanged, runInstall } from '../install/install.ts';
import { NAME } from '../install/layout.ts';
import { isMcpChanged, mcpPreview } from '../install/mcp-file.ts';
import { diffText, paintDiff } from '../install/preview.ts';
import { RECORD } from '../install/record.ts';
import { canAsk } from '../lock/question.ts';
import { fold } from '../text/fold.ts';
import { shellWord } from '../text/shell-word.ts';
import { visible } from '../text/visible.ts';
import { guardAll, offerLines, type Report, wayOf } from './wrap-many.ts';

/** The version of the package, which the build fills in. */
declare const __version: string;
// The bundle is CommonJS: `<root>/dist/cli.cjs`, in a checkout, a package or an installed skill.
declare const __filename: string;

const stateOf = (plan: InstallPlan): 'create' | 'update' | 'unchanged' => {
  if (!isSettingsChanged(plan)) return 'unchanged';
  return plan.settings.bytes === null ? 'create' : 'update';
};

/** Whether the project's `.mcp.json` starts a resident guard. */
const stays = ({ record }: InstallPlan): boolean => record.mcp !== undefined;

const dataOf = (plan: InstallPlan, dryRun: boolean) => ({
  form: plan.place.form,
  guard: plan.asPlugin || stays(plan) ? 'resident' : 'command',
  version: plan.version,
  dry_run: dryRun,
  changed: isChanged(plan),
  skill: {
    path: plan.place.skill,
    created: plan.folder.create,
    updated: plan.folder.update,
    removed: plan.folder.remove,
    unchanged: plan.folder.same.length,
    kept: plan.folder.foreign,
    record: join(plan.place.skill, RECORD),
  },
  commands: plan.launchers && {
    path: plan.launchers.folder,
    written: plan.launchers.write,
    unchanged: plan.launchers.same.length,
    kept: plan.launchers.occupied,
    on_path: plan.launchers.onPath,
  },
  settings: {
    path: plan.place.settings,
    action: stateOf(plan),
    hooks: plan.hooks.map(({ event, matcher, hook }) => ({ event, matcher: matcher ?? null, ...hook })),
    rules: { wanted: plan.rules, added: plan.record.settings.rules },
    backup: plan.backup && join(plan.place.claude, plan.backup),
    diff: diffText(plan.settings.text, plan.text),
  },
  ...(plan.mcp === undefined
    ? {}
    : {
        mcp: {
          path: plan.mcp.file.file,
          changed: isMcpChanged(plan.mcp),
          diff: diffText(plan.mcp.file.text, plan.mcp.text ?? ''),
        },
      }),
});

/** How many files are named one by one. `--json` names all. */
const MOST_NAMED = 5;

const list = (word: string, folder: string, paths: string[]): string[] =>
  paths.length > MOST_NAMED
    ? [`  ${word} ${paths.length} files in ${visible(folder)}`]
    : paths.map((path) => `  ${word} ${visible(join(folder, path))}`);

const preview = (plan: InstallPlan, colour: boolean): string[] => {
  const { place, folder, settings, backup } = plan;
  const diff = diffText(settings.text, plan.text);
  return present([
    ...list('create', folder.folder, folder.create),
    ...list('update', folder.folder, folder.update),
    ...list('remove', folder.folder, folder.remove),
    ...(plan.recordChanged ? list('write ', folder.folder, [RECORD]) : []),
    ...(plan.launchers?.write ?? []).map((path) => `  write  ${visible(path)}`),
    ...(backup ? list('create', place.claude, [backup]) : []),
    plan.asPlugin &&
      `  The guard runs as a Claude Code plugin from ${visible(folder.folder)}. The settings get only deny rules.`,
    isSettingsChanged(plan) && `  ${stateOf(plan)} ${visible(place.settings)}`,
    diff.length > 0 && paintDiff(diff, colour),
    ...mcpPreview(plan.mcp, colour),
  ]);
};

const short = (path: string, io: Pick<Io, 'env'>): string => visible(tilde(path, io));

/** `50 files written`, and how many are unchanged or removed. */
const filesText = ({ create, update, remove, same }: InstallPlan['folder']): string => {
  const copied = create.length + update.length;
  return present([
    (copied > 0 || remove.length > 0) && `${copied} files written`,
    same.length > 0 && `${same.length} unchanged`,
    remove.length > 0 && `${remove.length} removed`,
  ]).join(', ');
};

/** What the user has to run so that the shell finds the commands. */
const pathHint = ({ launchers }: InstallPlan): string =>
  launchers === undefined || launchers.onPath
    ? ''
    : `\n           your shell finds them after: ${pathCommand(visible(launchers.folder))}`;

const pathCommand = (folder: string): string =>
  process.platform === 'win32'
    ? `[Environment]::SetEnvironmentVariable('Path', [Environment]::GetEnvironmentVariable('Path', 'User') + ';${folder}', 'User')`
    : `export PATH="${folder}:$PATH"`;

/** The files of a project's installation that have to be committed. */
const committed = (plan: InstallPlan): string =>
  present(['.claude/settings.json', '.claude/skills/konnichiwagwan', stays(plan) && '.mcp.json']).join(', ');

const done = (plan: InstallPlan, io: Pick<Io, 'env'>): string[] => {
  const { place, folder, settings, backup } = plan;
  // Windows has one more launcher for each kind of shell.
  const launched = [...(plan.launchers?.write ?? []), ...(plan.launchers?.same ?? [])].filter(
    (path) => !/\.(?:cmd|ps1)$/.test(path),
  );
  const file = short(place.settings, io);
  const target = settings.target === place.settings ? '' : `, a link to ${short(settings.target, io)}`;
  return present([
    `  folder   ${short(place.skill, io)} (${filesText(folder)})`,
    plan.asPlugin
      ? '  guard    runs as a Claude Code plugin from that folder'
      : `  guard    runs as ${plan.hooks.length} hooks in ${file}${target}`,
    stays(plan) && '           which ask a server of .mcp.json that Claude Code starts once a session',
    plan.place.form === 'project' && `  commit   ${committed(plan)}`,
    plan.asPlugin
      ? `  rules    ${file}${target} gets only deny rules: the agent cannot approve changes of tools for you`
      : `  rules    ${plan.rules.length} deny rules in the same file: the agent cannot approve changes of tools for you`,
    launched.length > 0 && `  command  ${launched.map((path) => short(path, io)).join(', ')}${pathHint(plan)}`,
    backup !== null && `  backup   ${short(join(place.claude, backup), io)}`,
  ]);
};

const textOf = (plan: InstallPlan, dryRun: boolean, io: Pick<Io, 'env' | 'colour'>): string => {
  const scope = plan.place.form === 'user' ? 'for all your projects' : 'in this project';
  const name = `konnichiwagwan${plan.version ? ` ${plan.version}` : ''}`;
  const kept = plan.folder.foreign.map((path) => `  kept    ${visible(join(plan.folder.folder, path))} (not ours)`);
  if (!isChanged(plan)) {
    return [`${name} is installed ${scope} already: nothing to change.`, ...done(plan, io), ...kept].join('\n');
  }
  if (dryRun) {
    return [`Would install ${name} ${scope}:`, ...preview(plan, io.colour), ...kept, 'Nothing was written.'].join('\n');
  }
  return [`Installed ${name} ${scope}.`, ...done(plan, io), ...kept].join('\n');
};

/** What comes next, and the way back: the last line, whatever was asked. */
const nextLine = ({ place, launchers }: InstallPlan): string => {
  const [where, flag] = place.form === 'user' ? ['', ''] : [' in this folder', ' --project'];
  const cli = shellWord(visible(join(place.skill, place.programs, 'cli.cjs')));
  // Without its path only if a shell finds it.
  const command = launchers?.onPath && launchers.occupied.length === 0 ? 'konnichiwagwan' : `node ${cli}`;
  return `Next: start Claude Code${where}. Undo: ${command} uninstall${flag}`;
};

/** How the program is started that this plan installs: as `wrap --add` would write it. */
const plannedStart = ({ place, launchers }: InstallPlan): string[] => {
  const launcher = [...(launchers?.write ?? []), ...(launchers?.same ?? [])].find((path) => basename(path) === NAME);
  return launcher === undefined || process.platform === 'win32'
    ? ['node', join(place.skill, place.programs, 'cli.cjs')]
    : [launcher];
};

/** Offers to guard the servers that were found. `shown`: whether the first report is on the screen already. */
const guardServers = async (
  plan: InstallPlan,
  report: string,
  args: Args,
  io: Io,
): Promise<Report & { shown: boolean }> => {
  const { project, 'no-wrap': none } = args.values;
  if (project === true || none === true) return { lines: [], data: {}, shown: false };
  const { lines: offer, isPartial } = offerLines(io);
  const isOffered = offer.some((line) => line.includes('--all'));
  const way = wayOf(args);
  const how = { version: __version, options: [] };
  if (way.dry && isOffered) {
    const { lines, ...done } = await guardAll({}, { ...how, start: plannedStart(plan) }, way, io);
    const when = way.yes ? [] : ['Then, at a terminal and after a yes:'];
    return { ...done, lines: [...offer.slice(0, 1), ...when, ...lines], shown: false };
  }
  const isAsked = !way.yes && !way.json && canAsk(io) && isOffered;
  if (way.dry || (!way.yes && !isAsked)) return { lines: offer, data: {}, isPartial, shown: false };
  if (isAsked) io.stdout.write(`${fold(report, io.columns)}\n\n`);
  return { ...(await guardAll({}, how, way, io)), shown: isAsked };
};

export const install: Command = {
  name: 'install',
  usage: '[--project] [--yes | --no-wrap] [--dry-run] [--json]',
  options: {
    project: { type: 'boolean' },
    yes: { type: 'boolean' },
    'no-wrap': { type: 'boolean' },
    'dry-run': { type: 'boolean' },
  },
  help: [
    'Copies a self-contained skill folder to ~/.claude/skills/konnichiwagwan ($CLAUDE_CONFIG_DIR overrides ~/.claude).',
    'Claude Code 2.1.330 or newer (on the PATH) loads it itself, with its hooks and one guard process for each session. For an',
    'older one, and in a project, the hooks are added to settings.json. In a project .mcp.json names the guard.',
    'settings.json also gets rules that keep Claude from editing the lockfile and our state, and from running',
    '`konnichiwagwan approve`. A dated backup is kept beside it.',
    'Puts the commands konnichiwagwan and kwg into ~/.local/bin.',
    'Then it asks once whether to guard local (stdio) servers, too: they start through `konnichiwagwan wrap` from then on,',
    'and `uninstall` puts each one back. Without a terminal nothing is asked or wrapped.',
    'Run again, it changes nothing, or brings an older installation up to date.',
    '',
    '  --project   into .claude and .mcp.json of the current folder, to be committed',
    '  --yes       guard local servers, too, and do not ask',
    '  --no-wrap   leave the servers as they are, and do not ask',
    '  --dry-run   show the exact changes and write nothing',
    '',
    'Example: konnichiwagwan install --dry-run',
  ].join('\n'),
  async run(args, io: Io): Promise<Outcome> {
    if (args.values.yes === true && args.values['no-wrap'] === true)
      throw usageError('install', '--yes and --no-wrap exclude each other');
    const root = dirname(dirname(__filename));
    const dryRun = args.values['dry-run'] === true;
    const plan = withFileErrors(() => runInstall(root, args.values.project === true, dryRun, io));
    const report = textOf(plan, dryRun, io);
    const { lines, data, isPartial, shown } = await guardServers(plan, report, args, io);
    return {
      exit: isPartial ? 2 : 0,
      data: { ...dataOf(plan, dryRun), servers: data },
      text: present([!shown && report, ...lines, !(dryRun && isChanged(plan)) && nextLine(plan)]).join('\n'),
      ...(plan.warnings.length > 0 ? { warnings: plan.warnings } : {}),
    };
  },
};
