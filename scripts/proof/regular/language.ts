// Languages of texts as automata, and whether one holds all texts of others. Bounded: if it takes too long, nothing is
// proven.
import { type CodePoints, EVERY, LAST, type PatternNode, readPattern } from './parse.ts';

/** An automaton that can be in several states at once. State 0 is the first. */
interface Automaton {
  /** The states that each state reaches without a character. */
  free: number[][];
  steps: { of: CodePoints; to: number }[][];
  last: number;
}

const MOST_STATES = 1_500;
const MOST_SETS = 1_000;
/** Most states, times characters, that are examined for one question. */
const MOST_STEPS = 30_000;
const MOST_CHARACTERS = 300;

class LanguageTooLarge extends Error {}

const automatonOf = (node: PatternNode): Automaton => {
  const free: number[][] = [];
  const steps: Automaton['steps'] = [];
  const add = (): number => {
    if (free.length >= MOST_STATES) throw new LanguageTooLarge();
    steps.push([]);
    return free.push([]) - 1;
  };
  const link = (from: number, to: number): void => void free[from]?.push(to);
  /** Adds what a node takes, from a state; returns the state after it. */
  const build = (one: PatternNode, from: number): number => {
    if (one.kind === 'one') {
      const to = add();
      steps[from]?.push({ of: one.of, to });
      return to;
    }
    if (one.kind === 'all') return one.parts.reduce((state, part) => build(part, state), from);
    if (one.kind === 'any') {
      const end = add();
      for (const branch of one.branches) {
        const start = add();
        link(from, start);
        link(build(branch, start), end);
      }
      return end;
    }
    let state = from;
    for (let time = 0; time < one.least; time++) state = build(one.node, state);
    const end = add();
    if (!Number.isFinite(one.most)) {
      const loop = add();
      link(state, loop);
      link(build(one.node, loop), loop);
      link(loop, end);
      return end;
    }
    link(state, end);
    for (let time = one.least; time < one.most; time++) {
      state = build(one.node, state);
      link(state, end);
    }
    return end;
  };
  const start = add();
  const last = build(node, start);
  return { free, steps, last };
};

/** An automaton whose states are sets of another one's states, made as needed. State 0 is the first. */
class Determined {
  private readonly ids = new Map<string, number>();
  private readonly sets: Int32Array[] = [];
  private readonly next: number[][] = [];
  /** For each of the other automaton's states, the last search that came to it. */
  private readonly reachedIn: Int32Array;
  private searches = 0;
  /** Whether a text that ends in a state is in the language. */
  readonly accepts: boolean[] = [];
  /** Whether no text continues from a state. */
  readonly isEnd: boolean[] = [];

  constructor(
    private readonly from: Automaton,
    private readonly characters: readonly number[],
  ) {
    this.reachedIn = new Int32Array(from.free.length);
    this.idOf([0]);
  }

  /** The state after a character, by its index. */
  after(state: number, character: number): number {
    const row = this.next[state] as number[];
    row[character] ??= this.idOf(this.reached(this.sets[state] ?? new Int32Array(), this.characters[character] ?? 0));
    return row[character];
  }

  private reached(states: Int32Array, point: number): number[] {
    const found: number[] = [];
    for (const state of states)
      for (const { of, to } of this.from.steps[state] ?? [])
        if (of.some(([from, to]) => from <= point && point <= to)) found.push(to);
    return found;
  }

  /** All states that these reach without a character, of those that take one or are the last. */
  private closed(states: readonly number[]): Int32Array {
    const { free, steps, last } = this.from;
    const search = ++this.searches;
    const open = [...states];
    const found: number[] = [];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (this.reachedIn[state] === search) continue;
      this.reachedIn[state] = search;
      if (state === last || steps[state]?.length) found.push(state);
      for (const next of free[state] ?? []) open.push(next);
    }
    return Int32Array.from(found).sort();
  }

  private idOf(states: readonly number[]): number {
    const all = this.closed(states);
    const key = all.join();
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    if (this.sets.length >= MOST_SETS) throw new LanguageTooLarge();
    const id = this.sets.push(all) - 1;
    this.ids.set(key, id);
    this.next.push([]);
    this.accepts.push(all.includes(this.from.last));
    this.isEnd.push(all.length === 0);
    return id;
  }
}

/** One character for each kind that the automata distinguish. */
const charactersOf = (automata: readonly Automaton[]): number[] => {
  const found = new Set([0]);
  for (const { steps } of automata)
    for (const { of } of steps.flat()) for (const [from, to] of of) found.add(from).add(to + 1);
  if (found.size > MOST_CHARACTERS) throw new LanguageTooLarge();
  return [...found].filter((point) => point <= LAST);
};

const includes = (parts: readonly Automaton[], whole: Automaton): boolean => {
  const characters = charactersOf([...parts, whole]);
  const all = [...parts, whole].map((one) => new Determined(one, characters));
  const given = all.slice(0, -1);
  const wanted = all.at(-1) as Determined;
  const begin = all.map(() => 0);
  const seen = new Set([begin.join()]);
  const open = [begin];
  let steps = 0;
  for (let states = open.pop(); states !== undefined; states = open.pop()) {
    const last = states.at(-1) ?? 0;
    if (!wanted.accepts[last] && given.every(({ accepts }, index) => accepts[states?.[index] ?? 0])) return false;
    for (const character of characters.keys()) {
      if (++steps > MOST_STEPS) throw new LanguageTooLarge();
      const next = all.map((one, index) => one.after(states?.[index] ?? 0, character));
      // No text that continues like this is in all given languages.
      if (given.some(({ isEnd }, index) => isEnd[next[index] ?? 0])) continue;
      const key = next.join();
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(next);
    }
  }
  return true;
};

/** Texts that contain a match of a pattern, or texts by their length in characters. */
export type Language = { pattern: string } | { least: number; most: number };

const nodeOf = (language: Language): PatternNode | undefined =>
  'pattern' in language ? readPattern(language.pattern) : { kind: 'repeat', node: EVERY, ...language };

const MOST_KNOWN = 500;
let automata = new Map<string, Automaton | undefined>();
let answers = new Map<string, boolean>();

const known = (language: Language): Automaton | undefined => {
  const key = JSON.stringify(language);
  if (automata.has(key)) return automata.get(key);
  const node = nodeOf(language);
  const found = node && automatonOf(node);
  if (automata.size >= MOST_KNOWN) automata = new Map();
  automata.set(key, found);
  return found;
};

/** Whether we can prove that each text in all given languages is also in the wanted one. */
export const holdsAll = (given: readonly Language[], wanted: Language): boolean => {
  const key = JSON.stringify([given, wanted]);
  const before = answers.get(key);
  if (before !== undefined) return before;
  let answer = false;
  try {
    const whole = known(wanted);
    // An unread language only leaves more texts.
    answer =
      whole !== undefined &&
      includes(
        given.flatMap((one) => known(one) ?? []),
        whole,
      );
  } catch (error) {
    if (!(error instanceof LanguageTooLarge) && !(error instanceof RangeError)) throw error;
  }
  if (answers.size >= MOST_KNOWN) answers = new Map();
  answers.set(key, answer);
  return answer;
};
