// A long session with many servers for the built resident guard.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { HttpServer } from './e2e/http-server.ts';
import { residentProcess } from './resident-client.ts';
import { sandbox, tool, untilRecorded } from './sandbox.ts';

const SERVERS = 20;
const TOOLS = 50;
/** How many calls one prompt leads to. */
const OF_A_PROMPT = 20;

/** Resident memory of a process in MB, now and at its peak; undefined if the system does not report it. */
export const memoryOf = (pid: number): { now: number; most: number } | undefined => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [now, most] = ['VmRSS', 'VmHWM'].map(
      (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024,
    ) as [number, number];
    return { now, most };
  } catch {
    return undefined;
  }
};

/**
 * Calls tools of twenty servers with a thousand tools. None changes, and any change would be announced.
 * @param after called after each call
 */
export const longSession = async (
  test: Pick<TestContext, 'after'>,
  calls: number,
  after: (call: number, pid: number) => void,
): Promise<void> => {
  const box = await sandbox(test, []);
  const { GATEWAY_URL: _none, ...env } = box.env;
  box.env.GATEWAY_URL = undefined;
  const text = { type: 'string', description: 'Which one it is about, by the name that the list gives.' };
  const tools = Array.from({ length: TOOLS }, (_none, index) =>
    tool(`tool_${index}`, { one: text, other: text, third: text }, { required: ['one'] }),
  );
  const names = Array.from({ length: SERVERS }, (_none, index) => `server${index}`);
  const servers = await Promise.all(names.map(() => HttpServer.start({ era: 'session', tools: tools as never })));
  test.after(() => Promise.all(servers.map((server) => server.close())));
  const mcpServers = Object.fromEntries(names.map((name, index) => [name, servers[index]?.entry]));
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers }));
  await box.start();
  await untilRecorded(box.state, 's1');
  const guard = await residentProcess(test, env);
  for (let call = 0; call < calls; call++) {
    if (call % OF_A_PROMPT === 0)
      await guard.hook({ ...box.input('', {}), hook_event_name: 'UserPromptSubmit', tool_name: '' });
    const server = names[call % SERVERS] as string;
    const named = { tool_name: `mcp__${server}__tool_${call % 3}`, mcp_server: { name: server } };
    const input = box.input('', { one: 'a' }, { ...named, tool_use_id: `toolu_${call}` });
    const answer = await guard.hook(input);
    if (answer !== undefined) throw new Error(`an unchanged call was not silent: ${JSON.stringify(answer)}`);
    await guard.hook({ ...input, hook_event_name: 'PostToolUse' });
    after(call + 1, guard.pid());
  }
};
