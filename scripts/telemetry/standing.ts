import type { TelemetryConfig } from '../config/settings.ts';
import { safeUrl } from '../sources/gateway.ts';
import { targetOf } from './target.ts';
import { ledgerOf, waitingOf } from './unsent.ts';

/** How the sending of events stands. Times in ms since 1970. */
export interface EventsStanding {
  /** The endpoint, as it may be shown; undefined if the settings give none that can be used. */
  where?: string;
  sentAt?: number;
  waiting: { verdicts: number; bytes: number };
  /** Before this, nothing is tried. */
  notBefore?: number;
  /** What is wrong, in our own words. */
  error?: string;
  /** Events that the collector refused, and bytes of the log that were left out because too much was waiting. */
  refused: number;
  skipped: number;
}

/** @param env without what a repository set */
export const standingOf = (home: string, config: TelemetryConfig, env: NodeJS.ProcessEnv): EventsStanding => {
  const ledger = ledgerOf(home, Date.now());
  const { sentAt, notBefore, error, refused, skipped, verdicts } = ledger;
  const target = targetOf(config, env);
  return {
    waiting: waitingOf(home, verdicts),
    refused,
    skipped,
    ...(sentAt === undefined ? {} : { sentAt }),
    ...(notBefore === undefined ? {} : { notBefore }),
    ...(error === undefined ? {} : { error }),
    ...('why' in target ? { error: target.why } : { where: safeUrl(target.url) }),
  };
};
