import type { Contract } from '../contract/types.ts';
import { secretVariables } from '../servers/secrets.ts';
import { fieldsOf } from './seal.ts';

/**
 * The name of an environment variable whose secret value a contract holds; undefined if there is none. Checked because the
 * lockfile is committed, and a server may put what it was given into its contracts.
 */
export const leakedSecret = (contract: Contract, env: NodeJS.ProcessEnv): string | undefined => {
  const text = JSON.stringify(fieldsOf(contract));
  return secretVariables(env).find(([, value]) => text.includes(JSON.stringify(value).slice(1, -1)))?.[0];
};
