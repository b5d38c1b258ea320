import { branchesOf } from '../contract/branches.ts';
import { canonical, sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { DEEPEST_ARGUMENTS, isDeeper } from '../contract/depth.ts';
import { namesIn, pointer } from '../contract/json-pointer.ts';
import { meaningHash } from '../contract/meaning.ts';
import { targetOf } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { signature } from '../contract/signature.ts';
import { type Contract, type Json, type JsonObject, own } from '../contract/types.ts';
import type { Invalid, Validity } from '../contract/validate.ts';
import { diffContract } from '../diff/diff.ts';
import { isOtherDefault, mayHaveActed, ofCallsWith, tellsOfLeavingOut } from '../diff/left-out.ts';
import { findToolRenames } from '../diff/rename.ts';
import { annotationFinding, inputAnnotationChanged } from '../diff/rules/input-annotation-changed.ts';
import { inputConstraintChanged } from '../diff/rules/input-constraint-changed.ts';
import { inputPropertyAdded } from '../diff/rules/input-property-added.ts';
import { inputPropertyBecameRequired } from '../diff/rules/input-property-became-required.ts';
import { defaultFinding, inputPropertyDefaultChanged } from '../diff/rules/input-property-default-changed.ts';
import { inputPropertyRemoved } from '../diff/rules/input-property-removed.ts';
import { inputPropertyRenamed } from '../diff/rules/input-property-renamed.ts';
import { inputPropertyWordsChanged } from '../diff/rules/input-property-words-changed.ts';
import { changedBranches, shownForm } from '../diff/rules/tool-branch-changed.ts';
import { ofContract, REWRITTEN } from '../diff/table.ts';
import type { BranchSides, Effect, FoundChange } from '../diff/types.ts';
import { compareTexts, type WordsChange } from '../diff/words/compare.ts';
import { fits } from '../proof/sizes.ts';
import { quoteChange, quoteName } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { branchMeantBy } from './branch.ts';
import { type Shift, shiftsFor } from './declared.ts';
import { hasFormat } from './formats.ts';
import { given, omits, passes, renameArgument, uses } from './touch.ts';
import { carriedBy, isWords, siblingName, takesPayload } from './twin.ts';
import { validityOf } from './validity.ts';

export type Mode = 'off' | 'warn' | 'guard' | 'strict';

export interface Policy {
  mode: Mode;
  /** The user marked the server as trusted, so its new descriptions may reach the model. */
  trusted: boolean;
}

/** What happens to a call. `unchecked`: it could not be judged. */
type Decision = 'silence' | 'notice' | 'ask' | 'deny' | 'unchecked';

/** Why a call is stopped or asked about: a change that affects it, an argument that is no longer valid, or both. */
export interface Reason {
  /** Equal for the same rule, path and live contract: we ask or tell only once under this key. */
  key: string;
  verdict: 'deny' | 'ask';
  change?: FoundChange;
  invalid?: Invalid;
}

export interface Judgement {
  decision: Decision;
  changes: FoundChange[];
  reasons: Reason[];
  /** For `unchecked`: why it could not be judged. */
  why?: Shown;
  /** The tool's current signature; if it is gone, its successor's. */
  signature?: Shown;
  /** Names of the tool's current branches, if those changed. */
  branches?: string[];
  /** The call's arguments with parameters renamed, if that makes them valid under the live contract. */
  corrected?: JsonObject;
  /** For a twin: the tool that it stands for, and what changed in it: payloads follow that tool's contract. */
  sibling?: { name: string; changes: FoundChange[]; signature: Shown };
  /** The tool to call instead of a removed one, by name. */
  successor?: string;
  /** The `_raw` twin, and its arguments for this call. */
  twin?: {
    name: string;
    arguments: { payload: string };
    /** Something in the payload must still be filled in. */
    incomplete?: true;
  };
}

export interface Question {
  believed: Contract;
  /** The live contract; null if the server no longer has the tool. */
  live: Contract | null;
  /** All tools that the server runs. */
  tools: readonly Contract[];
  /** Names of tools that existed along with this one, as far as known: none of them is its successor. */
  earlier?: ReadonlySet<string> | undefined;
  /** For a twin: the tool that it stands for, as known from before, and as the server runs it. */
  sibling?: { believed: Contract; live: Contract } | undefined;
  args: JsonObject;
  policy: Policy;
  /** Whether the reason with this key was granted before, or told once if that is enough. */
  settled(key: string): boolean;
  /**
   * Present for a tool whose contract the client neither shows to the model nor checks (one behind an invoker): its
   * arguments are validated even if nothing changed. Holds the errors already known.
   */
  wrong?: readonly Invalid[] | undefined;
}

/** Where the input schema stands in a contract. */
const INPUT = '/inputSchema';

const twinOf = (name: string, tools: readonly Contract[], args: JsonObject): Judgement['twin'] => {
  const twin = tools.find((tool) => tool.name === `${name}_raw` && takesPayload(tool));
  if (twin === undefined || isDeeper(args, DEEPEST_ARGUMENTS)) return undefined;
  return { name: twin.name, arguments: { payload: JSON.stringify(args) } };
};

const touched = ({ effect, of, ways = [] }: FoundChange, args: JsonObject): boolean => {
  if (effect === undefined) return false;
  // It concerns the call, so the call means its branch: if that is gone, nothing else has to be touched.
  if (effect.when === 'always' || (of !== undefined && ways.length === 0)) return true;
  return ways.some((way) => (effect.when === 'used' ? uses(args, way) : omits(args, way)));
};

type Reworded = Extract<Shift, { kind: 'reworded' }>;

/** All words that a value had, or has, as one text. */
const asOneText = (texts: readonly string[]): string => texts.join(' ');

const isAt = (way: readonly string[], place: readonly string[]): boolean =>
  way.length === place.length && way.every((step, index) => step === place[index] || step === '*');

/** The kind of shift in which a rule's change shows, if a call relies on it. A mere rewrite shows as another kind. */
const SHOWS_AS: ReadonlyMap<string, Shift['kind'] | undefined> = new Map([
  [inputPropertyRemoved.id, 'gone'],
  [inputPropertyRenamed.id, 'gone'],
  [inputPropertyWordsChanged.id, 'reworded'],
  [inputPropertyDefaultChanged.id, 'default'],
  [inputAnnotationChanged.id, 'annotated'],
  [REWRITTEN.id, undefined],
]);

/** Whether a change is about these words: about one text that a value lost or got, or about all of them, as `unfound` tells. */
const isOfWords = ({ before, after, ofNames = false }: FoundChange, shift: Reworded): boolean =>
  (shift.ofNames ?? false) === ofNames &&
  (shift.before.some((text) => text === before) ||
    shift.after.some((text) => text === after) ||
    (before === asOneText(shift.before) && after === asOneText(shift.after)));

const isShownBy = (change: FoundChange, shift: Shift): boolean =>
  SHOWS_AS.get(change.rule) === shift.kind &&
  (change.ways ?? [[]]).some((way) => isAt(way, shift.way)) &&
  (shift.kind !== 'reworded' || isOfWords(change, shift)) &&
  (shift.kind !== 'annotated' || change.path.endsWith(pointer(shift.keyword)));

/** What a change says of a part may be less than what it means for a call. */
const isToldBy = (change: FoundChange, shift: Shift): boolean => {
  // The default of a renamed parameter goes on under the new name, and is compared there.
  if (change.rule === inputPropertyRenamed.id && shift.kind === 'default')
    return (change.ways ?? []).some((way) => isAt(way, shift.way));
  if (!isShownBy(change, shift)) return false;
  if (change.effect !== undefined) return true;
  // A removal from a form that breaks no call may still matter to this call, which used that form.
  if (shift.kind === 'gone') return false;
  // What is only gone at this place, or only came, may be said otherwise at another one.
  const isHalf = change.before === undefined || change.after === undefined;
  if (shift.kind === 'reworded') return !isHalf || shift.before.length === 0 || shift.after.length === 0;
  return shift.kind !== 'annotated' || !isHalf || shift.before === undefined || shift.after === undefined;
};

/** Longer descriptions are not searched for sentences about other calls, in UTF-16 units of both. */
const LONGEST_SEARCHED = 50_000;

/** Whether a description says something new only about calls that leave the parameter out. */
const isOfCallsWithout = ({ rule, tool, parameter = [], before, after }: FoundChange): boolean =>
  rule === inputPropertyWordsChanged.id &&
  typeof before === 'string' &&
  typeof after === 'string' &&
  before.length + after.length < LONGEST_SEARCHED &&
  (ofCallsWith(before) !== before || ofCallsWith(after) !== after) &&
  isSaid(compareTexts(ofCallsWith(before), ofCallsWith(after), { names: [tool, ...parameter] }));

/** Whether a description says something else about calls that leave the parameter out, and this is one. */
const isLeftOut = ({ rule, tool, parameter = [], ways = [], before, after }: FoundChange, args: JsonObject): boolean =>
  rule === inputPropertyWordsChanged.id &&
  typeof before === 'string' &&
  typeof after === 'string' &&
  isOtherDefault(before, after, [tool, ...parameter]) &&
  ways.some((way) => omits(args, way));

/** Whether a call passes a text that is not known to have the format that is asked for now, or a number that has another. */
const lacksFormat = ({ ways = [], after }: FoundChange, args: JsonObject): boolean => {
  const format = typeof after === 'string' ? after : undefined;
  return ways
    .flatMap((way) => given(args, way))
    .some((value) => {
      if (typeof value === 'number') return format !== undefined && !fits(value, format);
      return typeof value === 'string' && !(format !== undefined && hasFormat(value, format));
    });
};

/** Whether a call relies on what changed: judged by its values, wherever their schemas are; else by the place. */
const reliesOn = (change: FoundChange, args: JsonObject, shifts: readonly Shift[] | undefined): boolean => {
  if (change.effect !== undefined && isLeftOut(change, args)) return true;
  if (isOfCallsWithout(change)) return false;
  const { rule, path, effect, values, ways = [] } = change;
  if (values !== undefined) return touched(change, args) && ways.some((way) => passes(args, way, values));
  if (rule === inputConstraintChanged.id && path.endsWith('/format'))
    return effect !== undefined && lacksFormat(change, args);
  // At the root, a form that the call does not have may say it.
  const isAtPlace = rule === inputAnnotationChanged.id || path.endsWith('/examples');
  const isOfPlace = (isAtPlace && ways.length > 0) || !SHOWS_AS.has(rule);
  if (effect === undefined || shifts === undefined || isOfPlace) return touched(change, args);
  if (shifts.some((shift) => isShownBy(change, shift))) return true;
  const isDark = ({ kind, way: [first] }: Shift) =>
    kind === 'unknown' && (change.ways ?? []).some(([step]) => step === first);
  return shifts.some(isDark) && touched(change, args);
};

/** The part of a schema at a place. */
const standingAt = (names: readonly string[], root: Json): Json | undefined =>
  names.reduce<Json | undefined>(
    (value, name) => (Array.isArray(value) ? value[Number(name)] : own(value, name)),
    root,
  );

/**
 * Whether a change is irrelevant for a call: it is about a parameter that the call does not pass, and nothing says that such
 * a call means something else.
 */
const isElsewhere = (change: FoundChange, { believed, live, args }: Question, shifts: readonly Shift[]): boolean => {
  const { effect, of, level, rule, path, before } = change;
  if (effect?.when !== 'used' || of !== undefined) return false;
  if (isOfCallsWithout(change)) return touched(change, args);
  if (touched(change, args) || reliesOn(change, args, shifts)) return false;
  if (level !== 'silent' && level !== 'semantic') return false;
  if (rule === inputPropertyRenamed.id) return true;
  if (rule === inputPropertyRemoved.id) return !mayHaveActed(before, believed.inputSchema);
  const way = namesIn(path.slice(INPUT.length)).slice(0, -1);
  return [believed, live].every((contract) => {
    const root = contract?.inputSchema ?? false;
    const schema = standingAt(way, root);
    return schema !== undefined && !tellsOfLeavingOut(schema, root);
  });
};

/** Whether new words say what the old ones said. */
const isSaid = ({ change }: WordsChange): boolean => change === 'same' || change === 'widened';

const STRENGTH: readonly WordsChange['change'][] = ['same', 'widened', 'added', 'meaning'];

/** How all that is said about a value changed: the worst change of any text, compared with its nearest counterpart. */
const wordsOf = (tool: string, { way, before, after }: Reworded): WordsChange['change'] => {
  const names = [tool, ...way];
  const nearest = (text: string, others: readonly string[], isOld: boolean): number =>
    Math.min(
      ...['', ...others].map((other) => {
        const { change } = isOld ? compareTexts(text, other, { names }) : compareTexts(other, text, { names });
        return STRENGTH.indexOf(change);
      }),
    );
  const worst = Math.max(
    ...before.map((text) => nearest(text, after, true)),
    ...after.map((text) => nearest(text, before, false)),
  );
  return STRENGTH[worst] ?? 'meaning';
};

/** What a call relies on and no rule found, because it is elsewhere: reported as the rule would have. */
const unfound = (tool: string, shifts: readonly Shift[], changes: readonly FoundChange[]): FoundChange[] => {
  const found = shifts
    .filter((shift) => !changes.some((change) => isToldBy(change, shift)))
    .flatMap((shift): FoundChange[] => {
      const { way } = shift;
      const ofNames = shift.kind === 'reworded' && shift.ofNames === true;
      const steps = way.map((step) => (step === '*' ? '/items' : `/properties${pointer(step)}`));
      const path = INPUT + (ofNames ? [...steps.slice(0, -1), '/propertyNames'] : steps).join('');
      const isOfAll = way.length === 0;
      const place = { tool, ...(isOfAll ? {} : { parameter: way, ways: [way] }) };
      const ask: Effect = { when: isOfAll ? 'always' : 'used', verdict: 'ask' };
      if (shift.kind === 'gone') {
        const message = say`removed: ${quoteName(way.at(-1) ?? '')} (no longer listed; still accepted, like any unknown name)`;
        const effect = { when: 'used', verdict: 'deny' } as const;
        return [{ ...place, path, rule: inputPropertyRemoved.id, level: 'silent', message, brief: message, effect }];
      }
      if (shift.kind === 'annotated') {
        const { kind, path: end, ...said } = annotationFinding(shift.keyword, shift.before, shift.after);
        const effect = kind === 'meaning' ? ask : undefined;
        const rule = inputAnnotationChanged.id;
        return [{ ...place, path: path + end, rule, level: 'semantic', ...said, ...defined({ effect }) }];
      }
      if (shift.kind === 'default') {
        const { kind, path: end, ...said } = defaultFinding(shift.before, shift.after);
        if (kind === 'none') return [];
        const effect: Effect = { when: shift.isGone ? 'always' : 'omitted', verdict: 'ask' };
        const message = shift.isGone ? say`${said.message} (the parameter is gone)` : said.message;
        const rule = inputPropertyDefaultChanged.id;
        return [{ ...place, path: path + end, rule, level: 'silent', ...said, message, effect }];
      }
      const became = shift.kind === 'reworded' ? wordsOf(tool, shift) : 'same';
      if (shift.kind === 'reworded' && (became === 'added' || became === 'meaning')) {
        const [had, has] = [asOneText(shift.before), asOneText(shift.after)];
        const message = say`new description${ofNames ? say` of names` : say``}: ${quoteChange(had, has, 160)}`;
        const brief = ofNames ? say`the description of its names changed` : say`its description changed`;
        const words = { message, brief, before: had, after: has };
        return [
          {
            ...place,
            path: `${path}/description`,
            rule: inputPropertyWordsChanged.id,
            level: 'semantic',
            ...words,
            ...(ofNames ? { ofNames } : {}),
            ...(became === 'meaning' ? { effect: ask } : {}),
          },
        ];
      }
      return [];
    });
  return [...new Map(found.map((change) => [`${change.rule} ${change.path}`, change])).values()];
};

const isInside = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}/`);

const ASKS_FOR_MORE: ReadonlySet<string> = new Set([inputPropertyAdded.id, inputPropertyBecameRequired.id]);

/** Where parts of a schema only count together: whether a value may have one form depends on the others. */
const TOGETHER = /^.*?(?:\/(?:anyOf|oneOf|not|contains)(?=\/)|(?=\/if\/))/s;

/**
 * A change as judged when it is unknown whether the call is still valid: we ask about one that breaks calls.
 * @param unread places of the live schema that could not be checked before either; absent if these may be anywhere
 */
const doubted = (change: FoundChange, unread: readonly string[] | undefined): FoundChange => {
  const { level, path, rule, parameter = [], effect } = change;
  const isHarmful = level === 'breaking' || level === 'unclassified';
  if (!isHarmful || effect !== undefined || !path.startsWith(INPUT)) return change;
  const isChecked = (place: string): boolean => {
    const whole = INPUT + (TOGETHER.exec(place)?.[0] ?? place);
    return !isInside(path, whole) && !isInside(whole, path);
  };
  if (unread?.every(isChecked)) return change;
  const when = parameter.length === 0 ? 'always' : ASKS_FOR_MORE.has(rule) ? 'omitted' : 'used';
  return { ...change, effect: { when, verdict: 'ask' } };
};

/** Whether a place of a schema is unreadable both before and now, and the same: that is not a change. */
const isAsUnread = (place: string, before: Json, after: Json): boolean => {
  const [had, has] = [before, after].map((root) => standingAt(namesIn(place), root));
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
  if (corrected === args || validityOf(live.inputSchema, corrected).valid !== true) return undefined;
  // If something must also be left out, new names alone do not help.
  const left = shiftsFor(believed.inputSchema, live.inputSchema, corrected);
  return left?.some(({ kind }) => kind === 'gone') ? undefined : corrected;
};

const gone = ({ believed, tools, earlier, args, policy }: Question): Judgement => {
  const candidates = earlier === undefined ? tools : tools.filter(({ name }) => !earlier.has(name));
  const successor = findToolRenames([believed], candidates)[0]?.after;
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

/** Adds errors to the reasons. An error about a changed parameter joins the reason for that change, which says more. */
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
      // A change that alone would only be asked about makes this call invalid.
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

const siblingChanges = ({ believed, live }: { believed: Contract; live: Contract }): Pick<Judgement, 'sibling'> => {
  const changes = ofContract(diffContract(believed, live));
  return changes.length === 0 ? {} : { sibling: { name: live.name, changes, signature: signature(live) } };
};

const branchesNow = (changes: readonly FoundChange[], live: Contract): Pick<Judgement, 'branches'> => {
  if (!changes.some(({ rule }) => rule === 'tool-branch-changed')) return {};
  const names = branchesOf(live).flatMap(({ name }) => (name === undefined ? [] : [name]));
  return names.length === 0 ? {} : { branches: names };
};

/** Errors of a call against what its branch takes now that were none against what it took before. */
const branchErrors = (
  believed: Contract,
  live: Contract,
  args: JsonObject,
  isMeant: (branch: BranchSides) => boolean,
  isCorrected = false,
): Invalid[] =>
  changedBranches(believed, live).flatMap(({ had, has }) => {
    if (!isMeant({ had, has })) return [];
    const found = validityOf(has.branch.schema as Json, args);
    if (found.valid !== false) return [];
    if (!isCorrected && validityOf(had.branch.schema as Json, args).valid !== true) return [];
    return found.errors.map((error) => ({ ...error, text: say`branch ${shownForm(has)}: ${error.text}` }));
  });

const MODES: Record<Mode, (found: Decision, changed: boolean) => Decision> = {
  off: () => 'silence',
  warn: (found) => (found === 'deny' || found === 'ask' ? 'notice' : found),
  guard: (found) => found,
  strict: (found, changed) => (changed ? 'deny' : found),
};

/** If a twin lists no branches of its own, the tool that it stands for lists what a payload may hold. */
const withBranchesOfSibling = (question: Question): Question => {
  const { believed, live, sibling } = question;
  if (!live || !sibling || siblingName(live) === undefined || !takesPayload(believed)) return question;
  if (believed.branches !== undefined || live.branches !== undefined) return question;
  return {
    ...question,
    believed: { ...believed, ...defined({ branches: sibling.believed.branches }) },
    live: { ...live, ...defined({ branches: sibling.live.branches }) },
  };
};

/**
 * The verdict on one call, from what the model believes and what the server runs. Uses no process, file, clock or network:
 * everything that it depends on is in the question.
 */
export const judge = (asked: Question): Judgement => {
  const question = withBranchesOfSibling(asked);
  const { believed, live, tools, args, policy, sibling, settled, wrong } = question;
  if (policy.mode === 'off') return { decision: 'silence', changes: [], reasons: [] };
  if (live === null) return gone(question);
  const defect = live.defect ?? believed.defect;
  if (defect !== undefined) {
    const why = say`the gateway's or server's entry for it could not be read: ${visible(defect, { max: 160 })}`;
    return {
      decision: MODES[policy.mode]('unchecked', false),
      changes: diffContract(believed, live),
      reasons: [],
      why,
    };
  }
  const found = ofContract(diffContract(believed, live));
  const changed = found.length > 0;
  const isTwin = siblingName(live) !== undefined && takesPayload(believed);
  const stale = isTwin ? found.some((change) => !isWords(change)) : changed;
  if (!changed && wrong === undefined) return { decision: 'silence', changes: found, reasons: [] };

  const liveHash = meaningHash(live);
  const validity = validityOf(live.inputSchema, args);
  const isOld = (place: string) => isAsUnread(place, believed.inputSchema, live.inputSchema);
  const unread = validity.valid === 'unknown' && validity.unread?.every(isOld) ? validity.unread : undefined;
  const known = validity.valid === 'unknown' ? found.map((change) => doubted(change, unread)) : found;
  const shifts = changed ? shiftsFor(believed.inputSchema, live.inputSchema, args) : [];
  const elsewhere = unfound(live.name, shifts ?? [], known);
  const changes = [...known, ...elsewhere];
  /** What a yes is for, where another call of the same tool may meet another change at the same place: by its values. */
  const aboutValues = (change: FoundChange): string => {
    const { values, ways = [], before = null, after = null } = change;
    if (values === undefined && !elsewhere.includes(change)) return '';
    const passed = values?.filter((value) => ways.some((way) => passes(args, way, [value])));
    return ` ${sha256(canonical((passed as Json[] | undefined) ?? [before, after]))}`;
  };
  const carried = carriedBy(live, args);
  const isMeant = branchMeantBy(believed, live, carried);
  /** What changed about a branch matters to the calls that mean it. */
  const concerning = changes.filter(({ of }) => of === undefined || isMeant(of));
  const touching: Reason[] = concerning
    .filter((change) => !(isTwin && isWords(change)))
    .filter((change) => (change.of === undefined ? reliesOn(change, args, shifts) : touched(change, carried)))
    .map((change) => ({
      key: `${change.rule} ${change.path} ${liveHash}${aboutValues(change)}`,
      // If the new words may reach the model, we tell it and it decides again; no person has to be asked.
      verdict: change.effect?.verdict === 'ask' && policy.trusted ? 'deny' : (change.effect?.verdict ?? 'ask'),
      change,
    }));
  const ofBranch = branchErrors(believed, live, carried, isMeant);
  const invalid = [...(validity.valid === false ? validity.errors : []), ...ofBranch];
  // If the arguments could not even be read, a list of what is missing in them would not help.
  const errors = wrong !== undefined && wrong.length > 0 ? [...wrong] : invalid;
  const open = touching.filter((reason) => !settled(reason.key));
  const reasons = merge(open, errors, concerning, liveHash);

  const denied = reasons.some((reason) => reason.verdict === 'deny');
  // An uncheckable part that is as the model knows it is not drift: we mention it along with what changed.
  const isOpen = validity.valid === 'unknown' && unread === undefined;
  const unseen = changes.find(({ incomplete }) => incomplete);
  const unknown = isOpen || shifts === undefined || unseen !== undefined;
  const ofSibling = isTwin && sibling ? siblingChanges(sibling) : {};
  const isQuiet = (change: FoundChange) => change.quiet || isElsewhere(change, question, shifts ?? []);
  const isRelevant = !changes.every(isQuiet) || (ofSibling.sibling?.changes ?? []).some((change) => !change.quiet);
  const quiet = isRelevant ? 'notice' : 'silence';
  const decision = denied ? 'deny' : reasons.length > 0 ? 'ask' : unknown ? 'unchecked' : quiet;
  const fixed = correct(args, concerning, believed, live);
  // A call that the flat schema accepts may still be one that the branch does not take.
  const corrected = fixed && branchErrors(believed, live, fixed, isMeant, true).length === 0 ? fixed : undefined;
  // The server does not take a payload of a removed branch, or one that needs something we cannot fill in.
  const lost =
    ofBranch.length > 0 || open.some(({ change }) => change?.of !== undefined && change.renamedTo === undefined);
  return {
    decision: MODES[policy.mode](decision, stale),
    changes,
    reasons,
    ...defined({ why: notChecked(validity) }),
    ...(validity.valid !== 'unknown' && unknown
      ? { why: say`the contract ${(unseen ?? changes[0])?.message ?? 'changed'}` }
      : {}),
    signature: signature(live),
    ...branchesNow(changes, live),
    ...ofSibling,
    ...defined({ corrected, twin: lost ? undefined : twinOf(live.name, tools, corrected ?? args) }),
  };
};
