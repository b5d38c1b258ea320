// Whether a call waits for the sending of events: the same calls without a collector, and with one that is up, slow or down.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fs, sleep } from 'zx';
import { resident } from '../../../test/resident-client.ts';
import type { JsonObject } from '../../contract/types.ts';
import { AFTER, AFTER_VERSION } from '../../demo/release.ts';
import { logActivity } from '../../state/activity.ts';
import { type BenchCase, median, run } from './run.ts';
import { manyTools, withGateway } from './session.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 20);
/** How long the slow collector takes, in ms. */
const SLOW = 5_000;
/** The resident guard starts to send after two seconds without a hook: the measured call comes in that moment. */
const IDLE = 2_010;
const COLLECTORS = ['none', 'up', 'slow', 'down'] as const;

const collector = async (wait: number) => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => setTimeout(() => response.end(), wait));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/logs` };
};

export const eventsRows = async (): Promise<void> => {
  const [up, slow] = [await collector(0), await collector(SLOW)];
  const endpoints = { none: undefined, up: up.url, slow: slow.url, down: 'http://127.0.0.1:9/v1/logs' };
  const ends: (() => void)[] = [];
  const kinds = ['unchanged, the resident guard', 'unchanged, the command', 'stopped, the command'] as const;
  const worlds = [];
  for (const name of COLLECTORS) {
    const endpoint = endpoints[name];
    const [same, drifted] = [
      await withGateway(`events-${name}`, 10, 1, 60_000),
      await withGateway(`stop-${name}`, 10, 1, 60_000),
    ];
    const profile = same.call('get_profile', { user_id: 'u_42' }, (output) => output === '');
    const stopped = drifted.call('create_export', { dataset: 'ds_7' }, (output) => output.includes('"deny"'));
    for (const { home } of [same, drifted])
      writeFileSync(join(home, 'state/config.json'), JSON.stringify(endpoint ? { telemetry: { endpoint } } : {}));
    for (const one of [profile, drifted.call('get_profile', { user_id: 'u_42' }, () => true)])
      await run({ name, ...one });
    drifted.gateway.set(AFTER_VERSION, manyTools(10, AFTER));
    fs.rmSync(join(drifted.home, 'state/live'), { recursive: true });
    const guard = await resident({ after: (end) => void ends.push(end as () => void) }, same.env);
    const ask = async (): Promise<string> =>
      JSON.stringify(await guard.hook(JSON.parse(profile.input) as JsonObject)) ?? '';
    const all: BenchCase[] = [
      { name, ...profile, ask },
      { name, ...profile },
      { name, ...stopped },
    ];
    ends.push(same.gateway.close, drifted.gateway.close);
    worlds.push({ name, same, drifted, all, times: all.map((): number[] => []) });
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const { same, drifted, all } of worlds) {
      // Something waits, and was never tried: a sender is started each time.
      for (const { home } of [same, drifted])
        fs.rmSync(join(home, 'state/telemetry'), { recursive: true, force: true });
      logActivity(join(same.home, 'state'), { session: 'bench', tool: 'mcp__demo__x', verdict: 'unchecked' });
      await run(all[0] as BenchCase);
    }
    await sleep(IDLE);
    // By turns: what comes first runs beside the senders that were just started.
    worlds.push(...worlds.splice(0, 1));
    for (const { all, times } of worlds) {
      for (const [index, one] of all.entries()) {
        const { ms, output } = await run(one);
        if (!one.expect(output)) throw new Error(`${one.name}: unexpected output ${output.slice(0, 200)}`);
        times[index]?.push(ms);
      }
    }
  }
  console.log(`\n| call, ms | ${COLLECTORS.join(' | ')} |\n|---|---|---|---|---|`);
  worlds.sort((one, other) => COLLECTORS.indexOf(one.name) - COLLECTORS.indexOf(other.name));
  for (const [index, kind] of kinds.entries())
    console.log(`| ${kind} | ${worlds.map(({ times }) => median(times[index] ?? []).toFixed(1)).join(' | ')} |`);
  for (const end of ends) end();
  for (const { server } of [up, slow]) {
    server.closeAllConnections();
    server.close();
  }
};
