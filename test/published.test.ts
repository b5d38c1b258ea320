// While the package is not on npm's registry, nothing that we write or print may fetch it by its name: anyone could register
// that name and run code on our users' machines.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { PUBLISHED } from '../scripts/command/published.ts';
import { noGit } from './git.ts';

/** Programs that fetch a package by its name, each with the words between it and the name. */
const FETCHES =
  /\b(?:npx|bunx|pnpx|npm (?:x|exec|i|install|add|ci)|pnpm (?:dlx|add|i|install)|yarn (?:dlx|add)|bun (?:x|add))\b[^\n|&;`]{0,60}?[\s"'=[,](?:konnichiwagwan|kwg)\b(?![/.])/i;
/** The same as a list of words, as configurations have them. */
const AS_WORDS = /"(?:npx|bunx|pnpx)"[^"]{0,20}(?:"args"[^"]{0,10})?(?:"-[^"]*",\s*)*"konnichiwagwan(?:@[^"]*)?"/g;

/** Tests contain the forbidden commands, and built files are covered by their sources. */
const isRead = (path: string): boolean =>
  !path.startsWith('test/') && /\.(ts|mjs|cjs|js|sh|md|ya?ml|json|svg)$|^install\.sh$/.test(path);

const found = (text: string): string[] => [
  ...text.split('\n').filter((line) => FETCHES.test(line)),
  ...(text.match(AS_WORDS) ?? []),
];

describe('a package that is not published', { skip: PUBLISHED === undefined ? false : 'it is published' }, () => {
  it('what this test looks for is found', () => {
    for (const line of [
      'npx konnichiwagwan lint',
      'npx -y konnichiwagwan@1.2.3 wrap',
      '  npx --no-install konnichiwagwan verify',
      'npm install --save-dev konnichiwagwan',
      '"command": "npx", "args": ["-y", "konnichiwagwan", "wrap"]',
      'pnpm dlx konnichiwagwan',
      '"command": "npx",\n  "args": ["-y", "konnichiwagwan@1", "wrap"]',
    ])
      assert.notEqual(found(line).length, 0, line);
    for (const line of ['konnichiwagwan wrap -- npx -y @modelcontextprotocol/server-github', 'npm ci && npm run build'])
      assert.deepEqual(found(line), []);
  });

  it('is fetched by no page, workflow, message or program', { skip: noGit }, () => {
    const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n').filter(isRead);
    assert.ok(files.length > 300, 'it reads the sources');
    const lines = files.flatMap((path) => found(readFileSync(path, 'utf8')).map((line) => `${path}: ${line.trim()}`));
    assert.deepEqual(lines, []);
  });
});
