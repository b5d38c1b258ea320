import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt } from '../contract/attempt.ts';
import { transcriptOf } from './records.ts';

/** The file of a name in a folder or one below it. Follows no links, which can go round in circles. */
const fileBelow = (folder: string, name: string): string | undefined => {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.some((one) => one.name === name)) return join(folder, name);
  for (const one of entries) {
    const found = one.isDirectory() ? fileBelow(join(folder, one.name), name) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * The path of a conversation's transcript, wherever that is: a workflow's subagents have theirs in folders below the one of
 * all others. The fast path does not look there, and so leaves these to the rest of the guard.
 */
export const findTranscript = (input: Parameters<typeof transcriptOf>[0]): string => {
  const path = transcriptOf(input);
  if (input.agent === undefined || path === '' || existsSync(path)) return path;
  // It may not be written yet.
  return attempt(() => fileBelow(dirname(path), basename(path)), undefined) ?? path;
};
