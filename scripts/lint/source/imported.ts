// Functions in other files that handlers pass their arguments to. They are followed one level deep.
import { stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Code, TimeUp } from './code.ts';
import { importedHelper } from './facts/helpers.ts';
import type { SourceFile } from './files.ts';
import type { Facts, HandedTo, Handler, Uses } from './types.ts';

/** How many files are looked into at most. */
const MOST_FILES = 500;
const ENDINGS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];

/** The files that an import may mean: TypeScript imports have the compiled file's ending, or none. */
const candidates = (from: string, module: string): string[] => {
  const whole = resolve(dirname(from), module);
  const bare = whole.replace(/\.[cm]?jsx?$/, '');
  return [whole, ...ENDINGS.map((ending) => bare + ending), ...ENDINGS.map((ending) => join(whole, `index${ending}`))];
};

const fileFor = async (from: string, module: string, cwd: string): Promise<SourceFile | undefined> => {
  for (const path of candidates(from, module)) {
    // Only files in the working folder are the user's own.
    if (!path.startsWith(cwd + sep) || path.includes(`${sep}node_modules${sep}`)) continue;
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() && ENDINGS.some((ending) => path.endsWith(ending)))
      return { path, name: relative(cwd, path).split(sep).join('/') };
  }
  return undefined;
};

type Helper = ReturnType<typeof importedHelper>;

/** What a function does with the argument. One that takes too long to analyse is unknown: it may do anything. */
const helperIn = (code: Code, handed: HandedTo): Helper => {
  try {
    return importedHelper(code, handed);
  } catch (error) {
    if (error instanceof TimeUp) return undefined;
    throw error;
  }
};

/** Adds what other functions do with a value that they get. An unknown function may pass it on whole. */
const merged = (uses: Uses | undefined, found: ReadonlyMap<HandedTo, Helper>): Uses | undefined => {
  if (uses === undefined || uses.handed.length === 0) return uses;
  const helpers = uses.handed.map((one) => ({ ...one, uses: found.get(one)?.uses }));
  const strip = helpers.filter(({ uses: own }) => own && own.picks.length > 0 && !own.whole);
  return {
    ...uses,
    handed: [],
    whole: uses.whole || helpers.some((one) => !strip.includes(one) && !one.isPart),
    picks: [
      ...uses.picks,
      ...strip.flatMap(({ place, uses: own }) =>
        (own?.picks ?? []).map(({ field, index }) => ({ field, place, index })),
      ),
    ],
  };
};

const resolved = (handler: Handler, found: ReadonlyMap<HandedTo, Helper>): Handler[] => {
  const { payload, input, calls: own, ...rest } = handler;
  const handed = [...(payload?.handed ?? []), ...(input?.handed ?? [])];
  const calls = [...own, ...handed.flatMap((one) => found.get(one)?.calls ?? [])];
  if (calls.length === 0 && payload === undefined) return [];
  const [parsed, given] = [merged(payload, found), merged(input, found)];
  return [{ ...rest, calls, ...(parsed ? { payload: parsed } : {}), ...(given ? { input: given } : {}) }];
};

/**
 * Adds to the facts what imported functions do with the arguments of handlers.
 * @param codeOf reads and parses a file; undefined if that fails
 */
export const withImported = async (
  all: readonly { file: SourceFile; facts: Facts }[],
  cwd: string,
  codeOf: (file: SourceFile) => Promise<Code | undefined>,
): Promise<Facts[]> => {
  const codes = new Map<string, Code | undefined>();
  const found = new Map<HandedTo, Helper>();
  for (const { file, facts } of all) {
    for (const one of facts.handlers.flatMap(({ payload, input }) => [
      ...(payload?.handed ?? []),
      ...(input?.handed ?? []),
    ])) {
      const target = await fileFor(file.path, one.module, cwd);
      if (target === undefined) continue;
      if (!codes.has(target.path)) {
        if (codes.size >= MOST_FILES) continue;
        codes.set(target.path, await codeOf(target));
      }
      const code = codes.get(target.path);
      if (code) found.set(one, helperIn(code, one));
    }
  }
  return all.map(({ facts }) => ({ ...facts, handlers: facts.handlers.flatMap((one) => resolved(one, found)) }));
};
