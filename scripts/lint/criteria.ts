import { type Contract, type Json, own } from '../contract/types.ts';
import { isStructured, propertiesOf } from './structured.ts';
import type { Listing } from './types.ts';

const SUFFIX = '_raw';

/** The schema of a twin, whatever else is wrong with it: one that takes a payload. `fetch_raw(url)` is another tool. */
const takesPayload = ({ inputSchema }: Contract): boolean => own(propertiesOf(inputSchema), 'payload') !== undefined;

/** The tool that carries this one's input as one text. */
export const twinOf = (tool: Contract, list: Listing): Contract | undefined => {
  const twin = list.tools.get(tool.name + SUFFIX);
  return twin && takesPayload(twin) ? twin : undefined;
};

/** A tool with the name of a twin that is none. */
export const namesake = (tool: Contract, list: Listing): Contract | undefined =>
  twinOf(tool, list) ? undefined : list.tools.get(tool.name + SUFFIX);

/** Whether a tool is a twin; of which one does not matter. */
export const isTwin = (tool: Contract): boolean =>
  tool.name.length > SUFFIX.length && tool.name.endsWith(SUFFIX) && takesPayload(tool);

export const siblingName = ({ name }: Contract): string => name.slice(0, -SUFFIX.length);

/** The tool that a twin stands for. */
export const siblingOf = (twin: Contract, list: Listing): Contract | undefined =>
  isTwin(twin) ? list.tools.get(siblingName(twin)) : undefined;

const saidBy = ({ extra }: Contract, names: readonly string[]): boolean | undefined => {
  const said: Json | undefined = names.map((name) => extra?.[name]).find((value) => typeof value === 'boolean');
  return typeof said === 'boolean' ? said : undefined;
};

/** Whether the tool changes state. A missing hint is not taken for an answer: most servers give none. */
const mutates = (tool: Contract, list: Listing): boolean | undefined => {
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  if (typeof readOnlyHint === 'boolean') return !readOnlyHint;
  if (destructiveHint === true) return true;
  return list.gateway ? true : undefined;
};

/** Criterion 3. No contract tells: it is the gateway, the settings or the source that does. */
export const validates = (tool: Contract, list: Listing): boolean | undefined => {
  if (list.validated?.includes(tool.name)) return true;
  const said = saidBy(tool, ['validated']);
  if (said !== undefined) return said;
  const twin = twinOf(tool, list);
  return twin === undefined ? undefined : validates(twin, list);
};

const sendsBody = (tool: Contract, list: Listing): boolean =>
  !list.urlOnly?.includes(tool.name) && saidBy(tool, ['urlOnly', 'url_only']) !== true;

/** What is not known of a tool for which a twin may be required. */
export type Unknown = 'mutation' | 'validation';

/**
 * Whether the discipline asks for a twin: no (a criterion is not met), yes, or what has to be known first. No criterion is
 * guessed from names or words.
 */
export const requiresTwin = (tool: Contract, list: Listing): boolean | Unknown[] => {
  const [mutation, validation] = [mutates(tool, list), validates(tool, list)];
  if (mutation === false || validation === false || !sendsBody(tool, list) || !isStructured(tool)) return false;
  const unknown: Unknown[] = [
    ...(mutation === undefined ? ['mutation' as const] : []),
    ...(validation === undefined ? ['validation' as const] : []),
  ];
  return unknown.length === 0 ? true : unknown;
};
