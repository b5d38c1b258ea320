import { deprecationWording } from './rules/deprecation-wording.ts';
import { propertyName } from './rules/property-name.ts';
import { rawTwinDescription } from './rules/raw-twin-description.ts';
import { rawTwinExample } from './rules/raw-twin-example.ts';
import { rawTwinInput } from './rules/raw-twin-input.ts';
import { rawTwinMissing } from './rules/raw-twin-missing.ts';
import { rawTwinOrphan } from './rules/raw-twin-orphan.ts';
import { rawTwinUnvalidated } from './rules/raw-twin-unvalidated.ts';
import { schemaDialect } from './rules/schema-dialect.ts';
import { schemaNotListed } from './rules/schema-not-listed.ts';
import { schemaRootNotObject } from './rules/schema-root-not-object.ts';
import { schemaRootUnion } from './rules/schema-root-union.ts';
import { toolName } from './rules/tool-name.ts';
import { versionInTheFuture } from './rules/version-in-the-future.ts';
import { versionNotADate } from './rules/version-not-a-date.ts';
import { versionNotBumped } from './rules/version-not-bumped.ts';
import { versionWentBackwards } from './rules/version-went-backwards.ts';
import type { LintLevel, LintRule, ToolRule, VersionRule } from './types.ts';

/** The level of each kind of a rule's findings. The first kind applies to findings that name none. */
export interface LintRow<R extends LintRule = LintRule> {
  rule: R;
  levels: Record<string, LintLevel>;
}

export const TOOL_RULES: LintRow<ToolRule>[] = [
  { rule: rawTwinMissing, levels: { missing: 'error', undecided: 'note' } },
  { rule: rawTwinUnvalidated, levels: { unvalidated: 'error' } },
  { rule: rawTwinInput, levels: { other: 'error' } },
  { rule: rawTwinDescription, levels: { required: 'error', optional: 'error', branch: 'error' } },
  { rule: rawTwinExample, levels: { wrong: 'error', unknown: 'note' } },
  { rule: rawTwinOrphan, levels: { orphan: 'warning' } },
  { rule: deprecationWording, levels: { wording: 'error' } },
  { rule: schemaRootUnion, levels: { union: 'error' } },
  { rule: schemaNotListed, levels: { unlisted: 'note' } },
  { rule: schemaRootNotObject, levels: { input: 'error', output: 'warning' } },
  { rule: schemaDialect, levels: { spelling: 'error', declared: 'warning' } },
  { rule: propertyName, levels: { name: 'error' } },
  { rule: toolName, levels: { name: 'error', long: 'warning' } },
];

export const VERSION_RULES: LintRow<VersionRule>[] = [
  { rule: versionNotBumped, levels: { unbumped: 'error', none: 'note' } },
  { rule: versionWentBackwards, levels: { backwards: 'error' } },
  { rule: versionNotADate, levels: { form: 'error' } },
  { rule: versionInTheFuture, levels: { ahead: 'error' } },
];

export const RULES: LintRow[] = [...TOOL_RULES, ...VERSION_RULES];

/** Rules about lint's own files, not about tools: waivers that do not apply, and a governance text that changed. */
export const OWN_RULES = [
  {
    id: 'waiver-invalid',
    purpose: 'A waiver names a rule that is known, a tool, a reason and the day on which it ends, and nothing else.',
    level: 'error',
  },
  {
    id: 'waiver-expired',
    purpose: 'A waiver holds up to its last day; from then on what it covered is found again.',
    level: 'error',
  },
  { id: 'waiver-unused', purpose: 'A waiver that covers nothing can go.', level: 'note' },
  {
    id: 'governance-changed',
    purpose:
      'A rule enforces a text. Where that text has changed since (`--doc FILE`), a person has to read it again, change the rule, and then its hash.',
    level: 'error',
  },
] as const satisfies readonly { id: string; purpose: string; level: LintLevel }[];
