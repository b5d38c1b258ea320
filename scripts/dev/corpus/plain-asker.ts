// A second opinion: asks a program line by line, without the MCP library. Our own code must get the same answers.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { defined } from '../../contract/defined.ts';
import type { Json, JsonObject } from '../../contract/types.ts';
import { CAPABILITIES, CLIENT_INFO, LEGACY } from '../../sources/mcp/announce.ts';
import type { Reach } from '../../sources/mcp/list-over-mcp.ts';

export interface PlainAnswer {
  /** Its answer to `initialize`. */
  begun: JsonObject;
  tools: Json[];
  pages: number;
  /** Lines on its standard output that are not messages. */
  stray: number;
  /** Milliseconds from the end of its input to its own end; undefined if it had to be killed. */
  ended?: number;
}

const GRACE = 3_000;

const parsed = (line: string): JsonObject | undefined => {
  try {
    const message = JSON.parse(line) as JsonObject;
    return message?.jsonrpc === '2.0' ? message : undefined;
  } catch {
    return undefined;
  }
};

/** Asks for the tools as clients of the older revisions do. `deadline` in ms. @throws if there is no answer in time */
export const askPlainly = async (reach: Extract<Reach, { type: 'stdio' }>, deadline: number): Promise<PlainAnswer> => {
  const { command, args, env, cwd } = reach;
  // In its own process group, so that everything that a wrapper starts can be ended with it.
  const child = spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  const waiting = new Map<number, { done: (result: JsonObject) => void; failed: (error: Error) => void }>();
  const failAll = (why: string): void => {
    for (const { failed } of waiting.values()) failed(new Error(why));
    waiting.clear();
  };
  const timer = setTimeout(() => failAll(`no plain answer within ${deadline / 1000} s`), deadline);
  child.once('error', (error) => failAll(error.message));
  child.once('exit', (code) => failAll(`it ended with ${code} before it answered`));
  child.stdin.on('error', () => {});
  const send = (message: JsonObject): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let stray = 0;
  createInterface(child.stdout).on('line', (line) => {
    const message = parsed(line);
    if (message === undefined) stray += line.trim() === '' ? 0 : 1;
    // Requests of the server itself (for the client's roots, for example) are not supported here.
    else if (message.method !== undefined && message.id !== undefined)
      send({ id: message.id, error: { code: -32601, message: 'Method not found' } });
    else {
      const asked = waiting.get(message.id as number);
      waiting.delete(message.id as number);
      if (message.result === undefined) asked?.failed(new Error(JSON.stringify(message.error)));
      else asked?.done(message.result as JsonObject);
    }
  });
  let last = 0;
  const request = (method: string, params: JsonObject): Promise<JsonObject> =>
    new Promise((done, failed) => {
      waiting.set(++last, { done, failed });
      send({ id: last, method, params });
    });
  try {
    const hello = { protocolVersion: LEGACY, capabilities: CAPABILITIES, clientInfo: CLIENT_INFO };
    const begun = await request('initialize', hello);
    send({ method: 'notifications/initialized' });
    const tools: Json[] = [];
    let [cursor, pages]: [Json | undefined, number] = [undefined, 0];
    do {
      const page: JsonObject = await request('tools/list', defined({ cursor }));
      tools.push(...(page.tools as Json[]));
      cursor = page.nextCursor;
      pages++;
    } while (cursor !== undefined && pages < 64);
    const start = Date.now();
    child.stdin.end();
    const late = new Promise<'late'>((done) => setTimeout(() => done('late'), GRACE).unref());
    const end = await Promise.race([exited, late]);
    return { begun, tools, pages, stray, ...(end === 'late' ? {} : { ended: Date.now() - start }) };
  } finally {
    clearTimeout(timer);
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // It and everything that it started have already ended.
    }
    child.stdout.destroy();
  }
};
