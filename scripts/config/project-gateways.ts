// Gateways that a project's settings name. Anyone who writes to the repository chooses them, so each is asked only after the
// user agreed to its address, once for this project; a no is remembered, too.
import { isObject, own } from '../contract/types.ts';
import { realFolder } from '../servers/folder.ts';
import { readObject } from '../servers/read.ts';
import { digestOf } from '../state/digest.ts';
import { writeAtomic } from '../state/files.ts';
import { inState } from '../state/paths.ts';
import type { GatewayConfig } from './settings.ts';

/** What a project may say about a gateway: no headers, which hold credentials, and none of the user's variables. */
export type ProjectGateway = Pick<GatewayConfig, 'url' | 'servers' | 'timeout'>;

const LARGEST = 1024 * 1024;
const MOST_PROJECTS = 500;

const pathOf = (home: string): string => inState(home, 'agreed.json');

const keyOf = (project: string): string => digestOf(realFolder(project)).slice(0, 24);

const readAgreed = (home: string): Record<string, unknown> => {
  const read = readObject(pathOf(home), LARGEST);
  return read.status === 'read' ? read.value : {};
};

/** Whether a gateway is asked about no server beyond those of an answer: names, or `all`. An older answer names none. */
const isWithin = ({ servers }: ProjectGateway, agreed: unknown): boolean =>
  agreed === 'all' || (Array.isArray(agreed) && servers?.every((one) => agreed.includes(one)) === true);

/** The user's answer about a gateway, which holds only for this address and these servers. Undefined: not asked yet. */
export const agreedTo = (home: string, project: string, name: string, gateway: ProjectGateway): boolean | undefined => {
  const said = own(own(readAgreed(home), keyOf(project)), name);
  if (!isObject(said) || said.url !== gateway.url) return undefined;
  // A no is to the address, whatever it would be asked about.
  if (said.agreed !== true) return false;
  return isWithin(gateway, said.servers) ? true : undefined;
};

/** Remembers the user's answer. @throws if it cannot be written */
export const rememberAgreed = (
  home: string,
  project: string,
  name: string,
  gateway: ProjectGateway,
  agreed: boolean,
): void => {
  const key = keyOf(project);
  const { [key]: known, ...others } = readAgreed(home);
  const answer = { url: gateway.url, servers: gateway.servers ?? 'all', agreed, at: new Date().toISOString() };
  const mine = { ...(isObject(known) ? known : {}), [name]: answer };
  const kept = Object.entries(others).slice(1 - MOST_PROJECTS);
  writeAtomic(pathOf(home), JSON.stringify(Object.fromEntries([...kept, [key, mine]])));
};
