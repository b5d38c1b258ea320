import type { Contract } from '../contract/types.ts';
import type { NamedSecret } from '../servers/secrets.ts';
import { fieldsOf } from './seal.ts';

/**
 * The origin of a secret in a contract; undefined if it holds none. Checked because the lockfile is committed, and a server
 * may put secrets that it was given into its contracts.
 */
export const leakedSecret = (contract: Contract, secrets: readonly NamedSecret[]): string | undefined => {
  const text = JSON.stringify(fieldsOf(contract));
  return secrets.find(([, value]) => text.includes(JSON.stringify(value).slice(1, -1)))?.[0];
};
