// How long a session of the real client takes until its first request, with many servers of which one hangs.
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpServer } from '../../../test/e2e/http-server.ts';
import { runHeadless, sandbox } from '../../../test/e2e/run.ts';
import { FORMS } from './client-forms.ts';
import { median } from './run.ts';

const SERVERS = 20;
const TOOLS = 50;
/** How many sessions get a fresh HOME, and how many follow in the last one. */
const ROUNDS = { first: 3, later: 5 };
/** After this long, the processes that the first sessions left behind know that one server does not answer, in ms. */
const KNOWN_AFTER = 25_000;

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = Array.from({ length: TOOLS }, (_none, index) => ({ name: `weather${index}`, inputSchema }));

/** Makes a HOME with many servers. The returned function starts a session there, and times its first request. */
const newHome = (form: keyof typeof FORMS, servers: readonly object[]) => {
  const box = sandbox();
  const env = FORMS[form](box.home);
  const mcpServers = Object.fromEntries(servers.map((entry, index) => [`server${index}`, entry]));
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers }));
  return async (): Promise<number> => {
    const began = performance.now();
    let took = Number.NaN;
    const first = () => {
      took = performance.now() - began;
      return { text: 'the end', delayMs: 0 };
    };
    await runHeadless({ version: '2.1.332', ...box, env, steps: [first], timeoutMs: 120_000 });
    return took;
  };
};

/** In rounds, so that other load on the machine affects all forms alike. */
export const clientStartRows = async (): Promise<void> => {
  const hanging = createServer((socket) => socket.on('error', () => {}).resume());
  await new Promise<void>((done) => hanging.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/mcp`;
  const servers = await Promise.all(
    Array.from({ length: SERVERS - 1 }, () => HttpServer.start({ era: 'session', tools })),
  );
  const entries = [...servers.map(({ entry }) => entry), { type: 'http', url }];
  const forms = (Object.keys(FORMS) as (keyof typeof FORMS)[]).map((form) => ({
    form,
    start: newHome(form, entries),
    first: [] as number[],
    later: [] as number[],
  }));
  for (let round = 0; round < ROUNDS.first; round++)
    for (const one of forms) {
      one.start = newHome(one.form, entries);
      one.first.push(await one.start());
    }
  await sleep(KNOWN_AFTER);
  for (let round = 0; round < ROUNDS.later; round++) for (const one of forms) one.later.push(await one.start());
  hanging.close();
  for (const server of servers) await server.close();
  console.log(
    `\n| ${SERVERS} servers with ${TOOLS} tools each, one hangs; until the first request, ms | first session: median (least) | later |\n|---|---|---|`,
  );
  const cell = (times: number[]): string => `${median(times).toFixed(0)} (${Math.min(...times).toFixed(0)})`;
  for (const { form, first, later } of forms) console.log(`| ${form} | ${cell(first)} | ${cell(later)} |`);
};
