import { defined } from '../contract/defined.ts';
import { DEEPEST_ARGUMENTS, isDeeper } from '../contract/depth.ts';
import { meaningHash } from '../contract/meaning.ts';
import { signature } from '../contract/signature.ts';
import { type Contract, isObject, type JsonObject, own } from '../contract/types.ts';
import { type Invalid, validateArguments } from '../contract/validate.ts';
import { diffContract } from '../diff/diff.ts';
import { findToolRenames } from '../diff/rename.ts';
import { ofContract } from '../diff/table.ts';
import type { FoundChange } from '../diff/types.ts';
import { type Shown, say } from '../text/shown.ts';
import { omits, renameArgument, uses } from './touch.ts';

export type Mode = 'off' | 'warn' | 'guard' | 'strict';

export interface Policy {
  mode: Mode;
  /** The user marked the server as trusted: its new words may reach the model. */
  trusted: boolean;
}

/** What happens to a call. `unchecked`: it could not be judged. */
type Decision = 'silence' | 'notice' | 'ask' | 'deny' | 'unchecked';

/** Why a call is stopped or asked about: a change that it touches, or an argument that is not valid any more. */
export interface Reason {
  /** The same for the same place and live contract: what was granted or told under it is not repeated. */
  key: string;
  verdict: 'deny' | 'ask';
  change?: FoundChange;
  invalid?: Invalid;
}

export interface Judgement {
  decision: Decision;
  changes: FoundChange[];
  reasons: Reason[];
  /** Why it could not be judged, for `unchecked`. */
  why?: Shown;
  /** How the tool is called now; absent where it is gone. */
  signature?: Shown;
  /** The same call under the live contract, where renames are all that it takes. */
  corrected?: JsonObject;
  /** The tool to call instead of one that is gone. */
  successor?: string;
  /** The `_raw` twin, and its arguments for this call. */
  twin?: { name: string; arguments: { payload: string } };
}

export interface Question {
  believed: Contract;
  /** The tool as the server runs it, or null where it has no such tool any more. */
  live: Contract | null;
  /** All tools that the server runs. */
  tools: readonly Contract[];
  args: JsonObject;
  policy: Policy;
  /** Whether a reason was asked about and granted, or told once where that is enough. By its key. */
  settled(key: string): boolean;
  /**
   * For a tool whose contract the client does not show to the model, and by which it checks nothing: the arguments are
   * validated though nothing changed. What is wrong with them already; empty where nothing is.
   */
  wrong?: readonly Invalid[] | undefined;
}

const isTwin = (tool: Contract): boolean => {
  const properties = own(tool.inputSchema, 'properties');
  return (
    isObject(properties) && Object.keys(properties).join() === 'payload' && own(properties.payload, 'type') === 'string'
  );
};

const twinOf = (name: string, tools: readonly Contract[], args: JsonObject): Judgement['twin'] => {
  const twin = tools.find((tool) => tool.name === `${name}_raw` && isTwin(tool));
  if (twin === undefined || isDeeper(args, DEEPEST_ARGUMENTS)) return undefined;
  return { name: twin.name, arguments: { payload: JSON.stringify(args) } };
};

const touched = ({ effect, ways = [] }: FoundChange, args: JsonObject): boolean => {
  if (effect === undefined) return false;
  if (effect.when === 'always') return true;
  return ways.some((way) => (effect.when === 'used' ? uses(args, way) : omits(args, way)));
};

const correct = (args: JsonObject, changes: FoundChange[], live: Contract): JsonObject | undefined => {
  if (isDeeper(args, DEEPEST_ARGUMENTS)) return undefined;
  let corrected = args;
  for (const { renamedTo, ways = [] } of changes) {
    for (const way of ways) {
      if (renamedTo !== undefined && uses(corrected, way)) corrected = renameArgument(corrected, way, renamedTo);
    }
  }
  return corrected !== args && validateArguments(live.inputSchema, corrected).valid === true ? corrected : undefined;
};

