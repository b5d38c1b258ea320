// The call that would work now.
import { defined } from '../contract/defined.ts';
import { DEEPEST_ARGUMENTS, isDeeper } from '../contract/depth.ts';
import type { Contract, JsonObject } from '../contract/types.ts';
import type { FoundChange } from '../diff/types.ts';
import { branchErrors, type meantBranch } from './branch.ts';
import { shiftsFor } from './declared.ts';
import type { Differences } from './differences.ts';
import type { Judgement, LiveQuestion, Reason } from './judge.ts';
import { holdsOther, moveArgument, renameArgument, uses } from './touch.ts';
import { takesPayload } from './twin.ts';
import { validityOf } from './validity.ts';

/** The `_raw` twin of a tool and its arguments for this call, if the server has one. */
export const twinOf = (name: string, tools: readonly Contract[], args: JsonObject): Judgement['twin'] => {
  const twin = tools.find((tool) => tool.name === `${name}_raw` && takesPayload(tool));
  if (twin === undefined || isDeeper(args, DEEPEST_ARGUMENTS)) return undefined;
  return { name: twin.name, arguments: { payload: JSON.stringify(args) } };
};

/** The arguments with parameters renamed and moved, if that makes the call valid under the live contract and loses nothing. */
const correct = (
  args: JsonObject,
  changes: readonly FoundChange[],
  believed: Contract,
  live: Contract,
): JsonObject | undefined => {
  if (isDeeper(args, DEEPEST_ARGUMENTS)) return undefined;
  let corrected = args;
  for (const move of changes.flatMap(({ moves = [] }) => moves)) {
    const moved = moveArgument(corrected, move);
    if (moved === undefined) return undefined;
    corrected = moved;
  }
  for (const { renamedTo, isLikely, ways = [] } of changes) {
    for (const way of ways) {
      if (renamedTo === undefined || !uses(corrected, way)) continue;
      if (isLikely || holdsOther(corrected, way, renamedTo)) return undefined;
      corrected = renameArgument(corrected, way, renamedTo);
    }
  }
  if (corrected === args || validityOf(live.inputSchema, corrected).valid !== true) return undefined;
  // If something must also be left out, new names alone do not help.
  const left = shiftsFor(believed.inputSchema, live.inputSchema, corrected);
  return left?.some(({ kind }) => kind === 'gone') ? undefined : corrected;
};

/**
 * The call that would work now, by the tool or its twin.
 * @param concerning the changes that could be about this call
 * @param open the reasons that are not settled
 */
export const repairOf = (
  { believed, live, tools, args }: LiveQuestion,
  concerning: readonly FoundChange[],
  open: readonly Reason[],
  { renamed }: Differences,
  branch: ReturnType<typeof meantBranch>,
): Pick<Judgement, 'corrected' | 'twin'> => {
  // New names alone are no repair where the value means something else, too.
  const isSame = !open.some(({ change }) => change !== undefined && renamed.concerns(change));
  const fixed = isSame ? correct(args, concerning, believed, live) : undefined;
  // A call that the flat schema accepts may still be one that the branch does not take.
  const isTaken = fixed !== undefined && branchErrors(believed, live, fixed, branch.isMeant, true).length === 0;
  const corrected = isTaken ? fixed : undefined;
  // The server does not take a payload of a removed branch, or one that needs something we cannot fill in. It ignores an
  // old name.
  const isLost =
    branch.errors.length > 0 ||
    open.some(({ change }) => (change?.renamedTo === undefined ? change?.of !== undefined : corrected === undefined));
  return defined({ corrected, twin: isLost ? undefined : twinOf(live.name, tools, corrected ?? args) });
};
