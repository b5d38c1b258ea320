// Asks a source about a tool, and finds the tool in what it answers.
import { findTool, type NamedTool } from '../contract/names.ts';
import type { Contract } from '../contract/types.ts';
import { ageOfHead, type Head, LONGEST_TTL, readHead } from '../sources/head.ts';
import { askSource, type Live, type LiveAnswer, readLive } from '../sources/live.ts';
import { sessionKeeper } from '../sources/mcp/kept-session.ts';
import type { Source } from '../sources/source.ts';
import { timeLeft } from '../state/asking.ts';
import { type Moment, thisMoment } from '../state/circumstances.ts';
import type { CallContext, Inquiry } from './assessment.ts';

/** Finds the tool in what the source answers now, else in what it answered at the session's start, else before that. */
export const locate = (ways: readonly NamedTool[], live: Live | undefined, atStart: readonly Contract[]) => {
  const past = Object.keys(live?.past ?? {}).map((name): Contract => ({ name, inputSchema: true }));
  for (const tools of [live?.tools ?? [], atStart, past]) {
    for (const way of ways) {
      const tool = findTool(tools, way);
      if (tool !== undefined) return { way, tool };
    }
  }
  return undefined;
};

/** Whether an answer was asked for before the call was made: a stop must not be based on such a one. */
const isOlder = (head: Head, { since }: CallContext): boolean =>
  head.checkedAt < since.at || head.checkedUp < since.up || ageOfHead(head) === undefined;

/**
 * Whether it was asked in a session from before the call: a server may go on showing that one its old tools. The resident
 * guard keeps its sessions itself, and is told of changes in them.
 */
const isOfOldSession = ({ key }: Source, { home, since, knowledge }: CallContext): boolean => {
  const kept = knowledge === undefined ? sessionKeeper(home, key)?.read() : undefined;
  return kept !== undefined && kept.age > Date.now() - since.at;
};

/** Whether an answer may be from before the call, and so from before a rollback: a stop needs a newer one. */
export const isFromBefore = (source: Source, { head }: LiveAnswer, around: CallContext): boolean =>
  isOlder(head, around) || isOfOldSession(source, around);

/** @param after an answer counts if it was asked for at this moment or later */
const ask = (source: Source, { search, input, around }: Inquiry, force: boolean, after: Moment): Promise<LiveAnswer> =>
  (around.knowledge?.ask ?? askSource)(around.home, source, {
    freshFor: search.config.user.freshFor,
    deadline: timeLeft(around.since),
    since: after,
    session: input.session,
    force,
  });

/** Asks a source now, whatever is known of it. */
export const askNow = (source: Source, inquiry: Inquiry): Promise<LiveAnswer> =>
  ask(source, inquiry, true, thisMoment());

/**
 * Asks a source; or only gives what is known of it (`known`), if that is enough: an answer of a gateway that is up to a minute
 * old, for a tool that it does not list and the model has not seen.
 */
export const consult = async (
  source: Source,
  ways: readonly NamedTool[],
  inquiry: Inquiry,
): Promise<{ source: Source; known?: Live; asked?: LiveAnswer }> => {
  const { input, search, around, started, views } = inquiry;
  const force = around.force === true;
  if (search.all.gateways.includes(source) && !views.has(input.toolName) && !force) {
    const [known, head] = [readLive(around.home, source.key), readHead(around.home, source.key)];
    const age = head && head.failure === undefined && head.digest === known?.digest ? ageOfHead(head) : undefined;
    const listed = known && locate(ways, known, started?.sources[source.key]?.tools ?? []);
    if (known && !listed && age !== undefined && age < LONGEST_TTL) return { source, known };
  }
  return { source, asked: await ask(source, inquiry, force, around.since) };
};
