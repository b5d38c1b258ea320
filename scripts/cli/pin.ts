import { existsSync } from 'node:fs';
import { join, parse } from 'node:path';
import { type Command, CommandError } from '../command/command.ts';
import { present } from '../contract/defined.ts';
import { labelOf } from '../contract/label.ts';
import type { Contract } from '../contract/types.ts';
import { withRefusalsAbove } from '../lock/above.ts';
import {
  around,
  askWithProgress,
  findLock,
  lockIsGone,
  notChecked,
  SPAWN,
  SPAWN_HELP,
  serverNames,
} from '../lock/command.ts';
import { formerOf, lockFolders, pathTo, whoseLock } from '../lock/folder.ts';
import type { AskContext } from '../lock/offers.ts';
import { NOT_CONFIGURED, type Offer } from '../lock/offers.ts';
import { pendingOf } from '../lock/pending.ts';
import { refusesOnly, withoutRefused } from '../lock/refused.ts';
import { makePin } from '../lock/seal.ts';
import { commandFor } from '../lock/suggest-command.ts';
import { type FoundLock, LOCKFILE, type Lock, type Pins, toPins } from '../lock/types.ts';
import { isApproved } from '../lock/unapproved.ts';
import { updateLock } from '../lock/update.ts';
import { withPins } from '../lock/write.ts';
import { realFolder, withParents } from '../servers/folder.ts';
import { needShared, SHARED } from '../shared/command.ts';
import { homeOf } from '../state/paths.ts';
import { painter } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { visible } from '../text/visible.ts';

interface Result {
  server: string;
  /** `shared`: it is approved elsewhere, and is not written here. */
  state: 'pinned' | 'as-pinned' | 'shared' | 'differs' | 'not-checked';
  tools: number;
  differing?: number;
  why?: string;
  hint?: string;
}

/** What is refused is not pinned. @param refusing also with what is refused further up */
const wantedOf = (tools: readonly Contract[], refusing: Pins = new Map()): readonly Contract[] =>
  withoutRefused(refusing, tools).tools;

const newPins = (server: string, wanted: readonly Contract[], old: Pins | undefined): Pins =>
  toPins(new Map(wanted.map((tool) => [tool.name, makePin(server, tool)])), undefined, old?.refused);

/** What to do about one server; existing pins stay unchanged. */
const consider = (server: string, offer: Offer, pins: Pins | undefined, shared: Lock | undefined): Result => {
  const isShared = (tool: Contract | undefined): boolean =>
    tool !== undefined && shared !== undefined && isApproved(shared, server, tool);
  const none = { server, state: 'not-checked', tools: pins?.size ?? 0 } as const;
  if (!('tools' in offer)) return { ...none, ...offer };
  if (pins !== undefined && !refusesOnly(pins)) {
    const differing = pendingOf(server, pins, offer.tools).filter(({ live }) => !isShared(live)).length;
    return differing > 0
      ? { server, state: 'differs', tools: pins.size, differing }
      : { server, state: 'as-pinned', tools: pins.size };
  }
  if (offer.tools.length > 0 && offer.tools.every(isShared))
    return { server, state: 'shared', tools: offer.tools.length };
  const wanted = wantedOf(offer.tools, pins);
  const unread = wanted.find(({ defect }) => defect !== undefined);
  if (unread !== undefined) {
    const why = `its tool ${visible(unread.name, { max: 100 })} could not be read: ${visible(unread.defect ?? '', { max: 160 })}`;
    return { ...none, why };
  }
  const [leak] = offer.leaks ?? [];
  if (leak === undefined) return { server, state: 'pinned', tools: wanted.length };
  const [tool, from] = leak;
  const why = `its tool ${visible(tool, { max: 100 })} gives away the value of ${from}, which must not be committed`;
  return { ...none, why };
};

const lineOf = ({ server, state, tools, differing = 0, why = '', hint }: Result, spawn: boolean): string => {
  const name = visible(labelOf(server), { max: 100 });
  if (state === 'pinned') return `${name}: pinned ${plural(tools, 'tool')}`;
  if (state === 'shared') return `${name}: ${plural(tools, 'tool')} approved already by those that are shared`;
  if (state === 'as-pinned') return `${name}: ${plural(tools, 'tool')} as pinned`;
  if (state === 'differs')
    return `${name}: pinned before, and ${plural(differing, 'tool')} differ${differing === 1 ? 's' : ''}: run ${commandFor('approve', server)}${spawn ? ' --spawn' : ''}`;
  return `${name}: ${notChecked({ why, hint })}`;
};

/** The lock, with earlier pins restored: everything if the lockfile is gone, else the servers that it lacks. */
const broughtBack = (found: FoundLock, servers: readonly string[], before: Lock): Lock => {
  if (found.status !== 'lock') return before;
  const lacking = servers.flatMap((server): [string, Pins][] => {
    const pins = found.lock.has(server) ? undefined : before.get(server);
    return pins === undefined ? [] : [[server, pins]];
  });
  return lacking.length === 0 ? found.lock : new Map([...found.lock, ...lacking]);
};

