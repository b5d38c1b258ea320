import type { Io } from '../../command/command.ts';
import { loadConfig } from '../../config/config.ts';
import { present } from '../../contract/defined.ts';
import { withoutRepository } from '../../servers/environment.ts';
import { safeUrl } from '../../sources/gateway.ts';
import { targetOf } from '../../telemetry/target.ts';
import { ledgerOf, waitingOf } from '../../telemetry/unsent.ts';
import { plural } from '../../text/plural.ts';
import { quoteText } from '../../text/quote.ts';
import { type Check, ok, wrong } from './check.ts';

const moment = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

/** Whether events reach the collector that the settings name; nothing if they name none. */
export const checkEvents = ({ env }: Io, home: string, project: string): Check[] => {
  const config = loadConfig(home, project, env).user.telemetry;
  if (config === undefined) return [];
  const { sentAt, notBefore, error: earlier, refused, skipped, verdicts } = ledgerOf(home, Date.now());
  const waiting = waitingOf(home, verdicts);
  const target = targetOf(config, withoutRepository(env, project));
  const error = 'why' in target ? target.why : earlier;
  const parts = present([
    'why' in target ? 'sent nowhere' : `to ${quoteText(safeUrl(target.url), 200)}`,
    sentAt === undefined ? 'nothing was sent yet' : `last sent ${moment(sentAt)}`,
    `${plural(waiting.verdicts, 'verdict')} waiting, in ${Math.ceil(waiting.bytes / 1024)} kB of the log`,
    refused > 0 && `${plural(refused, 'event')} refused by the collector`,
    skipped > 0 && `${Math.ceil(skipped / 1024)} kB of the log never sent: too old or too much`,
    error,
    notBefore !== undefined && notBefore > Date.now() && `tried again after ${moment(notBefore)}`,
  ]);
  const detail = parts.join('; ');
  return [
    error === undefined
      ? ok('events', detail)
      : wrong('events', detail, 'correct telemetry in config.json, or what its collector answers'),
  ];
};
