import { isObject } from './types.ts';

/** What MCP lets an answer say about how long it may be kept, in ms, and whether for everyone. */
export interface Caching {
  ttlMs?: number;
  cacheScope?: 'public' | 'private';
}

/** How long a list may be kept that came in these pages: as long as each of them, and for everyone only if all are. */
export const cachingOf = (pages: readonly unknown[]): Caching => {
  const said = pages.map((page) => (isObject(page) ? page : {}));
  const times = said.flatMap(({ ttlMs }) => (typeof ttlMs === 'number' ? [ttlMs] : []));
  const scopes = said.map(({ cacheScope }) => cacheScope);
  return {
    ...(times.length > 0 && times.length === pages.length ? { ttlMs: Math.min(...times) } : {}),
    ...(scopes.some((scope) => scope !== undefined)
      ? { cacheScope: scopes.every((scope) => scope === 'public') ? 'public' : 'private' }
      : {}),
  };
};
