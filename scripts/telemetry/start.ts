// Starts the process that sends events. What starts it goes on at once: no call waits for it.
import { loadConfig } from '../config/config.ts';
import { quietly } from '../contract/attempt.ts';
import { withoutRepository } from '../servers/environment.ts';
import { startInBackground } from '../state/background.ts';
import { isHeldBack } from './ledger.ts';
import { isWaiting, ledgerOf } from './unsent.ts';

/** How often a process is started at most, in ms. */
const INTERVAL = 60_000;

/** How many ms a process must have been idle before it starts another one. */
const IDLE = 2_000;

/** Whether something waits, and may be sent now. @param atEnd of a session: without waiting for the interval */
export const isDue = (home: string, project: string, env: NodeJS.ProcessEnv, atEnd: boolean): boolean => {
  const now = Date.now();
  if (loadConfig(home, project, env).user.telemetry === undefined) return false;
  const ledger = ledgerOf(home, now);
  const { triedAt = 0 } = ledger;
  if (isHeldBack(ledger, now)) return false;
  if (!atEnd && triedAt <= now && now - triedAt < INTERVAL) return false;
  return isWaiting(home, ledger, now);
};

/** Starts to send what waits, in the background, if it is time for that. Never throws: a later start sends it, too. */
export const sendInBackground = (home: string, project: string, env: NodeJS.ProcessEnv, atEnd = false): void => {
  // The log keeps what was not sent.
  quietly(() => {
    if (isDue(home, project, env, atEnd))
      startInBackground('send-events.cjs', [home, project], withoutRepository(env, project));
  });
};

let idle: NodeJS.Timeout | undefined;

/**
 * Sends what waits once this was not called for a while, and then again and again while this process runs. Keeps no process
 * alive.
 */
export const sendWhenIdle = (home: string, project: string, env: NodeJS.ProcessEnv, after = IDLE): void => {
  clearTimeout(idle);
  idle = setTimeout(() => {
    sendInBackground(home, project, env);
    sendWhenIdle(home, project, env, INTERVAL);
  }, after).unref();
};
