import type { Contract } from '../contract/types.ts';
import { fieldsOf } from './seal.ts';

const SECRET_NAME = /TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|PRIVATE|AUTH(?!OR)/i;
/** Shorter values may be ordinary words, which stand anywhere. */
const SHORTEST = 8;

/**
 * The name of an environment variable whose secret value a contract holds; undefined if there is none. Checked because the
 * lockfile is committed, and a server may put what it was given into its contracts.
 */
export const leakedSecret = (contract: Contract, env: NodeJS.ProcessEnv): string | undefined => {
  const text = JSON.stringify(fieldsOf(contract));
  return Object.entries(env).find(
    ([name, value = '']) =>
      SECRET_NAME.test(name) && value.length >= SHORTEST && text.includes(JSON.stringify(value).slice(1, -1)),
  )?.[0];
};
