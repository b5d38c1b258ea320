import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Reach } from '../../sources/mcp/list-over-mcp.ts';
import type { Installed } from './install.ts';
import type { Package } from './packages.ts';

/** The environment for a foreign program: no credentials, and an empty HOME. */
export const bareEnv = (home: string): Record<string, string> => {
  mkdirSync(home, { recursive: true });
  return { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home, npm_config_update_notifier: 'false' };
};

/** How to start a server as most people configure it: by npx, which finds it installed and downloads nothing. */
export const reachOf = (installed: Installed, { args, env }: Package): Extract<Reach, { type: 'stdio' }> => {
  const { folder, bin } = installed;
  const home = join(folder, 'home');
  return {
    type: 'stdio',
    command: 'npx',
    args: ['--no', bin, ...(args?.(home) ?? [])],
    env: { ...bareEnv(home), ...env },
    cwd: folder,
  };
};
