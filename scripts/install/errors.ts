import { CommandError } from '../command/command.ts';
import { visible } from '../text/visible.ts';

/** Runs `work`; turns an error of the file system into a CommandError that names the file and the reason. */
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
      'Fix that, then run the same command again: it goes on from where it stopped.',
    );
  }
};
