// The prompts and resources that a server lists now, and those that this conversation learned.
import { otherAddress } from '../../baseline/other-address.ts';
import { isPending, readBaseline } from '../../baseline/sessions.ts';
import { type LoadedConfig, loadConfig, policyFor } from '../../config/config.ts';
import { spelled } from '../../contract/names.ts';
import { listOf, MOST_OFFERS } from '../../contract/offers.ts';
import { type Contract, isObject, type OfferKind } from '../../contract/types.ts';
import type { Policy } from '../../judge/judge.ts';
import { programFiles, rebuilt } from '../../servers/program.ts';
import type { Server } from '../../servers/types.ts';
import { type AllSources, allSources } from '../../sources/all.ts';
import { askOffered } from '../../sources/offered.ts';
import { timeLeft } from '../../state/asking.ts';
import type { Moment } from '../../state/circumstances.ts';
import { keepHidden, recallHidden } from '../../state/hidden.ts';
import { learnedPath } from '../../state/paths.ts';
import { quoteName } from '../../text/quote.ts';

export interface OfferContext {
  home: string;
  project: string;
  env: NodeJS.ProcessEnv;
  session: string;
  agent?: string | undefined;
  /** When the hook was called: answers to questions that were asked then or later are live. */
  since: Moment;
}

export interface OfferSettings {
  config: LoadedConfig;
  all: AllSources;
}

export const readSettings = ({ home, project, env }: OfferContext): OfferSettings => {
  const config = loadConfig(home, project, env);
  return { config, all: allSources(config, project, env) };
};

/** The servers that a name can mean: the client takes its own spelling of a name for the name. */
const serversNamed = ({ all }: OfferSettings, name: string): Server[] => {
  const exact = all.configured.filter((server) => server.name === name);
  return exact.length > 0 ? exact : all.configured.filter((server) => spelled(server.name) === spelled(name));
};

interface OfferBasis {
  server: string;
  policy: Policy;
}

/** What a look at one list of a server found. */
export type Look = OfferBasis &
  (
    | { verdict: 'off' }
    /** Only the client can ask it; files of its program that were rebuilt. */
    | { verdict: 'not-covered'; rebuilt: string[] }
    /** `outage`: it did not answer; otherwise only this kind of list is unknown. */
    | { verdict: 'unchecked'; kind: OfferKind; why: string; outage: boolean; unaskable: boolean; pending: boolean }
    | { verdict: 'seen'; key: string; live: Contract[]; digest: string; learned: Contract[]; whole: boolean }
  );

/** What a conversation learned last of one kind; undefined where nothing tells. */
const learnedOf = (around: OfferContext, key: string, kind: OfferKind): Contract[] | undefined => {
  const { home, session, agent } = around;
  const kept = recallHidden(learnedPath(home, session, agent, key, kind), { session, agent, source: key })?.offers;
  if (Array.isArray(kept)) return kept.filter((offer) => isObject(offer) && typeof offer.name === 'string');
  const atStart = readBaseline(home, session)?.sources[key];
  return atStart?.unread?.[kind] === undefined ? atStart?.offers?.filter((offer) => listOf(offer) === kind) : undefined;
};

/** Notes what the conversation knows from here on. */
export const learn = (
  { home, session, agent }: OfferContext,
  key: string,
  kind: OfferKind,
  offers: readonly Contract[],
): void => {
  try {
    const kept = { offers: offers.slice(0, MOST_OFFERS) };
    keepHidden(learnedPath(home, session, agent, key, kind), { session, agent, source: key }, kept);
  } catch {
    // Fall back to what the session started with.
  }
};

/**
 * Asks the server of a name for one of its lists, and finds out what this conversation learned of it. Undefined where
 * no such server is configured: the client decides what that means.
 */
export const look = async (
  name: string,
  kind: OfferKind,
  settings: OfferSettings,
  around: OfferContext,
): Promise<Look | undefined> => {
  const [meant, ...more] = serversNamed(settings, name);
  if (meant === undefined || more.length === 0) return meant && lookAt(meant, kind, settings, around);
  const names = [meant, ...more].map((one) => quoteName(one.name)).join(' and ');
  const why = `${names} are spelled alike: the name does not tell which one is meant`;
  const policy = policyFor(settings.config, meant.name);
  return { server: name, policy, verdict: 'unchecked', kind, why, outage: false, unaskable: true, pending: false };
};

const lookAt = async (
  server: Server,
  kind: OfferKind,
  { config, all }: OfferSettings,
  around: OfferContext,
): Promise<Look> => {
  const { name, state, why = `it is ${state}`, launch } = server;
  const { home, project, env, session, since } = around;
  const policy = policyFor(config, name);
  const basis = { server: name, policy };
  if (policy.mode === 'off') return { ...basis, verdict: 'off' };
  const unchecked = { ...basis, verdict: 'unchecked', kind, outage: true, unaskable: false, pending: false } as const;
  if (state !== 'ready') return { ...unchecked, why, unaskable: true };
  const problem = all.problems.find((one) => one.kind === 'server' && one.name === name);
  if (problem) return { ...unchecked, why: problem.why };
  const started = readBaseline(home, session);
  const moved = otherAddress(server, started, Number(env.CLAUDE_PID));
  if (moved !== undefined) return { ...unchecked, why: moved, unaskable: true };
  const source = all.servers.find((one) => one.name === name);
  const offered = source?.offered?.bind(source);
  if (source === undefined || offered === undefined) {
    const atStart = launch.type === 'stdio' ? started?.programs?.[name] : undefined;
    const files = atStart === undefined ? [] : rebuilt(atStart, programFiles(launch, project, env));
    return { ...basis, verdict: 'not-covered', rebuilt: files };
  }
  const { freshFor } = config.user;
  const options = { freshFor, deadline: timeLeft(since), since, session };
  const asked = await askOffered(home, { ...source, offered }, kind, options);
  if (asked.status !== 'offered') {
    const unaskable = asked.status === 'unaskable';
    return { ...unchecked, why: asked.why, outage: asked.status === 'unreachable' || unaskable, unaskable };
  }
  const learned = learnedOf(around, source.key, kind);
  if (learned === undefined) {
    // It says little of what was learned before, but what changes from here on has changed for certain.
    learn(around, source.key, kind, asked.offers);
    const why = `nothing tells what this conversation learned of its ${kind}`;
    return { ...unchecked, outage: false, why, pending: isPending(home, session, started, source.key) };
  }
  const whole = learned.length < MOST_OFFERS;
  return { ...basis, verdict: 'seen', key: source.key, live: asked.offers, digest: asked.digest, learned, whole };
};
