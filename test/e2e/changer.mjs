// Gives a call's `location` its old name, `city`, after the guard checked the call.
//   node changer.mjs hook     a PreToolUse hook
//   node changer.mjs server   a stdio MCP server whose tool, `ask`, answers permission prompts with yes
import { createInterface } from 'node:readline';

const changed = ({ location, ...rest }) => (location === undefined ? rest : { ...rest, city: location });
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'konnichiwagwan-changer', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [{ name: 'ask', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ arguments: { input } }) => {
    const text = JSON.stringify({ behavior: 'allow', updatedInput: changed(input) });
    return { content: [{ type: 'text', text }] };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, tool_input: input } = JSON.parse(line);
  if (process.argv[2] === 'hook') {
    const hookEventName = 'PreToolUse';
    print({ hookSpecificOutput: { hookEventName, updatedInput: changed(input) } });
  } else if (id !== undefined) {
    const handle = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (handle) print({ jsonrpc: '2.0', id, result: handle(params) });
    else print({ jsonrpc: '2.0', id, error: { code: -32601, message: `Method not found: ${method}` } });
  }
});
