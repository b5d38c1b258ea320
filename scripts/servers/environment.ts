import { join } from 'node:path';
import { isObject, own } from '../contract/types.ts';
import { claudeHome, homeOf } from '../state/paths.ts';
import { stampOf } from '../state/stamp.ts';
import { readOptions } from './command-line.ts';
import { realFolder } from './folder.ts';
import { LARGEST_CONFIG, LARGEST_STATE, readObject } from './read.ts';
import { loadSettings, stateFile } from './settings.ts';
import { clientEnvironment, clientWords, thisSystem } from './system.ts';

/** What only the user says: whether we work, by which settings, and who is asked. */
export const USERS_ALONE = ['KONNICHIWAGWAN', 'KONNICHIWAGWAN_HOME', 'GATEWAY_URL'];
/** Where the user's own settings are. */
const PLACES = ['CLAUDE_CONFIG_DIR', 'HOME', 'USERPROFILE'];
/** Kept by the client from what a project says of them, and set by itself; older clients let the project say them. */
const CLIENTS = ['CLAUDE_PROJECT_DIR', 'CLAUDE_PID', 'CLAUDE_CODE_ENTRYPOINT', ...PLACES];

const asKey = (name: string): string => (process.platform === 'win32' ? name.toUpperCase() : name);

/** As the client does: an object has no text of its own, and may hold a `toString` that is none. */
const asText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? '[object Object]' : String(value);

/**
 * The variables that the settings of a project set, by name; in capitals where the system does not tell them apart. The
 * client reads two files, in the folder that it was started in and in none above; none of a file that is not in order. For
 * hooks and for all else that it runs they come before the shell and before the user's own settings, in folders that
 * nobody trusts too; and one that is taken out of a file stays set (2.1.330 and 2.1.197).
 */
export const setByRepository = (project: string, env: NodeJS.ProcessEnv): Map<string, string> => {
  const folder = join(project, '.claude');
  const variables = new Map<string, string>();
  for (const file of ['settings.json', 'settings.local.json']) {
    const path = join(folder, file);
    // Most projects have none, and asking costs less than an error.
    if (stampOf(path) === '-') continue;
    const read = readObject(path, LARGEST_CONFIG);
    const given = read.status === 'read' ? own(read.value, 'env') : undefined;
    for (const [name, value] of isObject(given) ? Object.entries(given) : []) variables.set(asKey(name), asText(value));
  }
  // In the home folder these are the user's own. Not so a file that says itself where home is.
  const mayBeHome = variables.size > 0 && !PLACES.some((name) => variables.has(name));
  if (mayBeHome && realFolder(folder) === realFolder(claudeHome(env))) variables.clear();
  return variables;
};

/** Gives variables the values that the user gave them, as far as these are known, and takes them out otherwise. */
const restore = (env: NodeJS.ProcessEnv, names: readonly string[], project: string): void => {
  // A hook of an older client is not told who started it.
  const client = Number(env.CLAUDE_PID || process.ppid);
  const started = clientEnvironment(client);
  const set = (name: string, value: unknown): void => {
    if (value === undefined) delete env[name];
    else env[name] = asText(value);
  };
  for (const name of names.filter((one) => PLACES.includes(one))) set(name, started?.[name]);
  const place = { project, home: homeOf(env), claudeHome: claudeHome(env), env };
  const settings = loadSettings(place, readOptions(clientWords(client) ?? []), thisSystem, [])
    .filter(({ author }) => author !== 'project' && author !== 'local')
    .map(({ value }) => value);
  const valueIn = (all: readonly unknown[], name: string): unknown =>
    all.map((value) => own(own(value, 'env'), name)).findLast((value) => value !== undefined);
  let state: unknown;
  const inState = (name: string): unknown => {
    state ??= readObject(stateFile(place), LARGEST_STATE);
    return valueIn([own(state, 'value')], name);
  };
  for (const name of names.filter((one) => !PLACES.includes(one)))
    set(name, valueIn(settings, name) ?? inState(name) ?? started?.[name]);
};

/** Those that the client was not started with: a project's settings may have set them that no longer do. */
const sinceStart = (env: NodeJS.ProcessEnv): string[] => {
  const given = USERS_ALONE.filter((name) => env[name] !== undefined);
  if (given.length === 0 || !env.CLAUDE_PID) return [];
  const started = clientEnvironment(Number(env.CLAUDE_PID));
  return started === undefined ? [] : given.filter((name) => env[name] !== started[name]);
};

/**
 * Takes out of an environment, in place, what a repository put there to steer us: where state and settings are, the switch,
 * the gateway. What else a project sets stays: its servers are configured with it.
 */
export const forgetRepository = (env: NodeJS.ProcessEnv, project: string): void => {
  const variables = setByRepository(project, env);
  const taken = CLIENTS.filter((name) => variables.has(name) && variables.get(name) === env[name]);
  for (const name of taken) delete env[name];
  const places = PLACES.filter((name) => taken.includes(name));
  const named = USERS_ALONE.filter((name) => variables.has(name));
  const names = new Set([...places, ...named, ...sinceStart(env)]);
  if (names.size > 0) restore(env, [...names], project);
};

/** An environment without anything that a repository put there: what is the user's is filled in from this alone. */
export const withoutRepository = (env: NodeJS.ProcessEnv, project: string): NodeJS.ProcessEnv => {
  const variables = setByRepository(project, env);
  if (variables.size === 0) return env;
  const kept = { ...env };
  // What concerns ourselves is in order already.
  const theirs = Object.keys(kept).filter((name) => variables.has(asKey(name)) && !CLIENTS.includes(asKey(name)));
  restore(kept, theirs, project);
  return kept;
};
