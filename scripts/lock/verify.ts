import { labelOf } from '../contract/label.ts';
import type { Contract } from '../contract/types.ts';
import { type FoundChange, LEVELS, type Level } from '../diff/types.ts';
import type { Bearing } from '../reports/types.ts';
import { plural } from '../text/plural.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { changesOfServer, plainChange } from './compare.ts';
import { NOT_CONFIGURED, type Offer } from './offers.ts';
import { editedChange } from './pending.ts';
import { unrecordedPins } from './records.ts';
import { refusesOnly, withoutRefused } from './refused.ts';
import { editedPin, editedRefusal, editedRemoval } from './seal.ts';
import type { Lock, Pins, Refused } from './types.ts';

/** One server, compared with its pins. */
export interface Verified {
  server: string;
  state: 'as-pinned' | 'differs' | 'not-pinned' | 'not-checked';
  /** How many tools are pinned; if the server is not pinned, how many it has. */
  tools: number;
  /** `tool` is the tool's own name, without the server. */
  changes: FoundChange[];
  /** How many pins lack an approval: pinned at first contact, or copied from elsewhere. */
  unrecorded: number;
  /** How many changes are milder than the wanted level, and so not reported. */
  hidden: number;
  why?: string;
  hint?: string;
  pinned: readonly Contract[];
  live: readonly Contract[];
  /** Tools that a person refused, as they are now: they are compared with nothing. */
  refused: ReadonlyMap<string, Refused>;
}

/** A change about a server, not a tool. Levels are about calls, so it gets one that no `--level` leaves out. */
const ofServer = (rule: string, message: Shown): FoundChange => plainChange('', rule, 'unclassified', message);

const contractsOf = (pins: Pins): Contract[] => [...pins.values()].map(({ contract }) => contract);

/** What is the same of every server with nothing to compare. */
const NOTHING = { hidden: 0, unrecorded: 0, pinned: [], live: [], refused: new Map<string, Refused>() };

/** Entries of a lock whose hash or seal is wrong. */
const editedIn = <T>(
  entries: ReadonlyMap<string, T> | undefined,
  why: (tool: string, entry: T) => string | undefined,
) =>
  [...(entries ?? [])].flatMap(([tool, entry]) => {
    const wrong = why(tool, entry);
    return wrong === undefined ? [] : [editedChange(tool, wrong)];
  });

const verifyServer = (server: string, pins: Pins | undefined, offer: Offer, level: Level): Verified => {
  const edited = [
    ...editedIn(pins, (tool, pin) => editedPin(server, tool, pin)),
    ...editedIn(pins?.removed, (tool, removed) => editedRemoval(server, tool, removed)),
    ...editedIn(pins?.refused, (tool, refused) => editedRefusal(server, tool, refused)),
  ];
  const tools = pins?.size ?? 0;
  const unrecorded = unrecordedPins(pins);
  if (!('tools' in offer)) {
    const change = ofServer('server-not-checked', say`could not be checked: ${visible(offer.why, { max: 500 })}`);
    return { ...NOTHING, server, state: 'not-checked', tools, unrecorded, changes: [...edited, change], ...offer };
  }
  const live = offer.tools;
  const decided = withoutRefused(pins ?? new Map(), live);
  const { refused } = decided;
  if (pins === undefined || (refusesOnly(pins) && decided.tools.length > 0)) {
    const change = ofServer('server-not-pinned', say`this server has no pin (${plural(live.length, 'tool')})`);
    const changes = [...edited, change];
    return { ...NOTHING, server, state: 'not-pinned', tools: live.length, unrecorded, changes, refused };
  }
  const all = changesOfServer(decided.pins, decided.tools);
  const wanted = all.filter((change) => LEVELS.indexOf(change.level) <= LEVELS.indexOf(level));
  const changes = [...edited, ...wanted];
  const state = changes.length > 0 ? 'differs' : 'as-pinned';
  const hidden = all.length - wanted.length;
  return { server, state, tools, unrecorded, changes, hidden, pinned: contractsOf(pins), live, refused };
};

/**
 * Compares servers with their pins. A server that is not pinned and did not answer is left out, unless the user named it.
 * @param names the servers that the user named; absent for all
 * @param level the mildest level of changes that count
 */
export const verifyServers = (
  lock: Lock,
  offers: ReadonlyMap<string, Offer>,
  { names, level }: { names?: readonly string[]; level: Level },
): Verified[] => {
  const answered = [...offers].filter(([, offer]) => 'tools' in offer).map(([name]) => name);
  const servers = [...new Set(names ?? [...lock.keys(), ...answered])].sort();
  return servers.map((server) => verifyServer(server, lock.get(server), offers.get(server) ?? NOT_CONFIGURED, level));
};

/** The same, with what is wrong with the approvals in the lockfile, by server. */
export const withRecords = (
  verified: readonly Verified[],
  records: ReadonlyMap<string, readonly FoundChange[]>,
): Verified[] => {
  const told = verified.map((one): Verified => {
    const found = records.get(one.server) ?? [];
    if (found.length === 0) return one;
    const state = one.state === 'as-pinned' ? 'differs' : one.state;
    return { ...one, state, changes: [...one.changes, ...found] };
  });
  const names = new Set(verified.map(({ server }) => server));
  const others = [...records].flatMap(([server, changes]): Verified[] =>
    changes.length === 0 || names.has(server)
      ? []
      : [{ ...NOTHING, server, state: 'differs', tools: 0, changes: [...changes] }],
  );
  return [...told, ...others];
};

/** Checks the lockfile alone: every pin with its seal, without asking servers. */
export const verifyFile = (lock: Lock): Verified[] =>
  [...lock]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([server, pins]) => {
      const contracts = contractsOf(pins);
      return verifyServer(server, pins, { tools: contracts }, 'compatible');
    });

/** What a finding does to the exit code; reports say the same. */
export const bearingOf = ({ rule }: FoundChange): Bearing => (rule === 'server-not-checked' ? 'not-checked' : 'failed');

/** The exit code: 1 if anything was found, else 2 if anything could not be checked, else 0. */
export const exitOfVerified = (verified: readonly Verified[]): 0 | 1 | 2 => {
  const bearings = verified.flatMap(({ changes }) => changes.map(bearingOf));
  if (bearings.includes('failed')) return 1;
  return bearings.includes('not-checked') ? 2 : 0;
};

const label = (server: string, tool: string): string => labelOf(server, tool === '' ? undefined : tool);

/** The changes of all servers in one list, the worst first, for reports: each tool has its server's name before it. */
export const labelledChanges = (verified: readonly Verified[]): FoundChange[] =>
  verified
    .flatMap(({ server, changes }) =>
      changes.map((change) => ({
        ...change,
        tool: label(server, change.tool),
        ...(change.path === '' && change.renamedTo !== undefined ? { renamedTo: label(server, change.renamedTo) } : {}),
      })),
    )
    .sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));

/** Tools with their server's name before their own, for reports. */
export const labelledTools = (server: string, tools: readonly Contract[]): Contract[] =>
  tools.map((tool) => ({ ...tool, name: label(server, tool.name) }));
