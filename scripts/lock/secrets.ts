import type { Contract } from '../contract/types.ts';
import type { Launch } from '../servers/types.ts';
import { fieldsOf } from './seal.ts';

const SECRET_NAME = /TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|PRIVATE|AUTH(?!OR)|AUTHORIZATION|COOKIE/i;
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

/** What a server is started or asked with, as variables: of a header the part after its scheme. */
export const secretsOf = (launch: Launch): NodeJS.ProcessEnv => {
  if (launch.type === 'other') return {};
  if (launch.type === 'stdio') return launch.env;
  const headers = Object.entries(launch.headers);
  return Object.fromEntries(headers.map(([name, value]) => [name, value.replace(/^\w+ +/, '')]));
};
