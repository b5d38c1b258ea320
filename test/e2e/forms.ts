// The two forms of the guard, and in which clients they are played: one table for all scenarios.
import { type Version, versions } from './client.ts';
import type { Tool } from './fixture-server.ts';
import type { HttpServer } from './http-server.ts';
import { installHooks, installPlugin } from './run.ts';

/** Which process judges: one for each call, or one for the whole session. */
export type Form = 'command' | 'resident';
export type Case = { version: Version; form: Form };

export const INSTALL: Record<Form, (home: string) => void> = { command: installHooks, resident: installPlugin };

/** The output of a hook that has nothing to say: the resident guard has to answer in any case. */
export const SILENCE: Record<Form, string> = { command: '', resident: '{}' };
export const isSilent = ({ stdout }: { stdout: string }): boolean => Object.values(SILENCE).includes(stdout);

const FORMS: Form[] = ['command', 'resident'];
/** Both forms in each client. */
export const everywhere: Case[] = versions.flatMap((version) => FORMS.map((form) => ({ version, form })));
/**
 * What `install` gives each client: the older one does not restart a server that died, and so keeps the command. Scenarios
 * about the guard in general run everywhere; those about servers of many kinds run as installed.
 */
export const asInstalled: Case[] = everywhere.filter(
  ({ version, form }) => form === 'command' || version !== '2.1.197',
);

export const titleOf = ({ version, form }: Case): string => `Claude Code ${version}, ${form}`;

/**
 * A server gets new tools, and the guard knows or has to ask. The resident guard trusts a server that promises announcements,
 * and so gets one; the command asks once its last answer does not count as live any longer.
 */
export const release = async ({ form }: Case, server: HttpServer, tools: Tool[]): Promise<void> => {
  if (form === 'resident') return server.announceToGuard(tools);
  server.set(tools);
  await server.outlive();
};
