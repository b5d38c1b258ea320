import { defined } from '../contract/defined.ts';
import { namesIn } from '../contract/json-pointer.ts';
import { signature } from '../contract/signature.ts';
import { type Contract, type Json, type JsonObject, own } from '../contract/types.ts';
import type { Invalid, Validity } from '../contract/validate.ts';
import { diffContract } from '../diff/diff.ts';
import { findToolRenames } from '../diff/rename-tools.ts';
import { inputPropertyAdded } from '../diff/rules/input-property-added.ts';
import { inputPropertyDefaultChanged } from '../diff/rules/input-property-default-changed.ts';
import { ofContract } from '../diff/table.ts';
import type { FoundChange } from '../diff/types.ts';
import { quoteName } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { takes } from './applying.ts';
import { branchesNow, meantBranch } from './branch.ts';
import { type Differences, differencesFor } from './differences.ts';
import { divided } from './division.ts';
import { errorsOf, openReasons, withErrors } from './reasons.ts';
import { INPUT, isIrrelevant, standingAt } from './relies.ts';
import { repairOf, twinOf } from './repair.ts';
import { giveArgument, omits, uses, without } from './touch.ts';
import { isWords, siblingName, takesPayload } from './twin.ts';

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
  changes: readonly FoundChange[];
  reasons: Reason[];
  /** For `unchecked`: why it could not be judged. */
  why?: Shown;
  /** The tool's current signature; if it is gone, its successor's. */
  signature?: Shown;
  /** The signature changed. One that is cut off may be the same although more of the contract is not. */
  isOtherForm?: true;
  /** For `ask`: the parameters without which this call goes through and, as the tool says of itself, changes nothing. */
  omittable?: (readonly string[])[];
  /** For `ask`: the parameters that this call leaves out, and with a value for which it goes through. */
  givable?: (readonly string[])[];
  /** Names of the tool's current branches, if those changed. */
  branches?: string[];
  /** The call's arguments with parameters renamed and moved, if that makes them valid under the live contract. */
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

/** A question about a tool that the server still has. */
export type LiveQuestion = Question & { live: Contract };

