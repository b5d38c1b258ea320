import type { Contract } from '../contract/types.ts';
import type { NamedSecret } from '../servers/secrets.ts';
import { fieldsOf } from './seal.ts';

/**
 * Where a secret comes from that a contract holds; undefined if it holds none. Checked because the lockfile is committed, and
 * a server may put what it was given into its contracts.
 */
export const leakedSecret = (contract: Contract, secrets: readonly NamedSecret[]): string | undefined => {
  const text = JSON.stringify(fieldsOf(contract));
  return secrets.find(([, value]) => text.includes(JSON.stringify(value).slice(1, -1)))?.[0];
};
