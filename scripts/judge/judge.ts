import { canonical, sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { meaningHash } from '../contract/meaning.ts';
import { signature } from '../contract/signature.ts';
import type { Contract, Json, JsonObject } from '../contract/types.ts';
import type { Invalid, Validity } from '../contract/validate.ts';
import { diffContract } from '../diff/diff.ts';
import { findToolRenames } from '../diff/rename.ts';
import { ofContract } from '../diff/table.ts';
import type { FoundChange } from '../diff/types.ts';
import { quoteName } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { branchErrors, branchesNow, branchMeantBy } from './branch.ts';
import { shiftsFor } from './declared.ts';
import { doubted, isAsUnread } from './doubted.ts';
import { newNames } from './new-names.ts';
import { isElsewhere, reliesOn, touched } from './relies.ts';
import { correct, twinOf } from './repair.ts';
import { passes, uses, without } from './touch.ts';
import { carriedBy, isWords, siblingName, takesPayload } from './twin.ts';
import { unfound } from './unfound.ts';
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
  /** The call has a new name of a parameter, which the contract that is believed does not tell. */
  byNewName?: true;
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
  /** For `ask`: the parameters without which this call would go through; absent if it would not. */
  omittable?: (readonly string[])[];
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

/** Parameters that may be left out instead of asking a person, as a call without all of them shows. */
const omittableIn = (asked: Question, reasons: readonly Reason[]): Pick<Judgement, 'omittable'> => {
  const used = reasons.map(({ change }) => {
    const { effect, parameter, ways = parameter ? [parameter] : [] } = change ?? {};
    return effect?.when === 'used' ? ways.filter((way) => way.at(-1) !== '*' && uses(asked.args, way)) : [];
  });
  // Advice that covers only some of the reasons would not let the call through.
  if (used.some((ways) => ways.length === 0)) return {};
  const omittable = [...new Map(used.flat().map((way) => [JSON.stringify(way), way])).values()];
  const { decision } = judge({ ...asked, args: omittable.reduce(without, asked.args) });
  return decision === 'silence' || decision === 'notice' ? { omittable } : {};
};

const unreadable = (believed: Contract, live: Contract, { mode }: Policy, defect: string): Judgement => ({
  decision: MODES[mode]('unchecked', false),
  changes: diffContract(believed, live),
  reasons: [],
  why: say`its tool ${quoteName(live.name)} could not be read: ${visible(defect, { max: 160 })}`,
});

/**
 * What a yes is for: what the model believed of this place, and what is there now. Another call of the same tool may meet
 * another change at the same place: by its values.
 */
const aboutChange = (change: FoundChange, args: JsonObject, elsewhere: readonly FoundChange[]): string => {
  const { values, ways = [], before = null, after = null } = change;
  const passed = values?.filter((value) => ways.some((way) => passes(args, way, [value]))) ?? null;
  return sha256(canonical([before, passed, elsewhere.includes(change) ? after : null] as Json));
};

/** If the new words may reach the model, we tell it and it decides again; no person has to be asked. */
const verdictOn = ({ effect }: FoundChange, { trusted }: Policy): Reason['verdict'] =>
  effect?.verdict === 'deny' || (trusted && effect?.verdict === 'ask') ? 'deny' : 'ask';

const decisionOn = (reasons: readonly Reason[], isUnknown: boolean, isRelevant: boolean): Decision => {
  if (reasons.some(({ verdict }) => verdict === 'deny')) return 'deny';
  if (reasons.length > 0) return 'ask';
  if (isUnknown) return 'unchecked';
  return isRelevant ? 'notice' : 'silence';
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
  if (defect !== undefined) return unreadable(believed, live, policy, defect);
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
  const renamed = newNames(found, args);
  const shifts = changed ? shiftsFor(believed.inputSchema, live.inputSchema, args, renamed.names) : [];
  const elsewhere = unfound(live.name, shifts ?? [], known);
  const changes = [...known, ...elsewhere];
  const carried = carriedBy(live, args);
  const isMeant = branchMeantBy(believed, live, carried);
  /** What changed about a branch matters to the calls that mean it. */
  const concerning = changes.filter(({ of }) => of === undefined || isMeant(of));
  const touching: Reason[] = concerning
    .filter((change) => !(isTwin && isWords(change)))
    .filter((change) =>
      change.of === undefined ? reliesOn(change, renamed.argumentsFor(change), shifts) : touched(change, carried),
    )
    .map((change) => ({
      key: `${change.rule} ${change.path} ${liveHash} ${aboutChange(change, renamed.argumentsFor(change), elsewhere)}`,
      verdict: verdictOn(change, policy),
      ...renamed.told(change),
    }));
  const ofBranch = branchErrors(believed, live, carried, isMeant);
  const invalid = [...(validity.valid === false ? validity.errors : []), ...ofBranch];
  // If the arguments could not even be read, a list of what is missing in them would not help.
  const errors = wrong !== undefined && wrong.length > 0 ? [...wrong] : invalid;
  const open = touching.filter((reason) => !settled(reason.key));
  const reasons = merge(open, errors, concerning, liveHash);

  // An uncheckable part that is as the model knows it is not drift: we mention it along with what changed.
  const isOpen = validity.valid === 'unknown' && unread === undefined;
  const unseen = changes.find(({ incomplete }) => incomplete);
  const unknown = isOpen || shifts === undefined || unseen !== undefined;
  const ofSibling = isTwin && sibling ? siblingChanges(sibling) : {};
  const isQuiet = (change: FoundChange) => change.quiet || isElsewhere(change, question, shifts ?? []);
  const isRelevant = !changes.every(isQuiet) || (ofSibling.sibling?.changes ?? []).some((change) => !change.quiet);
  const decision = decisionOn(reasons, unknown, isRelevant);
  // New names alone are no repair where the value means something else, too.
  const isSame = !open.some(({ change }) => change !== undefined && renamed.concerns(change));
  const fixed = isSame ? correct(args, concerning, believed, live) : undefined;
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
    ...(decision === 'ask' ? omittableIn(asked, reasons) : {}),
    ...branchesNow(changes, live),
    ...ofSibling,
    ...defined({ corrected, twin: lost ? undefined : twinOf(live.name, tools, corrected ?? args) }),
  };
};
