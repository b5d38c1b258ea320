import { canonical, contractHash, sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import type { Contract, Json, JsonObject } from '../contract/types.ts';
import type { Approved, Pin, Refused, Removed } from './types.ts';

/** A contract without its `extra` fields. */
export const bare = ({ extra: _extra, ...contract }: Contract): Contract => contract;

/** A contract's fields as in the lockfile, where its name is the key. */
export const fieldsOf = ({ name: _name, extra: _extra, ...fields }: Contract): JsonObject => fields as JsonObject;

const sealOf = (server: string, tool: string, { hash, contract, approved, earlier }: Omit<Pin, 'seal'>): string =>
  sha256(
    canonical({
      server,
      tool,
      hash,
      contract: fieldsOf(contract),
      ...defined({
        approved: approved as unknown as Json | undefined,
        earlier: earlier as unknown as Json | undefined,
      }),
    }),
  );

const sealOfEntry = (server: string, tool: string, kind: 'removed' | 'refused', entry: object): string =>
  sha256(canonical({ server, tool, [kind]: entry as unknown as Json }));

export const makeRemoved = (server: string, tool: string, removed: Omit<Removed, 'seal'>): Removed => ({
  ...removed,
  seal: sealOfEntry(server, tool, 'removed', removed),
});

export const makeRefused = (server: string, tool: string, refused: Omit<Refused, 'seal'>): Refused => ({
  ...refused,
  seal: sealOfEntry(server, tool, 'refused', refused),
});

/** A sealed pin for a tool's live contract. `approved`: absent for a first contact without an approval. */
export const makePin = (server: string, live: Contract, approved?: Approved, earlier?: Approved[]): Pin => {
  const contract = bare(live);
  const pin = { contract, hash: contractHash(contract), ...defined({ approved, earlier }) };
  return { ...pin, seal: sealOf(server, contract.name, pin) };
};

const UNFIT = 'its seal does not fit what it holds';

/** Why a pin must have been edited by hand; undefined if hash and seal are right. */
export const editedPin = (server: string, tool: string, pin: Pin): string | undefined => {
  if (contractHash(pin.contract) !== pin.hash) return 'its hash is not that of its contract';
  return sealOf(server, tool, pin) === pin.seal ? undefined : UNFIT;
};

/** The same for what is left of a pin that was removed. */
export const editedRemoval = (server: string, tool: string, { seal, ...removed }: Removed): string | undefined =>
  sealOfEntry(server, tool, 'removed', removed) === seal ? undefined : UNFIT;

/** The same for a refusal. It holds nevertheless. */
export const editedRefusal = (server: string, tool: string, refusal: Refused): string | undefined => {
  const { seal, where: _, ...refused } = refusal;
  return sealOfEntry(server, tool, 'refused', refused) === seal ? undefined : UNFIT;
};
