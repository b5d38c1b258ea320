// A server that is far away: a relay on loopback that delays everything, as a long line does.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Starts a relay to a port on loopback; a round trip through it takes `ms`, and so does connecting. */
export const startRelay = async (target: number, ms: number): Promise<{ port: number; close: () => void }> => {
  const open = new Set<Socket>();
  const later = (work: () => void, delay: number): void => void setTimeout(work, delay);
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    const pass = (from: Socket, to: Socket, begun: number): void => {
      from.on('data', (chunk) => later(() => to.write(chunk), Math.max(begun - performance.now(), 0) + ms / 2));
      from.on('end', () => later(() => to.end(), ms / 2));
      from.on('error', () => to.destroy());
      from.on('close', () => open.delete(from));
      open.add(from);
    };
    pass(near, far, performance.now() + ms);
    pass(far, near, 0);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
};
