// Where a command and a resident guard are both registered, one of them judges a call. The resident one says which calls it
// has taken; the command leaves these to it, and judges what the other one did not.
import { keep, recall } from './circumstances.ts';
import { takenPath } from './paths.ts';
import { isRunning } from './running.ts';

/** So many calls are named, the newest last. */
const MOST = 50;
/** How long the command waits for the other one's answer, in ms. Then there is still time to judge the call itself. */
const PATIENCE = 4_000;
/** The same for a word that the call was taken at all, in ms. */
const SHORT = 200;
const PAUSE = 10;

/** Calls by their ids, and whether they were answered. */
type Calls = [toolUseId: string, answered: boolean][];

const isCalls = (value: unknown): value is Calls =>
  Array.isArray(value) && value.every((one) => Array.isArray(one) && typeof one[0] === 'string');

/** The calls of a session that this process takes. */
export const takenCalls = () => {
  let calls: Calls = [];
  const write = (home: string, session: string): void => {
    try {
      keep(takenPath(home, session), { session }, { pid: process.pid, calls });
    } catch {
      // Then a command that is registered besides judges, too.
    }
  };
  return {
    /** Says that there is somebody who takes calls. */
    announce: write,
    take: (home: string, session: string, toolUseId: string): void => {
      calls = [...calls.filter(([id]) => id !== toolUseId), [toolUseId, false] as [string, boolean]].slice(-MOST);
      write(home, session);
    },
    answered: (home: string, session: string, toolUseId: string): void => {
      calls = calls.map(([id, answered]) => [id, answered || id === toolUseId]);
      write(home, session);
    },
  };
};

/** Whether a resident guard has judged this call; waits until it has, as long as it runs and is not late. */
export const wasJudged = async (home: string, session: string, toolUseId: string): Promise<boolean> => {
  const began = performance.now();
  for (;;) {
    const taken = recall(takenPath(home, session), { session });
    if (taken === undefined || toolUseId === '' || !isCalls(taken.calls) || !isRunning(Number(taken.pid))) return false;
    const call = taken.calls.find(([id]) => id === toolUseId);
    if (call?.[1]) return true;
    if (performance.now() - began > (call === undefined ? SHORT : PATIENCE)) return false;
    await new Promise((wait) => setTimeout(wait, PAUSE));
  }
};
