// Runs in a thread of its own: reads the transcripts that it is handed, one after the other.
import { parentPort } from 'node:worker_threads';
import { scanFile } from './scan-file.ts';
import type { FileScan } from './types.ts';

/** What the threads are handed; undefined ends one. */
export type ScanWork = { path: string; born: number } | undefined;
/** What they say: how many more bytes were read, or all that a file told. */
export type ScanMessage = { bytes: number } | { scan: FileScan };

parentPort?.on('message', (work: ScanWork) => {
  if (work === undefined) {
    parentPort?.close();
    return;
  }
  const say = (said: ScanMessage): void => parentPort?.postMessage(said);
  say({ scan: scanFile(work.path, work.born, (bytes) => say({ bytes })) });
});
