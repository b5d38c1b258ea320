import type { Io } from '../command/command.ts';
import { readText } from '../command/read-file.ts';
import { changedText } from './governance.ts';
import { governed } from './lint.ts';
import type { LintFinding } from './types.ts';

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
