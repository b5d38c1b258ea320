import { existsSync } from 'node:fs';
import { CommandError } from '../command/command.ts';
import type { SharedSettings } from '../config/settings.ts';
import { spelled } from '../contract/names.ts';
import type { Contract } from '../contract/types.ts';
import { looksLike, withView } from '../contract/view.ts';
import type { FoundChange } from '../diff/types.ts';
import type { Policy } from '../judge/judge.ts';
import { goneAbove, type LockAbove, locksAbove } from '../lock/above.ts';
import { noiseFree } from '../lock/compare.ts';
import { formerOf, lockFolders, type WhoseLock, whoseLock } from '../lock/folder.ts';
import type { Former } from '../lock/former.ts';
import { readLock } from '../lock/read.ts';
import { rememberLock } from '../lock/record.ts';
import { refusalOf, refusalText } from '../lock/refused.ts';
import { type ApprovalRules, approvalRules } from '../lock/rules.ts';
import { commandFor } from '../lock/suggest-command.ts';
import { LOCKFILE, type Lock } from '../lock/types.ts';
import { isApproved, pinOf, type Unapproved, unapproved } from '../lock/unapproved.ts';
import { isTooOld, sharedWith } from '../shared/kept.ts';
import { hostOf } from '../shared/told.ts';
import { lockPath } from '../state/paths.ts';
import { joined } from '../text/shown.ts';
import type { Inquiry } from './assessment.ts';

/** What the lockfile has against a call: a question of trust, apart from whether the contract is stale. */
export interface LockDoubt {
  what: Exclude<Unapproved['what'], 'unpinned-server'> | 'unpinned' | 'unreadable' | 'gone';
  verdict: 'notice' | 'ask' | 'deny';
  /** Equal for the same doubt about the same contract: what was granted under this key is not asked again. */
  key: string;
  changes: FoundChange[];
  /** The command with which a person resolves it; may be empty. */
  command: string;
  /** The contract in the lockfile, and the one it was compared with; each is absent if it does not exist. */
  compared?: { pinned: Contract; live: Contract };
  /** For `unconfirmed`: what its approval lacks. For `refused`: who refused it, and why. For `unreadable`: what is wrong with the file. For `gone`: how we know that there was one. */
  why?: string;
  /** For `gone`: the way to it, if it is not the project's own. */
  path?: string;
}

/** A tool as its source lists it (`live`), or at least as the model sees it (`view`). */
export interface KnownTool {
  server: string;
  name: string;
  live?: Contract | undefined;
  view?: Contract | undefined;
}

/** The model view, completed from the pin: of fields that the view does not hold, no change is known. */
const fromView = (pinned: Contract, view: Contract): Contract =>
  looksLike(view, pinned) ? pinned : withView(pinned, view);

/** The doubt about a lockfile that is gone. */
const ofGone = ({ from, restore = '', hashes }: Former, mode: Policy['mode'], tool: KnownTool): LockDoubt => {
  const basis = { what: 'gone' as const, changes: [], command: restore, why: from };
  if (mode === 'strict')
    return { ...basis, verdict: 'ask', key: `lock gone ${JSON.stringify([tool.server, tool.name])} ${hashes[0]}` };
  return { ...basis, verdict: 'notice', key: `lock gone ${hashes[0]}` };
};

/** An unreadable lockfile approves nothing. */
const ofUnreadable = (why: string, mode: Policy['mode'], tool: KnownTool): LockDoubt => {
  const verdict = mode === 'strict' ? 'deny' : mode === 'warn' ? 'notice' : 'ask';
  return {
    what: 'unreadable',
    verdict,
    key: `lock ${JSON.stringify([tool.server, tool.name])} ${why}`,
    changes: [],
    command: '',
    why,
  };
};

/** The rules about approvals; a text says why they cannot be read, and then nothing is approved by them. */
const rulesFor = (home: string, ...folders: string[]): ApprovalRules | string => {
  try {
    return approvalRules(home, ...folders);
  } catch (error) {
    if (error instanceof CommandError) return error.message;
    throw error;
  }
};

/**
 * The name of a tool in a lockfile. It may be given in the client's spelling if no source lists it: then a name that is spelled
 * so counts. A listed tool has its own name, and no pin of another one that is spelled alike.
 */
