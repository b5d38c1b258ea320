import { CommandError } from '../command/command.ts';
import { visible } from '../text/visible.ts';

/** What the file system refused, said as a fact about a file instead of as a stack trace. */
export const withFileErrors = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    const { code, path, syscall } = error as NodeJS.ErrnoException;
    if (!(error instanceof Error) || typeof syscall !== 'string') throw error;
    const why: Record<string, string> = {
      EACCES: 'permission denied',
      EPERM: 'not permitted',
      EROFS: 'the file system is read-only',
      ENOSPC: 'no space left',
      ENOTDIR: 'a part of the path is not a folder',
      ELOOP: 'a link that leads nowhere',
    };
    throw new CommandError(
      'file-system',
      `${visible(path ?? 'a file')}: ${why[code ?? ''] ?? code ?? 'failed'} (${syscall})`,
      'Put that right, then run the same command again: it goes on from where it stopped.',
    );
  }
};
