// A thread of the resident guard.
import { parentPort, threadId } from 'node:worker_threads';
import { countIdsFrom } from '../sources/mcp/ask-list.ts';
import { countFilesFrom } from '../state/files.ts';
import { atWork, type WorkerMessage } from './at-work.ts';

const FIRST = threadId * 1_000_000;
countFilesFrom(FIRST);
countIdsFrom(FIRST);

const say = (said: WorkerMessage): void => parentPort?.postMessage(said);
parentPort?.on('message', atWork(say));
say('ready');
