// If a command and a resident guard are both registered, one of them judges a call. The resident guard notes which calls it
// has taken; the command leaves these to it, and judges the others.
import { quietly } from '../contract/attempt.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { thisMoment } from './circumstances.ts';
import { appendLine, readFrom, writeAtomic } from './files.ts';
import { takenPath } from './paths.ts';
import { isRunning } from './running.ts';

/** After this many lines the file starts again. Lines are appended: replacing the file takes longer than a whole verdict. */
const MOST_LINES = 500;
/** Longest note on a call, in characters; see `MOST_READ`. */
const LONGEST_NOTE = 600;
/** How much of the file's end is read, in bytes: several processes write to it. */
const MOST_READ = 200_000;
/** How long the command waits for the resident guard's answer, in ms. After that it still has time to judge the call. */
const PATIENCE = 4_000;
/** How long it waits for a note that the call was taken at all, in ms. */
const PATIENCE_UNTAKEN = 200;
const PAUSE = 10;

/** One line: which process did what with which call, and what its successor must know of it, should this one die. */
type JudgingLine = [pid: number, what: 'here' | 'taken' | 'answered', toolUseId: string, note?: unknown];

/** The calls of a session that this process takes. Never throws: if writing fails, a command judges, too. */
export const takenCalls = () => {
  const lines = new Map<string, number>();
  const write = (home: string, session: string, what: JudgingLine[1], toolUseId = '', note?: object): void => {
    const path = takenPath(home, session);
    const length = JSON.stringify(note)?.length ?? Number.POSITIVE_INFINITY;
    const line = `${JSON.stringify([process.pid, what, toolUseId, ...(length <= LONGEST_NOTE ? [note] : [])])}\n`;
    const count = lines.get(path) ?? 0;
    // Not before an `answered`, which has to follow its `taken`. Calls that are under way meanwhile lose their `taken`.
    const startsAgain = what === 'taken' && count >= MOST_LINES;
    lines.set(path, startsAgain ? 0 : count + 1);
    quietly(() => (startsAgain ? writeAtomic : appendLine)(path, line));
  };
  return {
    /** Notes that a resident guard takes calls. */
    announce: (home: string, session: string): void => write(home, session, 'here'),
    take: (home: string, session: string, toolUseId: string): void => write(home, session, 'taken', toolUseId),
    answered: (home: string, session: string, toolUseId: string, note?: object): void =>
      write(home, session, 'answered', toolUseId, note),
  };
};

const parse = (line: string): JudgingLine | undefined => {
  const value = parsedJson(line);
  return Array.isArray(value) && value.length >= 3 ? (value as JudgingLine) : undefined;
};

const linesOf = (home: string, session: string): JudgingLine[] | undefined => {
  const path = takenPath(home, session);
  const start = readFrom(path, 0, MOST_READ);
  const end = start && start.size > MOST_READ ? readFrom(path, start.size - MOST_READ, MOST_READ) : start;
  return end?.bytes
    .toString('utf8')
    .split('\n')
    .map(parse)
    .filter((line) => line !== undefined);
};

/** What earlier processes noted about a session's calls; the latest is last. */
export const notesBefore = (home: string, session: string): { toolUseId: string; note: unknown }[] =>
  (linesOf(home, session) ?? []).flatMap(([pid, , toolUseId, note]) =>
    pid === process.pid || typeof toolUseId !== 'string' || note === undefined ? [] : [{ toolUseId, note }],
  );

/** Whether a resident guard has judged this call; waits until it has, as long as it runs and is not late. */
export const wasJudged = async (home: string, session: string, toolUseId: string): Promise<boolean> => {
  // `performance` would have to be loaded first, which takes two milliseconds.
  const began = thisMoment().up;
  for (;;) {
    const lines = toolUseId === '' ? undefined : linesOf(home, session);
    if (lines === undefined) return false;
    const about = lines.filter(([, , id]) => id === toolUseId);
    if (about.some(([, what]) => what === 'answered')) return true;
    const [pid = 0] = about.at(-1) ?? lines.at(-1) ?? [];
    const patience = about.length > 0 ? PATIENCE : PATIENCE_UNTAKEN;
    if (!isRunning(Number(pid)) || thisMoment().up - began > patience) return false;
    await new Promise((wait) => setTimeout(wait, PAUSE));
  }
};
