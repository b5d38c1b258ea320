import { type Command, isReadByModel, timeoutOf } from '../command/command.ts';
import { SESSION_OPTION, whereabouts } from '../command/session.ts';
import { trustsWords } from '../config/config.ts';
import { defined, present } from '../contract/defined.ts';
import type { ListKind } from '../contract/types.ts';
import { publicChange } from '../diff/public-change.ts';
import { refreshAdvice } from '../guard/way-out.ts';
import { changeLines, countText, withoutWords } from '../reports/changes.ts';
import { EXIT, exitOf, type Freshness, versionLine } from '../session/freshness.ts';
import type { ListStates } from '../session/lists.ts';
import { probeSources } from '../session/probe.ts';
import { type Paint, painter } from '../text/paint.ts';
import { plainName, quoteName } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';

/** A source's name, and where it is asked. */
export const sourceText = ({ name, where }: { name: string; where: string }): Shown =>
  where === '' ? plainName(name) : say`${plainName(name)} (${visible(where, { max: 200 })})`;

/**
 * What a line that tells how to refresh the session may add: that calls in the new form need no refresh, nor a person's yes, if
 * none does.
 */
export const withoutRefresh = (drifted: readonly Freshness[]): Shown =>
  drifted.some(
    ({ mode, hidden, changes }) =>
      mode === 'strict' || hidden || changes.some(({ effect }) => effect?.verdict === 'ask'),
  )
    ? say``
    : say` A call in the new form is sent without that.`;

/** What to do about a source that gave no list of tools. */
const wayOn = ({ state, kind, where }: Freshness): Shown | undefined => {
  if ((state !== 'unreachable' && state !== 'invalid') || where === '') return undefined;
  const [first, its] =
    kind === 'gateway'
      ? [say`start it`, say`its address may be that of something else`]
      : [say`look at /mcp in Claude Code`, say`update it, or tell those who run it`];
  const todo = state === 'unreachable' ? say`${first}, or correct its address` : its;
  return say`${todo}; until it answers with a list of tools, its calls are not checked`;
};

/** The freshness of one source, for people. */
export const freshnessLines = (source: Freshness, paint: Paint): Shown[] => {
  const { state, kind, name, note, changes, mismatched, remarks, upgrade, lists = {}, unread = [] } = source;
  const loud = EXIT[state] === 1;
  const [version, todo] = [versionLine(source), wayOn(source)];
  return present([
    loud && paint('yellow', note),
    say`${name === '' ? '' : say`${sourceText(source)}: `}${paint('bold', say`${state}`)} — ${loud ? countText(changes) : note}`,
    version !== undefined && say`  ${version}`,
    todo !== undefined && say`  ${todo}`,
    ...(loud ? changeLines(changes, paint, '  ') : []),
    ...remarks.map((remark) => say`  ${remark}`),
    upgrade !== undefined && say`  ${upgrade}`,
    ...unread.map((why) => say`  ${quoteName(name)}: ${why}`),
    loud && kind === 'server' && say`  ${listsText(lists)}`,
    loud && say`  ${refreshAdvice({ server: kind === 'server' ? name : 'NAME' })}${withoutRefresh([source])}`,
    ...mismatched
      .slice(0, 5)
      .map((tool) => say`  ${quoteName(tool)}: the advertised hash is not the hash of its contract`),
  ]);
};

/** Each list of a server, and its state. */
export const listsText = (lists: ListStates): Shown =>
  joined(
    Object.entries(lists).map(([kind, state]) => say`${kind as ListKind}: ${state}`),
    ', ',
  );

export const freshnessData = ({
  state,
  name,
  where,
  before,
  after,
  changes,
  mismatched,
  note,
  remarks,
  upgrade,
  lists,
  unread,
  contracts,
}: Freshness) => ({
  state,
  name,
  where,
  before,
  after,
  changes: changes.map(publicChange),
  hash_mismatches: mismatched,
  note,
  ...(remarks.length > 0 ? { remarks } : {}),
  upgrade,
  lists,
  unread,
  contracts,
});

export const probe: Command = {
  name: 'probe',
  usage: '[--session ID] [--spawn] [--timeout SECONDS]',
  options: { ...SESSION_OPTION, spawn: { type: 'boolean' }, timeout: { type: 'string' } },
  help: `
Asks every gateway, and every MCP server that Claude Code starts in this project, and compares with the session's
baseline (without --session, that of the newest session of this folder). A server that is a program is asked only with --spawn, which starts
a second copy of it for a moment. Where Claude Code runs it, the words of servers that the user does not trust are left out.

  fresh           0  version and contracts are those of the baseline
  drift           1  version and contracts changed, branches included
  silent-drift    1  contracts changed, the version did not, or there is none
  version-only    1  the version changed, and nothing that the list shows did
  no-baseline     0  there was none; it was recorded now
  unreachable     2  no answer
  invalid         2  not a tool list
  unaskable       2  it wants a sign-in that only Claude Code has, is a program (see --spawn), or its entry is gone or changed
  not-configured  0  no gateway and no server

Tools, prompts and resources of a server are lists of their own, each current, pending (it changed since the session
learned it), unread (the server did not let it be read, which gives exit code 2) or unknown.`,
  run: async (args, io) => {
    const { home, project, session } = whereabouts(args, io);
    const probed = await probeSources(home, project, io.env, session, {
      spawn: args.values.spawn === true,
      ...defined({ deadline: timeoutOf('probe', args) }),
    });
    const { config } = probed;
    const freshness = probed.freshness.map((one) =>
      isReadByModel(io) && !trustsWords(config, one) ? { ...one, changes: withoutWords(one.changes) } : one,
    );
    return {
      exit: exitOf(freshness),
      data: { sources: freshness.map(freshnessData) },
      text: joined(
        freshness.flatMap((one) => freshnessLines(one, painter(io.colour))),
        '\n',
      ),
      warnings: config.problems,
    };
  },
};
