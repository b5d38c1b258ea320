// Stands between a host and a server: an MCP server to the one, a host to the other.
import { stateHome } from '../state/paths.ts';
import { logCall } from './call-log.ts';
import type { JudgeSettings } from './judge-served.ts';
import { startProgram } from './program.ts';
import { type HeldCall, relay, type Verdict } from './relay.ts';
import { readSettings } from './settings.ts';

/** Runs until one of the two sides ends. @param words what follows `konnichiwagwan wrap` */
export const wrap = async (words: string[]): Promise<void> => {
  const { env } = process;
  const { target, name, trusted, invoker, tools, only, search } = readSettings(words);
  const offer =
    invoker === undefined
      ? undefined
      : (await import('./typed/typed-tools.ts')).typedTools({
          from: tools,
          only,
          search,
          before: `mcp__${name ?? ''}__`.length,
        });
  const program = startProgram(target.command, target.args);
  const project = env.CLAUDE_PROJECT_DIR || process.cwd();
  const settings: JudgeSettings = { name, trusted, env, project, memory: { told: new Set(), said: new Set() } };
  const judge = async (call: HeldCall): Promise<Verdict> => {
    const { judgeFailed, judgeServed } = await import('./judge-served.ts');
    try {
      return judgeServed(call, settings);
    } catch (error) {
      return judgeFailed(call, settings, error);
    }
  };
  const passed = (call: HeldCall): void => logCall(stateHome(env), name, call.name, { verdict: 'silence' });
  const host = { output: process.stdin, input: process.stdout };
  relay({ host, server: program, judge, passed, ...(offer ? { offer } : {}) });
  process.stdin.on('end', () => program.input.end());
  const { code, signal } = await program.ended;
  process.exitCode = code ?? 1;
  if (signal !== null) process.kill(process.pid, signal);
  process.stdin.destroy();
};
