// Writes the page that is generated from the program itself: its commands.
import { writeFileSync } from 'node:fs';
import { commandsPage } from './commands-page.ts';

writeFileSync('docs/commands.md', commandsPage('dist/cli.cjs'));
