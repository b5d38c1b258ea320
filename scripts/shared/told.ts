import type { LoadedConfig } from '../config/config.ts';
import { digestOf } from '../state/digest.ts';
import { firstEver } from '../state/once.ts';
import { quoteText } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { isProven, isTooOld, readAbout } from './kept.ts';

const day = (ms: number): Shown => visible(new Date(ms).toISOString().slice(0, 10));

/** Where they are published, without the rest of the address, which may hold a secret. */
export const hostOf = (url: string): Shown => quoteText(new URL(url).host, 100);

/** The messages about the shared approvals at a session's start, each problem once. */
export const sharedProblems = (
  home: string,
  { user: { shared, mode } }: LoadedConfig,
  env: NodeJS.ProcessEnv,
): Shown[] => {
  const about = shared && readAbout(home, shared);
  if (shared === undefined || about === undefined || mode === 'off') return [];
  const { problem, copy } = about;
  const isFirst = (what: string): boolean => firstEver(home, `shared-${digestOf(JSON.stringify([shared.url, what]))}`);
  const lines: Shown[] = [];
  if (problem !== undefined && isFirst(`${problem.since} ${problem.why}`)) {
    const rest =
      copy === undefined || !isProven(home, shared, env, copy)
        ? say`There is no earlier copy that counts, so nothing is approved by them`
        : say`The copy of ${day(copy.confirmedAt)} counts, signed by ${quoteText(copy.signer, 100)}`;
    lines.push(
      say`konnichiwagwan: the approvals at ${hostOf(shared.url)} were not taken over: ${visible(problem.why, { max: 300 })}. ${rest}. To try again: konnichiwagwan doctor`,
    );
  }
  if (mode === 'strict' && copy !== undefined && isTooOld({ copy }, shared) && isFirst(`old ${copy.confirmedAt}`))
    lines.push(
      say`konnichiwagwan: the approvals at ${hostOf(shared.url)} were last confirmed on ${day(copy.confirmedAt)}. That is too long ago for the mode strict: they approve nothing until they can be fetched. To try again: konnichiwagwan doctor`,
    );
  return lines;
};
