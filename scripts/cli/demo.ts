import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, spinner } from 'zx';
import type { Command } from '../command/command.ts';
import type { JsonObject } from '../contract/types.ts';
import { type Answered, preToolUse, runHookFile, sandbox, startSession } from '../demo/hooks.ts';
import { callTool, startGateway, startMcpServer } from '../demo/loopback.ts';
import { AFTER, AFTER_VERSION, BEFORE, BEFORE_VERSION, CALLS, type PlannedCall, serve } from '../demo/release.ts';
import { type Paint, painter } from '../text/paint.ts';
import { hooksFolder } from './hooks-folder.ts';

interface DemoRow extends PlannedCall {
  /** What the server answered without the guard; null if it refused. */
  alone: string | null;
  wrong: boolean;
  guarded: Answered;
}

const reasonOf = ({ reason = '' }: Answered): string =>
  reason
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map((line) => line.slice(2).replace(/ \(.*?\)(?=;|$)/, ''))
    .join('; ');

const withGuard = async (
  folder: string,
  home: string,
): Promise<{ rows: DemoRow[]; corrected: string; silent: boolean }> => {
  const gateway = await startGateway(BEFORE_VERSION, BEFORE);
  const server = await startMcpServer(serve);
  try {
    // As at a terminal, where a question shows the server's old and new words.
    const env = { ...sandbox(process.env, home, gateway.url), CLAUDE_CODE_ENTRYPOINT: 'cli' };
    await startSession(folder, 'demo', home, env);
    gateway.set(AFTER_VERSION, AFTER);
    // Wait, because the answer at the session's start counts as live for two seconds.
    await sleep(2_050);
    const guard = (tool: string, args: JsonObject) =>
      runHookFile(join(folder, 'guard.cjs'), preToolUse('demo', home, tool, args), env);
    const rows: DemoRow[] = [];
    for (const call of CALLS) {
      const alone = await callTool(server.url, call.tool, call.args);
      rows.push({
        ...call,
        alone,
        wrong: alone !== null && alone !== call.meant,
        guarded: await guard(call.tool, call.args),
      });
    }
    const args = { q: 'noise cancelling', limit: 50 };
    const passed = await guard('search_reviews', args);
    return {
      rows,
      silent: passed.decision === undefined,
      corrected:
        passed.decision === undefined ? ((await callTool(server.url, 'search_reviews', args)) ?? 'refused') : 'stopped',
    };
  } finally {
    gateway.close();
    server.close();
  }
};

const show = (rows: DemoRow[], corrected: string, paint: Paint): string => {
  const name = (row: DemoRow) => row.tool.padEnd(15);
  const wrong = rows.filter((row) => row.wrong);
  const caught = rows.filter((row) => row.guarded.decision !== undefined);
  const refused = rows.filter((row) => row.alone === null);
  return [
    `Five tools, learned on ${BEFORE_VERSION}; the server was released anew on ${AFTER_VERSION}. The next five calls:`,
    '',
    paint('bold', 'Without the guard'),
    ...rows.map((row) => {
      if (row.alone === null)
        return `  ${name(row)} ${paint('yellow', 'refused'.padEnd(10))} -32602: the one failure that everybody sees`;
      const verdict = row.wrong ? paint('red', '200 WRONG '.padEnd(10)) : paint('green', '200 right'.padEnd(10));
      return `  ${name(row)} ${verdict} ${row.wrong ? `meant ${row.meant}, got ${row.alone}` : row.alone}`;
    }),
    `  ${rows.length - refused.length} accepted, ${refused.length} refused; ${paint('red', `${wrong.length} silently wrong`)}, noticed by nobody`,
    '',
    paint('bold', 'With the guard'),
    ...rows.map(({ guarded, ...row }) => {
      if (guarded.decision === undefined)
        return `  ${name({ ...row, guarded })} ${paint('green', 'passes'.padEnd(10))} unchanged, and nobody is bothered`;
      return `  ${name({ ...row, guarded })} ${paint('yellow', (guarded.decision === 'deny' ? 'stopped' : 'asks').padEnd(10))} ${reasonOf(guarded)}`;
    }),
    `  ${paint('green', `${caught.length} caught before they were sent`)}, ${rows.length - caught.length} passes`,
    '',
    paint('bold', 'Corrected, in the same conversation, without a restart'),
    `  ${'search_reviews'.padEnd(15)} ${paint('green', 'passes'.padEnd(10))} ${corrected}`,
  ].join('\n');
};

export const demo: Command = {
  name: 'demo',
  summary: 'five calls after a release, without and with the guard; touches nothing',
  usage: '',
  help: `
Starts a gateway and an MCP server on the loopback interface, lets a session learn five tools, releases the server anew
and sends five calls: first without the guard, then through the real hook files. Writes to a temporary folder alone,
and removes it.`,
  run: async (_args, io) => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-demo-'));
    try {
      const run = () => withGuard(hooksFolder(), home);
      const { rows, corrected, silent } = await (io.colour ? spinner('running the hooks', run) : run());
      const wrong = rows.filter((row) => row.wrong).length;
      const caught = rows.filter((row) => row.guarded.decision !== undefined).length;
      const asPromised = wrong === 3 && caught === 4 && silent;
      return {
        exit: asPromised ? 0 : 1,
        data: {
          silently_wrong: wrong,
          caught,
          calls: rows.map(({ tool, args, meant, alone, wrong: isWrong, guarded }) => ({
            tool,
            arguments: args,
            meant,
            without_guard: alone,
            wrong: isWrong,
            verdict: guarded.decision ?? 'silence',
            reason: reasonOf(guarded),
          })),
          corrected,
        },
        text: show(rows, corrected, painter(io.colour)),
        warnings: asPromised ? [] : ['this is not what the demo should show: run konnichiwagwan doctor'],
      };
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};
