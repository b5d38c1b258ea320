// A call as people look back at it: the contract it was judged by, its arguments, and the verdict. Without secrets.
import { contractHash } from '../contract/canonical.ts';
import { withoutProse } from '../contract/prose.ts';
import { type Contract, isObject, type Json } from '../contract/types.ts';
import { Redactor, withoutNamed } from '../servers/secrets.ts';
import type { TracedCall } from '../state/call-trace.ts';
import { modelView } from '../transcript/model-view.ts';
import { type Assessment, liveContract } from './assessment.ts';
import type { ToolInput } from './input.ts';

const STRENGTH = ['notice', 'ask', 'deny'];

/** The stricter decision of freshness and trust. */
export const decisionOf = (found: Assessment): string => {
  const { trust } = found;
  const fresh = found.verdict === 'judged' ? found.judgement.decision : found.verdict;
  return trust && STRENGTH.indexOf(trust.verdict) > STRENGTH.indexOf(fresh) ? trust.verdict : fresh;
};

/** The contract that a call is judged by: what the server runs, or else what the model believes. */
const contractFor = (found: Assessment, toolName: string): Contract | undefined =>
  liveContract(found) ?? found.facts?.tool?.belief.contract ?? modelView(found.index).tools.get(toolName);

/** A contract of an untrusted server for the model: what a call has to look like, and nothing that the server says. */
export const withoutWordsOf = (contract: Json | undefined): Json | undefined =>
  isObject(contract)
    ? { name: contract.name as Json, inputSchema: withoutProse(contract.inputSchema as Json) }
    : undefined;

/** Arguments without what is secret: by its value, where that is known, or by its name. */
export const withoutSecrets = (args: unknown, { all }: Assessment): Json =>
  new Redactor(all.secrets).value(withoutNamed(args)) as Json;

export const tracedCall = (input: ToolInput, found: Assessment): TracedCall => {
  const secrets = new Redactor(found.all.secrets);
  const contract = contractFor(found, input.toolName);
  return {
    tool: secrets.text(input.toolName),
    server: found.named.server,
    verdict: decisionOf(found),
    ...(contract === undefined
      ? {}
      : { contract: secrets.value(contract) as unknown as Json, contract_hash: contractHash(contract) }),
    arguments: withoutSecrets(input.arguments, found),
  };
};
