// An MCP server that floods: `stream` sends its stream of events in chunks of one byte, `answers` does so with the answers
// to later questions; `lists` changes many large tools again and again. Runs as a separate process, so that the test's
// clock goes on. Prints its port.
import { createServer } from 'node:net';

const [, , how] = process.argv;
const TOOL = {
  name: 'weather',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const chunk = (text) => `${text.length.toString(16)}\r\n${text}\r\n`;
const begin = (kind) => `HTTP/1.1 200 OK\r\ncontent-type: ${kind}\r\ntransfer-encoding: chunked\r\n\r\n`;
const EVENTS = Buffer.from((chunk(`\n\ndata: ${'x'.repeat(60_000)}`) + chunk(':').repeat(4_000)).repeat(8));
const BLANKS = Buffer.from(chunk(' ').repeat(200_000));
const CHANGED = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n';
const streams = new Set();
let lists = 0;

/** The answer to `tools/list`, about 6 MB; made beforehand, so that it can be sent at once. */
const large = (version) => {
  const properties = (at) =>
    Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `p${n}_${version}`,
        { type: 'string', description: `${at} ${n}`.repeat(20) },
      ]),
    );
  return Array.from({ length: 1_000 }, (_, at) => ({
    name: at === 0 ? 'weather' : `t${at}`,
    inputSchema: { type: 'object', properties: properties(at) },
  }));
};
const LARGE = how === 'lists' ? [0, 1].map((version) => JSON.stringify(large(version))) : [];

setInterval(() => {
  if (how !== 'stream') for (const stream of streams) stream.write(chunk(CHANGED));
}, 300);

/** Writes as long as the other side reads. */
const flood = (socket, bytes) => {
  while (!socket.destroyed) if (!socket.write(bytes)) return socket.once('drain', () => flood(socket, bytes));
};

createServer((socket) => {
  let text = '';
  socket.on('error', () => {});
  const answer = (id, result, more = '') => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, result });
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${more}content-length: ${body.length}\r\n\r\n${body}`,
    );
  };
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      const length = Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      const [head, body] = [text.slice(0, end), text.slice(end + 4, end + 4 + length)];
      text = text.slice(end + 4 + length);
      const { id, method } = body === '' ? {} : JSON.parse(body);
      if (head.startsWith('GET')) {
        socket.write(begin('text/event-stream'));
        if (how === 'stream') flood(socket, EVENTS);
        else streams.add(socket.on('close', () => streams.delete(socket)));
      } else if (method === 'initialize') {
        const capabilities = { tools: { listChanged: true } };
        const result = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'x', version: '1' } };
        answer(id, result, `mcp-session-id: s${Math.random()}\r\n`);
      } else if (method === 'tools/list' && ++lists > 3 && how === 'answers') {
        socket.write(begin('application/json'));
        flood(socket, BLANKS);
      } else if (method === 'tools/list' && how === 'lists') {
        const answered = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":${LARGE[lists % 2]}}}`;
        const head = `content-type: application/json\r\ncontent-length: ${answered.length}`;
        socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${answered}`);
      } else if (method === 'tools/list') answer(id, { tools: [TOOL] });
      else if (id === undefined) socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n');
      else socket.write('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
    }
  });
}).listen(0, '127.0.0.1', function () {
  process.stdout.write(`${this.address().port}\n`);
});
