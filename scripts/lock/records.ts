import { sameJson } from '../contract/same.ts';
import type { Json } from '../contract/types.ts';
import type { FoundChange } from '../diff/types.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { plainChange } from './compare.ts';
import { recordsOf } from './newest-record.ts';
import { refusalOf } from './refused.ts';
import { type ApprovalRules, hasRules, lacks } from './rules.ts';
import type { Approved, Lock, Pin, Pins, Removed } from './types.ts';

/** How many approvals of one tool are kept; older ones are in the file's history. */
const MOST_EARLIER = 20;

/** Those that the next entry keeps. */
export const earlierFor = (entry: Pin | Removed | undefined): { earlier?: Approved[] } => {
  const earlier = recordsOf(entry ?? {}).slice(-MOST_EARLIER);
  return earlier.length > 0 ? { earlier } : {};
};

/** The approvals that lead step by step from one hash to another; undefined if none do. */
const chain = (
  entry: Pin | Removed | undefined,
  from: string | undefined,
  to: string | undefined,
): Approved[] | undefined => {
  const records = recordsOf(entry ?? {});
  const begin = records.findLastIndex((one) => one.from === from);
  const found = records.slice(Math.max(0, begin));
  const isWhole = found.every((one, at) => one.from === (at === 0 ? from : found[at - 1]?.to));
  return found.length > 0 && isWhole && found.at(-1)?.to === to ? found : undefined;
};

/**
 * The approvals that lead from one pin to another. A yes that follows an incomplete one begins where that one did, also where
 * it became incomplete by rules that came later.
 */
export const recordsBetween = (
  old: Pin | undefined,
  entry: Pin | Removed | undefined,
  to: string | undefined,
  rules: ApprovalRules,
): Approved[] | undefined => {
  const isOpen = old?.approved !== undefined && lacks(rules, old.approved).length > 0;
  return chain(entry, old?.hash, to) ?? (isOpen ? chain(entry, old.approved?.from, to) : undefined);
};

const short = (hash: string | undefined): Shown => visible(hash?.slice(0, 12) ?? 'none');

const missing = (tool: string, message: Shown): FoundChange =>
  plainChange(tool, 'approval-missing', 'unclassified', message);

const lacking = (tool: string, rules: ApprovalRules, records: readonly (Approved | undefined)[]): FoundChange[] => {
  const found = [...new Set(records.flatMap((one) => lacks(rules, one)))];
  return found.length > 0
    ? [missing(tool, say`its approval is not what the settings ask for: ${joined(found, ', ')}`)]
    : [];
};

/** How many of a server's pins lack an approval: pinned at first contact, or copied from elsewhere. */
export const unrecordedPins = (pins: Pins | undefined): number =>
  [...(pins?.values() ?? [])].filter(({ approved }) => approved === undefined).length;

/** Pins whose approval falls short of the rules, by server. */
export const unfitRecords = (lock: Lock, rules: ApprovalRules): Map<string, FoundChange[]> =>
  new Map(
    [...lock].map(([server, pins]) => [
      server,
      hasRules(rules)
        ? [...pins, ...(pins.removed ?? [])].flatMap(([tool, { approved }]) => lacking(tool, rules, [approved]))
        : [],
    ]),
  );

/** Whether two records are the same, or both absent. */
export const isSameRecord = (a: Approved | undefined, b: Approved | undefined): boolean =>
  sameJson(a as unknown as Json | undefined, b as unknown as Json | undefined);

/** Refusals that went without a yes to the tool that is newer than they are. */
const liftedSince = (before: Pins | undefined, now: Pins | undefined, since: Shown): FoundChange[] =>
  [...(before?.refused ?? [])].flatMap(([tool, { at, hash }]) => {
    const kept = now?.refused?.get(tool);
    const pin = now?.get(tool);
    const yes = pin?.approved;
    const isNew = yes !== undefined && yes.at > at && !isSameRecord(yes, before?.get(tool)?.approved);
    // A yes to another contract than the refused one lifts nothing.
    const isLifted = isNew && refusalOf(before, tool, pin?.contract) !== undefined;
    if ((kept && (kept.hash === undefined || kept.hash === hash)) || isLifted) return [];
    return [missing(tool, say`its refusal was removed since ${since}, and no newer record says who approved the tool`)];
  });

/** What is wrong with the record of an entry that stayed as it was: a record can change without the contract. */
const recordChanged = (
  tool: string,
  was: Approved | undefined,
  is: Approved | undefined,
  hash: string | undefined,
  rules: ApprovalRules,
  since: Shown,
): FoundChange[] => {
  if (isSameRecord(was, is)) return [];
  if (is === undefined) return [missing(tool, say`its record of approval was removed since ${since}`)];
  if (is.to === hash) return lacking(tool, rules, [is]);
  return [missing(tool, say`its record changed since ${since}, and is for another contract (${short(is.to)})`)];
};

const changedSince = (
  before: Pins | undefined,
  now: Pins | undefined,
  rules: ApprovalRules,
  since: Shown,
): FoundChange[] => {
  const names = [before, now, now?.removed].flatMap((some) => [...(some?.keys() ?? [])]);
  const tools = [...new Set(names)].sort();
  const lifted = liftedSince(before, now, since);
  const changed = tools.flatMap((tool) => {
    const [old, pin] = [before?.get(tool), now?.get(tool)];
    const entry = pin ?? now?.removed?.get(tool);
    if (old?.hash === pin?.hash) {
      const was = (old ?? before?.removed?.get(tool))?.approved;
      return recordChanged(tool, was, entry?.approved, pin?.hash, rules, since);
    }
    // First contact with a server needs no approval, unless the rules say so.
    if (before === undefined && pin?.approved === undefined && !hasRules(rules)) return [];
    const records = recordsBetween(old, entry, pin?.hash, rules);
    if (records !== undefined) return lacking(tool, rules, records);
    const what =
      pin === undefined ? say`its pin was removed` : old === undefined ? say`it was pinned` : say`its pin changed`;
    const step = say`${short(old?.hash)} → ${short(pin?.hash)}`;
    return [missing(tool, say`${what} since ${since}, and no record says who approved that (${step})`)];
  });
  return [...changed, ...lifted];
};

/** What changed in the lockfile since an earlier one without the approval that the rules require, by server. */
export const unrecorded = (before: Lock, now: Lock, rules: ApprovalRules, since: Shown): Map<string, FoundChange[]> => {
  const servers = [...new Set([...before.keys(), ...now.keys()])];
  return new Map(servers.map((server) => [server, changedSince(before.get(server), now.get(server), rules, since)]));
};

/** The finding that a lockfile took the place of one above it. @param path from the lockfile's folder */
export const nearerLock = (path: string, since: Shown): FoundChange =>
  missing(
    '',
    say`${visible(path, { max: 200 })} is new since ${since}: in its folder the pins above it hold no more, and a person has to agree to that`,
  );

/** The finding that the rules became weaker: it shows on its own. */
export const weakerRules = (since: Shown): FoundChange =>
  plainChange(
    '',
    'approval-rules-weaker',
    'unclassified',
    say`"approvals" asks for less than at ${since}, whose rules were applied: a person has to agree to that`,
  );
