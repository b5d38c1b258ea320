// Our environment, without what a repository set in order to control us.
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { forgetRepository } from '../servers/environment.ts';
import { readText } from '../state/files.ts';
import { homeOf } from '../state/paths.ts';

/** Files of a folder that hosts load into the environment of what they start. Gemini CLI and Qwen Code do. */
const FILES = ['.env', '.env.local', '.env.development', '.gemini/.env', '.qwen/.env', '.codex/.env', '.cursor/.env'];
const MOST_FOLDERS = 100;

const setsIn = (text: string, name: string): boolean =>
  new RegExp(`^\\s*(?:export\\s+)?${name}\\s*[=:]`, 'm').test(text);

/** The file of this folder, or of one above it, that sets a variable; the files of the home folder are the user's own. */
const fileThatSets = (name: string, from: string, home: string): string | undefined => {
  for (let folder = from, count = 0; count < MOST_FOLDERS; folder = dirname(folder), count++) {
    for (const file of folder === home ? [] : FILES) {
      const path = join(folder, file);
      // A folder of that name is a virtual environment of Python.
      if (!statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
      const text = readText(path);
      // A file that we cannot read may say anything.
      if (text === undefined || setsIn(text, name)) return path;
    }
    if (dirname(folder) === folder) break;
  }
  return undefined;
};

/**
 * The variables that the user gave us. Variables that a file of the project's folders sets are removed, since their
 * values before that are unknown.
 * @param given all variables of our process
 * @param names of variables that no project may set
 * @param say is told of each variable that was taken out
 */
export const usersEnvironment = (
  given: NodeJS.ProcessEnv,
  project: string,
  names: readonly string[],
  say: (name: string, file: string) => void,
): NodeJS.ProcessEnv => {
  const env = { ...given };
  forgetRepository(env, project);
  const home = homeOf(env);
  for (const name of names.filter((one) => env[one] !== undefined)) {
    const file = fileThatSets(name, project, home) ?? fileThatSets(name, process.cwd(), home);
    if (file === undefined) continue;
    delete env[name];
    say(name, file);
  }
  return env;
};
