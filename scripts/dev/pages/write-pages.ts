// Writes the pages that come from the program itself: its rules, and the help of its commands.
import { mkdirSync, writeFileSync } from 'node:fs';
import { commandPages } from './command-pages.ts';
import { lintRulesPage } from './lint-rules-page.ts';
import { rulesPage } from './rules-page.ts';

writeFileSync('skills/konnichiwagwan/references/rules.md', rulesPage());
writeFileSync('docs/lint-rules.md', lintRulesPage());
mkdirSync('docs/commands', { recursive: true });
for (const [name, text] of commandPages('dist/cli.cjs')) writeFileSync(`docs/commands/${name}`, text);
