import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { quietly } from '../contract/attempt.ts';
import { canonical, contractHash, hashed, sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { type Contract, isObject, type Json, type JsonObject } from '../contract/types.ts';
import { readText, writeAtomic } from './files.ts';
import { removeFile } from './in-use.ts';
import { contractPath, contractsPath } from './paths.ts';

/** Limits: contracts, bytes of all of them, and bytes of one. The least recently used go first. */
const MOST = { contracts: 500, bytes: 32 * 1024 * 1024, one: 1024 * 1024 };
const HASH = /^[0-9a-f]{64}$/;

export const isContractHash = (value: unknown): value is string => typeof value === 'string' && HASH.test(value);

/** Removes the least recently used, beyond a number and a size. */
const prune = (home: string): void => {
  const folder = contractsPath(home);
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ path: join(folder, file), found: statSync(join(folder, file), { throwIfNoEntry: false }) }))
    .sort((a, b) => (b.found?.mtimeMs ?? 0) - (a.found?.mtimeMs ?? 0));
  let bytes = 0;
  for (const [index, { path, found }] of files.entries()) {
    bytes += found?.size ?? 0;
    if (index >= MOST.contracts || bytes > MOST.bytes) removeFile(path);
  }
};

/**
 * Keeps a contract under its hash, so that people can later see what changed.
 * @returns the hash, whether or not it could be kept
 */
export const keepContract = (home: string, contract: Contract): string => {
  const hash = contractHash(contract);
  const path = contractPath(home, hash);
  // The log is only for people to look at later; no call depends on it.
  quietly(() => {
    const now = new Date();
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) return utimesSync(path, now, now);
    const text = canonical(hashed(contract));
    if (Buffer.byteLength(text) > MOST.one) return;
    writeAtomic(path, text);
    prune(home);
  });
  return hash;
};

/** The contract with a hash, under a name; undefined if it is not kept, or does not match the hash. */
export const keptContract = (home: string, hash: string, name: string): Contract | undefined => {
  const text = isContractHash(hash) ? readText(contractPath(home, hash)) : undefined;
  if (text === undefined || sha256(text) !== hash) return undefined;
  const fields = JSON.parse(text) as JsonObject;
  if (!isObject(fields)) return undefined;
  const { description, schema, title, outputSchema, annotations, branches } = fields;
  return {
    name,
    inputSchema: schema as Json,
    ...defined({
      title: title as string | undefined,
      description: description as string | undefined,
      outputSchema,
      annotations: annotations as JsonObject | undefined,
      branches,
    }),
  };
};
