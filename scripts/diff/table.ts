import { say } from '../text/shown.ts';
import { inputAnnotationChanged } from './rules/input-annotation-changed.ts';
import { inputBranchChanged } from './rules/input-branch-changed.ts';
import { inputConditionChanged } from './rules/input-condition-changed.ts';
import { inputConstraintChanged } from './rules/input-constraint-changed.ts';
import { inputObjectClosed } from './rules/input-object-closed.ts';
import { inputPropertyAdded } from './rules/input-property-added.ts';
import { inputPropertyBecameOptional } from './rules/input-property-became-optional.ts';
import { inputPropertyBecameRequired } from './rules/input-property-became-required.ts';
import { inputPropertyDefaultChanged } from './rules/input-property-default-changed.ts';
import { inputPropertyEnumChanged } from './rules/input-property-enum-changed.ts';
import { inputPropertyMarked } from './rules/input-property-marked.ts';
import { inputPropertyMirrored } from './rules/input-property-mirrored.ts';
import { inputPropertyRemoved } from './rules/input-property-removed.ts';
import { inputPropertyRenamed } from './rules/input-property-renamed.ts';
import { inputPropertyReplaced } from './rules/input-property-replaced.ts';
import { inputPropertyTypeChanged } from './rules/input-property-type-changed.ts';
import { inputPropertyWordsChanged } from './rules/input-property-words-changed.ts';
import { toolAdded } from './rules/tool-added.ts';
import { toolAppearanceChanged } from './rules/tool-appearance-changed.ts';
import { toolBranchChanged } from './rules/tool-branch-changed.ts';
import { toolDescriptionChanged } from './rules/tool-description-changed.ts';
import { toolDivided } from './rules/tool-divided.ts';
import { toolHintChanged } from './rules/tool-hint-changed.ts';
import { toolInputUnlisted } from './rules/tool-input-unlisted.ts';
import { toolOutputChanged } from './rules/tool-output-changed.ts';
import { toolRemoved } from './rules/tool-removed.ts';
import { toolRenamed } from './rules/tool-renamed.ts';
import { toolTaskRequired } from './rules/tool-task-required.ts';
import { toolTitleChanged } from './rules/tool-title-changed.ts';
import type { Effect, Level, ListPair, Rule, SchemaPair, ToolPair } from './types.ts';

/** The level of each kind of a rule's findings, and the effect on a call that it concerns. */
export interface RuleRow<P extends ListPair | ToolPair | SchemaPair> {
  rule: Rule<P>;
  /** The first kind applies to findings that name none. */
  levels: Record<string, Level>;
  effects?: Record<string, Effect>;
  /** Kinds that are irrelevant changes for a call. */
  quiet?: readonly string[];
}

const denyUsed: Effect = { when: 'used', verdict: 'deny' };
const askUsed: Effect = { when: 'used', verdict: 'ask' };

export const LIST_RULES: RuleRow<ListPair>[] = [
  { rule: toolRemoved, levels: { gone: 'breaking' } },
  { rule: toolRenamed, levels: { gone: 'breaking' } },
  { rule: toolDivided, levels: { gone: 'breaking' } },
  { rule: toolAdded, levels: { new: 'compatible' } },
];

export const TOOL_RULES: RuleRow<ToolPair>[] = [
  {
    rule: toolHintChanged,
    levels: {
      danger: 'semantic',
      safer: 'semantic',
      other: 'semantic',
      usual: 'compatible',
      idle: 'compatible',
      name: 'semantic',
    },
    effects: { danger: { when: 'always', verdict: 'ask' } },
    // A call believed to be more dangerous than it is stays as right as it was.
    quiet: ['safer', 'usual', 'idle', 'name'],
  },
  {
    rule: toolOutputChanged,
    // A call is not wrong because of its result, so these have no effect: what is not quiet is told.
    levels: {
      broken: 'breaking',
      unpromised: 'breaking',
      unnamed: 'silent',
      reworded: 'semantic',
      promised: 'compatible',
      kept: 'compatible',
    },
    quiet: ['promised', 'kept'],
  },
  {
    rule: toolBranchChanged,
    levels: {
      added: 'compatible',
      removed: 'breaking',
      told: 'compatible',
      untold: 'unclassified',
      described: 'compatible',
      undescribed: 'unclassified',
      words: 'semantic',
      renamed: 'compatible',
    },
    effects: { removed: denyUsed },
  },
  { rule: toolInputUnlisted, levels: { unknown: 'unclassified' } },
  {
    rule: toolDescriptionChanged,
    levels: {
      words: 'semantic',
      meaning: 'semantic',
      plainer: 'compatible',
      ofValues: 'semantic',
      ofDefault: 'semantic',
    },
    effects: {
      meaning: { when: 'always', verdict: 'ask' },
      ofValues: askUsed,
      ofDefault: { when: 'omitted', verdict: 'ask' },
    },
    quiet: ['plainer'],
  },
  // The model does not see it.
  { rule: toolTitleChanged, levels: { name: 'semantic', warning: 'semantic' }, quiet: ['name'] },
  { rule: toolTaskRequired, levels: { required: 'breaking', free: 'compatible' } },
  { rule: toolAppearanceChanged, levels: { other: 'compatible' } },
];

