// Writes the skill's page of rules from the rules themselves.
import { writeFileSync } from 'node:fs';
import { rulesPage } from './diff/rules-page.ts';

writeFileSync('skills/konnichiwagwan/references/rules.md', rulesPage());
