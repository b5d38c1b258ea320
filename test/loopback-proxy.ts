// A proxy on loopback that reaches every host at one port of this machine.
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

export interface LoopbackProxy {
  /** With a name and a password. */
  url: string;
  /** What it was asked for, in order: `POST http://mcp.test/mcp`, `CONNECT mcp.test:443`. */
  seen: string[];
  logins: (string | undefined)[];
  /** The status with which it refuses tunnels; 0 for none. */
  refuse: number;
  close(): void;
}

export const startLoopbackProxy = async (port: number): Promise<LoopbackProxy> => {
  const proxy = createServer((asked, answer) => {
    made.seen.push(`${asked.method} ${asked.url}`);
    made.logins.push(asked.headers['proxy-authorization']);
    const { pathname, search } = new URL(asked.url ?? '');
    // A server on loopback accepts no other name.
    const headers = { ...asked.headers, host: `127.0.0.1:${port}` };
    const to = {
      host: '127.0.0.1',
      port,
      agent: false,
      method: asked.method,
      path: pathname + search,
      headers,
    } as const;
    const on = request(to, (got) => {
      answer.writeHead(got.statusCode ?? 500, got.headers);
      got.pipe(answer);
    });
    on.on('error', () => answer.destroy());
    answer.on('close', () => on.destroy());
    asked.pipe(on);
  });
  const made: LoopbackProxy = {
    url: '',
    seen: [],
    logins: [],
    refuse: 0,
    close: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
  proxy.on('connect', (asked, socket) => {
    made.seen.push(`CONNECT ${asked.url}`);
    if (made.refuse > 0) return void socket.end(`HTTP/1.1 ${made.refuse} No\r\n\r\n`);
    const on = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    on.pipe(socket).pipe(on);
    on.on('error', () => socket.destroy());
    socket.on('error', () => on.destroy());
  });
  await new Promise<void>((ready) => proxy.listen(0, '127.0.0.1', ready));
  made.url = `http://us%40er:pa%3Ass@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return made;
};
