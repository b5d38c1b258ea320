import type { Contract, JsonObject } from '../contract/types.ts';
import { validateArguments } from '../contract/validate.ts';
import type { Judgement } from '../judge/judge.ts';
import { fillIn, placeholders } from './invoker/skeleton.ts';

/** The arguments without those that the server would silently drop; undefined if one lies deeper. */
const withoutDropped = (args: JsonObject, { reasons }: Judgement): JsonObject | undefined => {
  const dropped = reasons
    .filter(({ change }) => change?.effect?.verdict === 'deny' && change.renamedTo === undefined)
    .map(({ change }) => change?.parameter ?? []);
  if (dropped.some((parameter) => parameter.length > 1)) return undefined;
  const names = new Set(dropped.map(([name]) => name));
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.has(name)));
};

/** Arguments that are valid, or will be once their placeholders are filled in; undefined if there are none. */
const validFor = (contract: Contract, given: JsonObject): JsonObject | undefined => {
  const { valid } = validateArguments(contract.inputSchema, given);
  if (valid !== false) return valid === true ? given : undefined;
  const filled = fillIn(contract, given);
  if (filled === undefined) return undefined;
  const open = new Set(placeholders(filled).map(({ parameter }) => parameter));
  const found = validateArguments(contract.inputSchema, filled);
  const wrong = found.valid === false ? found.errors : [];
  return open.size > 0 && found.valid !== 'unknown' && wrong.every(({ parameter }) => open.has(parameter))
    ? filled
    : undefined;
};

/**
 * Makes a judgement's twin call one that the server would take, with placeholders for missing or wrong values. If that is
 * not possible, none is offered.
 * @param contract what the twin's payload has to be valid under
 */
export const withValidTwin = (judgement: Judgement, contract: Contract, args: JsonObject): Judgement => {
  const { twin, ...rest } = judgement;
  if (twin === undefined) return judgement;
  const given = judgement.corrected ?? withoutDropped(args, judgement);
  const payload = given && validFor(contract, given);
  if (payload === undefined) return rest;
  const open = placeholders(payload).length > 0 ? { incomplete: true as const } : {};
  return { ...rest, twin: { name: twin.name, arguments: { payload: JSON.stringify(payload) }, ...open } };
};
