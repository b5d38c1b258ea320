import { basename, dirname, sep } from 'node:path';
import { type Contract, isObject, type JsonObject } from '../contract/types.ts';
import { shownInBoth } from '../contract/view.ts';
import { diffContract } from '../diff/diff.ts';
import { ofContract } from '../diff/table.ts';
import { type FoundChange, LEVELS } from '../diff/types.ts';
import { judge } from '../judge/judge.ts';
import { toView } from '../transcript/model-view.ts';
import { blocksOf } from '../transcript/records.ts';
import { parseAt } from '../transcript/transcript-index.ts';
import { dayOf } from '../usage/days.ts';
import type { FileScan, Place, ScannedCall, Sighting } from './types.ts';

/** A tool's contract changed between conversations. */
export interface ToolChange {
  /** The client's name for the tool. */
  tool: string;
  /** When a conversation last began with the old contract, and when one first saw the new one; ms. */
  since: number;
  at: number;
  changes: FoundChange[];
  /** Calls by the old contract, made after another conversation had been shown the new one. */
  outdated: number;
  /** Of these: how many ended in an error, and how many used something that had changed. */
  failed: number;
  used: number;
  /** Conversations in which they were made. */
  conversations: number;
  /** How many of the outdated calls were made on each day, `YYYY-MM-DD`. */
  days: Record<string, number>;
  /** Calls by the old contract, made before any conversation had seen the new one: some of them may be outdated. */
  unsure: number;
}

export interface Story {
  changes: ToolChange[];
  calls: number;
  /** Calls for which the transcript does not show which contract the conversation had seen. */
  unknown: number;
  tools: number;
  /** Calls that the guard stopped. */
  stopped: number;
  conversations: number;
  first?: number;
  last?: number;
}

type SightingInFile = Sighting & { file: string };
type CallInFile = ScannedCall & { file: string };

/** The folder of the client's project: elsewhere, the same name may mean another tool. */
const projectOf = (path: string): string => {
  const parts = path.split(sep);
  const at = parts.lastIndexOf('projects');
  return at === -1 ? basename(dirname(path)) : (parts[at + 1] ?? '');
};

const byTime = (a: { at: number }, b: { at: number }): number => a.at - b.at;

/** The last one at or before a time. */
const lastBefore = (sorted: readonly SightingInFile[], at: number): SightingInFile | undefined => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as SightingInFile).at <= at) low = middle + 1;
    else high = middle;
  }
  return sorted[low - 1];
};

/** Reads contracts and arguments again if they have to be compared. Records are large, so only the last ones are kept. */
const reader = () => {
  const records = new Map<string, Record<string, unknown> | null>();
  const recordAt = (file: string, [offset, length]: Place): Record<string, unknown> | null => {
    const key = `${offset} ${file}`;
    if (!records.has(key)) {
      if (records.size > 8) records.clear();
      records.set(key, parseAt(file, [offset, length]));
    }
    return records.get(key) ?? null;
  };
  return {
    contractOf: ({ file, place, tool }: SightingInFile): Contract | undefined => {
      const record = recordAt(file, place);
      const [shape, attachment] = [record?.shape, record?.attachment];
      const tools = isObject(shape)
        ? shape.tools
        : isObject(attachment)
          ? (attachment.tools ?? attachment.entries)
          : [];
      const found = (Array.isArray(tools) ? tools : []).map(toView).find((view) => view?.[0] === tool);
      return found?.[1];
    },
    argumentsOf: ({ file, place, id }: CallInFile): JsonObject | undefined => {
      const block = blocksOf(recordAt(file, place)).find((one) => one.type === 'tool_use' && one.id === id);
      return isObject(block?.input) ? (block.input as JsonObject) : undefined;
    },
  };
};

/** What all transcripts hold of one tool. */
interface OfTool {
  tool: string;
  seen: SightingInFile[];
  calls: CallInFile[];
}

/** Contracts and calls by tool, each call once. */
const byTool = (scans: readonly FileScan[]) => {
  const groups = new Map<string, OfTool>();
  const group = (file: string, tool: string): OfTool => {
    const key = `${projectOf(file)}\0${tool}`;
    const found = groups.get(key) ?? { tool, seen: [], calls: [] };
    groups.set(key, found);
    return found;
  };
  const ids = new Set<string>();
  let [calls, unknown, first, last] = [0, 0, Number.POSITIVE_INFINITY, 0];
  for (const { path, sightings, calls: made } of scans) {
    for (const one of sightings) group(path, one.tool).seen.push({ ...one, file: path });
    for (const call of made) {
      // A resumed or forked conversation holds copies of earlier calls.
      const id = `${call.id} ${call.at}`;
      if (ids.has(id)) continue;
      ids.add(id);
      calls += 1;
      if (call.hash === undefined) unknown += 1;
      else group(path, call.tool).calls.push({ ...call, file: path });
      first = Math.min(first, call.at);
      last = Math.max(last, call.at);
    }
  }
  return { groups: [...groups.values()], counts: { calls, unknown, ...(calls > 0 ? { first, last } : {}) } };
};

