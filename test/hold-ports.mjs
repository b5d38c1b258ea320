// Loaded before each test file. A test that ends a server goes on to call its address and expects that nothing answers there.
// Meanwhile the system may give the port to a server of another test. So a connection of ours keeps each port that a server
// had: no other server gets it, and who connects to it is refused. Only Linux lets the same server take such a port again.
import { connect, createServer, Server } from 'node:net';

const { close } = Server.prototype;
const isServed = process.platform === 'linux';
const other = createServer((socket) => socket.unref()).unref();
if (isServed) other.listen(0, '127.0.0.1');
const occupy = (port) =>
  connect({ port: other.address()?.port ?? 0, host: '127.0.0.1', localAddress: '127.0.0.1', localPort: port })
    .on('error', () => {})
    .unref();

if (isServed)
  Server.prototype.close = function (done) {
    const address = this.address();
    close.call(this, done);
    if (this !== other && typeof address === 'object' && address?.address === '127.0.0.1') occupy(address.port);
    return this;
  };
