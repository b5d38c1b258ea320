import { defined } from '../../contract/defined.ts';
import { clientName, type NamedTool, spelled } from '../../contract/names.ts';
import { signature } from '../../contract/signature.ts';
import { type Contract, type JsonObject, own } from '../../contract/types.ts';
import type { Invalid } from '../../contract/validate.ts';
import type { Judgement } from '../../judge/judge.ts';
import type { Source } from '../../sources/source.ts';
import { speakersFor } from '../../sources/speakers.ts';
import { quoteName } from '../../text/quote.ts';
import { modelView } from '../../transcript/model-view.ts';
import { assessNamed } from '../assess.ts';
import { type Assessment, type CallContext, liveContract, type Search } from '../assessment.ts';
import type { ToolInput } from '../input.ts';
import { isUnknown, misnamed, toolsMeant } from './misnamed.ts';
import { type OuterCall, outerCall } from './outer-call.ts';
import { policyInside } from './policy.ts';
import { readInnerCall } from './read-call.ts';
import { invokerOf } from './recognise.ts';
import { fillIn, placeholders } from './skeleton.ts';
import type { InnerCall } from './types.ts';
import { waysTo } from './ways.ts';

/** The inner call, as if the tool had been called directly. */
interface Inside {
  input: ToolInput;
  found: Assessment & { through: OuterCall };
}

/** `nothing`: the tool is an invoker, but this call has no inner call to judge. Undefined: the tool is no invoker. */
export type Inner = Inside | 'nothing' | undefined;

/** The contract of the called tool, as far as it is known. */
export const contractOf = (outer: Assessment, toolName: string): Contract | undefined =>
  liveContract(outer) ?? outer.facts?.tool?.view ?? modelView(outer.index).tools.get(toolName);

/** Where the inner tool is looked for: at its own server, then at gateways, then at the invoker's server (the hub). */
const searchFor = (call: InnerCall, outer: Assessment): Search & { name: string } => {
  const { config, all, settings, named } = outer;
  const ready = all.configured.filter(({ state }) => state === 'ready').map(({ name }) => name);
  const { server, qualified, plain } = waysTo(call, named.server, ready);
  const used = new Set<Source>();
  const taken = (sources: Source[]): Source[] => {
    const found = sources.filter((source) => !used.has(source));
    for (const source of found) used.add(source);
    return found;
  };
  const both = [...qualified, ...plain];
  const owners = server === undefined ? [] : taken(all.servers.filter(({ covers }) => covers(server)));
  const isOwn = server === undefined || spelled(server) === spelled(named.server);
  // Another server's tool may have the name of one of the hub's own: then only the qualified name is unambiguous. These are
  // copies, so that `policyOf` can tell them from the ways of other sources.
  const hubs = (isOwn ? both : qualified).map((way) => ({ ...way }));
  const gateways = speakersFor(config.user, all.gateways, [server, named.server]);
  const rounds = [
    { sources: owners, ways: [...plain, ...qualified] },
    { sources: taken(gateways.filter(({ covers }) => covers(server))), ways: both },
    { sources: taken(gateways), ways: both },
    { sources: taken(all.servers.filter(({ covers }) => covers(named.server))), ways: hubs },
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
    // A description from the hub is trusted as much as the hub, whichever server has the tool.
    policyOf: (found) => (hubs.includes(found) ? { ...policy, trusted: outer.policy.trusted } : policy),
  };
};

/** The judgement of arguments that cannot be read, if the tool is not known: they are wrong for every tool. */
const refused = (wrong: readonly Invalid[], { mode }: Assessment['policy']): Judgement => ({
  decision: mode === 'warn' ? 'notice' : 'deny',
  changes: [],
  reasons: wrong.map((invalid) => ({ key: `invalid ${invalid.text}`, verdict: 'deny', invalid })),
});

/** Adds to an assessment how to make the call: the signature under the name that was used, and a skeleton to fill in. */
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
 * Judges the inner call of an invoker: freshness as for any other tool, and always validity, since neither the client nor
 * the model has seen the contract.
 * @param outer the assessment of the invoker itself
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
    // The client names the scope of the invoker's server only.
    scope: undefined,
    arguments: call.args,
  };
  const known = outer.index ?? around.index;
  const asking = { ...around, ...(known ? { index: known } : {}) };
  let found = await assessNamed(inside, transcript, search, asking);
  // A stop rests on no answer from before the call.
  if (invoker.sure && isUnknown(found) && !around.force && toolsMeant(around.home, search).length > 0)
    found = await assessNamed(inside, transcript, search, { ...asking, force: true });
  const [outerTool, tool] = [outer.facts?.tool?.name, found.facts?.tool?.name];
  const through = outerCall(input.toolName, outerTool ?? outer.named.spelling, call, name, tool ?? name);
  if (tool === undefined && !invoker.sure) return 'nothing';
  if (found.verdict !== 'judged' && found.verdict !== 'off' && call.unreadable !== undefined)
    return { input: inside, found: { ...found, verdict: 'judged', judgement: refused(wrong, found.policy), through } };
  const hint = isUnknown(found) ? misnamed(inside, found, through, search, around) : undefined;
  if (hint !== undefined) return { input: inside, found: hint };
  if (found.verdict === 'not-covered') {
    const { program: _program, ...basis } = found;
    const why = `${quoteName(name)}, called through ${quoteName(through.name)}, is in no list of tools that is known`;
    return { input: inside, found: { ...basis, verdict: 'unchecked', why, unaskable: true, through } };
  }
  return { input: inside, found: complete(found, call, name, through) };
};
