import type { Io } from '../command/command.ts';
import { readText } from '../command/read-file.ts';
import { changedText } from './governance.ts';
import { SOURCE_RULES } from './source/table.ts';
import { RULES } from './table.ts';
import type { Governance, LintFinding } from './types.ts';

/** The sections that rules enforce, each once, with these rules: those of tool lists, and those of sources. */
export const governed = () => {
  const sections = new Map<string, Governance & { rules: string[] }>();
  for (const { id, governance } of [...RULES.map(({ rule }) => rule), ...SOURCE_RULES]) {
    if (governance === undefined) continue;
    const known = sections.get(governance.heading) ?? { ...governance, rules: [] };
    known.rules.push(id);
    sections.set(governance.heading, known);
  }
  return [...sections.values()];
};

/** Checks that the governance text still has the sections that the rules were written for; a finding for each rule. */
export const checkDoc = async (file: string, io: Io): Promise<LintFinding[]> => {
  const text = await readText(file, io);
  return governed().flatMap((section) => {
    const wrong = changedText(text, section);
    if (wrong === undefined) return [];
    return section.rules.map(
      (rule): LintFinding => ({
        rule: 'governance-changed',
        level: 'error',
        tool: '',
        path: '',
        message: `the rule ${rule} enforces another text: ${wrong}`,
        place: { file, line: 1, column: 1 },
      }),
    );
  });
};
