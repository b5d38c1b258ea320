import { existsSync } from 'node:fs';
import { join, parse } from 'node:path';
import { isAttended } from '../guard/attended.ts';
import { formerLock } from '../lock/former.ts';
import { runsInCi } from '../lock/person.ts';
import { projectKey, readRecord } from '../lock/record.ts';
import { LOCKFILE } from '../lock/types.ts';
import { realFolder, withParents } from '../servers/folder.ts';
import { readLive } from '../sources/live.ts';
import { readText } from '../state/files.ts';
import { firstEver, wasToldEver } from '../state/once.ts';
import { homeOf } from '../state/paths.ts';
import { type Shown, say } from '../text/shown.ts';
import { tellUnguarded } from './first-guarded.ts';
import type { Start, Started } from './start.ts';

/** Neither the home folder nor the root of the disk is a project. */
const isProject = (folder: string, env: NodeJS.ProcessEnv): boolean =>
  folder !== parse(folder).root && folder !== realFolder(homeOf(env));

/** Whether others may work in this folder, too: its repository has a remote. */
const hasTeam = (folder: string): boolean =>
  withParents(folder).some((one) => /^\s*\[remote /m.test(readText(join(one, '.git/config')) ?? ''));

/** Whether nothing was ever pinned here or in a folder above, as far as git and our own state know. */
const neverPinned = (home: string, project: string): boolean => {
  if (withParents(project).some((folder) => existsSync(join(folder, LOCKFILE)))) return false;
  const { hash, let_go } = readRecord(home, project);
  return hash === undefined && let_go.length === 0 && formerLock(home, project, false) === undefined;
};

/** The command that pins what is there: tools that a source listed, now or before, or a program, which it would start. */
const pinnable = (home: string, { baseline, ofTeam }: Started): 'pin' | 'pin --spawn' | undefined => {
  if (Object.keys(baseline.programs ?? {}).some((name) => ofTeam.has(name))) return 'pin --spawn';
  const late = Object.entries(baseline.failed)
    .filter(([, { status }]) => status === 'pending')
    .map(([key, { name }]) => ({ name, tools: readLive(home, key)?.tools ?? [] }));
  const listed = [...Object.values(baseline.sources), ...late].filter(({ tools }) => tools.length > 0);
  return listed.some(({ name }) => ofTeam.has(name)) ? 'pin' : undefined;
};

/** The offer to pin, made once in each project where nothing is pinned; undefined if there is nothing to pin. */
const offerToPin = ({ home, project, env }: Start, started: Started): Shown | undefined => {
  // With shared approvals, the team has agreed elsewhere.
  if (started.config.user.shared) return undefined;
  const folder = realFolder(project);
  const key = `pin-${projectKey(project)}`;
  const command = pinnable(home, started);
  if (
    command === undefined ||
    !hasTeam(folder) ||
    !isProject(folder, env) ||
    wasToldEver(home, key) ||
    !neverPinned(home, folder)
  )
    return undefined;
  if (!firstEver(home, key)) return undefined;
  const starts = command === 'pin' ? say`` : say` (it starts those that are programs, to ask them)`;
  return say`konnichiwagwan: your team can agree on the MCP tools of this repository, and be told when one changes. To write down what they are now, in ${LOCKFILE}: kwg ${command}${starts}. This is said once.`;
};

/**
 * What the person is offered at a session's start: to guard more servers, or else to pin. Undefined in a headless run.
 */
export const offerOf = (start: Start, started: Started): Shown | undefined => {
  const { env, source } = start;
  if (!isAttended(env) || runsInCi(env) || source === 'compact' || started.config.user.mode === 'off') return undefined;
  // One offer at a time: with unguarded servers, pinning is not offered yet.
  return tellUnguarded(start, started) ?? offerToPin(start, started);
};
