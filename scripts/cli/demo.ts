import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sleep, spinner } from 'zx';
import type { Command } from '../command/command.ts';
import type { JsonObject } from '../contract/types.ts';
import { type Answered, preToolUse, runHookFile, sandbox, startSession } from '../demo/hooks.ts';
import { callTool, startGateway, startMcpServer } from '../demo/loopback.ts';
import { AFTER, AFTER_VERSION, BEFORE, BEFORE_VERSION, CALLS, type PlannedCall, serve } from '../demo/release.ts';
import { remove } from '../state/in-use.ts';
import { type Paint, painter } from '../text/paint.ts';
import { wrap } from '../usage/text.ts';

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
  outer: NodeJS.ProcessEnv,
): Promise<{ rows: DemoRow[]; corrected: string; silent: boolean }> => {
  const gateway = await startGateway(BEFORE_VERSION, BEFORE);
  const server = await startMcpServer(serve);
  try {
    // As at a terminal, where a question shows the server's old and new words.
    const env = { ...sandbox(outer, home, gateway.url), CLAUDE_CODE_ENTRYPOINT: 'cli' };
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

/** The narrowest common terminal; the demo fits on one screen of it. */
const COLUMNS = 80;

/** The reason in few words: what changed, without how. */
const briefly = (guarded: Answered): string => reasonOf(guarded).split(/; |: (?="|dropped)/)[0] ?? '';

const row = ({ tool, alone, wrong, guarded }: DemoRow, paint: Paint): string => {
  const without = alone === null ? 'refused by the server' : `${wrong ? 'WRONG: ' : ''}${alone}`;
  const verdict = { deny: 'stopped', ask: 'asks', none: 'passes' }[guarded.decision ?? 'none'];
  return [
    `  ${tool.padEnd(15)}`,
    paint(wrong ? 'red' : alone === null ? 'yellow' : 'green', without.padEnd(28)),
    `${paint(guarded.decision === undefined ? 'green' : 'yellow', verdict.padEnd(8))}${briefly(guarded)}`,
  ]
    .join(' ')
    .trimEnd();
};

const show = (rows: DemoRow[], corrected: string, paint: Paint): string => {
  const wrong = rows.filter((one) => one.wrong).length;
  const caught = rows.filter(({ guarded }) => guarded.decision !== undefined);
  const denial = caught[0]?.guarded.reason ?? '';
  return [
    `Five tools, learned on ${BEFORE_VERSION}; changed on ${AFTER_VERSION}. The next calls:`,
    '',
    paint('bold', `  ${'tool'.padEnd(15)} ${'without the guard'.padEnd(28)} with it`),
    ...rows.map((one) => row(one, paint)),
    `  ${paint('red', `${wrong} silently wrong`)}, unnoticed; with it ${paint('green', `${caught.length} caught before they were sent`)}`,
    '',
    paint('bold', 'Instead of a wrong answer the model reads:'),
    ...denial.split('\n').flatMap((line) => wrap(line, COLUMNS - 1, '  ', '    ')),
    '',
    `It calls again, without a restart, and gets ${paint('green', corrected)}.`,
    'Next: konnichiwagwan install',
  ].join('\n');
};

export const demo: Command = {
  name: 'demo',
  usage: '',
  help: `
Starts a gateway and an MCP server on the loopback interface, lets a session learn five tools, releases the server again
and sends five calls: first without the guard, then through the real hook files. Writes to a temporary folder alone,
and removes it.`,
  run: async (_args, io) => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-demo-'));
    try {
      // The built hooks stand beside this bundle.
      const run = () => withGuard(dirname(__filename), home, io.env);
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
      remove(home);
    }
  },
};
