import { quietly } from '../contract/attempt.ts';
import { sha256 } from '../contract/canonical.ts';
import { type Contract, isObject, type OfferKind } from '../contract/types.ts';
import { askOnce } from '../state/asking.ts';
import { ageOf, type Moment, thisMoment } from '../state/circumstances.ts';
import { keepHidden, recallHidden } from '../state/hidden.ts';
import { offeredPath } from '../state/paths.ts';
import { readHead } from './head.ts';
import type { AskOptions } from './live.ts';
import { sessionKeeper } from './mcp/kept-session.ts';
import type { OfferedAnswer, Source } from './source.ts';

/** What a source lists of one kind now. */
export type OfferedNow = OfferedAnswer & { digest: string };

/** How long a process waits for another's answer before it asks by itself, in ms. */
const PATIENCE = 1_500;
/** How long a source that did not give the list is left alone, in ms. */
const RETRY_AFTER = 5_000;

const isAnswer = (value: unknown): value is OfferedNow =>
  isObject(value) &&
  typeof value.digest === 'string' &&
  (value.status === 'offered'
    ? Array.isArray(value.offers) && value.offers.every((offer) => isObject(offer) && typeof offer.name === 'string')
    : typeof value.why === 'string');

/** Changes when anything in the list does. */
const digestOf = (offers: readonly Contract[]): string =>
  sha256(
    offers
      .map((offer) => JSON.stringify(offer))
      .sort()
      .join('\n'),
  );

/** What a source lists of one kind: its last answer while that counts as live; otherwise one process asks for all. */
export const askOffered = async (
  home: string,
  source: Source & Required<Pick<Source, 'offered'>>,
  kind: OfferKind,
  options: AskOptions & { since: Moment; session: string },
): Promise<OfferedNow> => {
  const path = offeredPath(home, source.key, kind);
  const circumstances = { source: source.key, about: kind, ...(source.personal ? { session: options.session } : {}) };
  const heard = (): OfferedNow | undefined => {
    const kept = recallHidden(path, circumstances);
    if (kept === undefined || !isAnswer(kept.answer)) return undefined;
    const asked = kept.asked as Moment;
    const age = ageOf(asked);
    const askedSince = age !== undefined && asked.at >= options.since.at && asked.up >= options.since.up;
    const lasts = kept.answer.status === 'offered' ? options.freshFor * 1_000 : RETRY_AFTER;
    return askedSince || (age !== undefined && age < lasts) ? kept.answer : undefined;
  };
  const question = async (): Promise<OfferedNow> => {
    const asked = thisMoment();
    const way = readHead(home, source.key)?.mcp;
    const given = await source.offered(kind, options.deadline, way, sessionKeeper(home, source.key));
    const answer = { ...given, digest: given.status === 'offered' ? digestOf(given.offers) : '' };
    // The answer is still good for judging if the state cannot be written.
    quietly(() => keepHidden(path, circumstances, { answer, asked }));
    return answer;
  };
  return heard() ?? askOnce(home, `${source.key}.${kind}`, PATIENCE, question, heard);
};
