// The call that would work now.
import { DEEPEST_ARGUMENTS, isDeeper } from '../contract/depth.ts';
import type { Contract, JsonObject } from '../contract/types.ts';
import type { FoundChange } from '../diff/types.ts';
import { shiftsFor } from './declared.ts';
import type { Judgement } from './judge.ts';
import { renameArgument, uses } from './touch.ts';
import { takesPayload } from './twin.ts';
import { validityOf } from './validity.ts';

/** The `_raw` twin of a tool and its arguments for this call, if the server has one. */
export const twinOf = (name: string, tools: readonly Contract[], args: JsonObject): Judgement['twin'] => {
  const twin = tools.find((tool) => tool.name === `${name}_raw` && takesPayload(tool));
  if (twin === undefined || isDeeper(args, DEEPEST_ARGUMENTS)) return undefined;
  return { name: twin.name, arguments: { payload: JSON.stringify(args) } };
};

/** The arguments with parameters renamed, if that makes the call valid under the live contract and loses nothing. */
export const correct = (
  args: JsonObject,
  changes: FoundChange[],
  believed: Contract,
  live: Contract,
): JsonObject | undefined => {
  if (isDeeper(args, DEEPEST_ARGUMENTS)) return undefined;
  let corrected = args;
  for (const { renamedTo, ways = [] } of changes) {
    for (const way of ways) {
      if (renamedTo !== undefined && uses(corrected, way)) corrected = renameArgument(corrected, way, renamedTo);
    }
  }
  if (corrected === args || validityOf(live.inputSchema, corrected).valid !== true) return undefined;
  // If something must also be left out, new names alone do not help.
  const left = shiftsFor(believed.inputSchema, live.inputSchema, corrected);
  return left?.some(({ kind }) => kind === 'gone') ? undefined : corrected;
};
