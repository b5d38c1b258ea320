// The calls inside of calls of a generic invoker: what the hub lists of the tools behind it is compared with what it listed
// before, and arguments are validated even if nothing changed, since no host has seen these contracts.
import { defined } from '../contract/defined.ts';
import { spelled } from '../contract/names.ts';
import { toJson } from '../contract/to-json.ts';
import { type Contract, own as field, isObject, type JsonObject } from '../contract/types.ts';
import { outerCall } from '../guard/invoker/outer-call.ts';
import { readInnerCall } from '../guard/invoker/read-call.ts';
import { invokerOf } from '../guard/invoker/recognise.ts';
import { fillIn, placeholders } from '../guard/invoker/skeleton.ts';
import type { InnerCall } from '../guard/invoker/types.ts';
import { type Ways, waysTo } from '../guard/invoker/ways.ts';
import type { Policy } from '../judge/judge.ts';
import { addBounded } from './bounded.ts';
import { type JudgeSettings, liveContract, readTool, readTools } from './judge-served.ts';
import type { Message } from './message.ts';
import type { Listed, OwnRequests } from './own-requests.ts';
import { policyOf } from './policy.ts';
import { Served } from './served.ts';
import { askGateways } from './typed/gateways.ts';
import { askedAbout, askHub } from './typed/hub.ts';
import { answersIn, type InnerTool, innerToolsIn } from './typed/inner-tools.ts';
import type { HeldCall, Verdict } from './types.ts';
import { decide } from './verdict.ts';
import { type CallSubject, changedLine, misfitLine, uncheckedDenial, uncheckedTelling } from './words.ts';

const MOST_TOLD = 1_000;

const keyOf = (server: string | undefined, name: string): string =>
  JSON.stringify([server === undefined ? '' : spelled(server), name]);

/** Whether an inner tool is the one that a call names. A hub may put the server's name before the tool's. */
const isCalled = ({ server, tool }: InnerCall, { server: of, name }: InnerTool): boolean => {
  if (server !== undefined && of !== undefined && spelled(server) !== spelled(of)) return false;
  const owner = defined({ server: server ?? of });
  return (
    name === tool ||
    isQualified(waysTo({ ...owner, tool }, '', []), name) ||
    isQualified(waysTo({ ...owner, tool: name }, '', []), tool)
  );
};

const isQualified = ({ qualified }: Ways, name: unknown): boolean =>
  qualified.some(({ spelling }) => spelling === name);

/** The tool where the hub itself lists it beside the invoker: with the server's name before it, so that it is no other one. */
const listedBeside = ({ server, tool }: InnerCall, hub: string, tools: readonly unknown[]): InnerTool[] => {
  const ways = waysTo({ ...defined({ server }), tool }, hub, []);
  const isOwn = server === undefined || spelled(server) === spelled(hub);
  return tools
    .filter((one) => isQualified(ways, field(one, 'name')) || (isOwn && field(one, 'name') === tool))
    .flatMap((one) =>
      isObject(field(one, 'inputSchema')) ? [{ name: tool, listed: one as InnerTool['listed'] }] : [],
    );
};

export class BehindInvoker {
  /** Contracts of tools behind the invoker: those that the host read, or that we read at the first call. */
  readonly #served = new Served();
  /** Unknown tools that the model was told of. */
  readonly #told = new Set<string>();

  constructor(private readonly judging: JudgeSettings) {}

  /** The host was given the answer of a tool that lists others. */
  heard({ params }: Message, result: unknown): void {
    const { server, tool } = askedAbout(String(params.name), isObject(params.arguments) ? params.arguments : {});
    this.#learn(answersIn(result).flatMap((answer) => innerToolsIn(answer, server, tool)));
  }

  /** @param name the called tool's own name: the call may give a new one, which a proposal repeats */
  async judge(call: HeldCall, own: OwnRequests, meta: unknown, name = call.name): Promise<Verdict> {
    const { env, project, name: server } = this.judging;
    const { config, policy } = policyOf(this.judging);
    if (policy.mode === 'off') return { pass: true };
    const listed = await this.#listedFor(call, name, own, meta);
    if (listed.failed !== undefined) return { pass: true };
    const contract = liveContract(listed.tools, name) ?? undefined;
    const invoker = invokerOf(config, `mcp__${spelled(server ?? '')}__${spelled(name)}`, contract);
    if (invoker === undefined) return { pass: true };
    const inner = readInnerCall(invoker, call.args as JsonObject);
    if (inner === undefined)
      return call.unread === undefined ? { pass: true } : this.#unknown(call.unread, call, undefined, policy);
    const tools = await askHub(listed.tools, own, meta, inner);
    const isListed = tools.some((tool) => isCalled(inner, tool));
    const more = isListed ? [] : listedBeside(inner, server ?? '', listed.tools);
    const others = isListed || more.length > 0 ? more : await askGateways(config, project, env, inner);
    const verdict = this.#judged(call, inner, [...tools, ...others], policy);
    // If the host was not given the tool, the model already reads that the result is unknown.
    return verdict.pass && listed !== call.listed ? { pass: true } : verdict;
  }

