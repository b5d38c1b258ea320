import { fstatSync, writeSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { readNewest } from '../baseline/sessions.ts';
import type { Command } from '../command/command.ts';
import { quietly } from '../contract/attempt.ts';
import { present } from '../contract/defined.ts';
import { isObject, own } from '../contract/types.ts';
import { readStdin } from '../guard/input.ts';
import { switchedOff } from '../guard/run-hook.ts';
import { forgetRepository } from '../servers/environment.ts';
import { withParents } from '../servers/folder.ts';
import { isManaged } from '../servers/settings.ts';
import { type Standing, standingOf } from '../session/standing.ts';
import { CLIENT_ID } from '../state/client-names.ts';
import { readJson } from '../state/files.ts';
import { tooOldNode } from '../state/node-version.ts';
import { configPath, stateHome } from '../state/paths.ts';

/** A count of at most three characters. */
const short = (count: number): string => (count > 99 ? '99+' : String(count));

const segment = ({ changed, bumped, unchecked, looked }: Standing): string => {
  // No room for all three: a version change shows only if no contract changed.
  const versions = unchecked > 0 ? `${short(bumped)} bumped` : `${short(bumped)} new version${bumped === 1 ? '' : 's'}`;
  const parts = present([
    changed > 0 ? `${short(changed)} changed` : bumped > 0 && versions,
    unchecked > 0 && `${short(unchecked)} unchecked`,
  ]);
  if (parts.length > 0) return parts.join(', ');
  // Unchecked is not fresh.
  return looked ? 'fresh' : 'nothing checked yet';
};

/** What the client sends on standard input; not called at a terminal. */
const given = (): { session?: string; folders: string[] } => {
  const input: unknown = JSON.parse(readStdin());
  const session = own(input, 'session_id');
  const folders = [own(input, 'cwd'), own(own(input, 'workspace'), 'project_dir')];
  return {
    ...(typeof session === 'string' && CLIENT_ID.test(session) ? { session } : {}),
    folders: folders.filter((folder) => typeof folder === 'string' && isAbsolute(folder)) as string[],
  };
};

const look = async (env: NodeJS.ProcessEnv): Promise<{ words: string; standing?: Standing }> => {
  // A terminal, or nothing at all. `isatty` would load Node's network code.
  const atTerminal = fstatSync(0).isCharacterDevice();
  const { session, folders } = atTerminal ? { folders: [] } : given();
  for (const folder of new Set(folders.flatMap(withParents))) forgetRepository(env, folder);
  const home = stateHome(env);
  const config = readJson(configPath(home));
  if (switchedOff(env) || (isObject(config) && config.mode === 'off' && !isManaged())) return { words: 'off' };
  if (tooOldNode() !== undefined) return { words: 'needs a newer Node' };
  const meant = session ?? (atTerminal ? readNewest(home)?.session_id : undefined);
  if (meant === undefined) return { words: 'nothing checked yet' };
  const standing = await standingOf(home, meant, Date.now());
  return { words: segment(standing), standing };
};

const told = async (env: NodeJS.ProcessEnv): Promise<{ segment: string } & Partial<Standing>> => {
  try {
    const { words, standing } = await look(env);
    return { segment: `kwg ${words}`, ...standing };
  } catch {
    // The error's text could contain anything, and be longer than a status line.
    return { segment: 'kwg cannot tell' };
  }
};

/** Prints the segment and nothing else. Setting up Node's own streams would take longer than all the rest. */
export const printSegment = async (env: NodeJS.ProcessEnv): Promise<void> => {
  const { segment } = await told(env);
  // The reader may be gone.
  quietly(() => writeSync(1, `${segment}\n`));
};

export const statusline: Command = {
  name: 'statusline',
  usage: '< STATUS_LINE_INPUT',
  help: `
Prints one segment of at most 30 characters for the status line of Claude Code, from the state folder alone: it asks no
server and starts nothing. Reads the JSON that Claude Code gives a status line command on standard input; at a terminal it
takes the newest session.

  kwg fresh                    everything that was checked is as this session learned it
  kwg 2 changed, 1 unchecked   so many tools changed; so many servers could not be checked
  kwg 1 new version            a gateway advertises another version, and its contracts are the same
  kwg nothing checked yet      no server was asked and no call made
  kwg off, kwg cannot tell     switched off; the input or the state could not be read

It tells what the guard saw last. What changed since is found before the next call is sent. Always exits with 0.

In settings.json:  "statusLine": {"type": "command", "command": "konnichiwagwan statusline"}
In a script:       printf '%s' "$input" | konnichiwagwan statusline`,
  run: async (_args, { env }) => {
    const data = await told(env);
    return { exit: 0, data, text: data.segment };
  },
};