const nameIn = (lock: Lock, { server, name, live }: KnownTool): string => {
  const pins = lock.get(server);
  const names = [...(pins?.keys() ?? []), ...(pins?.refused?.keys() ?? [])];
  if (live !== undefined || names.includes(name)) return name;
  return names.find((one) => spelled(one) === spelled(name)) ?? name;
};

/** The tool's contract, as far as it is known, to be compared with its pin. */
const contractFor = ({ live, view }: KnownTool, name: string, pinned: Contract | undefined): Contract | undefined => {
  const known = live ?? (view && pinned ? fromView(pinned, view) : view);
  return known && { ...known, name };
};

/**
 * The refusal in a lockfile that concerns a tool.
 * @param from where that lockfile is
 * @param folder the folder in which a person can lift it; absent if that is elsewhere
 */
const refusedIn = (
  lock: Lock,
  tool: KnownTool,
  from: string,
  mode: Policy['mode'],
  folder?: string,
): LockDoubt | undefined => {
  const name = nameIn(lock, tool);
  const { server } = tool;
  const live = contractFor(tool, name, pinOf(lock, server, name)?.contract);
  const refused = refusalOf(lock.get(server), name, live);
  if (refused === undefined) return undefined;
  const approve = commandFor('approve', server, name);
  return {
    what: 'refused',
    verdict: mode === 'warn' ? 'notice' : 'deny',
    key: `refused ${server} ${name} ${refused.seal}`,
    changes: [],
    command: folder === undefined ? '' : folder === '.' ? approve : `cd ${folder} && ${approve}`,
    why: refusalText(refused, from),
  };
};

/** A nearer lockfile takes the place of those above it, and lifts nothing that they refuse. */
const byLockfilesAbove = (above: readonly LockAbove[], { mode }: Policy, tool: KnownTool): LockDoubt | undefined => {
  for (const { whose, path, found } of above) {
    if (found.status === 'none') continue;
    if (found.status === 'unreadable') return ofUnreadable(`${path} ${found.why}`, mode, tool);
    rememberLock(whose.home, whose.project, found.text);
    const refused = refusedIn(found.lock, tool, path, mode, whose.way);
    if (refused !== undefined) return refused;
  }
  return undefined;
};

/** One that is gone refuses nothing any longer. @param folders see `locksAbove` */
const byMissingAbove = (
  above: readonly LockAbove[],
  folders: readonly string[],
  { mode }: Policy,
  tool: KnownTool,
): LockDoubt | undefined => {
  const [gone] = goneAbove(above, folders);
  return gone && { ...ofGone(gone.former, mode, tool), path: gone.one.path };
};

/** Judges a tool by the project's lockfile. Undefined if there never was one, or the contract is approved. */
const byLockfile = (
  whose: WhoseLock,
  { mode }: Policy,
  tool: KnownTool,
  rules: ApprovalRules | string,
): LockDoubt | undefined => {
  const { home, project } = whose;
  const found = readLock(project);
  if (found.status === 'none') {
    const former = formerOf(whose, false);
    return former && ofGone(former, mode, tool);
  }
  if (found.status === 'unreadable') return ofUnreadable(found.why, mode, tool);
  rememberLock(home, project, found.text);
  const { server } = tool;
  const refused = refusedIn(found.lock, tool, LOCKFILE, mode, '.');
  if (refused !== undefined) return refused;
  const name = nameIn(found.lock, tool);
  const pinned = pinOf(found.lock, server, name)?.contract;
  const live = contractFor(tool, name, pinned);
  // The tool's contract is not known: freshness reports that.
  if (live === undefined) return undefined;
  if (typeof rules === 'string') return ofUnreadable(rules, mode, tool);
  const doubt = unapproved(found.lock, { server, tool: name, live }, mode, rules);
  if (doubt === undefined) return undefined;
  const { what, verdict, changes, command } = doubt;
  const key = `lock ${JSON.stringify([server, name])} ${noiseFree(live)}`;
  if (what === 'unconfirmed') {
    const why = joined(doubt.lacks ?? [], ', ');
    return { what, verdict, key: `${key} unconfirmed`, changes, command, why };
  }
  if (what === 'unpinned-server') {
    // To pin one server does not mean that calls of others are asked about.
    return mode === 'strict' ? { what: 'unpinned', verdict, key, changes, command } : undefined;
  }
  return { what, verdict, key, changes, command, ...(pinned ? { compared: { pinned, live } } : {}) };
};

