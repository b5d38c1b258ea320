import { canonical } from '../contract/canonical.ts';
import { asOneDocument } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { type Contract, isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { isChecked } from '../proof/conjuncts.ts';
import { quoteName } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { followed } from './places.ts';
import { inputAnnotationChanged } from './rules/input-annotation-changed.ts';
import { inputPropertyDefaultChanged } from './rules/input-property-default-changed.ts';
import { inputPropertyWordsChanged } from './rules/input-property-words-changed.ts';
import type { Finding, SchemaPair } from './types.ts';
import { walk } from './walk.ts';
import { compareTexts } from './words/compare.ts';
import { toldIn } from './words/told.ts';

/** What no validator checks of results, and changed: the fields that are no longer named, and what is said otherwise. */
export interface ResultChanges {
  unnamed: string[];
  reworded: { message: Shown; brief: Shown }[];
}

const RULES = [inputPropertyWordsChanged, inputAnnotationChanged, inputPropertyDefaultChanged];

/** Kinds of findings after which the old words still hold. Words that were added may narrow them: "net total". */
const MILD: ReadonlySet<string | undefined> = new Set(['plainer', 'unused', 'none']);

const isWidened = (before: Json | undefined, after: Json | undefined): boolean =>
  typeof before === 'string' && typeof after === 'string' && compareTexts(before, after).change === 'widened';

/** Whether all that was said of a result still holds. Unlike that of an input, a bound may only become tighter. */
const isKept = ({ kind, before, after }: Finding): boolean => {
  if (kind === 'meaning') return isWidened(after, before);
  // Words where none were contradict nothing.
  return MILD.has(kind)
    ? !isWidened(before, after)
    : ['added', 'touch-up'].includes(kind ?? '') && before === undefined;
};

const pathOf = ({ parameter }: SchemaPair, ...names: string[]): string =>
  [...parameter, ...names].filter((step) => step !== '*').join('.');

const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const FORMS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf']);

/** The parts of a keyword's old value that the walk pairs with none of the new. A form that went takes its words along. */
const unpaired = (keyword: string, had: Json | undefined, has: Json | undefined): Json[] => {
  if (had === undefined || followed(keyword, had, has) || (FORMS.has(keyword) && Array.isArray(has))) return [];
  if (MAPS.has(keyword) && isObject(had))
    return Object.entries(had as JsonObject).flatMap(([name, one]) => (isObject(own(has, name)) ? [] : [one]));
  if (keyword === 'prefixItems' && Array.isArray(had) && Array.isArray(has)) return had.slice(has.length);
  return [had];
};

const losesWords = (pairs: readonly SchemaPair[], old: Json, now: Json): boolean => {
  const lost = new Set<string>();
  for (const { before, after } of pairs)
    for (const key of Object.keys(before).filter(isChecked)) {
      const [had, has] = [own(before, key), own(after, key)];
      if (sameJson(had, has)) continue;
      for (const said of toldIn(unpaired(key, had, has), old)) lost.add(canonical(said));
    }
  if (lost.size === 0) return false;
  const said = new Set(toldIn(now, now).map(canonical));
  return [...lost].some((one) => !said.has(one));
};

/** Compares what two schemas say of results, where every result by the new one is valid by the old one. */
export const changesInResults = (tool: string, before: Json, after: Json): ResultChanges => {
  const asInput = (schema: Json): Contract => ({ name: tool, inputSchema: asOneDocument(schema) });
  const [old, now] = [asInput(before), asInput(after)];
  const { pairs, allPlaces } = walk(old, now);
  const unnamed = pairs.flatMap((pair) =>
    [...pair.removed, ...pair.renamed.map(({ from }) => from)].map((name) => pathOf(pair, name)),
  );
  const reworded = pairs.flatMap((pair) =>
    RULES.flatMap((rule) => rule.find(pair))
      .filter((finding) => !isKept(finding))
      .map(({ message, brief = message }) => {
        const path = pathOf(pair);
        const at = path === '' ? say`` : say`${quoteName(path)}: `;
        return { message: say`: ${at}${message}`, brief: say`: ${at}${brief}` };
      }),
  );
  const isUnseen = !allPlaces || losesWords(pairs, old.inputSchema, now.inputSchema);
  const isLost = unnamed.length === 0 && reworded.length === 0 && isUnseen;
  return { unnamed: [...new Set(unnamed)], reworded: isLost ? [{ message: say``, brief: say`` }] : reworded };
};
