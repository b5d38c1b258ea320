import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Io } from '../../command/command.ts';
import type { Json } from '../../contract/types.ts';
import { preToolUse, runHookFile, sandbox, startSession } from '../../demo/hooks.ts';
import { startGateway } from '../../demo/loopback.ts';
import { AFTER, AFTER_VERSION, BEFORE, BEFORE_VERSION } from '../../demo/release.ts';
import type { Check } from './check.ts';

/** Runs the installed guard on a stale and on a fresh call, with a gateway of its own. */
export const checkGuard = async (io: Io, folder: string): Promise<Check[]> => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-doctor-'));
  const gateway = await startGateway(BEFORE_VERSION, BEFORE);
  try {
    const env = sandbox(io.env, home, gateway.url);
    await startSession(folder, 'doctor', home, env);
    const guard = (tool: string, args: Record<string, Json>) =>
      runHookFile(join(folder, 'guard.cjs'), preToolUse('doctor', home, tool, args), env);
    const fresh = await guard('get_profile', { user_id: 'u_42' });
    gateway.set(AFTER_VERSION, AFTER);
    await new Promise((resolve) => setTimeout(resolve, 2_050));
    const stale = await guard('create_export', { dataset: 'ds_7' });
    const silent = fresh.exit === 0 && !fresh.garbled && fresh.message === undefined && fresh.decision === undefined;
    const hint = `reinstall: konnichiwagwan install (the guard in question is in ${folder})`;
    return [
      silent
        ? { name: 'guard, fresh call', state: 'ok', detail: 'passes in silence' }
        : {
            name: 'guard, fresh call',
            state: 'wrong',
            detail: fresh.message ?? `does not pass in silence (exit ${fresh.exit})`,
            hint,
          },
      stale.decision === 'deny'
        ? { name: 'guard, stale call', state: 'ok', detail: 'is stopped' }
        : {
            name: 'guard, stale call',
            state: 'wrong',
            detail: stale.message ?? `is not stopped (exit ${stale.exit})`,
            hint,
          },
    ];
  } finally {
    gateway.close();
    rmSync(home, { recursive: true, force: true });
  }
};
