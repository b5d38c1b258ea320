// How soon the resident guard learns of a change that a server announces, in a session of the real client.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpServer } from '../../../test/e2e/http-server.ts';
import { runHeadless, sandbox } from '../../../test/e2e/run.ts';
import { readHead } from '../../sources/head.ts';
import { FORMS } from './client-forms.ts';
import { startRelay } from './far.ts';
import { median } from './run.ts';

const CHANGES = 5;
/** This long after the last change and call, nothing is in transit any longer, in ms. */
const QUIET = 1_500;
const LONGEST = 10_000;

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
/** The added tools make no difference to the calls. */
const tools = (version: number) => [
  { name: 'weather', inputSchema },
  ...Array.from({ length: version }, (_none, index) => ({ name: `other${index}`, inputSchema })),
];

const digestIn = (state: string): string | undefined => {
  const [file = ''] = readdirSync(join(state, 'live')).filter((name) => name.endsWith('.head.json'));
  return readHead(state, file.replace(/\.head\.json$/, ''))?.digest;
};

const timesToKnow = async (far: number | undefined): Promise<number[]> => {
  const box = sandbox();
  const env = FORMS.resident(box.home);
  const state = join(box.home, '.claude/konnichiwagwan');
  const server = await HttpServer.start({ era: 'session', tools: tools(0) });
  const relay = far === undefined ? undefined : await startRelay(Number(new URL(server.url).port), far);
  const url = relay ? `http://127.0.0.1:${relay.port}/mcp` : server.url;
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: { fx: { type: 'http', url } } }));
  const call = { tool: 'mcp__fx__weather', input: { city: 'a' } };
  const times: number[] = [];
  const change = async () => {
    await sleep(QUIET);
    const before = digestIn(state);
    const began = performance.now();
    server.announce(tools(times.length + 1));
    while (digestIn(state) === before && performance.now() - began < LONGEST) await sleep(1);
    times.push(performance.now() - began);
  };
  const changes = Array.from({ length: CHANGES }, () => ({ ...call, before: change }));
  const steps = [call, call, ...changes, { text: 'the end' }];
  await runHeadless({ version: '2.1.332', ...box, env, steps, timeoutMs: 120_000 });
  relay?.close();
  await server.close();
  return times;
};

export const clientChangeRows = async (far: number): Promise<void> => {
  console.log('\n| from an announced change until the resident guard knows, ms | median | most |\n|---|---|---|');
  for (const [name, ms] of [
    ['on loopback', undefined],
    [`${far} ms away`, far],
  ] as const) {
    const times = await timesToKnow(ms);
    console.log(`| ${name} | ${median(times).toFixed(0)} | ${Math.max(...times).toFixed(0)} |`);
  }
};
