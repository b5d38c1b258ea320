import { join } from 'node:path';
import type { Command, Io, Outcome } from '../command/command.ts';
import { withFileErrors } from '../install/errors.ts';
import { diffText, paintDiff } from '../install/preview.ts';
import type { PurgePlan } from '../install/purge.ts';
import { isInstalled, runUninstall, type UninstallPlan } from '../install/uninstall.ts';
import { visible } from '../text/visible.ts';
import { leftBehind } from '../wrap-hosts/left-behind.ts';

/** The version of the package, which the build fills in. */
declare const __version: string;

const purged = (plan: PurgePlan | null): boolean => plan !== null && plan.kept === null;

const removedOf = (plan: UninstallPlan): string[] => [
  ...plan.launchers,
  ...plan.files.map((path) => join(plan.place.skill, path)),
  ...plan.backups.map((name) => join(plan.place.claude, name)),
  ...(plan.purge?.remove ?? []).map((name) => join(plan.purge?.folder as string, name)),
];

const keptOf = (plan: UninstallPlan): { path: string; why: string }[] => [
  ...plan.foreign.map((path) => ({ path: join(plan.place.skill, path), why: 'not ours' })),
  ...(plan.keptRules.length > 0
    ? [{ path: plan.place.settings, why: `its ${plan.keptRules.length} rules like ours: not known to be added by us` }]
    : []),
  ...(plan.purge?.foreign ?? []).map((name) => ({ path: join(plan.purge?.folder as string, name), why: 'not ours' })),
  ...(plan.purge?.kept ? [{ path: plan.purge.folder, why: plan.purge.kept }] : []),
];

const dataOf = (plan: UninstallPlan, dryRun: boolean) => ({
  form: plan.place.form,
  dry_run: dryRun,
  installed: isInstalled(plan),
  skill: { path: plan.place.skill },
  settings: { path: plan.place.settings, action: plan.action, diff: diffText(plan.settings.text, plan.text) },
  state: plan.purge && { path: plan.purge.folder, purged: purged(plan.purge) },
  removed: removedOf(plan),
  kept: keptOf(plan),
});

const SETTINGS: Record<UninstallPlan['action'], string> = {
  none: 'holds nothing of ours',
  restore: 'back to the very bytes it had before',
  edit: 'our hooks and rules taken out, the rest as it is',
  delete: 'removed: it was not there before',
};

const preview = (plan: UninstallPlan, colour: boolean): string[] => {
  const diff = diffText(plan.settings.text, plan.text);
  return [
    ...(plan.action === 'none' ? [] : [`  ${plan.action} ${visible(plan.place.settings)}`]),
    ...(diff.length > 0 ? [paintDiff(diff, colour)] : []),
    ...removedOf(plan).map((path) => `  remove ${visible(path)}`),
  ];
};

const done = (plan: UninstallPlan): string[] => [
  `  hooks   ${visible(plan.place.settings)}: ${SETTINGS[plan.action]}`,
  ...(plan.files.length > 0 ? [`  skill   ${visible(plan.place.skill)}: ${plan.files.length} files removed`] : []),
  ...(plan.launchers.length > 0
    ? [`  command ${plan.launchers.map((path) => visible(path)).join(', ')}: removed`]
    : []),
  ...plan.backups.map((name) => `  backup  ${visible(join(plan.place.claude, name))}: removed`),
  ...(purged(plan.purge)
    ? [`  state   ${visible(plan.purge?.folder as string)}: ${plan.purge?.remove.join(', ') || 'nothing'} removed`]
    : []),
];

const textOf = (plan: UninstallPlan, dryRun: boolean, colour: boolean): string => {
  const scope = plan.place.form === 'user' ? 'for all your projects' : 'in this project';
  const kept = keptOf(plan).map(({ path, why }) => `  kept    ${visible(path)} (${why})`);
  const idle = !isInstalled(plan) && (plan.purge?.remove.length ?? 0) === 0;
  if (idle) return [`konnichiwagwan is not installed ${scope}: nothing to remove.`, ...kept].join('\n');
  if (dryRun) {
    return [`Would remove konnichiwagwan ${scope}:`, ...preview(plan, colour), ...kept, 'Nothing was written.'].join(
      '\n',
    );
  }
  return [`Removed konnichiwagwan ${scope}.`, ...done(plan), ...kept].join('\n');
};

export const uninstall: Command = {
  name: 'uninstall',
  summary: 'take out exactly what install added',
  usage: '[--project] [--purge] [--dry-run] [--json]',
  options: { project: { type: 'boolean' }, purge: { type: 'boolean' }, 'dry-run': { type: 'boolean' } },
  help: [
    'Removes our hooks and rules from settings.json, the skill folder, the commands and our backups. If nobody wrote the settings',
    'since, they get back the very bytes they had; otherwise only our entries go.',
    '',
    '  --project   from .claude of the current folder',
    '  --purge     the recorded state too ($KONNICHIWAGWAN_HOME or ~/.claude/konnichiwagwan)',
    '  --dry-run   show the exact changes and write nothing',
    '',
    'Example: konnichiwagwan uninstall --purge --dry-run',
  ].join('\n'),
  async run(args, io: Io): Promise<Outcome> {
    const { project, purge, 'dry-run': dry } = args.values;
    // Asked for before: afterwards nobody could tell which of them started through what is gone.
    const warnings = project === true ? [] : withFileErrors(() => leftBehind(io, __version));
    const plan = withFileErrors(() => runUninstall(project === true, purge === true, dry === true, io));
    return { exit: 0, data: dataOf(plan, dry === true), text: textOf(plan, dry === true, io.colour), warnings };
  },
};
