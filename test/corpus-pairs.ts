// Real tools with real changes, and calls that they accept: for the tests that judge such calls.
import { readdirSync } from 'node:fs';
import { readToolList } from '../scripts/contract/read.ts';
import { sameJson } from '../scripts/contract/same.ts';
import { type Contract, isObject, type Json, type JsonObject } from '../scripts/contract/types.ts';
import { closedRoot, compileWithFormats } from './ajv-judge.ts';
import { instance, type Random } from './random-schema.ts';
import { readJsonFile, shared } from './shared.ts';

export const captures = shared('corpus/captures');
const DEEPEST = 9;

/**
 * Every tool that differs between two versions of a server, each pair of contracts once.
 * @param all whether all versions are compared with each other, or each only with the next
 */
export const pairs = (all: boolean): [Contract, Contract][] => {
  const found = new Map<string, [Contract, Contract]>();
  for (const server of readdirSync(captures.path).sort()) {
    const versions = readdirSync(`${captures.path}/${server}`).filter((file) => file.endsWith('.json'));
    const lists = versions
      .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
      .map((file) => readToolList(readJsonFile(`${captures.path}/${server}/${file}`) as Json).tools);
    for (const [index, before] of lists.entries()) {
      for (const after of lists.slice(index + 1, all ? lists.length : index + 2)) {
        for (const old of before) {
          const now = after.find(({ name }) => name === old.name);
          if (now && !sameJson(old as never, now as never)) found.set(JSON.stringify([old, now]), [old, now]);
        }
      }
    }
  }
  return [...found.values()];
};

type Check = (value: Json) => boolean;

interface Checks {
  takes: Check;
  declares: Check;
}
/** A contract is in many pairs, and compiling its schemas takes most of the time of these tests. */
const known = new WeakMap<Contract, Checks | undefined>();

/** Two checks: what a tool accepts, and what it accepts if only declared parameters may appear. */
export const checksOf = (contract: Contract): Checks | undefined => {
  if (known.has(contract)) return known.get(contract);
  const { inputSchema } = contract;
  let checks: Checks | undefined;
  try {
    if (isObject(inputSchema)) {
      const takes = compileWithFormats(inputSchema as JsonObject) as Check;
      checks = { takes, declares: compileWithFormats(closedRoot(inputSchema as JsonObject)) as Check };
    }
  } catch {
    // ajv cannot read it.
  }
  known.set(contract, checks);
  return checks;
};

/** Calls that a tool accepts, with only declared parameters. */
export const callsOf = (
  source: Random,
  { inputSchema }: Contract,
  { takes, declares }: Checks,
  most: number,
): JsonObject[] => {
  const calls: JsonObject[] = [];
  for (let tries = 0; tries < most * 6 && calls.length < most; tries++) {
    const args = instance(source, inputSchema, inputSchema as JsonObject, DEEPEST);
    if (isObject(args) && takes(args as Json) && declares(args as Json)) calls.push(args as JsonObject);
  }
  return calls;
};
