// What a call costs inside the real client: without a guard, with the command, and with the resident guard.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Era, HttpServer } from '../../../test/e2e/http-server.ts';
import { type Env, removeSandboxes, runHeadless, sandbox } from '../../../test/e2e/run.ts';
import type { Answer, RequestBody } from '../../../test/e2e/stub-model.ts';
import { startGateway } from '../../demo/loopback.ts';
import { clientChangeRows } from './client-changes.ts';
import { FORMS, rivalForms } from './client-forms.ts';
import { clientStartRows } from './client-start.ts';
import { startRelay } from './far.ts';

const CALLS = Number(process.env.CALLS ?? 8);
/** The model thinks for longer than an answer counts as live. */
const THINKING = 2_300;
const FAR = 100;
/** How many turns each form has in the comparison. */
const TURNS = 3;

interface World {
  name: string;
  far: boolean;
  era: Era;
  reads: boolean;
  announces: boolean;
}

const tools = (reads: boolean) => [
  {
    name: 'weather',
    description: 'Weather.',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    ...(reads ? { annotations: { readOnlyHint: true } } : {}),
  },
];

/**
 * The time from the model's answer with a call to the client's next request, and the guard's requests to the server in
 * between. The least time counts, since other load on the machine only adds to it.
 */
const measure = async (
  form: (home: string) => Env,
  { far, era, reads, announces }: World,
): Promise<{ ms: number; requests: number }> => {
  const box = sandbox();
  const env = form(box.home);
  const server = await HttpServer.start({ era, tools: tools(reads), announces });
  const relay = far ? await startRelay(Number(new URL(server.url).port), FAR) : undefined;
  const url = relay ? `http://127.0.0.1:${relay.port}/mcp` : server.url;
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: { fx: { type: 'http', url } } }));
  const arrived: number[] = [];
  const asked: number[] = [];
  const step = (_body: RequestBody): Answer => {
    arrived.push(performance.now());
    asked.push(server.by('guard').filter((what) => what !== 'GET').length);
    return { tool: 'mcp__fx__weather', input: { city: 'a' }, delayMs: THINKING };
  };
  const steps = Array.from({ length: CALLS + 2 }, () => step);
  await runHeadless({ version: '2.1.332', ...box, env, steps: [...steps, { text: 'the end' }], timeoutMs: 120_000 });
  relay?.close();
  await server.close();
  // The first calls do not count: they find out how to ask, and what is there.
  const times = arrived.slice(2).map((at, index) => at - (arrived[index + 1] as number) - THINKING);
  const requests = (asked.at(-1) as number) - (asked[2] as number);
  return { ms: Math.min(...times.slice(1)), requests: requests / (asked.length - 3) };
};

const WORLDS: World[] = [
  { name: 'on loopback, it announces', far: false, era: 'session', reads: false, announces: true },
  {
    name: 'on loopback, it tells nothing, the tool writes',
    far: false,
    era: 'session',
    reads: false,
    announces: false,
  },
  { name: `${FAR} ms away, it announces`, far: true, era: 'session', reads: false, announces: true },
  {
    name: `${FAR} ms away, it tells nothing, the tool reads`,
    far: true,
    era: 'session',
    reads: true,
    announces: false,
  },
  {
    name: `${FAR} ms away, it tells nothing, the tool writes`,
    far: true,
    era: 'session',
    reads: false,
    announces: false,
  },
];

/** An unchanged call on loopback, with no hook, with the guard in both forms, and with the checks of others, by turns. */
const comparison = async (world: World): Promise<void> => {
  const gateway = await startGateway('1', tools(false));
  const forms = { ...FORMS, ...(await rivalForms(gateway.url, tools(false))) };
  const times = new Map(Object.keys(forms).map((name) => [name, [] as number[]]));
  for (let turn = 0; turn < TURNS; turn++)
    for (const [name, form] of Object.entries(forms)) times.get(name)?.push((await measure(form, world)).ms);
  gateway.close();
  const least = (name: string): number => Math.min(...(times.get(name) ?? []));
  console.log('\n| an unchanged call in Claude Code 2.1.330, on loopback | ms | ms added |\n|---|---|---|');
  for (const name of times.keys())
    console.log(`| ${name} | ${least(name).toFixed(0)} | ${(least(name) - least('no hook')).toFixed(0)} |`);
};

/** Needs the client: see `test/e2e/client.ts`. */
export const clientRows = async (): Promise<void> => {
  await comparison(WORLDS[0] as World);
  console.log(`\n| a call in Claude Code 2.1.330, ms added (requests) | command | resident |\n|---|---|---|`);
  for (const world of WORLDS) {
    const bare = await measure(FORMS['no hook'], world);
    const cell = async (form: keyof typeof FORMS): Promise<string> => {
      const { ms, requests } = await measure(FORMS[form], world);
      return `${(ms - bare.ms).toFixed(0)} (${requests.toFixed(1)})`;
    };
    console.log(`| ${world.name} | ${await cell('command')} | ${await cell('resident')} |`);
  }
  await clientChangeRows(FAR);
  await clientStartRows();
  await removeSandboxes();
};
