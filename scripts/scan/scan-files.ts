import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { TranscriptFile } from '../transcript/transcript-files.ts';
import { scanFile } from './scan-file.ts';
import type { ScanMessage, ScanWork } from './scan-worker.ts';
import type { FileScan } from './types.ts';

/** From this size on, in bytes, starting threads pays. */
const WORTH_THREADS = 24 * 1024 * 1024;
const MOST_THREADS = 4;

/** Reads the files with several threads, the largest first, so that none of them is alone at the end. */
const withThreads = (
  files: readonly TranscriptFile[],
  threads: number,
  progress: (bytes: number) => void,
): Promise<FileScan[]> => {
  const waiting = [...files].sort((a, b) => a.size - b.size);
  const scans: FileScan[] = [];
  const one = (): Promise<void> =>
    new Promise((done, fail) => {
      const worker = new Worker(join(__dirname, 'scan-worker.cjs'));
      const next = (): void => {
        const file = waiting.pop();
        worker.postMessage((file && { path: file.path, born: file.born }) satisfies ScanWork);
      };
      worker.on('message', (said: ScanMessage) => {
        if ('bytes' in said) progress(said.bytes);
        else {
          scans.push(said.scan);
          next();
        }
      });
      worker.on('error', fail);
      worker.on('exit', () => done());
      next();
    });
  return Promise.all(Array.from({ length: threads }, one)).then(() => scans);
};

/** Reads transcripts. Calls `progress` with how many more bytes were read. */
export const scanFiles = async (
  files: readonly TranscriptFile[],
  progress: (bytes: number) => void,
): Promise<FileScan[]> => {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const threads = Math.min(MOST_THREADS, availableParallelism(), files.length);
  if (threads > 1 && bytes > WORTH_THREADS) return withThreads(files, threads, progress);
  return files.map(({ path, born }) => scanFile(path, born, progress));
};
