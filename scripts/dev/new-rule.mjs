// npm run new-rule input-something-changed: a rule with a placeholder for its keyword, its example, and its row in the table. Its
// tests pass at once, and keep passing while the placeholder is replaced step by step.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

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
const at = `${ofTool ? '' : '/inputSchema/properties/a'}/keyword`;
// An input's keyword that no other rule knows also counts as an annotation.
const found = ofTool ? [id] : ['input-annotation-changed', id];
const gives = found.map((rule) => `'semantic ${rule} ${at}'`);
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
  purpose: 'What this means for callers of the tool, in one sentence.',
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
      gives: [${gives.join(', ')}],
    },
  ],
};
`,
);

const TABLE = 'scripts/diff/table.ts';
const rows = ofTool ? 'TOOL_RULES: RuleRow<ToolPair>[] = [' : 'SCHEMA_RULES: RuleRow<SchemaPair>[] = [';
const end = `\n];\n`;
const table = readFileSync(TABLE, 'utf8');
const [head, ...rest] = table.split(rows);
const body = rest.join(rows);
writeFileSync(
  TABLE,
  head.replace(/(?=import \{ tool)/, `import { ${name} } from './rules/${id}.ts';\n`) +
    rows +
    body.replace(end, `\n  { rule: ${name}, levels: { changed: 'semantic' } },${end}`),
);
console.log(`${file} is made, and its row in ${TABLE}. Its tests pass: npm test -- rules
Now, in turn:
  1. in ${file}: KEYWORD, what is found, the purpose, and the examples, which are its tests
  2. in ${TABLE}: the level of each kind of finding, and the effect on a call, if it has one. An example states both:
     'level rule path, verdict when used'. What is 'breaking' in the table is 'compatible' and quiet in an example where
     the proof shows that every call that was valid still is.
  3. npm run fix, npm test -- rules, npm run pages`);