export const SCHEMA_RULES: RuleRow<SchemaPair>[] = [
  {
    rule: inputPropertyRenamed,
    levels: { refused: 'breaking', ignored: 'silent' },
    effects: { refused: denyUsed, ignored: denyUsed },
  },
  {
    rule: inputPropertyRemoved,
    levels: { refused: 'breaking', ignored: 'silent', free: 'silent' },
    effects: { refused: denyUsed, ignored: denyUsed, free: denyUsed },
  },
  {
    rule: inputPropertyReplaced,
    levels: { other: 'semantic', turned: 'semantic' },
    effects: { other: askUsed, turned: { when: 'always', verdict: 'ask' } },
  },
  {
    rule: inputPropertyAdded,
    levels: {
      required: 'breaking',
      optional: 'compatible',
      assumed: 'compatible',
      acting: 'silent',
      typed: 'breaking',
    },
    effects: { acting: { when: 'omitted', verdict: 'ask' } },
    // Old callers omit it. If something is said about such calls, they may now mean something else.
    quiet: ['optional'],
  },
  { rule: inputPropertyBecameRequired, levels: { required: 'breaking' } },
  { rule: inputPropertyBecameOptional, levels: { optional: 'compatible' }, quiet: ['optional'] },
  { rule: inputPropertyTypeChanged, levels: { narrower: 'breaking', wider: 'compatible' }, quiet: ['wider'] },
  {
    rule: inputPropertyEnumChanged,
    levels: {
      narrower: 'breaking',
      wider: 'compatible',
      reordered: 'semantic',
      shifted: 'breaking',
      rescaled: 'semantic',
    },
    effects: { reordered: askUsed, shifted: askUsed, rescaled: askUsed },
    quiet: ['wider'],
  },
  {
    rule: inputPropertyDefaultChanged,
    levels: { other: 'silent', rescaled: 'silent', respelled: 'compatible', unused: 'compatible', none: 'compatible' },
    effects: { other: { when: 'omitted', verdict: 'ask' }, rescaled: { when: 'always', verdict: 'ask' } },
    quiet: ['unused', 'none'],
  },
  {
    rule: inputPropertyWordsChanged,
    levels: {
      meaning: 'semantic',
      added: 'semantic',
      untold: 'semantic',
      ofDefault: 'semantic',
      ofOmission: 'semantic',
      plainer: 'compatible',
    },
    effects: {
      meaning: askUsed,
      ofDefault: { when: 'always', verdict: 'ask' },
      ofOmission: { when: 'omitted', verdict: 'ask' },
    },
    quiet: ['plainer'],
  },
  {
    rule: inputPropertyMirrored,
    levels: { shown: 'semantic', hidden: 'compatible' },
    effects: { shown: askUsed },
  },
  {
    rule: inputAnnotationChanged,
    levels: { meaning: 'semantic', 'touch-up': 'semantic', plainer: 'compatible' },
    effects: { meaning: askUsed },
    quiet: ['plainer'],
  },
  {
    rule: inputPropertyMarked,
    levels: { marked: 'semantic', unwritable: 'semantic' },
    effects: { unwritable: askUsed },
  },
  {
    rule: inputBranchChanged,
    levels: {
      narrower: 'breaking',
      wider: 'compatible',
      came: 'breaking',
      went: 'compatible',
      nullable: 'compatible',
      shifted: 'breaking',
      rescaled: 'semantic',
    },
    effects: { shifted: askUsed, rescaled: askUsed },
    quiet: ['wider', 'went', 'nullable'],
  },
  {
    rule: inputConstraintChanged,
    levels: {
      tighter: 'breaking',
      formatted: 'breaking',
      stored: 'breaking',
      looser: 'compatible',
      rescaled: 'semantic',
    },
    // Whether a value meets any other condition is checked.
    effects: { rescaled: askUsed, formatted: askUsed, stored: askUsed },
    // How a number is stored matters to one that does not fit.
    quiet: ['looser', 'stored'],
  },
  // Whether a call meets it is checked.
  { rule: inputConditionChanged, levels: { came: 'breaking', went: 'compatible' }, quiet: ['went'] },
  {
    rule: inputObjectClosed,
    levels: { closed: 'breaking', sealed: 'breaking', opened: 'compatible' },
    quiet: ['sealed', 'opened'],
  },
];

/** Rules for the words of names. What names are allowed is a condition on the object that has them. */
export const NAME_RULES: RuleRow<SchemaPair>[] = SCHEMA_RULES.filter(({ rule }) =>
  [inputPropertyWordsChanged.id, inputAnnotationChanged.id].includes(rule.id),
);

/** Rules only for the reports of `diff`: their findings are not part of the contract, and no call is judged by them. */
const REPORTED_ONLY: ReadonlySet<string> = new Set([toolAppearanceChanged.id, toolTaskRequired.id]);

/** Only the changes of the contract, without those only for reports. */
export const ofContract = <C extends { rule: string }>(changes: readonly C[]): C[] =>
  changes.filter(({ rule }) => !REPORTED_ONLY.has(rule));

/** A difference that no rule explains, but that provably breaks no call; `semantic` if words changed in it. */
export const REWRITTEN = { id: 'input-schema-rewritten', effect: askUsed } as const;

/** What is said of such a difference, after what it is. */
export const DOUBT = say`; what that means for a call cannot be told`;

/** A difference that no rule explains: treated like a breaking one, and asked about if a call uses the parameter. */
export const UNCLASSIFIED = { id: 'unclassified', level: 'unclassified', effect: askUsed } as const;
