// A hub with a generic invoker, for tests. A file says which servers are behind it, and how it lists their tools.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file] = process.argv.slice(2);
/**
 * { servers: { name: [tool…] }, asText?: boolean, holder?: the invoker's parameter for arguments,
 *   wanted?: what listing tools require,
 *   form: 'all' | 'each' | 'wrapped' | 'loose' | 'tool' | 'schema' | 'named' | 'search' | 'beside' | 'none' }
 */
const now = () => JSON.parse(readFileSync(file, 'utf8'));
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const text = { type: 'string' };
const closed = (properties, required) => ({ type: 'object', properties, required, additionalProperties: false });
const json = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

const tools = ({ servers, form, asText, holder = 'arguments', wanted }) => [
  {
    name: 'mcp_invoke_tool',
    description: 'Calls a tool',
    inputSchema: {
      type: 'object',
      properties: {
        server_name: text,
        tool_name: text,
        [holder]: asText ? { type: 'string', description: 'JSON' } : { type: 'object' },
      },
      required: ['server_name', 'tool_name'],
    },
  },
  ...(form === 'all'
    ? [{ name: 'list_tools', inputSchema: wanted ? closed({ [wanted]: text }, [wanted]) : { type: 'object' } }]
    : []),
  ...(form === 'each' || form === 'wrapped'
    ? [
        { name: 'mcp_list_services', inputSchema: { type: 'object' } },
        { name: 'mcp_get_service_details', inputSchema: closed({ service_name: text }, ['service_name']) },
      ]
    : []),
  // It needs a server's name, but does not declare that.
  ...(form === 'loose'
    ? [{ name: 'listTools', inputSchema: { type: 'object', properties: { serverName: text, verbose: {} } } }]
    : []),
  // For a single tool: its entry in the list, or its schema.
  ...(form === 'tool' || form === 'schema'
    ? [{ name: 'describe_tool', inputSchema: closed({ server: text, tool: text }, ['server', 'tool']) }]
    : []),
  // Without a word about servers.
  ...(form === 'named' ? [{ name: 'describe_tool', inputSchema: closed({ name: text }, ['name']) }] : []),
  ...(form === 'search' ? [{ name: 'search_tools', inputSchema: closed({ query: text }, []) }] : []),
  ...(form === 'beside'
    ? Object.entries(servers).flatMap(([server, list]) =>
        list.map((one) => ({ ...one, name: `${server}.${one.name}` })),
      )
    : []),
  { name: 'hub_version', inputSchema: { type: 'object' } },
];

const failed = (text) => ({ isError: true, content: [{ type: 'text', text }] });

const call = ({ servers, form }, { name, arguments: args = {} }) => {
  if (name === 'list_tools')
    return json(Object.entries(servers).flatMap(([server, list]) => list.map((tool) => ({ server, ...tool }))));
  if (name === 'mcp_list_services') return json({ services: Object.keys(servers).map((one) => ({ name: one })) });
  if (name === 'listTools') return args.serverName ? json({ tools: servers[args.serverName] }) : failed('serverName?');
  const all = Object.values(servers).flat();
  if (name === 'search_tools') return json({ tools: all.filter((one) => one.name.includes(args.query ?? '')) });
  if (name === 'describe_tool' && form === 'named') return json(all.find((one) => one.name === args.name));
  if (name === 'describe_tool') {
    const tool = servers[args.server]?.find((one) => one.name === args.tool);
    return tool ? json(form === 'schema' ? tool.inputSchema : tool) : failed('no such tool');
  }
  if (name === 'mcp_get_service_details' && form === 'wrapped')
    return json({ result: { service: { name: args.service_name, tools: servers[args.service_name] } } });
  if (name === 'mcp_get_service_details') return json({ tools: servers[args.service_name] });
  return { content: [{ type: 'text', text: `${name} ${JSON.stringify(args)}` }] };
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  const hub = now();
  if (method === 'initialize') {
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: 'hub', version: '1' };
    say({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo } });
  } else if (method === 'tools/list') say({ id, result: { tools: tools(hub) } });
  else if (method === 'tools/call') say({ id, result: call(hub, params) });
  else say({ id, error: { code: -32601, message: 'no such method' } });
});
