import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandError } from '../cli/command.ts';
import { changedText } from './governance.ts';
import { governed } from './lint.ts';
import type { Finding } from './types.ts';

const LARGEST = 16 * 1024 * 1024;

const read = (file: string, cwd: string): string => {
  try {
    const path = resolve(cwd, file);
    if (statSync(path).size > LARGEST)
      throw new CommandError('too-large', `${file} is too large`, 'pass the text itself');
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      'unreadable',
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`,
      'check the path',
    );
  }
};

/** Whether the sections of the governance text are those that the rules were written after; a finding for each rule. */
export const checkDoc = (file: string, cwd: string): Finding[] => {
  const text = read(file, cwd);
  return governed().flatMap((section) => {
    const wrong = changedText(text, section);
    if (wrong === undefined) return [];
    return section.rules.map(
      (rule): Finding => ({
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
