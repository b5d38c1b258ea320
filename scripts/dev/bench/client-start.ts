// How long a session of the real client takes until its first request, with many servers of which one hangs.
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { HttpServer } from '../../../test/e2e/http-server.ts';
import { runHeadless, sandbox } from '../../../test/e2e/run.ts';
import { FORMS } from './client-forms.ts';
import { median } from './run.ts';

const SERVERS = 20;
const TOOLS = 50;
const ROUNDS = 5;

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = Array.from({ length: TOOLS }, (_none, index) => ({ name: `weather${index}`, inputSchema }));

const firstRequest = async (form: keyof typeof FORMS, hanging: string): Promise<number> => {
  const box = sandbox();
  const env = FORMS[form](box.home);
  const servers = await Promise.all(
    Array.from({ length: SERVERS - 1 }, () => HttpServer.start({ era: 'session', tools })),
  );
  const named = [...servers.map(({ entry }) => entry), { type: 'http', url: hanging }];
  const mcpServers = Object.fromEntries(named.map((entry, index) => [`server${index}`, entry]));
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers }));
  const began = performance.now();
  let took = Number.NaN;
  const first = () => {
    took = performance.now() - began;
    return { text: 'the end', delayMs: 0 };
  };
  await runHeadless({ version: '2.1.330', ...box, env, steps: [first], timeoutMs: 120_000 });
  for (const server of servers) await server.close();
  return took;
};

/** In rounds, so that other load on the machine affects all forms alike. */
export const clientStartRows = async (): Promise<void> => {
  const hanging = createServer((socket) => socket.on('error', () => {}).resume());
  await new Promise<void>((done) => hanging.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/mcp`;
  const forms = Object.keys(FORMS) as (keyof typeof FORMS)[];
  const times = new Map(forms.map((form) => [form, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++)
    for (const form of forms) times.get(form)?.push(await firstRequest(form, url));
  hanging.close();
  console.log(
    `\n| ${SERVERS} servers with ${TOOLS} tools each, one hangs; until the first request, ms | median | least |\n|---|---|---|`,
  );
  for (const [form, all] of times)
    console.log(`| ${form} | ${median(all).toFixed(0)} | ${Math.min(...all).toFixed(0)} |`);
};
