import { outputOf } from '../state/programs.ts';
import type { Process } from './processes.ts';

const ask = (program: string, env: NodeJS.ProcessEnv): string[] => {
  const panes = ['list-panes', '-a', '-F', 'pane #{pid} #{pane_pid} #{window_active} #{session_id}'];
  const clients = ['list-clients', '-F', 'client #{pid} #{client_pid} 1 #{session_id}'];
  return outputOf(program, [...panes, ';', ...clients], { env, timeout: 2_000 })?.split('\n') ?? [];
};

/**
 * The ids of the processes that show the tmux window in which one of the processes `inside` runs: clients of this tmux
 * server and of that window's session only.
 */
export const tmuxWatchers = ({ pid, exe }: Process, inside: readonly number[], env: NodeJS.ProcessEnv): number[] => {
  // In a tmux inside another one, TMUX names the inner one.
  const { TMUX: _, ...outside } = env;
  for (const around of [env, outside]) {
    const lines = ask(exe ?? 'tmux', around)
      .map((line) => line.split(' '))
      .filter(([, server, , active]) => Number(server) === pid && active === '1');
    const sessions = lines.flatMap(([kind, , pane, , session]) =>
      kind === 'pane' && inside.includes(Number(pane)) ? [session] : [],
    );
    if (sessions.length > 0)
      return lines.flatMap(([kind, , client, , session]) =>
        kind === 'client' && sessions.includes(session) ? [Number(client)] : [],
      );
  }
  return [];
};
