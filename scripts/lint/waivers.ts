import { isoTime } from '../contract/iso-date.ts';
import { isObject } from '../contract/types.ts';
import { quoteName, quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';
import type { LintSettings } from './settings.ts';
import { SOURCE_RULES } from './source/table.ts';
import { OWN_RULES, RULES } from './table.ts';
import type { FilePlace, LintFinding } from './types.ts';

interface Waiver {
  rule: string;
  tool: string;
  reason: string;
  /** The last day on which it holds, as YYYY-MM-DD. */
  until: string;
}

/** A finding that a waiver covers, with the waiver's reason. */
export interface Waived extends LintFinding {
  reason: string;
  until: string;
}

const FIELDS = new Set(['rule', 'tool', 'reason', 'until']);
const ownLevel = new Map(OWN_RULES.map(({ id, level }) => [id, level] as const));

const wrongWith = (entry: unknown, rules: ReadonlySet<string>): string | undefined => {
  if (!isObject(entry)) return 'is not an object';
  const unknown = Object.keys(entry).find((key) => !FIELDS.has(key));
  if (unknown !== undefined) return `has a field ${quoteText(unknown, 60)} that is not known`;
  const { rule, tool, reason, until } = entry;
  if (typeof rule !== 'string') return 'names no rule';
  if (!rules.has(rule)) return `names a rule that is not known: ${quoteText(rule, 60)}`;
  if (typeof tool !== 'string' || tool === '') return 'names no tool';
  if (typeof reason !== 'string' || !/[\p{L}\p{N}]/u.test(reason)) return 'gives no reason';
  if (until === undefined) return 'has no end date (until)';
  if (typeof until !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(until) || isoTime(until) === undefined)
    return 'has an end date that is no day of the form YYYY-MM-DD';
  return undefined;
};

/** The place of a waiver in its file, found approximately by searching for its reason, tool or rule. */
const placeOf = (file: string, text: string, entry: unknown): FilePlace => {
  const { reason, tool, rule } = isObject(entry) ? entry : {};
  const at = [reason, tool, rule]
    .map((value) => (typeof value === 'string' && value !== '' ? text.indexOf(JSON.stringify(value)) : -1))
    .find((found) => found >= 0);
  return { file, line: at === undefined ? 1 : text.slice(0, at).split('\n').length, column: 1 };
};

const finding = (
  rule: (typeof OWN_RULES)[number]['id'],
  tool: string,
  message: string,
  place: FilePlace,
): LintFinding => ({ rule, level: ownLevel.get(rule) ?? 'error', tool, path: '', message, place });

/**
 * Removes findings that valid waivers cover, and adds findings about what is wrong with waivers.
 * @param today YYYY-MM-DD
 * @param ran rules that ran: a waiver of another rule is not reported as unused
 */
export const applyWaivers = (
  findings: readonly LintFinding[],
  files: LintSettings['waivers'],
  today: string,
  ran: ReadonlySet<string>,
): { kept: LintFinding[]; waived: Waived[] } => {
  // A waiver of a rule about sources is valid even if no sources are linted.
  const rules = new Set([...RULES.map(({ rule }) => rule), ...SOURCE_RULES].map(({ id }) => id));
  const own: LintFinding[] = [];
  const active: { waiver: Waiver; place: FilePlace; used: boolean }[] = [];
  for (const { file, text, entries } of files) {
    for (const [index, entry] of entries.entries()) {
      const place = placeOf(file, text, entry);
      const wrong = wrongWith(entry, rules);
      if (wrong !== undefined) {
        const tool = isObject(entry) && typeof entry.tool === 'string' ? entry.tool : '';
        const message = `waiver ${index + 1} of ${visible(file, { max: 200 })} ${wrong}; it covers nothing`;
        own.push(finding('waiver-invalid', tool, message, place));
        continue;
      }
      const waiver = entry as unknown as Waiver;
      if (waiver.until < today) {
        const message = `the waiver of ${quoteName(waiver.rule)} ended on ${waiver.until}: ${quoteText(waiver.reason, 200)}`;
        own.push(finding('waiver-expired', waiver.tool, message, place));
      } else active.push({ waiver, place, used: false });
    }
  }
  const waived: Waived[] = [];
  const kept = findings.filter((one) => {
    const covering = active.find(({ waiver }) => waiver.rule === one.rule && waiver.tool === one.tool);
    if (covering === undefined) return true;
    covering.used = true;
    waived.push({ ...one, reason: covering.waiver.reason, until: covering.waiver.until });
    return false;
  });
  const unused = active
    .filter(({ waiver, used }) => !used && ran.has(waiver.rule))
    .map(({ waiver, place }) =>
      finding('waiver-unused', waiver.tool, `the waiver of ${quoteName(waiver.rule)} covers nothing`, place),
    );
  return { kept: [...kept, ...own, ...unused], waived };
};
