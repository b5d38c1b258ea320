// Stands between a host and a server: an MCP server to the one, a host to the other.
import type { GuardLink } from './beside-guard.ts';
import { startProgram } from './program.ts';
import { type HeldCall, relay, type Verdict } from './relay.ts';

/** Runs until one of the two sides ends. @param words what follows `konnichiwagwan wrap` */
export const wrap = async (words: string[]): Promise<void> => {
  const [command = '', ...args] = words.slice(words.indexOf('--') + 1);
  const program = startProgram(command, args);
  const told = new Set<string>();
  const judge = async (call: HeldCall): Promise<Verdict> => (await import('./judge-served.ts')).judgeServed(call, told);
  let guard: GuardLink | undefined;
  const host = { output: process.stdin, input: process.stdout };
  const upstream = relay({ host, server: program, judge, guard: () => guard });
  // Set by Claude Code for what it starts. No other host has our guard.
  if (process.env.CLAUDE_CODE_SESSION_ID)
    setImmediate(async () => {
      const { besideGuard } = await import('./beside-guard.ts');
      guard = besideGuard(words, upstream, judge);
    });
  process.stdin.on('end', () => program.input.end());
  const { code, signal } = await program.ended;
  process.exitCode = code ?? 1;
  if (signal !== null) process.kill(process.pid, signal);
  process.stdin.destroy();
};
