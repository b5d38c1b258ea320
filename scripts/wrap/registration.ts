// Where the guard finds a wrap: a socket, and a file in the state folder that names it.
import { chmodSync, existsSync, mkdtempSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { digestOf } from '../state/digest.ts';
import { makeFolder } from '../state/files.ts';
import { remove } from '../state/in-use.ts';
import { sessionsPath, wrapFolder } from '../state/paths.ts';
import { announceWrap, type RunningWrap } from '../state/wraps.ts';

/** The longest address of a socket that systems accept, in bytes. */
const LONGEST_ADDRESS = 100;
const OWN_FOLDER = 'kwg-wrap-';
const MOST_CONNECTIONS = 16;
/** How long we keep checking whether the guard is at work, in ms; after that, once per call. */
const LONGEST_WAIT = 30_000;

/** The socket's path: in our folder, or in a temporary one if that path is too long. */
const addressIn = (folder: string): string => {
  if (process.platform === 'win32')
    return `\\\\.\\pipe\\konnichiwagwan-${process.pid}-${digestOf(folder).slice(0, 16)}`;
  const near = join(folder, 's');
  return Buffer.byteLength(near) <= LONGEST_ADDRESS ? near : join(mkdtempSync(join(tmpdir(), OWN_FOLDER)), 's');
};

/**
 * Registers this process with the guard of a state folder. Writes nothing but into a folder of its own in there, and that
 * only where the guard has been at work.
 */
export class WrapRegistration {
  readonly #folder: string;
  readonly #close = (): void => this.close();
  #server: Server | undefined;
  #wrap: RunningWrap | undefined;

  /** @param connected called with each connection of the guard */
  constructor(
    private readonly home: string,
    private readonly about: Pick<RunningWrap, 'session' | 'project' | 'words'>,
    private readonly connected: (socket: Socket) => void,
  ) {
    this.#folder = wrapFolder(home, process.pid);
    this.#publishSoon(50);
  }

  /** What is registered; undefined as long as there is no guard. */
  get wrap(): RunningWrap | undefined {
    return this.#wrap;
  }

  /** Our folder, for as long as it is there. */
  get folder(): string | undefined {
    return existsSync(this.#folder) ? this.#folder : undefined;
  }

  /** In its first session, the guard may begin after us. */
  #publishSoon(ms: number): void {
    this.publish();
    if (this.#wrap === undefined && ms < LONGEST_WAIT) setTimeout(() => this.#publishSoon(ms * 2), ms).unref();
  }

  /** Does nothing once it is done, or as long as there is no guard. */
  publish(): void {
    if (this.#wrap !== undefined || !existsSync(sessionsPath(this.home))) return;
    try {
      // Left by a process that had our id before.
      remove(this.#folder);
      makeFolder(this.#folder);
      this.#listen(addressIn(this.#folder));
      process.once('exit', this.#close);
    } catch {
      // The folder is not writable: judge as if there were no guard.
    }
  }

  #listen(socket: string): void {
    const server = createServer(this.connected);
    this.#server = server;
    server.maxConnections = MOST_CONNECTIONS;
    server.on('error', () => {});
    const wrap = { pid: process.pid, parent: process.ppid, ...this.about, socket, began: Date.now() };
    this.#wrap = wrap;
    server.listen(socket, () => {
      try {
        if (process.platform !== 'win32') chmodSync(socket, 0o600);
        announceWrap(this.home, wrap);
      } catch {
        // The folder is no longer writable.
      }
    });
    server.unref();
  }

  /** Makes the guard ask us before it judges the next call. */
  again(): void {
    try {
      if (this.#wrap !== undefined && this.folder !== undefined) announceWrap(this.home, this.#wrap);
    } catch {
      // See above.
    }
  }

  /** Removes everything that was written. */
  close(): void {
    process.off('exit', this.#close);
    try {
      this.#server?.close();
      remove(this.#folder);
      const aside = this.#wrap && dirname(this.#wrap.socket);
      if (aside?.startsWith(join(tmpdir(), OWN_FOLDER))) remove(aside);
    } catch {
      // The next session's start removes the folder, though not a temporary one.
    }
  }
}
