import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { optionalDependencies } from '../../package.json';
import { CommandError } from './command.ts';

type Name = keyof typeof optionalDependencies;

/**
 * Loads a package that is not part of our bundles. Only from next to our own files: one in the working folder would be
 * foreign code.
 * @param from the address of the module that needs it
 * @param words `what` begins the sentence that names the package; `without` says what goes without it
 * @throws CommandError with the command that installs it
 */
export const optionalPackage = <Package>(
  name: Name,
  from: string,
  { code, what, without }: { code: string; what: string; without: string },
): Package => {
  try {
    return createRequire(from)(name) as Package;
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
    throw new CommandError(
      code,
      `${what} the package ${name}, which ${missing ? 'is not installed here' : 'does not start on this machine'}. ` +
        `Run: npm install --no-save --prefix "${dirname(fileURLToPath(from))}" ${name}@${optionalDependencies[name]}`,
      without,
    );
  }
};