type CountedChange = ToolChange & { files: Set<string> };

/** How many calls are judged one by one at most; the others only count as outdated. */
const MOST_JUDGED = 20_000;

/** The changes of contracts, each counted once for all transcripts. */
class Changes {
  readonly #read = reader();
  readonly #found = new Map<string, CountedChange>();
  #judged = 0;

  add({ tool, seen, calls }: OfTool): void {
    if (new Set(seen.map(({ hash }) => hash)).size < 2) return;
    seen.sort(byTime);
    for (const [index, to] of seen.entries()) {
      const from = seen[index - 1];
      if (from !== undefined && from.hash !== to.hash) this.#addChange(tool, from, to, calls);
    }
    for (const call of calls) this.#addCall(tool, call, seen);
  }

  #addChange(tool: string, from: SightingInFile, to: SightingInFile, calls: readonly CallInFile[]): void {
    const change = this.#between(tool, from, to);
    if (change === undefined) return;
    change.since = Math.min(change.since, from.at);
    change.at = Math.min(change.at, to.at);
    change.unsure += calls.filter(({ hash, at }) => hash === from.hash && at > from.at && at < to.at).length;
  }

  /** Counts a call that was made by an old contract. */
  #addCall(tool: string, call: CallInFile, seen: readonly SightingInFile[]): void {
    const now = lastBefore(seen, call.at);
    if (now === undefined || now.hash === call.hash) return;
    const then = seen.findLast(({ hash, at }) => hash === call.hash && at <= call.at);
    const change = then && this.#between(tool, then, now);
    // If no rule sees a difference, the contract is the same to the caller.
    if (then === undefined || change === undefined || change.changes.length === 0) return;
    change.outdated += 1;
    const day = dayOf(call.at);
    change.days[day] = (change.days[day] ?? 0) + 1;
    change.files.add(call.file);
    if (call.failed) change.failed += 1;
    if (this.#judged++ < MOST_JUDGED && this.#usesChange(call, then, now)) change.used += 1;
  }

  /** The change between two contracts; undefined if one of them can no longer be read. */
  #between(tool: string, from: SightingInFile, to: SightingInFile): CountedChange | undefined {
    const key = `${tool} ${from.hash} ${to.hash}`;
    const known = this.#found.get(key);
    if (known) return known;
    const [before, after] = [this.#read.contractOf(from), this.#read.contractOf(to)];
    if (before === undefined || after === undefined) return undefined;
    const made = {
      tool,
      since: from.at,
      at: to.at,
      changes: ofContract(diffContract(...shownInBoth(before, after))),
      ...{ outdated: 0, failed: 0, used: 0, conversations: 0, unsure: 0, days: {} },
      files: new Set<string>(),
    };
    this.#found.set(key, made);
    return made;
  }

  #usesChange(call: CallInFile, from: SightingInFile, to: SightingInFile): boolean {
    const [before, after] = [this.#read.contractOf(from), this.#read.contractOf(to)];
    const args = this.#read.argumentsOf(call);
    if (before === undefined || after === undefined || args === undefined) return false;
    const [believed, live] = shownInBoth(before, after);
    const policy = { mode: 'guard', trusted: false } as const;
    const { reasons } = judge({ believed, live, tools: [live], args, policy, settled: () => false });
    return reasons.length > 0;
  }

  /** All of them: those with the most outdated calls first, then the worst and the newest. */
  sorted(): ToolChange[] {
    const weight = ({ changes }: ToolChange): number => Math.min(...changes.map(({ level }) => LEVELS.indexOf(level)));
    return [...this.#found.values()]
      .filter((one) => one.changes.length > 0)
      .map(({ files, ...change }) => ({ ...change, conversations: files.size }))
      .sort((a, b) => b.outdated - a.outdated || weight(a) - weight(b) || b.at - a.at);
  }
}

/** Combines the results of all transcripts. */
export const storyOf = (scans: readonly FileScan[]): Story => {
  const { groups, counts } = byTool(scans);
  const changes = new Changes();
  for (const group of groups) changes.add(group);
  return {
    changes: changes.sorted(),
    ...counts,
    tools: new Set(groups.map(({ tool }) => tool)).size,
    stopped: scans.reduce((sum, { stopped }) => sum + stopped, 0),
    conversations: scans.filter(({ sightings, calls }) => sightings.length + calls.length > 0).length,
  };
};
