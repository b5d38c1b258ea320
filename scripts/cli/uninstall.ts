import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, CommandError, type Io, type Outcome } from '../command/command.ts';
import { tilde } from '../command/tilde.ts';
import { present } from '../contract/defined.ts';
import { withFileErrors } from '../install/errors.ts';
import { placeOf, staysInProject } from '../install/layout.ts';
import { mcpPreview } from '../install/mcp-file.ts';
import { diffText, paintDiff } from '../install/preview.ts';
import type { PurgePlan } from '../install/purge.ts';
import { RECORD } from '../install/record.ts';
import { isInstalled, runUninstall, type UninstallPlan } from '../install/uninstall.ts';
import { needNoAgent } from '../lock/need-person.ts';
import { stateHome } from '../state/paths.ts';
import { plural } from '../text/plural.ts';
import { quoteName, quotePath } from '../text/quote.ts';
import { shellWord } from '../text/shell-word.ts';
import { visible } from '../text/visible.ts';
import { type HostEntry, hostEntries } from '../wrap-hosts/entries.ts';
import { applyMany, folderOf, isWrapped, type ManyPlan, planRemoveMany, whereOf } from '../wrap-hosts/plan.ts';
import { BACK, forgetRewritten, type Rewritten } from '../wrap-hosts/rewritten.ts';
import { startedThrough } from '../wrap-hosts/started-through.ts';

/** The record of the installation is not one of the files that it counted. */
const filesIn = ({ files }: UninstallPlan): number => files.filter((path) => path !== RECORD).length;

const purged = (plan: PurgePlan | null): boolean => plan !== null && plan.kept === null;

const removedOf = (plan: UninstallPlan): string[] => [
  ...plan.launchers,
  ...plan.files.map((path) => join(plan.place.skill, path)),
  ...plan.backups.map((name) => join(plan.place.claude, name)),
  ...(plan.purge?.remove ?? []).map((name) => join(plan.purge?.folder as string, name)),
];

const keptOf = (plan: UninstallPlan): { path: string; why: string }[] =>
  present([
    ...plan.foreign.map((path) => ({ path: join(plan.place.skill, path), why: 'not ours' })),
    plan.keptRules.length > 0 && {
      path: plan.place.settings,
      why: `its ${plan.keptRules.length} rules like ours: not known to be added by us`,
    },
    ...(plan.purge?.foreign ?? []).map((name) => ({ path: join(plan.purge?.folder as string, name), why: 'not ours' })),
    ...(plan.purge?.kept ? [{ path: plan.purge.folder, why: plan.purge.kept }] : []),
  ]);

/** The command that prints what to change by hand; it works until the program is removed. */
const byHand = ({ name, place: { host, scope } }: HostEntry): string =>
  `konnichiwagwan wrap --remove ${shellWord(visible(name))} --host ${host} --scope ${scope}`;

/** Plans to restore entries that start through the program being removed. @throws CommandError if one cannot be restored */
const planUnwrap = (io: Io, project: boolean, dryRun: boolean): ManyPlan => {
  const entries = withFileErrors(() => startedThrough(io, project));
  if (entries.length > 0 && !dryRun) needNoAgent('take wrap away from servers', io.env);
  const plan = planRemoveMany(entries);
  const [first] = plan.left;
  if (first === undefined) return plan;
  const lines = plan.left.map(({ entry, why }) => {
    const folder = folderOf(entry);
    const where = folder === undefined ? '' : `, in ${quotePath(folder)}`;
    return `  ${quoteName(entry.name)} (${whereOf(entry)}) ${why}: ${byHand(entry)}${where}`;
  });
  throw new CommandError(
    'still-wrapped',
    `${plural(plan.left.length, 'server')} would not start without the installation, and cannot be put back from here:\n${lines.join('\n')}`,
    'Put them back first, then uninstall. Nothing was changed.',
  );
};

/** The files that still start a server through a konnichiwagwan, though not through this one. */
const stillWrapped = (io: Io): Set<string> =>
  new Set(hostEntries(io, true).entries.flatMap((entry) => (isWrapped(entry) ? [entry.file.target] : [])));

const unwrapData = (plan: ManyPlan, written: readonly Rewritten[]) =>
  plan.files.map(({ file, changes }) => ({
    path: file.file,
    servers: changes.map(({ entry }) => entry.name),
    state: written.find((one) => one.file === file.file)?.state ?? null,
  }));

const unwrapText = (plan: ManyPlan, written: readonly Rewritten[], io: Io): string[] =>
  plan.files.flatMap(({ file, changes }) => {
    const state = written.find((one) => one.file === file.file)?.state;
    const what = `${plural(changes.length, 'server')} of ${visible(tilde(file.file, io))}`;
    if (state !== undefined) return [`  servers  ${what} put back: ${BACK[state]}`];
    return [`  put back ${what}`, ...changes.map(({ diff }) => paintDiff(diff, io.colour))];
  });

