// Sessions for the benchmark: a home, a transcript, a gateway or servers, and the calls of the hooks in it.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract, JsonObject } from '../../contract/types.ts';
import { preToolUse, sessionStart } from '../../demo/hooks.ts';
import { startGateway } from '../../demo/loopback.ts';
import { BEFORE, BEFORE_VERSION } from '../../demo/release.ts';
import { type BenchCase, clean, dist, folder, run } from './run.ts';

/** These tools, filled up with generated ones to `count`. */
export const manyTools = (count: number, tools: Contract[]): Contract[] => [
  ...tools,
  ...Array.from({ length: count - tools.length }, (_, index) => ({ ...(tools[3] as Contract), name: `tool_${index}` })),
];

/** Writes a transcript as the client does: first the shape with the tools, then conversation up to a size. */
const writeTranscript = (path: string, tools: Contract[], bytes: number): void => {
  const shown = tools.slice(0, 20).map(({ name, description, inputSchema }) => ({
    name: `mcp__demo__${name}`,
    description,
    input_schema: inputSchema,
  }));
  const request = `${JSON.stringify({ type: 'api-request', querySource: 'sdk', shapeHash: 'aaaa' })}\n`;
  const talk = `${JSON.stringify({ parentUuid: null, type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(4_000) }] } })}\n`;
  writeFileSync(
    path,
    `${JSON.stringify({ type: 'api-request-shape', shapeHash: 'aaaa', shape: { tools: shown } })}\n${request}`,
  );
  const block = talk.repeat(256) + request;
  for (let size = 0; size < bytes; size += block.length) appendFileSync(path, block);
};

/** A fresh home folder, and functions that call the hooks in it. `megabytes`: size of the transcript. */
export const session = (name: string, tools: Contract[], megabytes: number, more: NodeJS.ProcessEnv = {}) => {
  const home = join(folder, name);
  mkdirSync(join(home, 'state'), { recursive: true });
  const transcript = join(home, 'transcript.jsonl');
  writeTranscript(transcript, tools, megabytes * 1024 * 1024);
  const env = { ...clean, HOME: home, KONNICHIWAGWAN_HOME: join(home, 'state'), ...more };
  const node = (script: string, input: JsonObject, expect: BenchCase['expect']): Omit<BenchCase, 'name'> => ({
    command: process.execPath,
    args: [join(dist, `${script}.cjs`)],
    env,
    input: JSON.stringify({ ...input, transcript_path: transcript }),
    expect,
  });
  const start = (id = 'bench', expect: BenchCase['expect'] = () => true) =>
    node('session-start', sessionStart(id, home), expect);
  const call = (tool: string, args: JsonObject, expect: BenchCase['expect'], more: JsonObject = {}) =>
    node('guard', { ...preToolUse('bench', home, tool, args), ...more }, expect);
  return { home, env, call, start };
};

/** A session whose whole configuration is GATEWAY_URL; `ttlMs` says how long its answers stay live. */
export const withGateway = async (name: string, count: number, megabytes: number, ttlMs: number) => {
  const tools = manyTools(count, BEFORE);
  const gateway = await startGateway(BEFORE_VERSION, tools, ttlMs);
  const made = session(name, tools, megabytes, { GATEWAY_URL: gateway.url });
  await run({ name: '', ...made.start() });
  return { ...made, gateway };
};
