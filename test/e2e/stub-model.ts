// Plays the model: a scripted stub of the Messages API on loopback.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defined } from '../../scripts/contract/defined.ts';

export type Json = { [key: string]: unknown };
type ToolUse = { tool: string; input?: Json };
export type Answer = {
  text?: string;
  tool?: string | undefined;
  input?: Json;
  tools?: ToolUse[];
  /** How long the model "thinks". */
  delayMs?: number;
  /** Runs after the request was recorded and before the answer: here a test can change things between two calls. */
  before?: (() => unknown) | undefined;
};
type Step = Answer | ((body: RequestBody) => Answer | Promise<Answer>);

export type Block = { type: string; text?: string; content?: unknown; is_error?: boolean; tool_use_id?: string };
type Message = { role: string; content: string | Block[] };
type ShownTool = { name: string; description?: string; input_schema?: Json };
export type RequestBody = {
  model: string;
  stream?: boolean;
  system?: unknown;
  tools?: ShownTool[];
  messages: Message[];
};
/** `agent`: the subagent that asks; the main conversation has none. */
export type ModelRequest = { url: string; agent?: string; body: RequestBody; main: boolean };
export type Script = Step[] | { main: Step[]; subagents: Step[] };

export type StubModel = {
  url: string;
  /** All requests, including side requests (titles, summaries). */
  all: ModelRequest[];
  /** The turns of a conversation, including those of subagents: only these take a step. */
  requests: ModelRequest[];
  /** What went wrong in a step; the client itself would only retry. */
  errors: unknown[];
  close(): Promise<void>;
};

// The client flushes its transcript some 100 ms after a request: no real model answers before that, so neither do we.
const thinkingMs = 400;

export async function startStubModel(script: Script): Promise<StubModel> {
  const all: ModelRequest[] = [];
  const requests: ModelRequest[] = [];
  const errors: unknown[] = [];
  // A subagent may run in the background, so that its turns and the main ones come in any order: two scripts.
  const left = Array.isArray(script)
    ? { main: [...script], subagents: [] }
    : { main: [...script.main], subagents: [...script.subagents] };
  let ids = 0;

  async function answer(req: IncomingMessage, res: ServerResponse) {
    const raw = await read(req);
    const url = req.url ?? '';
    if (url.includes('/count_tokens')) return json(res, 200, { input_tokens: 100 });
    if (req.method !== 'POST' || !url.startsWith('/v1/messages'))
      return json(res, req.method === 'HEAD' ? 200 : 404, {});
    const body = JSON.parse(raw) as RequestBody;
    const main = Boolean(body.tools?.length);
    const agent = req.headers['x-claude-code-agent-id'];
    const request = { url, ...defined({ agent: agent?.toString() }), body, main };
    all.push(request);
    if (!main) return send(res, body, { text: 'side' }, `msg_side_${++ids}`);
    requests.push(request);
    const step = (agent ? left.subagents : left.main).shift() ?? { text: 'done' };
    const chosen = typeof step === 'function' ? await step(body) : step;
    // Both at once, so that `before` does not make the model slower.
    await Promise.all([sleep(chosen.delayMs ?? thinkingMs), chosen.before?.()]);
    send(res, body, chosen, `msg_${++ids}`);
  }

  const server = createServer((req, res) => {
    answer(req, res).catch((error) => {
      errors.push(error);
      // 400: the client does not retry it.
      json(res, 400, { type: 'error', error: { type: 'invalid_request_error', message: String(error) } });
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    all,
    requests,
    errors,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

// Unique among all runs of this process: a resumed conversation keeps the IDs of the first one.
let toolUses = 0;

function send(res: ServerResponse, body: RequestBody, answer: Answer, id: string) {
  const uses = answer.tools ?? (answer.tool ? [{ tool: answer.tool, input: answer.input }] : []);
  const content = [
    ...(answer.text !== undefined || !uses.length ? [{ type: 'text' as const, text: answer.text ?? 'done' }] : []),
    ...uses.map(({ tool, input }) => ({ type: 'tool_use' as const, id: toolUseId(), name: tool, input: input ?? {} })),
  ];
  const stop_reason = uses.length ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: 50, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 };
  const message = { id, type: 'message', role: 'assistant', model: body.model, stop_sequence: null, usage };
  if (!body.stream) return json(res, 200, { ...message, content, stop_reason });

  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const event = (type: string, data: Json) =>
    res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  event('message_start', { message: { ...message, content: [], stop_reason: null } });
  content.forEach((block, index) => {
    const [empty, delta] =
      block.type === 'text'
        ? [
            { type: 'text', text: '' },
            { type: 'text_delta', text: block.text },
          ]
        : [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
          ];
    event('content_block_start', { index, content_block: empty });
    event('content_block_delta', { index, delta });
    event('content_block_stop', { index });
  });
  event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } });
  event('message_stop', {});
  res.end();
}

function toolUseId(): string {
  toolUses += 1;
  return `toolu_${process.pid}_${String(toolUses).padStart(4, '0')}`;
}

function json(res: ServerResponse, status: number, data: Json) {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(data));
}

async function read(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

/** The tool results in a request, in order: what the model learns about its last calls. */
export function toolResults(body: RequestBody | undefined): { text: string; isError: boolean }[] {
  const blocks =
    body?.messages.flatMap((message) => (typeof message.content === 'string' ? [] : message.content)) ?? [];
  return blocks
    .filter((block) => block.type === 'tool_result')
    .map((block) => ({ text: plain(block.content), isError: block.is_error === true }));
}

/** All text of a message or a block's content. */
export function plain(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(plain).join('\n');
  if (content && typeof content === 'object') {
    const block = content as Block;
    return plain(block.text ?? block.content ?? '');
  }
  return '';
}