const gone = ({ believed, tools, args, policy }: Question): Judgement => {
  const successor = findToolRenames([believed], tools)[0]?.after;
  const change: FoundChange = {
    tool: believed.name,
    path: '',
    rule: 'tool-removed',
    level: 'breaking',
    message: say`the tool is gone`,
    brief: say`the tool is gone`,
  };
  return {
    decision: policy.mode === 'warn' ? 'notice' : 'deny',
    changes: [change],
    reasons: [{ key: `tool-removed ${believed.name}`, verdict: 'deny', change }],
    ...(successor ? { successor: successor.name, signature: signature(successor) } : {}),
    ...defined({ twin: twinOf(believed.name, tools, args) }),
  };
};

/** A parameter that has both a change and an error is one reason, told by the change: it says more. */
const merge = (reasons: Reason[], errors: Invalid[], changes: FoundChange[], liveHash: string): Reason[] => {
  const merged = [...reasons];
  for (const invalid of errors) {
    const change = changes.find(
      ({ parameter, renamedTo, level }) =>
        level !== 'compatible' &&
        level !== 'semantic' &&
        invalid.parameter !== undefined &&
        (parameter?.[0] === invalid.parameter || renamedTo === invalid.parameter),
    );
    const told = merged.findIndex((reason) => reason.change !== undefined && reason.change === change);
    if (told >= 0) {
      // What was only asked about is wrong for certain now.
      merged[told] = { ...(merged[told] as Reason), verdict: 'deny', invalid };
      continue;
    }
    const key = `${change ? `${change.rule} ${change.path}` : `invalid ${invalid.text}`} ${liveHash}`;
    merged.push({ key, verdict: 'deny', invalid, ...defined({ change }) });
  }
  return merged;
};

const MODES: Record<Mode, (found: Decision, changed: boolean) => Decision> = {
  off: () => 'silence',
  warn: (found) => (found === 'deny' || found === 'ask' ? 'notice' : found),
  guard: (found) => found,
  strict: (found, changed) => (changed ? 'deny' : found),
};

/**
 * The verdict on one call, from what the model believes and what the server runs. Knows no process, file, clock or
 * network: everything it decides on is in the question.
 */
export const judge = (question: Question): Judgement => {
  const { believed, live, tools, args, policy, settled, wrong } = question;
  if (policy.mode === 'off') return { decision: 'silence', changes: [], reasons: [] };
  if (live === null) return gone(question);
  const changes = ofContract(diffContract(believed, live));
  const changed = changes.length > 0;
  if (!changed && wrong === undefined) return { decision: 'silence', changes, reasons: [] };

  const liveHash = meaningHash(live);
  const touching: Reason[] = changes
    .filter((change) => touched(change, args))
    .map((change) => ({
      key: `${change.rule} ${change.path} ${liveHash}`,
      // With words that may reach the model, the model decides again by itself; nobody has to be asked.
      verdict: change.effect?.verdict === 'ask' && policy.trusted ? 'deny' : (change.effect?.verdict ?? 'ask'),
      change,
    }));
  const validity = validateArguments(live.inputSchema, args);
  const invalid = validity.valid === false ? validity.errors : [];
  // What could not even be read needs no list of what is missing.
  const errors = wrong !== undefined && wrong.length > 0 ? [...wrong] : invalid;
  const open = touching.filter((reason) => !settled(reason.key));
  const reasons = merge(open, errors, changes, liveHash);

  const denied = reasons.some((reason) => reason.verdict === 'deny');
  const unknown = validity.valid === 'unknown' || changes.some(({ incomplete }) => incomplete);
  const quiet = changed ? 'notice' : 'silence';
  const found = denied ? 'deny' : reasons.length > 0 ? 'ask' : unknown ? 'unchecked' : quiet;
  const corrected = correct(args, changes, live);
  return {
    decision: MODES[policy.mode](found, changed),
    changes,
    reasons,
    ...(validity.valid === 'unknown' ? { why: say`the arguments could not be validated: ${validity.why}` } : {}),
    ...(validity.valid !== 'unknown' && unknown ? { why: say`the contract ${changes[0]?.message ?? 'changed'}` } : {}),
    signature: signature(live),
    ...defined({ corrected, twin: twinOf(live.name, tools, corrected ?? args) }),
  };
};
