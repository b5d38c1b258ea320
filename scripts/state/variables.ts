import { digestOf } from './digest.ts';

/** Variables that decide where the settings are and which gateway is asked. */
const ALWAYS = ['HOME', 'CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_PLUGIN_CACHE_DIR', 'CLAUDE_CODE_ENTRYPOINT', 'GATEWAY_URL'];

/** The environment variables that settings name as `${NAME}`, sorted. */
export const namedIn = (settings: unknown): string[] => {
  const names = [...JSON.stringify(settings ?? null).matchAll(/\$\{([A-Za-z_]\w*)/g)].map(([, name]) => name as string);
  return [...new Set(names)].sort();
};

/** Whether a value cannot hold a secret: a known variable, and not a URL with credentials or a query. */
const isPlain = (name: string, value: string): boolean => ALWAYS.includes(name) && !/[@?#]/.test(value);

/**
 * A text that is equal if all values of these variables, and of those that always matter, are. Values that can be secret go
 * in as a digest, which costs 3 ms of loading; the others unchanged.
 */
export const digestOfVariables = (names: readonly string[], env: NodeJS.ProcessEnv): string => {
  const values = [...ALWAYS, ...names].map((name) => [name, env[name] ?? null] as const);
  const plain = values.map(([name, value]) => (value !== null && isPlain(name, value) ? value : null));
  const secret = values.filter(([name, value]) => value !== null && !isPlain(name, value));
  return JSON.stringify([plain, secret.length === 0 ? '' : digestOf(JSON.stringify(secret)).slice(0, 32)]);
};
