import { present } from '../contract/defined.ts';
import { propertiesOf } from '../contract/object-schema.ts';
import { type Contract, own } from '../contract/types.ts';
import { isStructured } from './structured.ts';
import type { Listing } from './types.ts';

const SUFFIX = '_raw';

/** How much of a description Claude Code 2.1.330 always shows, in UTF-16 units; more for tools that its search loads. */
const SURELY_SHOWN = 4_096;

/** The part of a description that the model sees, no matter how the client loaded the tool. */
export const surelyShown = (description = ''): string => description.slice(0, SURELY_SHOWN);

/** Whether a tool takes a payload, as a twin does, whatever else may be wrong with it. `fetch_raw(url)` is no twin. */
const takesPayload = ({ inputSchema }: Contract): boolean => own(propertiesOf(inputSchema), 'payload') !== undefined;

/** The twin of a tool, which takes its input as one text; undefined if it has none. */
export const twinOf = (tool: Contract, list: Listing): Contract | undefined => {
  const twin = list.tools.get(tool.name + SUFFIX);
  return twin && takesPayload(twin) ? twin : undefined;
};

/** A tool that has the name of this one's twin, but is not one. */
export const namesake = (tool: Contract, list: Listing): Contract | undefined =>
  twinOf(tool, list) ? undefined : list.tools.get(tool.name + SUFFIX);

/** Whether a tool is a twin, even if the tool that it belongs to does not exist. */
export const isTwin = (tool: Contract): boolean =>
  tool.name.length > SUFFIX.length && tool.name.endsWith(SUFFIX) && takesPayload(tool);

/** The name of the tool that a twin belongs to. */
export const siblingName = ({ name }: Contract): string => name.slice(0, -SUFFIX.length);

/** The tool that a twin belongs to; undefined if this is no twin, or there is no such tool. */
export const siblingOf = (twin: Contract, list: Listing): Contract | undefined =>
  isTwin(twin) ? list.tools.get(siblingName(twin)) : undefined;

const saidBy = ({ extra }: Contract, names: readonly string[]): boolean | undefined =>
  names.map((name) => extra?.[name]).find((value) => typeof value === 'boolean');

/** Whether a tool changes state; undefined if that is not known, since most servers give no hints. */
const mutates = (tool: Contract, list: Listing): boolean | undefined => {
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  if (typeof readOnlyHint === 'boolean') return !readOnlyHint;
  if (destructiveHint === true) return true;
  return list.gateway ? true : undefined;
};

/** Criterion 3: whether the tool's endpoint validates. Known from gateway, settings or source; contracts do not say. */
export const validates = (tool: Contract, list: Listing): boolean | undefined => {
  if (list.validated?.includes(tool.name)) return true;
  const said = saidBy(tool, ['validated']);
  if (said !== undefined) return said;
  const twin = twinOf(tool, list);
  return twin === undefined ? undefined : validates(twin, list);
};

const sendsBody = (tool: Contract, list: Listing): boolean =>
  !list.urlOnly?.includes(tool.name) && saidBy(tool, ['urlOnly', 'url_only']) !== true;

/** What is not known about a tool that may need a twin. */
export type Unknown = 'mutation' | 'validation';

/**
 * Whether the discipline requires a twin: no (a criterion is not met), yes, or a list of what has to be known first. No
 * criterion is guessed from names or descriptions.
 */
export const requiresTwin = (tool: Contract, list: Listing): boolean | Unknown[] => {
  const [mutation, validation] = [mutates(tool, list), validates(tool, list)];
  if (mutation === false || validation === false || !sendsBody(tool, list) || !isStructured(tool)) return false;
  const unknown = present<Unknown>([mutation === undefined && 'mutation', validation === undefined && 'validation']);
  return unknown.length === 0 ? true : unknown;
};
