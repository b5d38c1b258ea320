// Asks sources for a tool round by round, until one speaks for it.
import { defined } from '../contract/defined.ts';
import { looksLike } from '../contract/view.ts';
import type { Policy } from '../judge/judge.ts';
import type { AllSources } from '../sources/all.ts';
import type { Source } from '../sources/source.ts';
import { isNaming } from '../sources/speakers.ts';
import { type Assessment, type Inquiry, judgementOf, liveContract, type Search } from './assessment.ts';
import { askNow, consult, isFromBefore } from './consult.ts';
import { differingGateways } from './differing-gateways.ts';
import { type Hearing, hear, serverItself } from './hear.ts';

type Consultation = Awaited<ReturnType<typeof consult>>;
/** `isLast`: no other source can still speak for the tool. */
type Round = Search['rounds'][number] & { isLast?: boolean };

interface HeardSources {
  heard: readonly Hearing[];
  /** The verdict; undefined if no source spoke for the tool. */
  found?: Assessment;
}

/** Whether the call would be denied or asked about. */
const wouldStop = ({ found, failed }: Hearing, mode: Policy['mode']): boolean => {
  if (found === undefined) return failed !== undefined && mode === 'strict';
  if (found.verdict === 'unchecked' && found.policy.mode === 'strict') return true;
  return [judgementOf(found)?.decision, found.trust?.verdict].some((one) => one === 'deny' || one === 'ask');
};

/** Whether a source no longer lists a tool that it knows: another one may list it now. */
export const isGone = ({ found }: Hearing): boolean =>
  found?.facts?.tool !== undefined && liveContract(found) === undefined;

/**
 * Whether what a source says is the verdict; not if another one may still know more. A tool can move to another gateway, or
 * out of all of them; a gateway's other tool of the same name is not that tool.
 */
const settles = (said: Hearing, heard: readonly Hearing[], { servers }: AllSources): boolean => {
  if (said.found === undefined || isGone(said)) return false;
  const gone = heard.find(isGone)?.found;
  if (gone?.verdict !== 'judged' || servers.includes(said.source)) return true;
  const [believed, live] = [gone.facts?.tool?.belief.contract, liveContract(said.found)];
  return believed !== undefined && live !== undefined && looksLike(believed, live);
};

export const consultedOf = (heard: readonly Hearing[]) => heard.flatMap(({ consulted }) => consulted ?? []);

/** All are asked at once, so that several that hang take no longer than one. @param again whatever is known of them */
const askAll = (
  sources: readonly Source[],
  ways: Round['ways'],
  inquiry: Inquiry,
  again: boolean,
): Promise<Consultation[]> =>
  Promise.all(
    sources.map(async (source) =>
      again ? { source, asked: await askNow(source, inquiry) } : consult(source, ways, inquiry),
    ),
  );

/** What a source says. A stop needs an answer that is not older than the call. */
const hearAnswer = async (
  { source, known, asked }: Consultation,
  { ways, isLast = false }: Round,
  inquiry: Inquiry,
  earlier: readonly Hearing[],
): Promise<Hearing> => {
  if (asked === undefined) return { source, consulted: { key: source.key, digest: known?.digest ?? '', fresh: false } };
  const before = consultedOf(earlier);
  const said = hear(source, ways, asked, inquiry, before, isLast);
  return wouldStop(said, inquiry.policy.mode) && isFromBefore(source, asked, inquiry.around)
    ? hear(source, ways, await askNow(source, inquiry), inquiry, before, isLast)
    : said;
};

/** Hears sources until one speaks for the tool; all of them if each is said to speak for the server. */
const hearRound = async (
  round: Round,
  inquiry: Inquiry,
  earlier: readonly Hearing[],
  again = false,
): Promise<HeardSources> => {
  const { all } = inquiry.search;
  const answers = await askAll(round.sources, round.ways, inquiry, again);
  let heard = earlier;
  let found: Assessment | undefined;
  for (const answer of answers) {
    const said = await hearAnswer(answer, round, inquiry, heard);
    heard = [...heard, said];
    if (settles(said, heard, all)) found ??= said.found;
    if (found !== undefined && !isNaming(answer.source, all.gateways)) return { heard, found };
  }
  const consulted = consultedOf(heard);
  const differing = differingGateways(heard.slice(earlier.length), all);
  if (differing === undefined) return { heard, ...defined({ found: found && { ...found, consulted } }) };
  // One may have answered before a release that the other has.
  const isOld = answers.some(
    ({ source, asked }) => asked?.status === 'live' && isFromBefore(source, asked, inquiry.around),
  );
  return again || !isOld ? { heard, found: { ...differing, consulted } } : hearRound(round, inquiry, earlier, true);
};

/** Rounds of sources, one after the other; at last those that left the word to others, none of which took it. */
export const hearRounds = async (rounds: readonly Round[], inquiry: Inquiry): Promise<HeardSources> => {
  let heard: readonly Hearing[] = [];
  for (const round of rounds) {
    const its = await hearRound(round, inquiry, heard);
    if (its.found !== undefined) return its;
    heard = its.heard;
  }
  const sources = heard.filter(({ yields }) => yields).map(({ source }) => source);
  const rest = heard.filter(({ yields }) => !yields);
  const last = await hearRound({ sources, ways: inquiry.search.ways, isLast: true }, inquiry, rest);
  // What these gateways do not know, the server would have said: that it failed is what a person can repair.
  const failed = rest.find(({ source }) => serverItself(inquiry).includes(source))?.failed;
  return failed !== undefined && last.found?.verdict === 'unchecked'
    ? { ...last, found: { ...last.found, ...failed } }
    : last;
};
