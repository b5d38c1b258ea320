import { CommandError, type Io, type Options } from '../command/command.ts';
import { loadConfig } from '../config/config.ts';
import type { AskContext } from '../lock/offers.ts';
import { sharedApprovals } from './kept.ts';

/** The option of commands that can look at the shared approvals. */
export const SHARED: Options = { shared: { type: 'boolean' } };

/**
 * The copy of the shared approvals on this machine, and its text. Fetches nothing.
 * @throws CommandError if the settings name none, or there is no good copy
 */
export const needShared = (
  { home, project }: Pick<AskContext, 'home' | 'project'>,
  { env }: Io,
): NonNullable<ReturnType<typeof sharedApprovals>> => {
  const { shared } = loadConfig(home, project, env).user;
  if (shared === undefined)
    throw new CommandError(
      'not-shared',
      'no approvals are shared with this machine',
      'name them in config.json: "approvals": {"url": ..., "allowedSigners": ...}',
    );
  const found = sharedApprovals(home, shared, env);
  if (found !== undefined) return found;
  throw new CommandError(
    'no-shared-copy',
    'there is no good copy of the shared approvals on this machine',
    'konnichiwagwan doctor fetches them, and says what is wrong',
  );
};
