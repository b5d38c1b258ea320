// A stdio MCP server that serves the contents of a control file, which it reads for each question.
//   node mcp-server.mjs <control-file> <log-file> [--list-changed]
// control file: {"tools": [...], "reject"?: {"<tool>": "<message of a -32602 error>"}}
// log file, one JSON object per line: {"event":"list"}, {"event":"call","name","arguments"}, {"event":"list_changed"}
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [control, logFile, ...flags] = process.argv.slice(2);
const announces = flags.includes('--list-changed');

const log = (entry) => appendFileSync(logFile, `${JSON.stringify(entry)}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const current = () => JSON.parse(readFileSync(control, 'utf8'));

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: announces ? { listChanged: true } : {} },
    serverInfo: { name: 'konnichiwagwan-fixture', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => {
    log({ event: 'list' });
    return { tools: current().tools };
  },
  'tools/call': ({ name, arguments: args }) => {
    log({ event: 'call', name, arguments: args });
    const message = current().reject?.[name];
    if (message) throw { code: -32602, message };
    return { content: [{ type: 'text', text: `served ${name} ${JSON.stringify(args ?? {})}` }] };
  },
};

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  if (!line.trim()) return;
  const { id, method, params } = JSON.parse(line);
  // Notifications and answers need no answer.
  if (id === undefined || method === undefined) return;
  const handle = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!handle) return send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  try {
    send({ id, result: handle(params ?? {}) });
  } catch (error) {
    send({ id, error: { code: error.code ?? -32603, message: error.message } });
  }
});
// The client ends a server by closing its input, even if the client is killed.
lines.on('close', () => process.exit(0));

if (announces) {
  let known = readFileSync(control, 'utf8');
  setInterval(() => {
    const now = readFileSync(control, 'utf8');
    if (now === known) return;
    known = now;
    log({ event: 'list_changed' });
    send({ method: 'notifications/tools/list_changed' });
  }, 25);
}
