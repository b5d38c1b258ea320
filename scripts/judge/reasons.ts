// Why a call is stopped or asked about.
import { canonical, sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { meaningHash } from '../contract/meaning.ts';
import type { Contract, Json, JsonObject } from '../contract/types.ts';
import type { Invalid } from '../contract/validate.ts';
import { inputPropertyRemoved } from '../diff/rules/input-property-removed.ts';
import type { FoundChange } from '../diff/types.ts';
import { say } from '../text/shown.ts';
import type { Differences } from './differences.ts';
import type { LiveQuestion, Policy, Reason } from './judge.ts';
import { INPUT, reliesOn, touched } from './relies.ts';
import { given, passes } from './touch.ts';

/**
 * What a yes is for: what the model believed of this place, and what is there now. Another call of the same tool may meet
 * another change at the same place: by its values.
 */
const aboutChange = (change: FoundChange, args: JsonObject, fromValues: readonly FoundChange[]): string => {
  const { values, sameValues, ways = [], path, parameter = [], before = null, after = null } = change;
  // The words tell of each number by itself.
  const numbers = sameValues && ways.flatMap((way) => given(args, way)).filter((value) => typeof value === 'number');
  const passed = values?.filter((value) => ways.some((way) => passes(args, way, [value]))) ?? numbers ?? null;
  // One description can say the same of two parameters, and then something else of each.
  const told = path.startsWith(INPUT) ? [] : parameter;
  return sha256(canonical([before, passed, fromValues.includes(change) ? after : null, ...told] as Json));
};

/** If the new words may reach the model, we tell it and it decides again; no person has to be asked. */
const verdictOn = ({ effect }: FoundChange, { trusted }: Policy): Reason['verdict'] =>
  effect?.verdict === 'deny' || (trusted && effect?.verdict === 'ask') ? 'deny' : 'ask';

/**
 * The changes that a call relies on, as reasons, without those that were settled before.
 * @param concerning the changes that could be about this call
 * @param carried the arguments, or the payload of a twin
 */
export const openReasons = (
  { live, policy, settled }: LiveQuestion,
  concerning: readonly FoundChange[],
  { renamed, shifts, fromValues, validity }: Differences,
  carried: JsonObject,
): Reason[] => {
  const liveHash = meaningHash(live);
  const reasons = concerning.flatMap((change): Reason[] => {
    const given = renamed.argumentsFor(change);
    if (
      !(change.of === undefined ? reliesOn(change, given, shifts, validity.valid === true) : touched(change, carried))
    )
      return [];
    const key = `${change.rule} ${change.path} ${liveHash} ${aboutChange(change, given, fromValues)}`;
    return [{ key, verdict: verdictOn(change, policy), ...renamed.told(change) }];
  });
  return reasons.filter(({ key }) => !settled(key));
};

/** What is invalid in a call. If the arguments could not even be read, a list of what is missing in them would not help. */
export const errorsOf = (
  { wrong = [] }: LiveQuestion,
  { validity }: Differences,
  ofBranch: readonly Invalid[],
): readonly Invalid[] =>
  wrong.length > 0 ? wrong : [...(validity.valid === false ? validity.errors : []), ...ofBranch];

const isStep = (step: string, other: string | undefined): boolean => step === '*' || other === '*' || step === other;

const beginsWith = (place: readonly string[], beginning: readonly string[]): boolean =>
  beginning.length <= place.length && beginning.every((step, index) => isStep(step, place[index]));

const isSame = (place: readonly string[], at: readonly string[]): boolean =>
  place.length === at.length && beginsWith(at, place);

/** The keywords that refuse a name where it stands, and are written at the object around it. */
const REFUSES_NAMES: ReadonlySet<string | undefined> = new Set(['additionalProperties', 'unevaluatedProperties']);

/** All places of the parameter that a change is about, by its old name and by its new one. */
const placesOf = ({ parameter = [], ways = [parameter], renamedTo }: FoundChange): (readonly string[])[] =>
  renamedTo === undefined ? ways : ways.flatMap((way) => [way, [...way.slice(0, -1), renamedTo]]);

/**
 * How exactly a change tells of an error: by the same keyword at its place, by another one there, or around it or within it.
 * Undefined if it is about another value, as of another name in the same object.
 */
const nearness = (change: FoundChange, { at = [], keyword }: Invalid): number | undefined => {
  const places = placesOf(change);
  const isOfKeyword = change.path.endsWith(`/${keyword}`);
  const object = REFUSES_NAMES.has(keyword) ? at.slice(0, -1) : undefined;
  if (object && isOfKeyword && places.some((place) => isSame(place, object))) return 2;
  if (places.some((place) => isSame(place, at))) return isOfKeyword ? 2 : 1;
  return places.some((place) => beginsWith(at, place) || beginsWith(place, at)) ? 0 : undefined;
};

/** The change that tells most of an error, if one does. */
const changeBehind = (invalid: Invalid, changes: readonly FoundChange[]): FoundChange | undefined => {
  const about = changes.flatMap((change) => {
    const { level, rule, parameter, renamedTo } = change;
    const isOfParameter = parameter?.[0] === invalid.parameter || renamedTo === invalid.parameter;
    const isTelling =
      level !== 'compatible' &&
      level !== 'semantic' &&
      // One form may have lost what another one requires.
      !(rule === inputPropertyRemoved.id && invalid.keyword === 'required');
    const near = invalid.parameter !== undefined && isOfParameter && isTelling ? nearness(change, invalid) : undefined;
    return near === undefined ? [] : [{ change, near }];
  });
  return about.toSorted((one, other) => other.near - one.near)[0]?.change;
};

/** An error that also says what another one says, if there is one. */
const withText = (invalid: Invalid, before: Invalid | undefined): Invalid =>
  before === undefined ? invalid : { ...invalid, text: say`${before.text}; ${invalid.text}` };

/** Adds errors to the reasons. An error about a changed parameter joins the reason for that change, which says more. */
export const withErrors = (
  reasons: readonly Reason[],
  errors: readonly Invalid[],
  changes: readonly FoundChange[],
  live: Contract,
): Reason[] => {
  const merged = [...reasons];
  for (const invalid of errors) {
    const change = changeBehind(invalid, changes);
    const told = merged.findIndex((reason) => reason.change !== undefined && reason.change === change);
    if (told >= 0) {
      // A change that alone would only be asked about makes this call invalid.
      const reason = merged[told] as Reason;
      merged[told] = { ...reason, verdict: 'deny', invalid: withText(invalid, reason.invalid) };
      continue;
    }
    const key = `${change ? `${change.rule} ${change.path}` : `invalid ${invalid.text}`} ${meaningHash(live)}`;
    merged.push({ key, verdict: 'deny', invalid, ...defined({ change }) });
  }
  return merged;
};
