import { signature } from '../contract/signature.ts';
import { type Contract, isObject, type Json } from '../contract/types.ts';
import type { TracedCall } from '../state/call-trace.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible, visibleJson } from '../text/visible.ts';

const LONGEST = 2_000;

/** JSON that stays JSON, on one line. Backquotes are replaced: they would end the quotation around it. */
const valueText = (value: Json): Shown =>
  visible(visibleJson(JSON.stringify(value)).replaceAll('`', '\\u0060'), { max: LONGEST });

/** The contract and the arguments of a call, each with its title. */
export const callLines = ({ contract, contract_hash: hash, arguments: given }: TracedCall): [string, Shown][] => [
  [
    'contract',
    isObject(contract)
      ? say`${hash === undefined ? '' : say`${visible(hash.slice(0, 16))}, `}${signature(contract as unknown as Contract)}`
      : say`unknown`,
  ],
  ['arguments', given === undefined ? say`too large to be kept` : valueText(given)],
];
