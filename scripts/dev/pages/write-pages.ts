// Writes the pages that come from the program itself: its rules, and the help of its commands.
import { writeFileSync } from 'node:fs';
import { commandsPage } from './commands-page.ts';
import { lintRulesPage } from './lint-rules-page.ts';
import { rulesPage } from './rules-page.ts';

writeFileSync('skills/konnichiwagwan/references/rules.md', rulesPage());
writeFileSync('docs/lint-rules.md', lintRulesPage());
writeFileSync('docs/commands.md', commandsPage('dist/cli.cjs'));
