import { defined } from '../../contract/defined.ts';
import { clientName, type NamedTool, spelled } from '../../contract/names.ts';
import { signature } from '../../contract/signature.ts';
import { type Contract, type JsonObject, own } from '../../contract/types.ts';
import type { Invalid } from '../../contract/validate.ts';
import type { Judgement } from '../../judge/judge.ts';
import type { Source } from '../../sources/source.ts';
import { quoteName } from '../../text/quote.ts';
import { modelView } from '../../transcript/model-view.ts';
import { type Assessment, assessNamed, type CallContext, liveContract, type Search } from '../assess.ts';
import type { ToolInput } from '../input.ts';
import { type OuterCall, outerCall } from './outer-call.ts';
import { policyInside } from './policy.ts';
import { readInnerCall } from './read-call.ts';
import { invokerOf } from './recognise.ts';
import { fillIn, placeholders } from './skeleton.ts';
import type { InnerCall } from './types.ts';
import { waysTo } from './ways.ts';

/** The call inside a call, as if the tool had been called itself. */
interface Inside {
  input: ToolInput;
  found: Assessment & { through: OuterCall };
}

/** `nothing`: the tool is an invoker, and about this call of it there is nothing to judge. */
export type Inner = Inside | 'nothing' | undefined;

const contractOf = (outer: Assessment, toolName: string): Contract | undefined =>
  liveContract(outer) ?? outer.facts?.tool?.view ?? modelView(outer.index).get(toolName);

/** The server's own source, then a gateway that speaks for it, then what the hub says of the tools behind it. */
const searchFor = (call: InnerCall, outer: Assessment): Search & { name: string } => {
  const { config, all, settings, named } = outer;
  const ready = all.configured.filter(({ state }) => state === 'ready').map(({ name }) => name);
  const { server, qualified, plain } = waysTo(call, named.server, ready);
  const used = new Set<Source>();
  const taken = (sources: Source[], covers: string | undefined): Source[] => {
    const found = sources.filter((source) => !used.has(source) && source.covers(covers));
    for (const source of found) used.add(source);
    return found;
  };
  const both = [...qualified, ...plain];
  const owners = server === undefined ? [] : taken(all.servers, server);
  const isOwn = server === undefined || spelled(server) === spelled(named.server);
  // Another server's tool may be called like one of the hub's own: there only the whole name will do.
  const hubs = (isOwn ? both : qualified).map((way) => ({ ...way }));
  const rounds = [
    { sources: owners, ways: [...plain, ...qualified] },
    { sources: taken(all.gateways, server), ways: both },
    { sources: taken(all.gateways, named.server), ways: both },
    { sources: taken(all.servers, named.server), ways: hubs },
  ];
  const policy = policyInside(config, all, server, outer.policy);
  const [way] = plain;
  return {
    name: (way as NamedTool).spelling,
    config,
    all,
    settings,
    named: way as NamedTool,
    ways: both,
    rounds,
    // What the hub says of a tool are the hub's words, whoever the tool belongs to.
    policyOf: (found) => (hubs.includes(found) ? { ...policy, trusted: outer.policy.trusted } : policy),
  };
};

/** For arguments that cannot be read, where nobody knows the tool: they are wrong for every tool. */
const refused = (wrong: readonly Invalid[], { mode }: Assessment['policy']): Judgement => ({
  decision: mode === 'warn' ? 'notice' : 'deny',
  changes: [],
  reasons: wrong.map((invalid) => ({ key: `invalid ${invalid.text}`, verdict: 'deny', invalid })),
});

/** What the call was to be: with the names that were given, and with all that is required. */
const complete = (found: Assessment, call: InnerCall, name: string, through: OuterCall): Inside['found'] => {
  if (found.verdict === 'not-covered' || found.verdict === 'off') return { ...found, through };
  const [live, judgement] = [liveContract(found), found.judgement];
  if (judgement === undefined || live === undefined) return { ...found, through };
  const isParameter = (key: string): boolean => own(own(live.inputSchema, 'properties'), key) !== undefined;
  const beside = Object.entries(call.beside).filter(([key]) => isParameter(key));
  const given: JsonObject = { ...Object.fromEntries(beside), ...call.args };
  const wrong = judgement.reasons.some(({ invalid }) => invalid !== undefined);
  const filled = wrong && judgement.corrected === undefined ? fillIn(live, given) : undefined;
  return {
    ...found,
    judgement: { ...judgement, signature: signature({ ...live, name }) },
    through: { ...through, ...defined({ skeleton: filled && through.call(live.name, filled) }) },
  };
};

/**
 * Judges the call inside a call of a generic invoker: freshness as for any other tool, and validity always, since neither
 * the client nor the model saw the contract.
 * @param outer what was found out about the invoker itself
 */
export const assessInner = async (
  input: ToolInput,
  transcript: string,
  outer: Assessment,
  around: CallContext,
): Promise<Inner> => {
  const invoker = invokerOf(outer.config, input.toolName, contractOf(outer, input.toolName));
  if (invoker === undefined) return undefined;
  const call = readInnerCall(invoker, input.arguments as JsonObject);
  if (call === undefined) return 'nothing';
  const wrong = call.unreadable === undefined ? placeholders(call.args) : [{ text: call.unreadable }];
  const search: Search & { name: string } = { ...searchFor(call, outer), wrong };
  const { named, name } = search;
  const inside: ToolInput = {
    ...input,
    toolName: clientName(named.prefix, name),
    server: named.server,
    arguments: call.args,
  };
  const known = outer.index ?? around.index;
  const found = await assessNamed(inside, transcript, search, { ...around, ...(known ? { index: known } : {}) });
  const [outerTool, tool] = [outer.facts?.tool?.name, found.facts?.tool?.name];
  const through = outerCall(input.toolName, outerTool ?? outer.named.spelling, call, name, tool ?? name);
  if (tool === undefined && !invoker.sure) return 'nothing';
  if (found.verdict !== 'judged' && found.verdict !== 'off' && call.unreadable !== undefined)
    return { input: inside, found: { ...found, verdict: 'judged', judgement: refused(wrong, found.policy), through } };
  if (found.verdict === 'not-covered') {
    const { program: _elsewhere, ...basis } = found;
    const why = `${quoteName(name)}, called through ${quoteName(through.name)}, is in no list of tools that is known`;
    return { input: inside, found: { ...basis, verdict: 'unchecked', why, unaskable: true, through } };
  }
  return { input: inside, found: complete(found, call, name, through) };
};
