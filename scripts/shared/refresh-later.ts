import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SharedSettings } from '../config/config.ts';
import { askingShared, isDue } from './kept.ts';

declare const __filename: string;

/** How long a fetch may take, in ms; after that, its process was killed. */
const LONGEST = 60_000;

/** Has the shared approvals fetched in the background, if it is time to: nothing waits for that. Never throws. */
export const refreshLater = (home: string, settings: SharedSettings | undefined, env: NodeJS.ProcessEnv): void => {
  if (settings === undefined || !isDue(home, settings)) return;
  // One is under way: further ones would only see that.
  const asked = statSync(askingShared(home), { throwIfNoEntry: false });
  if (asked && Date.now() - asked.mtimeMs < LONGEST) return;
  const child = spawn(process.execPath, [join(dirname(__filename), 'session-start.cjs'), '--shared'], {
    detached: true,
    env,
    stdio: 'ignore',
    windowsHide: true,
  });
  child.on('error', () => {});
  child.unref();
};