/** Whether the shared approvals hold exactly this contract, approved as the rules ask for. */
const isSharedApproval = (lock: Lock, tool: KnownTool, rules: ApprovalRules): boolean => {
  const name = nameIn(lock, tool);
  const live = contractFor(tool, name, pinOf(lock, tool.server, name)?.contract);
  return live !== undefined && isApproved(lock, tool.server, live, rules);
};

/**
 * Judges a tool by the project's lockfile, and by the approvals that a company shares: what these approve is approved, and
 * what they refuse is stopped. Undefined if the contract is approved, or there never was a lockfile.
 */
export const trustOf = (
  home: string,
  project: string,
  policy: Policy,
  tool: KnownTool,
  { settings, env }: { settings: SharedSettings | undefined; env: NodeJS.ProcessEnv },
  whose = whoseLock({ home, project, env }),
): LockDoubt | undefined => {
  const { mode } = policy;
  if (mode === 'off') return undefined;
  const shared = settings && sharedWith(home, settings, env, tool.server);
  const refusedThere = shared && refusedIn(shared.lock, tool, hostOf(settings?.url ?? ''), mode);
  if (refusedThere !== undefined) return refusedThere;
  const folders = lockFolders(project, env);
  const rules = rulesFor(home, ...folders);
  const nearest = byLockfile(whose, policy, tool, rules);
  const above = locksAbove(whose, folders);
  const isThere = above.length > 0 && existsSync(lockPath(whose.project));
  const own =
    nearest?.what === 'refused'
      ? nearest
      : (byLockfilesAbove(above, policy, tool) ??
        nearest ??
        // Without a nearer one, `whoseLock` has looked for it.
        (isThere ? byMissingAbove(above, folders, policy, tool) : undefined));
  if (own === undefined || own.what === 'refused' || shared === undefined || settings === undefined) return own;
  if (typeof rules === 'string' || (mode === 'strict' && isTooOld(shared, settings))) return own;
  return isSharedApproval(shared.lock, tool, rules) ? undefined : own;
};

/** Which of two servers the project's lockfile knows the tool by, or at least other tools; the first one if by neither. */
const knownBy = ({ project }: WhoseLock, { name }: KnownTool, servers: readonly [string, string]): string => {
  const found = readLock(project);
  if (found.status !== 'lock') return servers[0];
  const { lock } = found;
  const byTool = servers.find((server) => pinOf(lock, server, name) !== undefined);
  return byTool ?? servers.find((server) => (lock.get(server)?.size ?? 0) > 0) ?? servers[0];
};

/**
 * The same for a tool for which a gateway or a hub speaks: people may have pinned it under that one's name or its own
 * server's. What they refused under either is refused.
 * @param speaker the name of the source that lists it
 */
const trustBehind = (
  home: string,
  project: string,
  policy: Policy,
  tool: KnownTool,
  speaker: string,
  shared: Parameters<typeof trustOf>[4],
): LockDoubt | undefined => {
  const whose = whoseLock({ home, project, env: shared.env });
  const by = (server: string): LockDoubt | undefined =>
    trustOf(home, project, policy, { ...tool, server }, shared, whose);
  const bySpeaker = by(speaker);
  if (speaker === tool.server || bySpeaker?.what === 'refused') return bySpeaker;
  const own = by(tool.server);
  if (own?.what === 'refused') return own;
  const isOwn = knownBy(whose, tool, [speaker, tool.server]) === tool.server;
  // Shared approvals may know it by either name.
  const isSharedByOwn = bySpeaker?.what === 'unpinned' && own === undefined;
  return isOwn || isSharedByOwn ? own : bySpeaker;
};

/** Adds to an assessment what the lockfile says against the tool. @param speaker see `trustBehind` */
export const withTrust = <T extends object>(
  known: T,
  tool: KnownTool,
  { search, around, policy }: Inquiry,
  speaker: string = tool.server,
): T & { trust?: LockDoubt } => {
  const { home, project, env } = around;
  const shared = { settings: search.config.user.shared, env };
  const trust = trustBehind(home, project, policy, tool, speaker, shared);
  return trust === undefined ? known : { ...known, trust };
};
