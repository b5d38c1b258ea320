// Resources and prompts: what is read, listed and asked for by name, of servers that are asked for their current lists.
// Reading is harmless, so a change leads to a message and not to a stop, except in mode `strict`.
import { waysToRead } from '../../contract/names.ts';
import { toOffers } from '../../contract/offers.ts';
import type { Contract, OfferKind } from '../../contract/types.ts';
import { diffOffered } from '../../diff/offered.ts';
import { ofContract } from '../../diff/table.ts';
import { firstTime, mark, unmark } from '../../state/markers.ts';
import { stateHome } from '../../state/paths.ts';
import { findTranscript } from '../../transcript/find-transcript.ts';
import { transcriptSize } from '../../transcript/transcript-index.ts';
import type { HookAnswer } from '../answer.ts';
import { type OfferInput, readOfferInput } from '../input.ts';
import { mergeAnswers } from '../invoker/merge-answers.ts';
import { rebuiltMessage, uncheckedMessage, uncheckedQuestion } from '../messages.ts';
import type { HookRun } from '../run-hook.ts';
import { OUTAGE, ofPerson, settledIn } from '../settled.ts';
import { type Look, learn, look, type OfferContext, type OfferSettings, readSettings } from './look.ts';
import * as says from './messages.ts';

type SeenOffer = Extract<Look, { verdict: 'seen' }>;

/**
 * As for tools, the user is told once of a server that cannot be asked, and asked in mode `strict`.
 * @param after it happened already: nothing of it can be stopped
 */
const unseen = (found: Exclude<Look, SeenOffer>, { home, session }: OfferContext, after = false): HookAnswer => {
  const { server, policy } = found;
  const strict = policy.mode === 'strict' && !after;
  if (found.verdict === 'off') return {};
  if (found.verdict === 'not-covered') {
    const [file] = found.rebuilt;
    if (file === undefined) return {};
    if (strict) return uncheckedQuestion(server, 'its program was rebuilt');
    const first = firstTime(home, 'rebuilt', { session, server, about: JSON.stringify(found.rebuilt) });
    return first ? { systemMessage: rebuiltMessage(server, file) } : {};
  }
  if (strict) return uncheckedQuestion(server, found.why);
  // An answer that is still on its way is no alarm.
  if (found.pending) return {};
  const first = firstTime(home, 'unchecked', { session, server, about: found.outage ? OUTAGE : found.kind });
  return first ? { systemMessage: uncheckedMessage(server, found.why, found.unaskable) } : {};
};

const named = (offers: readonly Contract[], name: string): Contract | undefined =>
  offers.find((offer) => offer.name === name);

const movedIn = (before: readonly Contract[], now: readonly Contract[]): says.Moved => {
  const uris = (offers: readonly Contract[]): string[] =>
    offers.flatMap(({ name }) => /^resource (?!template )(.*)$/s.exec(name)?.[1] ?? []);
  const [old, current] = [new Set(uris(before)), new Set(uris(now))];
  return { gone: [...old].filter((uri) => !current.has(uri)), added: [...current].filter((uri) => !old.has(uri)) };
};

const isMoved = ({ gone, added }: says.Moved): boolean => gone.length + added.length > 0;

/** What happened to one offer since it was learned; undefined if nothing did, or if it was never learned. */
const changeOf = (seen: SeenOffer, kind: says.Used['kind'], name: string): says.Used | undefined => {
  const [before, now] = [named(seen.learned, `${kind} ${name}`), named(seen.live, `${kind} ${name}`)];
  const used = { kind, name, server: seen.server, trusted: seen.policy.trusted };
  if (before === undefined) return undefined;
  if (now === undefined) return used;
  const changes = ofContract(diffOffered({ tools: [], offers: [before] }, { tools: [], offers: [now] }));
  return changes.length > 0 ? { ...used, changes } : undefined;
};

/** Identifies an alarm by the offer and its current contract. */
const aboutOf = ({ session, agent }: OfferContext, seen: SeenOffer, { kind, name }: says.Used) => ({
  session,
  agent,
  server: seen.server,
  source: seen.key,
  tool: `${kind} ${name}`,
  about: JSON.stringify(named(seen.live, `${kind} ${name}`) ?? null),
});

const read = (input: OfferInput, uri: string, seen: SeenOffer, around: OfferContext): HookAnswer => {
  const { home, session, agent } = around;
  const used = changeOf(seen, 'resource', uri);
  if (used === undefined) {
    const moved = movedIn(seen.learned, seen.live);
    const about = { session, agent, server: seen.server, source: seen.key, about: seen.digest };
    return seen.whole && isMoved(moved) && firstTime(home, 'moved', about)
      ? { context: says.movedContext(seen.server, moved) }
      : {};
  }
  const about = aboutOf(around, seen, used);
  if (seen.policy.mode === 'strict') {
    if (settledIn(home, input)(about)) return {};
    const from = transcriptSize(findTranscript(input));
    mark(home, 'asked', ofPerson(about), { agent, from, toolUseId: input.toolUseId });
    return { decision: 'ask', reason: says.usedQuestion(used) };
  }
  return firstTime(home, 'notice', about)
    ? { systemMessage: says.usedMessage(used), context: says.usedContext(used) }
    : {};
};

