import { LIST_RULES, type RuleRow, SCHEMA_RULES, TOOL_RULES, UNCLASSIFIED } from '../diff/table.ts';
import { type Example, LEVELS, type Level } from '../diff/types.ts';

/** A rule as reports show it. `levels`: worst first. */
export interface RuleFacts {
  id: string;
  purpose: string;
  levels: Level[];
  examples: readonly Example[];
}

const factsOf = ({ rule, levels }: RuleRow<never>): RuleFacts => ({
  id: rule.id,
  purpose: rule.purpose,
  levels: LEVELS.filter((level) => Object.values(levels).includes(level)),
  examples: rule.examples,
});

/** All rules, and an entry for `unclassified`. */
export const allRules = (): RuleFacts[] => [
  ...([...LIST_RULES, ...TOOL_RULES, ...SCHEMA_RULES] as unknown as RuleRow<never>[]).map(factsOf),
  {
    id: UNCLASSIFIED.id,
    purpose: 'Something changed that no rule explains; treated like a breaking change.',
    levels: [UNCLASSIFIED.level],
    examples: [],
  },
];
