// Asks all sources at once, and waits no longer than a session's start may take.
import { elapsed } from '../contract/elapsed.ts';
import type { Contract } from '../contract/types.ts';
import { orPending } from '../sources/deadline.ts';
import { readHead } from '../sources/head.ts';
import { askSource, type LiveAnswer } from '../sources/live.ts';
import type { Source } from '../sources/source.ts';

/** How long a source may take that is slower than most, in ms. */
const USUAL = 420;

/** How long a source that gave no answer last time is waited for beyond the others, in ms. */
const MOMENT = 100;

/** What one source answered. */
export interface AskedSource {
  source: Source;
  answer: LiveAnswer | 'pending';
  /** The list that its wrap gave the client, which may have started before we asked. */
  served?: Contract[] | undefined;
}

/**
 * Waits for answers: `budget` ms for all of them. Once most are there, the others get as long again, and USUAL at the least:
 * a session with many servers does not wait for the one that hangs.
 */
const mostOf = async <T>(work: readonly Promise<T>[], budget: number): Promise<(T | 'pending')[]> => {
  const began = elapsed();
  const timers: NodeJS.Timeout[] = [];
  let answered = 0;
  const late = new Promise<'pending'>((resolve) => {
    const end = (ms: number): void => void timers.push(setTimeout(() => resolve('pending'), ms));
    end(budget);
    for (const one of work) {
      one.then(
        () => {
          const took = elapsed() - began;
          if (++answered === Math.floor(work.length / 2) + 1) end(Math.max(USUAL - took, took));
        },
        // The caller that awaits the answers gets the error.
        () => {},
      );
    }
  });
  const answers = await Promise.all(work.map((one) => Promise.race([one, late])));
  for (const timer of timers) clearTimeout(timer);
  return answers;
};

/**
 * The answers of all sources, in their order.
 * @param everything of which sources all lists are asked for, and not the tools alone
 * @param budget how many ms to wait for all of them; if it is less than the deadline, one that hangs delays no other
 * @param deadline ms until a source counts as unreachable
 */
export const askSources = async (
  sources: readonly Source[],
  { home, session, freshFor }: { home: string; session: string; freshFor: number },
  everything: (source: Source) => boolean,
  budget: number,
  deadline: number,
): Promise<AskedSource[]> => {
  // Always asked, and never taken from another session's answer, which may be from before a rollback.
  const options = { freshFor, deadline, force: true, session };
  const ask = async (source: Source): Promise<AskedSource> => {
    const until = Date.now() + deadline;
    // The client starts it about now.
    await source.wrap?.appears(until);
    const answer = await askSource(home, source, { ...options, everything: everything(source) });
    if (answer.status !== 'live') return { source, answer };
    return { source, answer, served: await source.wrap?.served(Math.max(1, until - Date.now())) };
  };
  // A session's start ends at its budget; the background process waits for all.
  const hurries = budget < deadline;
  const questions = sources.map((source) => ({
    source,
    isDoubtful: hurries && readHead(home, source.key)?.failure !== undefined,
    asked: ask(source),
  }));
  const usual = questions.filter(({ isDoubtful }) => !isDoubtful).map(({ asked }) => asked);
  const others = hurries ? mostOf(usual, budget) : Promise.all(usual.map((asked) => orPending(asked, budget)));
  // A server that gave no answer last time gets only a moment longer than the others take.
  const doubtful = questions
    .filter(({ isDoubtful }) => isDoubtful)
    .map(({ asked }) => Promise.race([asked, others.then(() => orPending(asked, MOMENT))]));
  const [known, unsure] = await Promise.all([others, Promise.all(doubtful)]);
  return questions.map(({ source, isDoubtful }) => {
    const asked = (isDoubtful ? unsure : known).shift() ?? 'pending';
    return asked === 'pending' ? { source, answer: asked } : asked;
  });
};
