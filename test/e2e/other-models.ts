// Plays the model of hosts other than Claude Code: scripted stubs of three APIs, on loopback.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './stub-model.ts';

export type Dialect = 'responses' | 'chat' | 'gemini';

/** What the model says in one turn: a call, or a text. `before` runs first, after the request was recorded. */
export interface Turn {
  /** The tool's name as this host spells it, and the namespace if the API has those. */
  call?: { name: string; namespace?: string; input: Json };
  before?: (() => unknown) | undefined;
}

export interface OtherModel {
  url: string;
  /** The bodies of the requests that took a turn: what the model was shown. */
  requests: Json[];
  close(): Promise<void>;
}

interface Spoken {
  /** Whether a request takes a turn; titles, summaries and counts do not. */
  isTurn(url: string, body: Json): boolean;
  /** Answers a request: with this turn, or with any text. */
  answer(response: ServerResponse, turn: Turn, body: Json, url: string): void;
}

let ids = 0;
const newId = (): string => `call_${process.pid}_${ids++}`;

const events = (response: ServerResponse, lines: string[]): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(lines.map((line) => `${line}\n\n`).join(''));
};
const plainJson = (response: ServerResponse, body: Json, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
const hasTools = ({ tools }: Json): boolean => Array.isArray(tools) && tools.length > 0;

const DIALECTS: Record<Dialect, Spoken> = {
  responses: {
    isTurn: (url) => url.endsWith('/responses'),
    answer: (response, { call }) => {
      const id = newId();
      const usage = {
        input_tokens: 1,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 1,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 2,
      };
      const item = call
        ? {
            type: 'function_call',
            id: `f${id}`,
            call_id: id,
            name: call.name,
            ...(call.namespace ? { namespace: call.namespace } : {}),
            arguments: JSON.stringify(call.input),
          }
        : { type: 'message', id: `m${id}`, role: 'assistant', content: [{ type: 'output_text', text: 'done' }] };
      const event = (type: string, data: Json): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}`;
      events(response, [
        event('response.created', { response: { id } }),
        event('response.output_item.done', { output_index: 0, item }),
        event('response.completed', { response: { id, usage } }),
      ]);
    },
  },
  chat: {
    isTurn: (url, body) => url.endsWith('/chat/completions') && hasTools(body),
    answer: (response, { call }, body, url) => {
      if (!url.endsWith('/chat/completions')) return plainJson(response, {}, 404);
      const id = newId();
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const message = call
        ? {
            role: 'assistant',
            content: null,
            tool_calls: [
              { index: 0, id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.input) } },
            ],
          }
        : { role: 'assistant', content: 'done' };
      const finish_reason = call ? 'tool_calls' : 'stop';
      const base = { id: `c${id}`, created: 1, model: 'stub' };
      if (!body.stream) {
        const choices = [{ index: 0, message, finish_reason }];
        return plainJson(response, { ...base, object: 'chat.completion', choices, usage });
      }
      const chunk = (choice: Json, more: Json = {}): string => {
        const choices = [{ index: 0, ...choice }];
        return `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices, ...more })}`;
      };
      const parts = [chunk({ delta: message, finish_reason: null }), chunk({ delta: {}, finish_reason }, { usage })];
      events(response, [...parts, 'data: [DONE]']);
    },
  },
  gemini: {
    isTurn: (url, { tools }) =>
      /:(?:stream)?generateContent/i.test(url) &&
      Array.isArray(tools) &&
      tools.some((tool: Json) => Array.isArray(tool.functionDeclarations) && tool.functionDeclarations.length > 0),
    answer: (response, { call }, _body, url) => {
      if (url.includes('countTokens')) return plainJson(response, { totalTokens: 1 });
      if (!/generateContent/i.test(url)) return plainJson(response, {}, 404);
      const part = call
        ? { functionCall: { name: call.name, args: call.input }, thoughtSignature: 'c3R1Yg==' }
        : { text: 'done' };
      const answer = {
        candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
        modelVersion: 'stub',
      };
      if (url.includes('streamGenerateContent')) events(response, [`data: ${JSON.stringify(answer)}`]);
      else plainJson(response, answer);
    },
  },
};

const read = async (request: IncomingMessage): Promise<Json> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json;
  } catch {
    return {};
  }
};

/** After the last turn the model says that it is done. */
export const startOtherModel = async (dialect: Dialect, turns: readonly Turn[]): Promise<OtherModel> => {
  const { isTurn, answer } = DIALECTS[dialect];
  const requests: Json[] = [];
  const server = createServer(async (request, response) => {
    const body = await read(request);
    const url = request.url ?? '';
    const turn = isTurn(url, body) ? turns[requests.push(body) - 1] : undefined;
    await turn?.before?.();
    answer(response, turn ?? {}, body, url);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
};
