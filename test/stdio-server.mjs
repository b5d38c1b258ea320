// A program that ends if asked anything before `initialize`, as some do. Its tool returns its process ID.
import { createInterface } from 'node:readline';

let begun = false;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const answer = (result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  if (method === 'initialize') {
    begun = true;
    const serverInfo = { name: 'stdio-server', version: '1' };
    answer({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
  } else if (!begun) process.exit(1);
  else if (method === 'tools/list') {
    answer({ tools: [{ name: 'pid', description: String(process.pid), inputSchema: { type: 'object' } }] });
  }
});
