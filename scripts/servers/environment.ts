import { dirname, join } from 'node:path';
import { isObject, own } from '../contract/types.ts';
import { claudeHome, homeOf } from '../state/paths.ts';
import { look, stampOf } from '../state/stamp.ts';
import { readOptions } from './command-line.ts';
import { localAbove, realFolder } from './folder.ts';
import { isTooLarge, LARGEST_STATE, readObject } from './read.ts';
import { stateFile, usersSettings } from './settings.ts';
import { clientEnvironment, clientWords, thisSystem } from './system.ts';

/** Variables that only the user may set: whether we work, with which state folder, and which gateway is asked. */
export const USERS_ALONE = ['KONNICHIWAGWAN', 'KONNICHIWAGWAN_HOME', 'GATEWAY_URL'];
/** Variables that say which way our requests go. A project could send them through a machine of its choice. */
const WAYS = /^(https?|all|no)_proxy$/i;
/** Variables that say where the user's own settings are. */
const PLACES = ['CLAUDE_CONFIG_DIR', 'HOME', 'USERPROFILE'];
/** Variables that the client sets itself, whatever a project says; older clients let a project set them. */
const CLIENTS = ['CLAUDE_PROJECT_DIR', 'CLAUDE_PID', 'CLAUDE_CODE_ENTRYPOINT', ...PLACES];

const asKey = (name: string): string => (process.platform === 'win32' ? name.toUpperCase() : name);

const isUsersAlone = (name: string): boolean => USERS_ALONE.includes(asKey(name)) || WAYS.test(name);

/** A value as text, as the client converts it. `String` would call an object's own `toString`, which may be anything. */
const asText = (value: unknown): string => (Object(value) === value ? '[object Object]' : String(value));

/** The nearest folder with a `.git`, from a folder up; the topmost one if there is none. */
const rootOf = (folder: string): string =>
  stampOf(join(folder, '.git')) === '-' && dirname(folder) !== folder ? rootOf(dirname(folder)) : folder;

/**
 * The variables that a project's settings set, by name (in capitals on Windows, which ignores case). The client reads two
 * files in the folder that it was started in, and 2.1.332 the local one at the repository's root; a file that is not valid
 * sets nothing. For hooks and everything else that it runs, they override the shell and the user's own settings, even in
 * untrusted folders; and a variable that is removed from a file stays set (2.1.330 and 2.1.197).
 */
const setByRepository = (project: string, env: NodeJS.ProcessEnv): Map<string, string> => {
  const folder = join(project, '.claude');
  const variables = new Map<string, string>();
  const local = '.claude/settings.local.json';
  for (const path of [join(folder, 'settings.json'), join(rootOf(realFolder(project)), local), join(project, local)]) {
    look(path);
    // Most projects have no such file, and this test costs less than an error.
    if (stampOf(path) === '-') continue;
    const read = readObject(path, LARGEST_STATE);
    // The client may read what is too large for us: such a file may have set what is the user's alone.
    const given = own(own(read, 'value'), 'env') ?? (isTooLarge(read) && env);
    for (const [name, value] of isObject(given) ? Object.entries(given) : [])
      if (given !== env || isUsersAlone(name)) variables.set(asKey(name), asText(value));
  }
  // In the home folder these are the user's own settings, unless they change where home is.
  const mayBeHome = variables.size > 0 && !PLACES.some((name) => variables.has(name));
  if (mayBeHome && realFolder(folder) === realFolder(claudeHome(env))) variables.clear();
  return variables;
};

/** Sets variables, in place, to the values that the user gave them; removes those whose value is not known. */
const restore = (env: NodeJS.ProcessEnv, names: readonly string[], project: string): void => {
  // Older clients do not set CLAUDE_PID.
  const client = Number(env.CLAUDE_PID || process.ppid);
  const started = clientEnvironment(client);
  const set = (name: string, value: unknown): void => {
    if (value === undefined) delete env[name];
    else env[name] = asText(value);
  };
  for (const name of names.filter((one) => PLACES.includes(one))) set(name, started?.[name]);
  const place = { project, home: homeOf(env), claudeHome: claudeHome(env), env };
  const settings = usersSettings(place, readOptions(clientWords(client) ?? []), thisSystem, []).map(
    ({ value }) => value,
  );
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

/** Variables of the user alone whose value the client was not started with: a project may have set and then removed them. */
const sinceStart = (env: NodeJS.ProcessEnv): string[] => {
  const given = Object.keys(env).filter(isUsersAlone);
  if (given.length === 0 || !env.CLAUDE_PID) return [];
  const started = clientEnvironment(Number(env.CLAUDE_PID));
  return started === undefined ? [] : given.filter((name) => env[name] !== started[name]);
};

/**
 * Removes from an environment, in place, what a repository may have set to control us: where state and settings are, the
 * on-off switch, the gateway. Its other variables stay, since its servers are configured with them.
 */
export const forgetRepository = (env: NodeJS.ProcessEnv, project: string): void => {
  const variables = setByRepository(project, env);
  const taken = CLIENTS.filter((name) => variables.has(name) && variables.get(name) === env[name]);
  for (const name of taken) delete env[name];
  const places = PLACES.filter((name) => taken.includes(name));
  const named = [...variables.keys()].filter(isUsersAlone);
  const names = new Set([...places, ...named, ...sinceStart(env)]);
  if (names.size > 0) restore(env, [...names], project);
};

/** All that a repository sets, with what the newer client reads in another folder: see `localAbove`. Not for the fast path. */
export const allSetByRepository = (project: string, env: NodeJS.ProcessEnv): Map<string, string> => {
  const variables = setByRepository(project, env);
  const above = localAbove(project, homeOf(env));
  const folder = above && join(above, '.claude');
  if (folder === undefined || realFolder(folder) === realFolder(claudeHome(env))) return variables;
  const read = readObject(join(folder, 'settings.local.json'), LARGEST_STATE);
  const given = own(own(read, 'value'), 'env');
  const theirs = Object.entries(isObject(given) ? given : {});
  return new Map([...theirs.map(([name, value]) => [asKey(name), asText(value)] as const), ...variables]);
};

/** An environment without anything that a repository set; the user's own settings are expanded with this one only. */
export const withoutRepository = (
  env: NodeJS.ProcessEnv,
  project: string,
  variables = allSetByRepository(project, env),
): NodeJS.ProcessEnv => {
  if (variables.size === 0) return env;
  const kept = { ...env };
  // `forgetRepository` has already put `CLIENTS` right.
  const theirs = Object.keys(kept).filter((name) => variables.has(asKey(name)) && !CLIENTS.includes(asKey(name)));
  restore(kept, theirs, project);
  return kept;
};
