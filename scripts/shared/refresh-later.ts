import { statSync } from 'node:fs';
import type { SharedSettings } from '../config/settings.ts';
import { startInBackground } from '../state/background.ts';
import { askingShared, isDue } from './kept.ts';

/** How long a fetch may take, in ms; after that, its process was killed. */
const LONGEST = 60_000;

/** Has the shared approvals fetched in the background, if it is time to: nothing waits for that. Never throws. */
export const refreshLater = (home: string, settings: SharedSettings | undefined, env: NodeJS.ProcessEnv): void => {
  if (settings === undefined) return;
  try {
    if (!isDue(home, settings, env)) return;
    // A fetch is under way: another one would find its lock, and end.
    const asked = statSync(askingShared(home), { throwIfNoEntry: false });
    if (asked && Date.now() - asked.mtimeMs < LONGEST) return;
    startInBackground('session-start.cjs', ['--shared'], env);
  } catch {
    // The next look tries again; `doctor` shows how old the copy is.
  }
};
