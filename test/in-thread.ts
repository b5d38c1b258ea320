import { Worker } from 'node:worker_threads';

/**
 * Runs a test file once more, in a thread, where it has to play what is long instead of declaring tests: node:test keeps a
 * record of every promise, which takes a quarter of the time. Throws what the thread throws.
 * @param file the file's `import.meta.url`
 */
export const inThread = (file: string): Promise<void> =>
  new Promise((done, fail) => {
    // Without this process's flags. Random tests create many short-lived objects.
    const thread = new Worker(new URL(file), { execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 48 } });
    thread.on('error', fail);
    thread.on('exit', (code) => (code === 0 ? done() : fail(new Error(`the thread ended with ${code}`))));
  });
