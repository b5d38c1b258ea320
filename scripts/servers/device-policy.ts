// What device management says about the client, where that is in no settings file: the registry of Windows, and the managed
// preferences of macOS. Only `doctor` reads it: each takes a program.
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { outputOf, registryText } from '../state/programs.ts';
import { LARGEST_CONFIG, parseObject, type ReadObject } from './read.ts';

/** How device management is read; tests pass their own. */
export interface Device {
  platform: NodeJS.Platform;
  /** The name of the user's account. */
  user: string;
  exists(path: string): boolean;
  /** What a program prints; undefined if it fails, or takes too long. */
  ask(program: string, args: readonly string[]): string | undefined;
  /** A text of Windows' registry; null if the value holds something else, undefined if there is no such value. */
  registry(key: string, name: string): string | null | undefined;
}

/** One place that device management writes. `weak`: the user can write there, and it counts only if nothing else does. */
export type DevicePolicy = { file: string; weak: boolean } & ReadObject;

/** How long a program may take, in ms. */
const PATIENCE = 5_000;

export const thisDevice = (): Device => ({
  platform: process.platform,
  user: userInfo().username,
  exists: existsSync,
  ask: (program, args) => outputOf(program, args, { timeout: PATIENCE, maxBuffer: LARGEST_CONFIG }),
  registry: registryText,
});

const KEYS = [
  ['HKLM', false],
  ['HKCU', true],
] as const;
const PREFERENCES = '/Library/Managed Preferences';
const DOMAIN = 'com.anthropic.claudecode.plist';

/** What device management says, the strongest first. */
export const devicePolicies = ({ platform, user, exists, ask, registry }: Device): DevicePolicy[] => {
  if (platform === 'win32')
    return KEYS.flatMap(([hive, weak]) => {
      const key = `${hive}\\SOFTWARE\\Policies\\ClaudeCode`;
      const text = registry(key, 'Settings');
      if (text === undefined) return [];
      const read: ReadObject = text === null ? { status: 'bad', why: 'is not a text' } : parseObject(text);
      return [{ file: `${key}\\Settings`, weak, ...read }];
    });
  if (platform !== 'darwin') return [];
  return [`${PREFERENCES}/${user}/${DOMAIN}`, `${PREFERENCES}/${DOMAIN}`].filter(exists).map((file) => {
    const said = ask('/usr/bin/plutil', ['-convert', 'json', '-o', '-', '--', file]);
    const read: ReadObject = said === undefined ? { status: 'bad', why: 'cannot be read' } : parseObject(said);
    return { file, weak: false, ...read };
  });
};
