// Runs programs one after another in this process, which is forked: what they load stays loaded, and takes no second start. A
// message names a program with its arguments and variables; the answer is what it printed and its exit code.
import { pathToFileURL } from 'node:url';

class Ended extends Error {}

let count = 0;
/** What is printed after a program has ended belongs to none. */
let ran = {};

const end = (code) => {
  ran.code ??= code ?? process.exitCode ?? 0;
};

for (const name of ['stdout', 'stderr'])
  process[name].write = (text, encoding, written = encoding) => {
    if (ran.code === undefined) ran[name] += text;
    if (typeof written === 'function') process.nextTick(written);
    return true;
  };
process.exit = (code) => {
  end(code);
  throw new Ended();
};
const fail = (error) => {
  if (error instanceof Ended) return;
  process.stderr.write(`${error?.stack ?? error}\n`);
  end(1);
};
for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, fail);

process.on('message', ({ file, args, env }) => {
  // Without the channel, Node says when nothing is left to be done.
  process.channel.unref();
  ran = { stdout: '', stderr: '' };
  process.exitCode = undefined;
  process.env = env;
  process.argv = [process.execPath, file, ...args];
  import(`${pathToFileURL(file)}?${++count}`).catch(fail);
});
process.on('beforeExit', () => {
  end();
  process.channel.ref();
  process.send(ran);
});
