import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { claudeHome } from '../state/paths.ts';

export interface TranscriptFile {
  path: string;
  /** The session, derived from the file's path. */
  session: string;
  /** Bytes. */
  size: number;
  /** When it was created, in ms since 1970; when it was last written, where the file system does not know that. */
  born: number;
}

const MOST_FILES = 100_000;
/** How deep folders are searched: in some versions, subagents of subagents have folders of their own. */
const DEEPEST = 3;

/**
 * All transcripts that were written since a time (ms), the oldest first, so that originals come before their copies.
 * @param only the session whose transcripts are wanted
 */
export const transcriptFiles = (
  env: NodeJS.ProcessEnv,
  since: number,
  only?: string,
): { files: TranscriptFile[]; unread: number; overflow: boolean } => {
  const files: TranscriptFile[] = [];
  let [unread, overflow] = [0, false];
  const list = (folder: string): Dirent[] => {
    try {
      return readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') unread += 1;
      return [];
    }
  };
  const take = (path: string, session: string): void => {
    if (files.length >= MOST_FILES) {
      overflow = true;
      return;
    }
    try {
      const { size, birthtimeMs, mtimeMs } = statSync(path);
      // A file not written since then holds nothing new.
      if (mtimeMs >= since) files.push({ path, session, size, born: birthtimeMs || mtimeMs });
    } catch {
      // Just removed by the client.
    }
  };
  const agents = (folder: string, session: string, depth: number): void => {
    for (const entry of list(folder)) {
      const path = join(folder, entry.name);
      if (entry.isFile() && entry.name.endsWith('.jsonl')) take(path, session);
      else if (entry.isDirectory() && depth < DEEPEST) agents(path, session, depth + 1);
    }
  };
  const projects = join(claudeHome(env), 'projects');
  for (const project of list(projects)) {
    // A project's folder may be a link, if a person moved it to another disk; the client makes no links in it.
    if (!project.isDirectory() && !project.isSymbolicLink()) continue;
    const folder = join(projects, project.name);
    for (const entry of list(folder)) {
      const session = entry.isDirectory() ? entry.name : /^(.*)\.jsonl$/.exec(entry.name)?.[1];
      if (session === undefined || (only !== undefined && session !== only)) continue;
      if (entry.isFile()) take(join(folder, entry.name), session);
      else if (entry.isDirectory()) agents(join(folder, entry.name, 'subagents'), session, 0);
    }
  }
  files.sort((a, b) => a.born - b.born || (a.path < b.path ? -1 : 1));
  return { files, unread, overflow };
};
