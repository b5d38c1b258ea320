import { defined } from '../contract/defined.ts';
import { DEEPEST_ARGUMENTS, isDeeper } from '../contract/depth.ts';
import { namesIn, pointer } from '../contract/json-pointer.ts';
import { meaningHash } from '../contract/meaning.ts';
import { targetOf } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { signature } from '../contract/signature.ts';
import { type Contract, isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { type Invalid, type Validity, validateArguments } from '../contract/validate.ts';
import { diffContract } from '../diff/diff.ts';
import { findToolRenames } from '../diff/rename.ts';
import { inputPropertyAdded } from '../diff/rules/input-property-added.ts';
import { inputPropertyBecameRequired } from '../diff/rules/input-property-became-required.ts';
import { inputPropertyDefaultChanged } from '../diff/rules/input-property-default-changed.ts';
import { inputPropertyRemoved } from '../diff/rules/input-property-removed.ts';
import { inputPropertyRenamed } from '../diff/rules/input-property-renamed.ts';
import { inputPropertyWordsChanged, letters } from '../diff/rules/input-property-words-changed.ts';
import { ofContract, REWRITTEN } from '../diff/table.ts';
import type { FoundChange } from '../diff/types.ts';
import { quoteName, quoteValue } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { type Shift, shiftsFor } from './declared.ts';
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

/** Where the input schema stands in a contract. */
const INPUT = '/inputSchema';

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

const isAt = (way: readonly string[], place: readonly string[]): boolean =>
  way.length === place.length && way.every((step, index) => step === place[index] || step === '*');

/** Which kind of shift a change of a rule shows in, where a call relies on it. What was only rewritten shows as another. */
const SHOWS_AS: ReadonlyMap<string, Shift['kind'] | undefined> = new Map([
  [inputPropertyRemoved.id, 'gone'],
  [inputPropertyRenamed.id, 'gone'],
  [inputPropertyWordsChanged.id, 'reworded'],
  [inputPropertyDefaultChanged.id, 'default'],
  [REWRITTEN.id, undefined],
]);

const isShownBy = ({ rule, ways = [], before }: FoundChange, shift: Shift): boolean =>
  SHOWS_AS.get(rule) === shift.kind &&
  ways.some((way) => isAt(way, shift.way)) &&
  (shift.kind !== 'reworded' || shift.before.some((text) => letters(text) === letters(before)));

/** Whether a call relies on what changed: by the values it has, wherever their schemas stand; else by the place. */
const reliesOn = (change: FoundChange, args: JsonObject, shifts: readonly Shift[] | undefined): boolean => {
  if (change.effect === undefined || shifts === undefined || !SHOWS_AS.has(change.rule)) return touched(change, args);
  if (shifts.some((shift) => isShownBy(change, shift))) return true;
  const isDark = ({ kind, way: [first] }: Shift) =>
    kind === 'unknown' && (change.ways ?? []).some(([step]) => step === first);
  return shifts.some(isDark) && touched(change, args);
};

/** What a call relies on and no rule found, because it stood elsewhere: as the rule would have told it. */
const unfound = (tool: string, shifts: readonly Shift[], changes: readonly FoundChange[]): FoundChange[] => {
  const found = shifts
    .filter((shift) => !changes.some((change) => isShownBy(change, shift)))
    .flatMap((shift): FoundChange[] => {
      const { way } = shift;
      const path = INPUT + way.map((step) => (step === '*' ? '/items' : `/properties${pointer(step)}`)).join('');
      const place = { tool, parameter: way, ways: [way] };
      if (shift.kind === 'gone') {
        const message = say`removed: ${quoteName(way.at(-1) ?? '')} (still accepted, and ignored)`;
        const effect = { when: 'used', verdict: 'deny' } as const;
        return [{ ...place, path, rule: inputPropertyRemoved.id, level: 'silent', message, brief: message, effect }];
      }
      if (shift.kind === 'reworded') {
        const [had, has] = [shift.before.join(' '), shift.after.join(' ')];
        const message = say`re-described: ${quoteValue(had, 160)} → ${quoteValue(has, 160)}`;
        const effect = { when: 'used', verdict: 'ask' } as const;
        const words = { message, brief: say`its description changed`, before: had, after: has, effect };
        return [
          { ...place, path: `${path}/description`, rule: inputPropertyWordsChanged.id, level: 'semantic', ...words },
        ];
      }
      return [];
    });
  return [...new Map(found.map((change) => [`${change.rule} ${change.path}`, change])).values()];
};

const isInside = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}/`);

const ASKS_FOR_MORE: ReadonlySet<string> = new Set([inputPropertyAdded.id, inputPropertyBecameRequired.id]);

/**
 * A change as it is judged where nobody can tell whether the call is still valid: one that breaks calls is asked about.
 * @param unread places of the live schema that could not be checked, as before; absent where that may be anything
 */
const doubted = (change: FoundChange, unread: readonly string[] | undefined): FoundChange => {
  const { level, path, rule, parameter = [], effect } = change;
  const isHarmful = level === 'breaking' || level === 'unclassified';
  if (!isHarmful || effect !== undefined || !path.startsWith(INPUT)) return change;
  const isChecked = (place: string) => !isInside(path, INPUT + place) && !isInside(INPUT + place, path);
  if (unread?.every(isChecked)) return change;
  const when = parameter.length === 0 ? 'always' : ASKS_FOR_MORE.has(rule) ? 'omitted' : 'used';
  return { ...change, effect: { when, verdict: 'ask' } };
};

/** Whether nobody can read what stands at a place of a schema, before or now, and it is the same: that is no change. */
const isAsUnread = (place: string, before: Json, after: Json): boolean => {
  const at = (root: Json): Json | undefined =>
    namesIn(place).reduce<Json | undefined>(
      (value, name) => (Array.isArray(value) ? value[Number(name)] : own(value, name)),
      root,
    );
  const [had, has] = [at(before), at(after)];
  const led = place.endsWith('/$ref') && typeof had === 'string' && targetOf(had, before) !== undefined;
  return had !== undefined && !led && sameJson(had, has);
};

const correct = (
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
  if (corrected === args || validateArguments(live.inputSchema, corrected).valid !== true) return undefined;
  // What has to be left out as well is no matter of new names.
  const left = shiftsFor(believed.inputSchema, live.inputSchema, corrected);
  return left?.some(({ kind }) => kind === 'gone') ? undefined : corrected;
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

const notChecked = (validity: Validity): Shown | undefined => {
  if (validity.valid === true || validity.unread) return validity.valid === true ? undefined : validity.why;
  return validity.valid === 'unknown' ? say`the arguments could not be validated: ${validity.why}` : undefined;
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
  const found = ofContract(diffContract(believed, live));
  const changed = found.length > 0;
  if (!changed && wrong === undefined) return { decision: 'silence', changes: found, reasons: [] };

  const liveHash = meaningHash(live);
  const validity = validateArguments(live.inputSchema, args);
  const isOld = (place: string) => isAsUnread(place, believed.inputSchema, live.inputSchema);
  const unread = validity.valid === 'unknown' && validity.unread?.every(isOld) ? validity.unread : undefined;
  const known = validity.valid === 'unknown' ? found.map((change) => doubted(change, unread)) : found;
  const shifts = changed ? shiftsFor(believed.inputSchema, live.inputSchema, args) : [];
  const changes = [...known, ...unfound(live.name, shifts ?? [], known)];
  const touching: Reason[] = changes
    .filter((change) => reliesOn(change, args, shifts))
    .map((change) => ({
      key: `${change.rule} ${change.path} ${liveHash}`,
      // With words that may reach the model, the model decides again by itself; nobody has to be asked.
      verdict: change.effect?.verdict === 'ask' && policy.trusted ? 'deny' : (change.effect?.verdict ?? 'ask'),
      change,
    }));
  const invalid = validity.valid === false ? validity.errors : [];
  // What could not even be read needs no list of what is missing.
  const errors = wrong !== undefined && wrong.length > 0 ? [...wrong] : invalid;
  const open = touching.filter((reason) => !settled(reason.key));
  const reasons = merge(open, errors, changes, liveHash);

  const denied = reasons.some((reason) => reason.verdict === 'deny');
  // What could not be checked and is as the model knows it is no drift: it is said beside what changed.
  const unknown =
    (validity.valid === 'unknown' && unread === undefined) || changes.some(({ incomplete }) => incomplete);
  const quiet = changed ? 'notice' : 'silence';
  const decision = denied ? 'deny' : reasons.length > 0 ? 'ask' : unknown ? 'unchecked' : quiet;
  const corrected = correct(args, known, believed, live);
  return {
    decision: MODES[policy.mode](decision, changed),
    changes,
    reasons,
    ...defined({ why: notChecked(validity) }),
    ...(validity.valid !== 'unknown' && unknown ? { why: say`the contract ${changes[0]?.message ?? 'changed'}` } : {}),
    signature: signature(live),
    ...defined({ corrected, twin: twinOf(live.name, tools, corrected ?? args) }),
  };
};
