// npm run new-rule input-something-changed: a rule that finds nothing yet, with an example that fails until it does.
import { existsSync, writeFileSync } from 'node:fs';

const id = process.argv[2] ?? '';
if (!/^(input|tool)(-[a-z]+)+$/.test(id)) {
  console.error('a rule is named by a sentence: npm run new-rule input-property-became-required');
  process.exit(2);
}
const file = `scripts/diff/rules/${id}.ts`;
if (existsSync(file)) {
  console.error(`${file} is there already`);
  process.exit(2);
}
const name = id.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
const ofTool = id.startsWith('tool-');
const pair = ofTool ? 'ToolPair' : 'SchemaPair';
const schema = (inner) =>
  ofTool
    ? `{ name: 'a', inputSchema: { type: 'object' }${inner} }`
    : `{ type: 'object', properties: { a: { type: 'string'${inner} } } }`;
writeFileSync(
  file,
  `import { sameJson } from '../../contract/same.ts';
import { own } from '../../contract/types.ts';
import { quoteValue } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, ${pair} } from '../types.ts';

const KEYWORD = 'keyword';

export const ${name}: Rule<${pair}> = {
  id: '${id}',
  purpose: 'What this means for somebody who calls the tool, in one sentence.',
  at: '${ofTool ? 'tool' : 'schema'}',
  keywords: [KEYWORD],
  find: ({ before, after }) => {
    const [had, has] = [own(before, KEYWORD), own(after, KEYWORD)];
    if (sameJson(had, has)) return [];
    const message = say\`\${KEYWORD} changed: \${quoteValue(had)} → \${quoteValue(has)}\`;
    return [{ path: \`/\${KEYWORD}\`, message, brief: say\`\${KEYWORD} changed\`, before: had, after: has }];
  },
  examples: [
    {
      what: 'what changes here',
      before: ${schema('')},
      after: ${schema(', keyword: 1')},
      gives: ['${id} ${ofTool ? '' : '/inputSchema/properties/a'}/keyword'],
    },
  ],
};
`,
);
console.log(`${file} is made. Next:
  1. its row in scripts/diff/table.ts: { rule: ${name}, levels: { changed: 'breaking' } }
  2. KEYWORD, purpose and examples in ${file}; they are its tests: node scripts/dev/run-tests.mjs rules
  3. npm run pages, for the page of rules`);