const expand = (seen: SeenOffer, name: string, around: OfferContext): HookAnswer => {
  // The client sends prompts that it has listed, whatever the session began with; it may be shown another list than we are.
  const basis = { kind: 'prompt', name, server: seen.server, trusted: seen.policy.trusted } as const;
  const gone: says.Used = named(seen.learned, `prompt ${name}`) ? basis : { ...basis, unheard: true };
  const used = named(seen.live, `prompt ${name}`) ? changeOf(seen, 'prompt', name) : gone;
  if (used === undefined || !firstTime(around.home, 'notice', aboutOf(around, seen, used))) return {};
  return seen.policy.mode === 'strict'
    ? { decision: 'deny', reason: says.usedMessage(used) }
    : { systemMessage: says.usedMessage(used), context: says.usedContext(used) };
};

/** The list that the model was shown, and the current one, which the conversation knows from now on. */
const listed = (shown: Record<string, unknown>[], seen: SeenOffer, around: OfferContext): HookAnswer => {
  const { home, session, agent } = around;
  learn(around, seen.key, 'resources', seen.live);
  const moved = movedIn(toOffers({ resources: shown }, Number.POSITIVE_INFINITY), seen.live);
  if (!isMoved(moved)) return {};
  const first = firstTime(home, 'old-list', { session, agent, source: seen.key, about: seen.digest });
  const context = says.oldListContext(seen.server, moved);
  return first ? { systemMessage: says.oldListMessage(seen.server, moved), context } : { context };
};

/** Looks, and afterwards tells again of any failure that kept an earlier look from seeing this list. */
const lookAgain = async (
  name: string,
  kind: OfferKind,
  settings: OfferSettings,
  around: OfferContext,
): Promise<Look | undefined> => {
  const found = await look(name, kind, settings, around);
  const { home, session } = around;
  if (found?.verdict === 'seen')
    for (const about of [OUTAGE, kind]) unmark(home, 'unchecked', { session, server: found.server, about });
  return found;
};

const onRead = async (input: OfferInput, settings: OfferSettings, around: OfferContext): Promise<HookAnswer> => {
  const { server = '', uri = '' } = input;
  const found = await lookAgain(server, 'resources', settings, around);
  if (found === undefined) return {};
  if (found.verdict !== 'seen') return unseen(found, around);
  return read(input, uri, found, around);
};

const onListed = async (input: OfferInput, settings: OfferSettings, around: OfferContext): Promise<HookAnswer> => {
  const { server, shown = [] } = input;
  const names = new Set(server === undefined ? shown.map((one) => String(one.server)) : [server]);
  const answers = [...names].map(async (name): Promise<HookAnswer> => {
    const found = await lookAgain(name, 'resources', settings, around);
    if (found === undefined) return {};
    if (found.verdict !== 'seen') return unseen(found, around, true);
    return listed(
      shown.filter((one) => one.server === name || server !== undefined),
      found,
      around,
    );
  });
  return (await Promise.all(answers)).reduce(mergeAnswers, {});
};

const onExpanded = async (command: string, settings: OfferSettings, around: OfferContext): Promise<HookAnswer> => {
  const looks = await Promise.all(
    waysToRead(command, undefined).map(async ({ server, spelling }) => {
      const found = await lookAgain(server, 'prompts', settings, around);
      return found === undefined ? [] : [{ found, spelling }];
    }),
  );
  const possible = looks.flat();
  const knows = ({ found, spelling }: { found: Look; spelling: string }): boolean =>
    found.verdict === 'seen' && [found.live, found.learned].some((offers) => named(offers, `prompt ${spelling}`));
  // An ambiguous name means the server that has such a prompt.
  const meant = possible.find(knows) ?? possible.find(({ found }) => possible.length === 1 || found.verdict !== 'seen');
  if (meant === undefined) return {};
  const { found, spelling } = meant;
  const answer = found.verdict === 'seen' ? expand(found, spelling, around) : unseen(found, around);
  if (answer.reason === undefined) return answer;
  // The person decides by typing it again.
  const about = { session: around.session, server: found.server, tool: spelling, about: answer.reason };
  return firstTime(around.home, 'held', about) ? { decision: 'deny', reason: says.heldBack(answer.reason) } : {};
};

/** What the hooks around resources and prompts answer to their input. */
export const ofOffers = async (raw: string, env: NodeJS.ProcessEnv, run: HookRun): Promise<HookAnswer> => {
  const input = readOfferInput(raw);
  const { event, command, uri, session, agent, cwd } = input;
  const { since } = run;
  run.event = event;
  const around = { home: stateHome(env), project: env.CLAUDE_PROJECT_DIR || cwd, env, session, agent, since };
  if (event === 'PreToolUse' && uri !== undefined) return onRead(input, readSettings(around), around);
  if (event === 'PostToolUse' && input.shown !== undefined) return onListed(input, readSettings(around), around);
  if (event === 'UserPromptExpansion' && command !== undefined)
    return onExpanded(command, readSettings(around), around);
  return {};
};
