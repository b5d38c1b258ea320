import { defined } from '../contract/defined.ts';
import { pointer } from '../contract/json-pointer.ts';
import { sameJson } from '../contract/same.ts';
import { isObject } from '../contract/types.ts';
import type { Invalid, Validity } from '../contract/validate.ts';
import { annotationFinding, inputAnnotationChanged } from '../diff/rules/input-annotation-changed.ts';
import { formatFinding, inputConstraintChanged } from '../diff/rules/input-constraint-changed.ts';
import { inputPropertyAdded } from '../diff/rules/input-property-added.ts';
import { defaultFinding, inputPropertyDefaultChanged } from '../diff/rules/input-property-default-changed.ts';
import { inputPropertyMarked, markFinding } from '../diff/rules/input-property-marked.ts';
import { inputPropertyRemoved } from '../diff/rules/input-property-removed.ts';
import { inputPropertyWordsChanged } from '../diff/rules/input-property-words-changed.ts';
import type { Effect, FoundChange } from '../diff/types.ts';
import { compareTexts, isMissed } from '../diff/words/compare.ts';
import { tellsSomething } from '../diff/words/kinds.ts';
import type { WordsChange } from '../diff/words/words-change.ts';
import { quoteName } from '../text/quote.ts';
import { quoteChange } from '../text/quote-change.ts';
import { say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { asOneText, INPUT, isToldBy, type Reworded } from './relies.ts';
import type { Shift } from './shift.ts';

const STRENGTH: readonly WordsChange['change'][] = ['same', 'widened', 'added', 'meaning'];

/** How all that is said about a value changed: the worst change of any text, compared with its nearest counterpart. */
const wordsOf = (tool: string, { way, before, after, untold }: Reworded): WordsChange['change'] => {
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
  const change = STRENGTH[worst] ?? 'meaning';
  const isGone = untold && change === 'meaning' && !before.some((text) => isMissed(text, { names }));
  return isGone ? 'added' : change;
};

/** What becomes of a parameter that nothing declares: as far as a call that is refused for something else shows. */
const fateOf = (
  { way, isElsewhere }: Extract<Shift, { kind: 'gone' }>,
  validity: Validity,
): Pick<FoundChange, 'level' | 'message'> => {
  const isHere = ({ at }: Invalid) => at?.length === way.length && way.every((step, index) => isStep(step, at[index]));
  if (way.at(-1) === '*')
    return {
      level: 'silent',
      message: say`an element stands where none is listed now${visible(validity.valid === true ? '; still accepted, like any other' : '')}`,
    };
  const isRefused = validity.valid === false && validity.errors.some(isHere);
  const level = isRefused ? 'breaking' : 'silent';
  const name = quoteName(way.at(-1) ?? '');
  const refused = 'the server refuses it now';
  const accepted = validity.valid === false ? '' : '; still accepted, like any unknown name';
  if (isElsewhere) {
    const fate = isRefused ? `; ${refused}` : accepted;
    return { level, message: say`the form that this call takes no longer lists ${name}${visible(fate)}` };
  }
  return { level, message: say`removed: ${name} (${visible(isRefused ? refused : `no longer listed${accepted}`)})` };
};

const isStep = (step: string, other: string | undefined): boolean => step === other || step === '*';

/** A shift as the rule for it would have reported it; undefined if it changes nothing for a call. */
const findingOf = (tool: string, shift: Shift, validity: Validity): FoundChange | undefined => {
  const { way, ofNames } = shift;
  const steps = way.map((step) => (step === '*' ? '/items' : `/properties${pointer(step)}`));
  const path = INPUT + (ofNames ? [...steps.slice(0, -1), '/propertyNames'] : steps).join('');
  const isOfAll = way.length === 0;
  const place = { tool, ...(isOfAll ? {} : { parameter: way, ways: [way] }), ...defined({ ofNames }) };
  const ask: Effect = { when: isOfAll ? 'always' : 'used', verdict: 'ask' };
  switch (shift.kind) {
    case 'gone': {
      const { level, message } = fateOf(shift, validity);
      const effect = { when: 'used', verdict: 'deny' } as const;
      return { ...place, path, rule: inputPropertyRemoved.id, level, message, brief: message, effect };
    }
    case 'annotated': {
      const { kind, path: end, ...said } = annotationFinding(shift.keyword, shift.before, shift.after);
      if (kind === 'plainer') return undefined;
      const effect = kind === 'meaning' ? ask : undefined;
      const rule = inputAnnotationChanged.id;
      return { ...place, path: path + end, rule, level: 'semantic', ...said, ...defined({ effect }) };
    }
    case 'formatted': {
      const { path: end, ...said } = formatFinding(shift.before, shift.after);
      const [message, brief] = [said.message, said.brief].map((what) => (ofNames ? say`of its names: ${what}` : what));
      const rule = inputConstraintChanged.id;
      return {
        ...place,
        path: path + end,
        rule,
        level: 'breaking',
        ...said,
        ...defined({ message, brief }),
        effect: ask,
      };
    }
    case 'unwritable': {
      const { path: end, ...said } = markFinding('readOnly', undefined, true);
      return { ...place, path: path + end, rule: inputPropertyMarked.id, level: 'semantic', ...said, effect: ask };
    }
    case 'acting': {
      const { message, after } = shift;
      const effect = { when: 'omitted', verdict: 'ask' } as const;
      const said = { message, brief: message, effect, ...(isObject(after) ? { after } : {}) };
      return { ...place, path, rule: inputPropertyAdded.id, level: 'silent', ...said };
    }
    case 'default': {
      const { kind, path: end, ...said } = defaultFinding(shift.before, shift.after);
      if (kind === 'none') return undefined;
      const effect: Effect = { when: shift.isGone ? 'always' : 'omitted', verdict: 'ask' };
      const message = shift.isGone ? say`${said.message} (the parameter is gone)` : said.message;
      const rule = inputPropertyDefaultChanged.id;
      return { ...place, path: path + end, rule, level: 'silent', ...said, message, effect };
    }
    case 'reworded': {
      const became = wordsOf(tool, shift);
      if (became !== 'added' && became !== 'meaning') return undefined;
      const [before, after] = [asOneText(shift.before), asOneText(shift.after)];
      return {
        ...place,
        path: `${path}/description`,
        rule: inputPropertyWordsChanged.id,
        level: 'semantic',
        message: say`new description${ofNames ? say` of names` : say``}: ${quoteChange(before || undefined, after || undefined, 160, tellsSomething)}`,
        brief: ofNames ? say`the description of its names changed` : say`its description changed`,
        before,
        after,
        ...(became === 'meaning' ? { effect: ask } : {}),
      };
    }
    default:
      return undefined;
  }
};

/** Whether two changes only move a default, from a parameter into one of its forms or back. */
const isMove = (one: FoundChange, other: FoundChange): boolean =>
  one.after === undefined &&
  other.before === undefined &&
  sameJson(one.before, other.after) &&
  JSON.stringify(one.ways) === JSON.stringify(other.ways);

/**
 * Changes whose defaults are what a call that leaves the parameter out means, on both sides: a default may stand in a form
 * or in a definition. One that only moved is not told.
 */
export const withDefaults = (changes: readonly FoundChange[], shifts: readonly Shift[]): FoundChange[] => {
  const isOfDefault = ({ rule, effect }: FoundChange): boolean =>
    rule === inputPropertyDefaultChanged.id && effect?.when === 'omitted';
  const ofDefault = changes.filter(isOfDefault);
  return changes.flatMap((change) => {
    if (!isOfDefault(change)) return [change];
    const isOfChange = (shift: Shift) => shift.kind === 'default' && isToldBy(change, shift);
    const shift = shifts.find(isOfChange) as Extract<Shift, { kind: 'default' }> | undefined;
    if (shift === undefined)
      return ofDefault.some((other) => isMove(change, other) || isMove(other, change)) ? [] : [change];
    const { path: _path, kind, ...said } = defaultFinding(shift.before, shift.after);
    const { before: _before, after: _after, ...rest } = change;
    return kind === 'none' || shift.isGone ? [change] : [{ ...rest, ...said }];
  });
};

/**
 * What a call relies on and no rule found, because it is elsewhere: reported as the rule would have.
 * @param validity whether the live contract takes the call
 */
export const unfound = (
  tool: string,
  shifts: readonly Shift[],
  changes: readonly FoundChange[],
  validity: Validity,
): FoundChange[] => {
  const found = shifts
    .filter((shift) => !changes.some((change) => isToldBy(change, shift)))
    .flatMap((shift) => findingOf(tool, shift, validity) ?? []);
  return [...new Map(found.map((change) => [`${change.rule} ${change.path}`, change])).values()];
};