  /** What the server lists. With `--invoker` the host is given something else, and a prompt may know the invoker all the same. */
  async #listedFor({ listed }: HeldCall, name: string, own: OwnRequests, meta: unknown): Promise<Listed> {
    const isThere = listed.failed === undefined && listed.tools.some((tool) => field(tool, 'name') === name);
    return isThere || !this.judging.isTyped ? listed : own.list(meta);
  }

  #judged(call: HeldCall, inner: InnerCall, tools: readonly InnerTool[], policy: Policy): Verdict {
    const { told } = this.judging.memory;
    const found = tools.filter((tool) => isCalled(inner, tool));
    const [only] = found;
    const owner = inner.server ?? only?.server;
    const key = keyOf(owner, inner.tool);
    // What the model read may not have said which server the tool is of.
    const unowned = owner === undefined ? [] : this.#served.of(keyOf(undefined, inner.tool));
    const before = [...new Set([...unowned, ...this.#served.of(key)])];
    if (only === undefined && !inner.invoker.sure && before.length === 0) return { pass: true };
    const [live, ...others] = [...new Set(found.map(({ listed }) => toJson(listed)))];
    if (tools.length === 0) return this.#unknown('no server lists the tools behind the invoker', call, inner, policy);
    if (others.length > 0) return this.#unknown('several tools behind the invoker have this name', call, inner, policy);
    if (live === undefined && before.length === 0)
      return this.#unknown('it is in no list of tools behind the invoker', call, inner, policy);
    const now = live === undefined ? null : readTool(live);
    // What is listed now counts as known from here on, whether the call passes or not.
    const given = this.#served.lastOf(key);
    const believed = (before.length > 0 ? before : [live as string]).flatMap((text) => readTool(text) ?? []);
    this.#learn(found);
    if (now === undefined || believed.length === 0)
      return this.#unknown('what the hub lists for it cannot be read', call, inner, policy);
    const about = this.#about(call, inner, now, policy);
    const wrong = inner.unreadable === undefined ? placeholders(inner.args) : [{ text: inner.unreadable }];
    const known = readTools(tools.map(({ listed }) => listed));
    const beside = this.#served.beside(key);
    const earlier = new Set(known.map(({ name }) => name).filter((name) => beside.has(keyOf(inner.server, name))));
    const { order } = call;
    const { decided } = decide({
      believed,
      live: now,
      tools: known,
      earlier,
      policy,
      about,
      told,
      given,
      order,
      wrong,
    });
    if (decided.verdict === 'deny') return { pass: false, text: decided.text, delivered: decided.delivered };
    if (decided.verdict === 'notice' && decided.judgement.reasons.length > 0)
      return {
        pass: true,
        told:
          decided.judgement.changes.length > 0
            ? changedLine(decided, about, 'model')
            : misfitLine(decided.judgement, about),
      };
    if (decided.verdict === 'unchecked') return this.#unknown(decided.why, call, inner, policy);
    return { pass: true };
  }

  #learn(tools: readonly InnerTool[]): void {
    const listed = tools.map(({ server, name, listed }) => ({ key: keyOf(server, name), listed }));
    this.#served.addAs(listed);
  }

  #about({ name, host }: HeldCall, inner: InnerCall, live: Contract | null, { trusted }: Policy): CallSubject {
    const listed = live?.name ?? inner.tool;
    const through = outerCall(name, name, inner, inner.tool, listed);
    const filled = live === null ? undefined : fillIn({ ...live, name: inner.tool }, inner.args);
    const skeleton = filled && through.call(listed, filled);
    return {
      tool: inner.tool,
      server: inner.server ?? this.judging.name,
      args: inner.args,
      trusted,
      host,
      through: { ...through, ...defined({ skeleton }) },
    };
  }

  /** Unknown: mode strict stops it, otherwise the model gets one message per tool. */
  #unknown(why: string, call: HeldCall, inner: InnerCall | undefined, policy: Policy): Verdict {
    const plain = { tool: call.name, server: this.judging.name, args: {}, trusted: policy.trusted, host: call.host };
    const about = inner === undefined ? plain : this.#about(call, inner, null, policy);
    if (policy.mode === 'strict') return { pass: false, text: uncheckedDenial(why, about) };
    const key = `${why} ${about.server} ${about.tool}`;
    if (this.#told.has(key)) return { pass: true };
    const delivered = (): void => addBounded(this.#told, key, MOST_TOLD);
    return { pass: true, told: uncheckedTelling(why, about), delivered };
  }
}