const gone = ({ believed, tools, earlier, args, policy }: Question): Judgement => {
  const candidates = earlier === undefined ? tools : tools.filter(({ name }) => !earlier.has(name));
  const successor = findToolRenames([believed], candidates)[0]?.after ?? divided(believed, candidates, args);
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

const notChecked = (validity: Validity, tool: string): Shown | undefined => {
  if (validity.valid === true) return undefined;
  if (validity.unread) return validity.why;
  return validity.valid === 'unknown'
    ? say`the arguments of ${quoteName(tool)} could not be validated: ${validity.why}`
    : undefined;
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

const onlyReads = ({ annotations }: Contract): boolean => annotations?.readOnlyHint === true;

/**
 * Parameters that may be left out instead of asking a person, as a call without all of them shows. Only of a tool that declares
 * that it changes nothing: elsewhere, a call without its filter, amount or `dry_run` may do more than was wanted.
 */
const omittableIn = (
  question: LiveQuestion,
  found: FoundChange[],
  reasons: readonly Reason[],
): Pick<Judgement, 'omittable'> => {
  if (![question.believed, question.live].every(onlyReads)) return {};
  const used = reasons.map(({ change }) => {
    const { effect, parameter, ways = parameter ? [parameter] : [] } = change ?? {};
    return effect?.when === 'used' ? ways.filter((way) => way.at(-1) !== '*' && uses(question.args, way)) : [];
  });
  // Advice that covers only some of the reasons would not let the call through.
  if (used.some((ways) => ways.length === 0)) return {};
  const omittable = [...new Map(used.flat().map((way) => [JSON.stringify(way), way])).values()];
  const { decision } = judgeChanged({ ...question, args: omittable.reduce(without, question.args) }, found);
  return decision === 'silence' || decision === 'notice' ? { omittable } : {};
};

/** A value for a parameter that a call leaves out: what stood for it so far, or one that its schema takes. */
const valueFor = ({ rule, path, before, after }: FoundChange, live: Contract): Json | undefined => {
  const root = live.inputSchema;
  const place = namesIn(path.slice(INPUT.length));
  const schema = (rule === inputPropertyAdded.id ? after : standingAt(place.slice(0, -1), root)) ?? true;
  const isDefault = rule === inputPropertyDefaultChanged.id;
  const now = isDefault ? after : own(schema, 'default');
  const listed = own(schema, 'enum');
  const values = [
    isDefault ? before : undefined,
    own(schema, 'const'),
    ...(Array.isArray(listed) ? listed.slice(0, 1) : []),
    // A switch is not given what it does without being given.
    ...(typeof now === 'boolean' ? [!now] : [now]),
    ...[false, 'x', 1, [], {}],
  ];
  return values.find((value) => takes(schema, root, value) === true);
};

/** Parameters that may be given a value instead of asking a person, as a call that gives all of them one shows. */
const givableIn = (
  question: LiveQuestion,
  found: FoundChange[],
  reasons: readonly Reason[],
): Pick<Judgement, 'givable'> => {
  const givable = new Map<string, readonly string[]>();
  let args = question.args;
  for (const { change } of reasons) {
    const { parameter, ways: all = parameter ? [parameter] : [] } = change ?? {};
    const ways = all.filter((way) => omits(question.args, way));
    const value = change?.effect?.when === 'omitted' ? valueFor(change, question.live) : undefined;
    // Advice that covers only some of the reasons would not let the call through.
    if (value === undefined || ways.length === 0) return {};
    args = ways.reduce((given, way) => giveArgument(given, way, value), args);
    for (const way of ways) givable.set(JSON.stringify(way), way);
  }
  const { decision } = judgeChanged({ ...question, args }, found);
  return decision === 'silence' || decision === 'notice' ? { givable: [...givable.values()] } : {};
};

const unreadable = (believed: Contract, live: Contract, { mode }: Policy, defect: string): Judgement => ({
  decision: MODES[mode]('unchecked', false),
  changes: diffContract(believed, live),
  reasons: [],
  why: say`its tool ${quoteName(live.name)} could not be read: ${visible(defect, { max: 160 })}`,
});

const decisionOn = (reasons: readonly Reason[], isUnknown: boolean, isRelevant: boolean): Decision => {
  if (reasons.some(({ verdict }) => verdict === 'deny')) return 'deny';
  if (reasons.length > 0) return 'ask';
  if (isUnknown) return 'unchecked';
  return isRelevant ? 'notice' : 'silence';
};

/** Why a call could not be judged in whole, if it could not. */
const whyOf = ({ validity, changes, unseen, isUnknown }: Differences, tool: string): Shown | undefined =>
  validity.valid !== 'unknown' && isUnknown
    ? say`the contract ${(unseen ?? changes[0])?.message ?? 'changed'}`
    : notChecked(validity, tool);

/**
 * The verdict on one call, from what the model believes and what the server runs. Uses no process, file or network: what it
 * depends on is in the question. Only work on a schema that takes too long is given up, and what it would have told is
 * unknown.
 */
export const judge = (asked: Question): Judgement => {
  const question = withBranchesOfSibling(asked);
  const { believed, live, policy, wrong } = question;
  if (policy.mode === 'off') return { decision: 'silence', changes: [], reasons: [] };
  if (live === null) return gone(question);
  const defect = live.defect ?? believed.defect;
  if (defect !== undefined) return unreadable(believed, live, policy, defect);
  const found = ofContract(diffContract(believed, live));
  if (found.length === 0 && wrong === undefined) return { decision: 'silence', changes: found, reasons: [] };
  const asChanged = { ...question, live };
  const judged = judgeChanged(asChanged, found);
  if (judged.decision !== 'ask') return judged;
  return {
    ...judged,
    ...omittableIn(asChanged, found, judged.reasons),
    ...givableIn(asChanged, found, judged.reasons),
  };
};

/** The verdict on a call of a tool that changed, or whose arguments only we validate. */
const judgeChanged = (question: LiveQuestion, found: FoundChange[]): Judgement => {
  const { believed, live, policy, sibling } = question;
  const isTwin = siblingName(live) !== undefined && takesPayload(believed);
  const differences = differencesFor(question, found);
  const { changes } = differences;
  const branch = meantBranch(question);
  const concerning = changes.filter(branch.isConcerned);
  const touching = concerning.filter((change) => !(isTwin && isWords(change)));
  const open = openReasons(question, touching, differences, branch.carried);
  const reasons = withErrors(open, errorsOf(question, differences, branch.errors), concerning, live);

  const ofSibling = isTwin && sibling ? siblingChanges(sibling) : {};
  const isQuiet = (change: FoundChange) => change.quiet || isIrrelevant(change, question, differences.shifts ?? []);
  const isRelevant = !changes.every(isQuiet) || (ofSibling.sibling?.changes ?? []).some((change) => !change.quiet);
  const decision = decisionOn(reasons, differences.isUnknown, isRelevant);
  const form = signature(live);
  const isStale = isTwin ? found.some((change) => !isWords(change)) : found.length > 0;
  return {
    decision: MODES[policy.mode](decision, isStale),
    changes,
    reasons,
    ...defined({ why: whyOf(differences, live.name) }),
    signature: form,
    ...(form === signature(believed) ? {} : { isOtherForm: true }),
    ...branchesNow(changes, live),
    ...ofSibling,
    ...repairOf(question, concerning, open, differences, branch),
  };
};
