import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { optionalDependencies } from '../../../package.json';
import { CommandError } from '../../command/command.ts';

const PACKAGE = '@ast-grep/napi';

export type AstGrep = typeof import('@ast-grep/napi');

/**
 * Loads the parser, which is native and so cannot be part of a bundle. Only from next to our own files: a package in the
 * linted folder would be foreign code.
 */
export const loadAstGrep = (from = import.meta.url): AstGrep => {
  try {
    return createRequire(from)(PACKAGE) as AstGrep;
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
    const version = optionalDependencies[PACKAGE];
    throw new CommandError(
      'no-parser',
      `Linting source needs the package ${PACKAGE}, which ${missing ? 'is not installed here' : 'does not start on this machine'}. ` +
        `Run: npm install --no-save --prefix "${dirname(fileURLToPath(from))}" ${PACKAGE}@${version}`,
      'Linting contracts does not need it.',
    );
  }
};
