import { parentPort, Worker } from 'node:worker_threads';

/** In ms. What is not played by then is left out, so that the test also ends on a slow machine. */
export const LONGEST_PLAY = 8 * 60_000;

/** Called in the thread: tells the test how many histories were played. */
export const played = (count: number): void => parentPort?.postMessage(count);

/**
 * Runs a test file once more, in a thread, where it has to play what is long instead of declaring tests: node:test keeps a
 * record of every promise, which takes a quarter of the time. Throws what the thread throws.
 * @param file the file's `import.meta.url`
 * @returns what the thread gave to `played`
 */
export const inThread = (file: string): Promise<number> =>
  new Promise((done, fail) => {
    // Without this process's flags. Random tests create many short-lived objects.
    const thread = new Worker(new URL(file), { execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 48 } });
    let count = 0;
    thread.on('message', (given: number) => {
      count = given;
    });
    thread.on('error', fail);
    thread.on('exit', (code) => (code === 0 ? done(count) : fail(new Error(`the thread ended with ${code}`))));
  });
