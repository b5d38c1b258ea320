import { statSync } from 'node:fs';
import type { SharedSettings } from '../config/config.ts';
import { startInBackground } from '../state/background.ts';
import { askingShared, isDue } from './kept.ts';

/** How long a fetch may take, in ms; after that, its process was killed. */
const LONGEST = 60_000;

/** Has the shared approvals fetched in the background, if it is time to: nothing waits for that. Never throws. */
export const refreshLater = (home: string, settings: SharedSettings | undefined, env: NodeJS.ProcessEnv): void => {
  if (settings === undefined || !isDue(home, settings)) return;
  // One is under way, and further ones would only stop again.
  const asked = statSync(askingShared(home), { throwIfNoEntry: false });
  if (asked && Date.now() - asked.mtimeMs < LONGEST) return;
  startInBackground('session-start.cjs', ['--shared'], env);
};
