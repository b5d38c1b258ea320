import type { Io } from '../../command/command.ts';
import { pathTo, whoseLock } from '../../lock/folder.ts';
import { readLock } from '../../lock/read.ts';
import { plural } from '../../text/plural.ts';
import { type Check, ok, wrong } from './check.ts';

/** Whether the project's lockfile can be read, if there is one. While it cannot, a person is asked about every call. */
export const checkLockfile = ({ env }: Io, home: string, project: string): Check[] => {
  const whose = whoseLock({ home, project, env });
  const found = readLock(whose.project);
  if (found.status === 'none') return [];
  const [name, path] = ['lockfile', pathTo(whose)];
  const repair = `update konnichiwagwan if a newer one wrote it; else repair it, or bring back the committed one: git checkout HEAD -- ${path}`;
  if (found.status === 'unreadable') return [wrong(name, `${path} ${found.why}: it approves nothing`, repair)];
  const tools = [...found.lock.values()].reduce((sum, { size }) => sum + size, 0);
  return [ok(name, `${path}: ${plural(tools, 'tool')} of ${plural(found.lock.size, 'server')}`)];
};