const dataOf = (plan: UninstallPlan, dryRun: boolean) => ({
  form: plan.place.form,
  dry_run: dryRun,
  installed: isInstalled(plan),
  skill: { path: plan.place.skill },
  settings: { path: plan.place.settings, action: plan.action, diff: diffText(plan.settings.text, plan.text) },
  ...(plan.mcp ? { mcp: { path: plan.mcp.file.file, diff: diffText(plan.mcp.file.text, plan.mcp.text ?? '') } } : {}),
  state: plan.purge && { path: plan.purge.folder, purged: purged(plan.purge) },
  removed: removedOf(plan),
  kept: keptOf(plan),
});

const SETTINGS: Record<UninstallPlan['action'], string> = {
  none: 'holds nothing of ours',
  restore: 'back to the bytes it had before',
  edit: 'what install added is taken out, the rest is unchanged',
  delete: 'removed: it was not there before',
};

const preview = (plan: UninstallPlan, io: Io): string[] => {
  const diff = diffText(plan.settings.text, plan.text);
  const { skill } = plan.place;
  const others = removedOf({ ...plan, files: [] });
  return present([
    plan.action !== 'none' && `  ${plan.action} ${short(plan.place.settings, io)}`,
    diff.length > 0 && paintDiff(diff, io.colour),
    ...mcpPreview(plan.mcp, io.colour),
    plan.files.length > 0 && `  remove ${short(skill, io)} (${plural(filesIn(plan), 'file')})`,
    ...others.map((path) => `  remove ${short(path, io)}`),
  ]);
};

const short = (path: string, io: Io): string => visible(tilde(path, io));

const done = (plan: UninstallPlan, io: Io): string[] =>
  present([
    `  settings ${short(plan.place.settings, io)}: ${SETTINGS[plan.action]}`,
    plan.mcp &&
      `  servers  ${short(plan.mcp.file.file, io)}: ${plan.mcp.text === undefined ? SETTINGS.delete : 'our guard taken out'}`,
    plan.files.length > 0 && `  folder   ${short(plan.place.skill, io)}: ${plural(filesIn(plan), 'file')} removed`,
    plan.launchers.length > 0 && `  command  ${plan.launchers.map((path) => short(path, io)).join(', ')}: removed`,
    ...plan.backups.map((name) => `  backup   ${short(join(plan.place.claude, name), io)}: removed`),
    purged(plan.purge) &&
      `  state    ${short(plan.purge?.folder as string, io)}: ${plan.purge?.remove.join(', ') || 'nothing'} removed`,
  ]);

const FOR_ALL = 'for all your projects';

const textOf = (plan: UninstallPlan, servers: readonly string[], dryRun: boolean, io: Io): string => {
  const scope = plan.place.form === 'user' ? FOR_ALL : 'in this project';
  const state = stateHome(io.env);
  const word = dryRun ? 'keep  ' : 'kept    ';
  const kept = present([
    ...keptOf(plan).map(({ path, why }) => `  ${word} ${short(path, io)} (${why})`),
    plan.purge === null &&
      scope === FOR_ALL &&
      existsSync(state) &&
      `  ${word} ${short(state, io)} (your settings, the baselines and the log of verdicts: delete the folder if you need none of them)`,
  ]);
  const idle = servers.length === 0 && !isInstalled(plan) && (plan.purge?.remove.length ?? 0) === 0;
  if (idle) return [`konnichiwagwan is not installed ${scope}: nothing to remove.`, ...kept].join('\n');
  if (dryRun) {
    const lines = [...servers, ...preview(plan, io), ...kept];
    return [`Would remove konnichiwagwan ${scope}:`, ...lines, 'Nothing was written.'].join('\n');
  }
  // What they loaded is gone: their hooks and servers would fail.
  const restart = 'Restart sessions that are open now.';
  return [`Removed konnichiwagwan ${scope}.`, ...servers, ...done(plan, io), ...kept, restart].join('\n');
};

export const uninstall: Command = {
  name: 'uninstall',
  usage: '[--project] [--purge] [--dry-run] [--json]',
  options: { project: { type: 'boolean' }, purge: { type: 'boolean' }, 'dry-run': { type: 'boolean' } },
  help: [
    'Puts back each server that was wrapped, then removes our hooks and rules from settings.json, the skill folder, the',
    'commands and our backups. A file that did not change since gets back the bytes it had; from any other, only our entries',
    'go.',
    '',
    '  --project   from .claude of the current folder',
    '  --purge     the recorded state too ($KONNICHIWAGWAN_HOME or ~/.claude/konnichiwagwan)',
    '  --dry-run   show the exact changes and write nothing',
    '',
    'Example: konnichiwagwan uninstall --purge --dry-run',
  ].join('\n'),
  async run(args, io: Io): Promise<Outcome> {
    const { project, purge, 'dry-run': dry } = args.values;
    withFileErrors(() => staysInProject(placeOf(io, project === true)));
    // This comes first: no entry may name a program that is gone.
    const back = planUnwrap(io, project === true, dry === true);
    const written = dry === true ? [] : withFileErrors(() => applyMany(back, io));
    if (dry !== true) withFileErrors(() => forgetRewritten(io, stillWrapped(io)));
    const plan = withFileErrors(() => runUninstall(project === true, purge === true, dry === true, io));
    const servers = unwrapText(back, written, io);
    return {
      exit: 0,
      data: { ...dataOf(plan, dry === true), unwrapped: unwrapData(back, written) },
      text: textOf(plan, servers, dry === true, io),
    };
  },
};
