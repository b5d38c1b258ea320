import { contractHash } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { readLabel } from '../contract/label.ts';
import { nearNames } from '../contract/near-name.ts';
import type { Contract } from '../contract/types.ts';
import type { FoundChange } from '../diff/types.ts';
import { plainName } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { NOT_CONFIGURED, type Offer } from './offers.ts';
import { refusalText } from './refused.ts';
import type { Verified } from './verify.ts';

/** A tool that a job needs. `pin`: the hash of its contract, or how that begins. */
export interface Requirement {
  server: string;
  tool: string;
  pin?: string;
}

/** `approved`: matches its pin. `there`: listed, and nothing says what it should be. */
type RequiredState = 'approved' | 'there' | 'missing' | 'refused' | 'changed' | 'unchecked';

export interface Required extends Requirement {
  state: RequiredState;
  why?: Shown;
  changes: FoundChange[];
}

/** Whether a text is the hash of a contract, or how one begins. */
export const isPin = (text: string): boolean => /^[0-9a-f]{12,64}$/.test(text);

/**
 * What `SERVER/TOOL` or `SERVER/TOOL@PIN` asks for; undefined if it is neither. A slash in a name is written `~1`. What
 * follows the last `@` is meant as a pin, and may not be one: taken as a part of the tool's name, the tool would be missing.
 */
export const readRequirement = (text: string): Requirement | undefined => {
  const { server, tool: rest = '' } = readLabel(text);
  const [, tool = '', pin] = /^(.+?)(?:@([^@]*))?$/s.exec(rest) ?? [];
  return server === '' || tool === '' ? undefined : { server, tool, ...defined({ pin }) };
};

const ofContract = ({ pin, tool }: Requirement, contract: Contract, pinned: Verified | undefined, hasLock: boolean) => {
  const refused = pinned?.refused.get(tool);
  if (refused !== undefined) return { state: 'refused', why: refusalText(refused) } as const;
  if (pin !== undefined) {
    const hash = contractHash(contract);
    if (hash.startsWith(pin)) return { state: 'approved' } as const;
    return {
      state: 'changed',
      why: say`its contract is ${visible(hash.slice(0, 12))}, not ${visible(pin.slice(0, 12))}`,
    } as const;
  }
  // No lockfile, and no pin: nothing says what it should be.
  if (!hasLock) return { state: 'there' } as const;
  const changes = pinned?.changes.filter((change) => change.tool === tool) ?? [];
  if (changes.length > 0) return { state: 'changed', why: say`it is not as it was approved`, changes } as const;
  if (pinned?.pinned.some(({ name }) => name === tool)) return { state: 'approved' } as const;
  return { state: 'changed', why: say`no person approved it: it is not in the lockfile` } as const;
};

/**
 * Compares what a job needs with what servers offer.
 * @param verified the servers compared with the lockfile; undefined without a lockfile
 */
export const checkRequired = (
  wanted: readonly Requirement[],
  offers: ReadonlyMap<string, Offer>,
  verified: readonly Verified[] | undefined,
): Required[] =>
  wanted.map((one): Required => {
    const offer = offers.get(one.server) ?? NOT_CONFIGURED;
    if (!('tools' in offer)) return { ...one, state: 'unchecked', why: visible(offer.why, { max: 500 }), changes: [] };
    const contract = offer.tools.find(({ name }) => name === one.tool);
    if (contract === undefined) {
      const [near] = nearNames(
        one.tool,
        offer.tools.map(({ name }) => name),
      );
      const hint = near === undefined ? say`` : say`; did you mean ${plainName(near)}?`;
      return { ...one, state: 'missing', why: say`${plainName(one.server)} lists no such tool${hint}`, changes: [] };
    }
    const pinned = verified?.find(({ server }) => server === one.server);
    return { ...one, changes: [], ...ofContract(one, contract, pinned, verified !== undefined) };
  });
