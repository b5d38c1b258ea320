// Functions in other files that handlers pass their arguments to. They are followed one level deep.
import { stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { defined } from '../../contract/defined.ts';
import { type Code, TimeUp } from './code.ts';
import { importedHandler } from './facts/handlers.ts';
import { importedHelper } from './facts/helpers.ts';
import { hintsFrom } from './facts/hints.ts';
import { importedValue } from './facts/imports.ts';
import { shapeOf } from './facts/shape.ts';
import type { SourceFile } from './files.ts';
import type { Facts, HandedTo, Handler, Registration, Uses } from './types.ts';

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

/** What is read in another file; if that takes too long, what is known without it. */
const inTime = <T>(read: () => T, otherwise: T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof TimeUp) return otherwise;
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

/** What a handler hands to functions of other files. */
const handedBy = ({ payload, input }: Handler): HandedTo[] => [...(payload?.handed ?? []), ...(input?.handed ?? [])];

const resolved = (handler: Handler, found: ReadonlyMap<HandedTo, Helper>): Handler[] => {
  const { payload, input, calls: own, ...rest } = handler;
  const calls = [...own, ...handedBy(handler).flatMap((one) => found.get(one)?.calls ?? [])];
  if (calls.length === 0 && payload === undefined) return [];
  const [parsed, given] = [merged(payload, found), merged(input, found)];
  return [{ ...rest, calls, ...(parsed ? { payload: parsed } : {}), ...(given ? { input: given } : {}) }];
};

/** The code of the file that an import means; undefined if it may or can not be read. */
type OtherCode = (from: SourceFile, module: string) => Promise<Code | undefined>;

/** Other files, each parsed once. */
const otherFiles = (cwd: string, parse: (file: SourceFile) => Promise<Code | undefined>): OtherCode => {
  const codes = new Map<string, Promise<Code | undefined>>();
  return async (from, module) => {
    const target = await fileFor(from.path, module, cwd);
    if (target === undefined) return undefined;
    if (!codes.has(target.path)) {
      if (codes.size >= MOST_FILES) return undefined;
      codes.set(target.path, parse(target));
    }
    return codes.get(target.path);
  };
};

/** A tool with the hints and the schema that other files have. */
const withOthers = async (one: Registration, from: SourceFile, others: OtherCode): Promise<Registration> => {
  const { hintsIn, shapeIn, handlerIn: _, readOnly, shape, ...rest } = one;
  const hints = hintsIn && (await others(from, hintsIn.module));
  const schema = shapeIn && (await others(from, shapeIn.module));
  const said = hints ? inTime(() => hintsFrom(hints, hintsIn), readOnly) : readOnly;
  const found = schema ? inTime(() => shapeOf(schema, importedValue(schema, shapeIn)), shape) : shape;
  return { ...rest, shape: found === 'unknown' ? shape : found, ...defined({ readOnly: said }) };
};

/** The handlers that tools of one file have in others. What these hand on to a third file is not followed. */
const handlersElsewhere = async ({ registrations }: Facts, from: SourceFile, others: OtherCode): Promise<Handler[]> => {
  const found: Handler[] = [];
  for (const one of registrations) {
    const code = one.handlerIn && (await others(from, one.handlerIn.module));
    if (code) found.push(...inTime(() => importedHandler(code, one), []).flatMap((own) => resolved(own, new Map())));
  }
  return found;
};

/**
 * Adds to the facts what imported functions do, as handlers or with the arguments of handlers, and what imported hints say.
 * @param codeOf reads and parses a file; undefined if that fails
 */
export const withImported = async (
  all: readonly { file: SourceFile; facts: Facts }[],
  cwd: string,
  codeOf: (file: SourceFile) => Promise<Code | undefined>,
): Promise<Facts[]> => {
  const others = otherFiles(cwd, codeOf);
  const found = new Map<HandedTo, Helper>();
  const registered: Registration[][] = [];
  const elsewhere: Handler[][] = [];
  for (const { file, facts } of all) {
    for (const one of facts.handlers.flatMap(handedBy)) {
      const code = await others(file, one.module);
      const helper = code && inTime(() => importedHelper(code, one), undefined);
      if (helper) found.set(one, helper);
    }
    elsewhere.push(await handlersElsewhere(facts, file, others));
    registered.push(await Promise.all(facts.registrations.map((one) => withOthers(one, file, others))));
  }
  return all.map(({ facts }, index) => ({
    ...facts,
    registrations: registered[index] ?? [],
    handlers: [...facts.handlers.flatMap((one) => resolved(one, found)), ...(elsewhere[index] ?? [])],
  }));
};
