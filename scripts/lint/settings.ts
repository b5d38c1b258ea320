import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandError } from '../command/command.ts';
import { parseBounded } from '../contract/read.ts';
import { isObject, type Json } from '../contract/types.ts';
import { projectConfigPath } from '../state/paths.ts';
import type { DisciplineFacts } from './types.ts';

/** A project's settings for lint, in `.claude/konnichiwagwan.json` under `lint`. */
export interface LintSettings {
  validated: string[];
  urlOnly: string[];
  /** Checked by those who use them: a wrong one is a finding. */
  waivers: { file: string; text: string; entries: readonly unknown[] }[];
}

const LARGEST = 1024 * 1024;
export const PROJECT_FILE = '.claude/konnichiwagwan.json';

const refuse = (file: string, what: string): CommandError =>
  new CommandError('bad-settings', `${file}: ${what}`, 'konnichiwagwan lint --help shows the form');

/** Reads a settings file. @throws CommandError if it cannot be read, instead of silently waiving or knowing nothing */
const readFile = (file: string, path: string): { text: string; value: Json } => {
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > LARGEST) throw refuse(file, 'is not a file of reasonable size');
    const text = readFileSync(path, 'utf8');
    return { text, value: parseBounded(text) };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw refuse(file, `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'not JSON'})`);
  }
};

const names = (value: unknown, key: string): string[] => {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value as string[];
  throw refuse(PROJECT_FILE, `lint.${key} is not a list of names of tools`);
};

/** The settings in the project's file. Anything unknown in it is an error, since its author expects it to apply. */
const fromProject = (project: string): LintSettings => {
  const path = projectConfigPath(project);
  const none: LintSettings = { validated: [], urlOnly: [], waivers: [] };
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return none;
  const { text, value } = readFile(PROJECT_FILE, path);
  const lint = isObject(value) ? value.lint : undefined;
  if (lint === undefined) return none;
  if (!isObject(lint)) throw refuse(PROJECT_FILE, 'lint is not an object');
  const { validated, urlOnly, waivers = [], ...rest } = lint;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw refuse(PROJECT_FILE, `lint.${unknown.slice(0, 60)} is not a setting`);
  if (!Array.isArray(waivers)) throw refuse(PROJECT_FILE, 'lint.waivers is not a list');
  return {
    validated: names(validated, 'validated'),
    urlOnly: names(urlOnly, 'urlOnly'),
    waivers: [{ file: PROJECT_FILE, text, entries: waivers }],
  };
};

/** The waivers of `--waivers FILE`, which holds a list, or an object with one under `waivers`. */
const waiversIn = (file: string, cwd: string): LintSettings['waivers'][number] => {
  const { text, value } = readFile(file, resolve(cwd, file));
  const entries = isObject(value) ? value.waivers : value;
  if (!Array.isArray(entries)) throw refuse(file, 'holds no list of waivers');
  return { file, text, entries };
};

/** The project's settings for lint, with the waivers of further files. @throws CommandError if any is not valid */
export const readSettings = (project: string, files: readonly string[], cwd: string): LintSettings => {
  const settings = fromProject(project);
  return { ...settings, waivers: [...settings.waivers, ...files.map((file) => waiversIn(file, cwd))] };
};

/** What the project's file says about tools; nothing if the file is not valid, which `lint` itself reports. */
export const knownIn = (project: string): DisciplineFacts => {
  try {
    const { validated, urlOnly } = fromProject(project);
    return { validated, urlOnly };
  } catch {
    return {};
  }
};
