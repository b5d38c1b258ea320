// SessionStart: records what every source runs now, and says what changed since the last session.
import { spawn } from 'node:child_process';
import { noteFinisher } from '../scripts/baseline/sessions.ts';
import { loadConfig } from '../scripts/config/config.ts';
import { readStdin } from '../scripts/guard/input.ts';
import { runHook, switchedOff } from '../scripts/guard/run-hook.ts';
import { finish, sessionStarts } from '../scripts/session/session-starts.ts';
import type { Start } from '../scripts/session/start.ts';
import { stateHome } from '../scripts/state/paths.ts';

/** Starts a background process that continues to ask slow sources. */
const finishLater = (start: Start): void => {
  const child = spawn(process.execPath, [__filename, '--finish', JSON.stringify({ ...start, env: undefined })], {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  });
  child.unref();
  if (child.pid !== undefined) noteFinisher(start.home, start.session, child.pid);
};

const fetchShared = async (env: NodeJS.ProcessEnv): Promise<void> => {
  const home = stateHome(env);
  const { shared } = loadConfig(home, env.CLAUDE_PROJECT_DIR || process.cwd(), env).user;
  const { refreshShared } = await import('../scripts/shared/shared-refresh.ts');
  if (shared !== undefined) await refreshShared(home, shared, env);
};

const [, , word, start = ''] = process.argv;
if (word !== '--finish' && word !== '--shared')
  runHook('SessionStart', (env) => sessionStarts(readStdin(), env, finishLater));
else if (!switchedOff(process.env)) {
  const ended = async (): Promise<void> =>
    word === '--shared' ? fetchShared(process.env) : finish({ ...(JSON.parse(start) as Start), env: process.env });
  ended().then(
    () => process.exit(0),
    () => process.exit(1),
  );
}