const textOf = (
  results: readonly Result[],
  restored: string | undefined,
  written: string | undefined,
  colour: boolean,
  spawn: boolean,
): string => {
  const paint = painter(colour);
  const styles = {
    pinned: 'green',
    'as-pinned': 'green',
    shared: 'green',
    differs: 'yellow',
    'not-checked': 'yellow',
  } as const;
  return present([
    restored !== undefined &&
      paint('yellow', `Brought back what was pinned before (${restored}): only approve changes that.`),
    ...results.map((result) => paint(styles[result.state], lineOf(result, spawn))),
    written !== undefined && `Written: ${written}. Look at it, and commit it.`,
  ]).join('\n');
};

/** Makes sure that this is a project folder. @throws CommandError in a home folder, in `/` and the like */
const needProject = ({ project, env }: Pick<AskContext, 'project' | 'env'>, found: FoundLock): void => {
  if (found.status === 'lock') return;
  const folder = realFolder(project);
  const isHomeOrRoot = folder === parse(folder).root || folder === realFolder(homeOf(env));
  const has = (name: string) => (one: string) => existsSync(join(one, name));
  const isProject = ['.mcp.json', '.claude'].some((name) => has(name)(folder)) || withParents(folder).some(has('.git'));
  if (isProject && !isHomeOrRoot) return;
  throw new CommandError(
    'not-a-project',
    `${visible(folder, { max: 200 })} is not a project: it has no repository and no .mcp.json`,
    `${LOCKFILE} belongs in a folder that people share. Run pin there, or make this one a repository (git init).`,
  );
};

const noServers = (all: boolean): CommandError =>
  all
    ? new CommandError(
        'no-servers',
        'nothing was pinned: Claude Code starts no server here',
        'claude mcp list shows which ones it knows; claude mcp add adds one',
      )
    : new CommandError(
        'no-servers',
        'nothing was pinned: this project configures no server of its own (.mcp.json)',
        'To pin one of your own servers for all who work here: konnichiwagwan pin NAME (--all for all of them; --spawn starts a local one to ask it)',
      );

export const pin: Command = {
  name: 'pin',
  usage: '[SERVER... | --all] [--shared] [--spawn] [--timeout SECONDS]',
  words: Number.POSITIVE_INFINITY,
  options: { all: { type: 'boolean' }, ...SHARED, ...SPAWN },
  help: `
Asks the servers that this project configures (.mcp.json), and the gateways, and writes their contracts into
${LOCKFILE}, which is made to be committed. It only adds servers: it never changes or removes a pin, and
a person approves new tools of pinned servers (konnichiwagwan approve). If the lockfile was deleted, or lacks a server
that the committed one has, those pins are restored first.

  SERVER   these, wherever they are configured
  --all    all servers that Claude Code starts here, also those that only you have. Your team's verify then says that
           these are not configured
  --shared leave out servers whose tools the shared approvals approve, all of them
${SPAWN_HELP}

Exits with 1 if a pinned server differs from its pins, with 2 if a server could not be checked.`,
  run: async (args, io) => {
    const names = serverNames('pin', args);
    const all = around('pin', args, io, names.length > 0 ? names : undefined);
    const whose = whoseLock(all);
    const found = findLock(whose);
    needProject(all, found);
    // Existing pins are checked, wherever their server is configured.
    const lost = found.status === 'none' ? formerOf(whose, true) : undefined;
    const pinned = [...((found.status === 'lock' ? found.lock : lost?.lock)?.keys() ?? [])];
    const asking = names.length > 0 || args.values.all === true ? all : { ...all, only: { besides: pinned } };
    const offers = await askWithProgress(asking, io);
    const servers = (names.length > 0 ? [...new Set(names)] : [...offers.keys()]).sort();
    if (servers.length === 0 && lost === undefined) throw noServers(args.values.all === true);
    const isComplete = found.status === 'lock' && servers.every((server) => found.lock.has(server));
    const shared = args.values.shared === true ? needShared(all, io).lock : undefined;
    const former = found.status === 'none' ? lost : isComplete ? undefined : formerOf(whose, true);
    const before: Lock = former?.lock ?? new Map();

    let results: Result[] = [];
    let [written, restored] = [false, false];
    await updateLock(whose, (now) => {
      if (now.status === 'none' && former && former.lock === undefined) throw lockIsGone(whose, former);
      const old: Lock = now.status === 'lock' ? now.lock : new Map();
      const lock = broughtBack(now, servers, before);
      const refusing = withRefusalsAbove(lock, whose, lockFolders(all.project, all.env), servers);
      results = servers.map((server) =>
        consider(server, offers.get(server) ?? NOT_CONFIGURED, refusing.get(server), shared),
      );
      let next = lock;
      for (const { server } of results.filter(({ state }) => state === 'pinned')) {
        const offer = offers.get(server);
        if (offer && 'tools' in offer)
          next = withPins(next, server, newPins(server, wantedOf(offer.tools, refusing.get(server)), lock.get(server)));
      }
      restored = lock.size > old.size;
      written = restored || next !== lock;
      return written ? next : undefined;
    });
    const states = results.map(({ state }) => state);
    return {
      exit: states.includes('differs') ? 1 : states.includes('not-checked') ? 2 : 0,
      data: {
        lockfile: pathTo(whose),
        written,
        ...(restored && former ? { restored: former.from } : {}),
        servers: results,
      },
      text: textOf(
        results,
        restored ? former?.from : undefined,
        written ? pathTo(whose) : undefined,
        io.colour,
        asking.spawn,
      ),
    };
  },
};
