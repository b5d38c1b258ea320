// How long calls of a server that announces nothing take inside the real client, depending on how long the model thinks
// between them and on what the tools do.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HttpServer } from '../../../test/e2e/http-server.ts';
import { runHeadless, sandbox } from '../../../test/e2e/run.ts';
import type { Answer } from '../../../test/e2e/stub-model.ts';
import { FORMS } from './client-forms.ts';
import { startRelay } from './far.ts';
import { median } from './run.ts';

const FAR = 100;
/** Seconds of thinking between calls, and how many calls are made with that. */
const THINKING = [
  [0.5, 16],
  [1, 16],
  [3, 16],
  [10, 8],
  [60, 4],
] as const;
/** Orders of calls: `R` reads, `W` writes. */
const ORDERS = { reading: 'R', 'by turns': 'RW', 'in pairs': 'RRWW' } as const;

const tool = (name: string, reads: boolean) => ({
  name,
  description: 'One.',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
  ...(reads ? { annotations: { readOnlyHint: true } } : {}),
});

/** Medians in ms of the calls that read and of those that write, without the first four, and questions per call. */
const measure = async (
  form: keyof typeof FORMS,
  order: string,
  seconds: number,
  calls: number,
): Promise<Record<'R' | 'W' | 'questions', number>> => {
  const box = sandbox();
  const env = FORMS[form](box.home);
  const tools = [tool('look', true), tool('put', false)];
  const server = await HttpServer.start({ era: 'session', tools, announces: false });
  const relay = await startRelay(Number(new URL(server.url).port), FAR);
  const url = `http://127.0.0.1:${relay.port}/mcp`;
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: { fx: { type: 'http', url } } }));
  const arrived: number[] = [];
  const asked: number[] = [];
  const kindOf = (at: number): 'R' | 'W' => order[at % order.length] as 'R' | 'W';
  const step = (): Answer => {
    const at = arrived.push(performance.now()) - 1;
    asked.push(server.by('guard').filter((what) => what === 'POST tools/list').length);
    const name = kindOf(at) === 'R' ? 'look' : 'put';
    return { tool: `mcp__fx__${name}`, input: { id: 'a' }, delayMs: seconds * 1_000 };
  };
  const steps = [...Array.from({ length: calls + 5 }, () => step), { text: 'the end' }];
  await runHeadless({ version: '2.1.332', ...box, env, steps, timeoutMs: (calls + 6) * (seconds + 2) * 1_000 });
  relay.close();
  await server.close();
  const times = arrived
    .slice(1)
    .map((at, index) => ({ kind: kindOf(index), ms: at - (arrived[index] as number) - seconds * 1_000 }));
  const of = (kind: 'R' | 'W'): number => median(times.slice(4).flatMap((one) => (one.kind === kind ? [one.ms] : [])));
  const questions = ((asked.at(-1) as number) - (asked[4] as number)) / (asked.length - 5);
  return { R: of('R'), W: of('W'), questions };
};

/** Prints the matrix. Needs the client: see `test/e2e/client.ts`. */
export const thinkingRows = async (): Promise<void> => {
  console.log(`\nA server ${FAR} ms away that announces nothing, in Claude Code 2.1.330, the resident guard:`);
  console.log(
    '\n| thinking | order | reads, ms added | writes, ms added | questions for each call |\n|---|---|---|---|---|',
  );
  for (const [seconds, calls] of THINKING)
    for (const [name, order] of Object.entries(seconds < 60 ? ORDERS : { 'by turns': ORDERS['by turns'] })) {
      const [bare, guarded] = [
        await measure('no hook', order, seconds > 3 ? 0.5 : seconds, 8),
        await measure('resident', order, seconds, calls),
      ];
      const added = (kind: 'R' | 'W'): string => (order.includes(kind) ? (guarded[kind] - bare[kind]).toFixed(0) : '');
      console.log(`| ${seconds} s | ${name} | ${added('R')} | ${added('W')} | ${guarded.questions.toFixed(1)} |`);
    }
};
