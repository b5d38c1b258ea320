// What one source's answer says about a call.
import { isPending, type SourceBaseline } from '../baseline/sessions.ts';
import { defined } from '../contract/defined.ts';
import { findTool, type NamedTool, spelled } from '../contract/names.ts';
import { type Contract, own } from '../contract/types.ts';
import { looksLike, lookupHash } from '../contract/view.ts';
import { type Live, type LiveAnswer, readLive } from '../sources/live.ts';
import type { Failure, Source } from '../sources/source.ts';
import { quoteName } from '../text/quote.ts';
import { say } from '../text/shown.ts';
import type { Assessment, Consulted, Inquiry, Judged, UncheckedCall } from './assessment.ts';
import { locate } from './consult.ts';
import { decide } from './decide.ts';
import { withTrust } from './trust.ts';

/** What a source says about the call. */
export interface Hearing {
  source: Source;
  /** Absent if it failed. */
  consulted?: Consulted;
  /** The assessment, if it speaks for the tool. */
  found?: Assessment;
  failed?: { why: string; unaskable: boolean };
  /** It is the server itself, and does not list the tool. */
  unlisted?: boolean;
  /** It is a gateway that may list another server's tool of this name: it speaks for the tool if the server itself does not. */
  yields?: boolean;
}

const FAILED: Record<Exclude<Failure, 'unaskable'>, string> = {
  invalid: 'gave no valid answer',
  unreachable: 'cannot be reached',
};

/** The configured server that the name means. */
export const serverItself = ({ search }: Inquiry): Source[] =>
  search.elsewhere === undefined ? search.all.servers.filter(({ name }) => name === search.owner) : [];

/**
 * Whether a gateway that names no servers may list another server's tool of this name: neither what the model sees nor
 * what the server itself answered is a contract that it lists or listed.
 */
const mayBeNamesake = (
  source: Source,
  ways: readonly NamedTool[],
  live: Live,
  name: string,
  inquiry: Inquiry,
): boolean => {
  const { input, search, around, started, views } = inquiry;
  if (search.owner === undefined || !search.all.gateways.includes(source) || !source.covers(undefined)) return false;
  const atStart = started?.sources[source.key]?.tools ?? [];
  const listed = [...live.tools, ...atStart].filter((tool) => tool.name === name);
  const past = Object.hasOwn(live.past, name) ? live.past[name] : undefined;
  const lists = serverItself(inquiry).flatMap(({ key }) => [
    started?.sources[key]?.tools,
    readLive(around.home, key)?.tools,
  ]);
  const its = lists.map((tools = []) => ways.map((way) => findTool(tools, way)).find((tool) => tool !== undefined));
  const isListed = (one: Contract): boolean =>
    past?.includes(lookupHash(one)) === true || listed.some((contract) => looksLike(one, contract));
  return ![views.get(input.toolName), ...its].some((one) => typeof one === 'object' && isListed(one));
};

/**
 * Whether a gateway listed the tool before this session, and neither when it started nor now. A client that has such a tool
 * has it from the server itself.
 */
const wasDropped = (source: Source, live: Live, name: string, { search, started }: Inquiry): boolean => {
  const { tools, carried, late } = started?.sources[source.key] ?? {};
  const isListed = [live.tools, tools, carried].some((list) => list?.some((tool) => tool.name === name));
  return !isListed && late === false && search.all.gateways.includes(source);
};

/** Whether the model sees the tool as the source once listed it. */
const sawIt = (live: Live, name: string, { input, views }: Inquiry): boolean => {
  const [view, past] = [views.get(input.toolName), Object.hasOwn(live.past, name) ? live.past[name] : undefined];
  return view !== undefined && past?.includes(lookupHash(view)) === true;
};

/**
 * Why nothing is known if the server gave the tool another name that the client spells like the old one: it may still call
 * the old one.
 */
const respelled = (live: Live, atStart: SourceBaseline | undefined, name: string): string | undefined => {
  const had = (atStart?.tools ?? []).filter((tool) => spelled(tool.name) === spelled(name));
  const [old] = had;
  if (old === undefined || had.some((tool) => [...live.tools, { name }].some((now) => now.name === tool.name)))
    return undefined;
  return say`the server calls it ${quoteName(name)} now, and no longer ${quoteName(old.name)}; Claude Code spells both alike, and may still call the old one until /mcp reconnect`;
};

/**
 * What a source's answer says about the call: a verdict, if it speaks for the tool.
 * @param before the sources that were consulted before
 * @param isLast the gateway has to speak for the tool, since the server itself did not
 */
export const hear = (
  source: Source,
  ways: readonly NamedTool[],
  asked: LiveAnswer,
  inquiry: Inquiry,
  before: readonly Consulted[],
  isLast: boolean,
): Hearing => {
  const { input, search, around, started, index, views } = inquiry;
  const { config, all, settings } = search;
  if (asked.status === 'failed') {
    const { kind, why } = asked;
    const isAskable = kind !== 'unaskable';
    return {
      source,
      failed: { why: isAskable ? `${source.where} ${FAILED[kind]} (${why})` : why, unaskable: !isAskable },
    };
  }
  const { live } = asked;
  const atStart = started?.sources[source.key];
  const located = locate(ways, live, atStart?.tools ?? []);
  const namesake =
    located !== undefined &&
    located.tool !== 'ambiguous' &&
    mayBeNamesake(source, ways, live, located.tool.name, inquiry);
  const yields = namesake && !isLast && serverItself(inquiry).length > 0;
  const fresh = !yields && (located !== undefined || views.has(input.toolName));
  const consulted: Consulted = { key: source.key, digest: live.digest, fresh };
  if (yields) return { source, consulted, yields };
  if (!located) return { source, consulted, unlisted: source.name === search.owner && all.servers.includes(source) };
  const { way, tool } = located;
  const basis = {
    config,
    all,
    settings,
    policy: search.policyOf(way),
    named: way,
    index,
    consulted: [...before, consulted],
  };
  const facts = { source, live, checkedAt: asked.head.checkedAt, ...defined({ atStart }) };
  if (tool === 'ambiguous') {
    const why = 'several tools of the source are spelled like this one';
    return { source, consulted, found: { ...basis, facts, verdict: 'unchecked', why } };
  }
  const { name } = tool;
  const dropped = wasDropped(source, live, name, inquiry);
  // What it listed was another server's tool.
  if (dropped && source.covers(undefined) && !sawIt(live, name, inquiry)) return { source, consulted };
  const why = dropped
    ? `${source.where} does not list this tool, and did not when the session started, but did earlier`
    : respelled(live, atStart, name);
  const decided: Judged | UncheckedCall =
    why === undefined
      ? decide({ basis, answer: facts, name, namesake, inquiry })
      : { ...basis, facts: { ...facts, tool: { name, belief: { from: 'unknown', why } } }, verdict: 'unchecked', why };
  if (decided.verdict === 'unchecked' && isPending(around.home, input.session, started, source.key))
    decided.pending = true;
  // People approve the server's tools, not the names that wrap gives to them.
  const pinned = own(live.standsFor, name);
  const known = {
    server: way.server,
    name: typeof pinned === 'string' ? pinned : name,
    live: live.tools.find((one) => one.name === name),
    view: views.get(input.toolName),
  };
  return { source, consulted, found: withTrust(decided, known, inquiry, source.name) };
};
