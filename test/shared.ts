import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Other people's tool lists and labelled cases: read where they are, never copied into the project. */
const folder = resolve(process.env.KONNICHIWAGWAN_SHARED ?? '../shared');

/**
 * The path of something shared; `skip`, for node:test, says that it is absent, else false. With
 * KONNICHIWAGWAN_REQUIRE_SHARED=1 its absence is a failure.
 */
export const shared = (path: string): { path: string; skip: string | false } => {
  const full = join(folder, path);
  if (existsSync(full)) return { path: full, skip: false };
  if (process.env.KONNICHIWAGWAN_REQUIRE_SHARED === '1')
    throw new Error(`${full} is not there, and KONNICHIWAGWAN_REQUIRE_SHARED=1 says that it has to be`);
  return { path: full, skip: `${path} is not on this machine` };
};

export const readJsonFile = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
