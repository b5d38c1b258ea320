// The call that would work now.
import { DEEPEST_ARGUMENTS, isDeeper } from '../contract/depth.ts';
import type { Contract, JsonObject } from '../contract/types.ts';
import { nameWords } from '../diff/name-words.ts';
import type { FoundChange } from '../diff/types.ts';
import { kindOf } from '../diff/words/kinds.ts';
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

/** Whether one of two names has a unit that the other lacks: 5 for `wait_s` is no 5 for `wait_ms`. */
const isOtherUnit = (from = '', to = ''): boolean => {
  const [old, now] = [nameWords(from), nameWords(to)];
  const differing = [...old.filter((word) => !now.includes(word)), ...now.filter((word) => !old.includes(word))];
  return differing.some((word) => kindOf({ text: word, word }) === 'unit');
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
      if (renamedTo === undefined || !uses(corrected, way)) continue;
      if (isOtherUnit(way.at(-1), renamedTo)) return undefined;
      corrected = renameArgument(corrected, way, renamedTo);
    }
  }
  if (corrected === args || validityOf(live.inputSchema, corrected).valid !== true) return undefined;
  // If something must also be left out, new names alone do not help.
  const left = shiftsFor(believed.inputSchema, live.inputSchema, corrected);
  return left?.some(({ kind }) => kind === 'gone') ? undefined : corrected;
};
