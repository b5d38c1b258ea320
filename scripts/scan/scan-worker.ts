// Runs in a separate thread, and reads the transcripts that it gets, one after the other.
import { parentPort } from 'node:worker_threads';
import { scanFile } from './scan-file.ts';
import type { FileScan } from './types.ts';

/** What a thread gets; undefined ends it. */
export type ScanWork = { path: string; born: number } | undefined;
/** What a thread sends: how many more bytes it read, or all results of a file. */
export type ScanMessage = { bytes: number } | { scan: FileScan };

parentPort?.on('message', (work: ScanWork) => {
  if (work === undefined) {
    parentPort?.close();
    return;
  }
  const say = (said: ScanMessage): void => parentPort?.postMessage(said);
  say({ scan: scanFile(work.path, work.born, (bytes) => say({ bytes })) });
});
