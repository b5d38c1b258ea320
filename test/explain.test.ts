import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { readToolList } from '../scripts/contract/read.ts';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { AFTER, BEFORE, CALLS } from '../scripts/demo/release.ts';
import { drive, sandbox } from './sandbox.ts';
import { readJsonFile, shared } from './shared.ts';

const captures = shared('corpus/captures');

/** What `explain` says about one call after a release, without parts that differ from run to run. */
const explained = async (
  test: TestContext,
  before: Contract[],
  after: Contract[],
  tool: string,
  args: JsonObject,
): Promise<string> => {
  const box = await sandbox(test, before);
  await box.start();
  box.release(after, '2');
  const spelled = tool.replace(/[^A-Za-z0-9_-]/g, '_');
  const { stdout } = await drive('cli.cjs', JSON.stringify(box.input(spelled, args)), box.env, ['explain'], true);
  return stdout
    .replaceAll(box.gateway.url, 'http://gateway')
    .replace(/asked [\d.]+ s ago/, 'asked N s ago')
    .trimEnd();
};

/** Compares with the file; with KONNICHIWAGWAN_GOLDEN=write, writes it, to be read before it is committed. */
const assertGolden = (file: string, text: string): void => {
  const path = `test/golden/${file}.txt`;
  if (process.env.KONNICHIWAGWAN_GOLDEN === 'write') writeFileSync(path, `${text}\n`);
  assert.equal(`${text}\n`, readFileSync(path, 'utf8'));
};

describe('explain', () => {
  it('reads well on the five calls of the release', async (test) => {
    const texts: string[] = [];
    for (const { tool, args } of CALLS)
      texts.push(`${tool} ${JSON.stringify(args)}\n\n${await explained(test, BEFORE, AFTER, tool, args)}`);
    assertGolden('explain-release', texts.join('\n\n'));
  });

  // Only changes of names, types and conditions: we do not copy the words of other people's tools.
  const real: [server: string, before: string, after: string, tool: string, args: JsonObject][] = [
    ['@modelcontextprotocol__server-filesystem', '0.5.1', '2025.3.28', 'search_files', { path: '/tmp', pattern: 'x' }],
    ['@modelcontextprotocol__server-filesystem', '2025.8.21', '2025.12.18', 'directory_tree', { path: '/tmp' }],
    ['@modelcontextprotocol__server-filesystem', '2025.8.21', '2025.12.18', 'read_file', { path: '/tmp/x' }],
    ['@notionhq__notion-mcp-server', '2.2.1', '2.4.1', 'API-get-user', { user_id: 'u' }],
    [
      '@notionhq__notion-mcp-server',
      '2.2.1',
      '2.4.1',
      'API-get-user',
      { user_id: 'u', 'Notion-Version': '2022-06-28' },
    ],
    ['@notionhq__notion-mcp-server', '2.0.0', '2.2.1', 'API-patch-page', { page_id: 'p' }],
    ['@playwright__mcp', '0.0.32', '0.0.41', 'browser_take_screenshot', { filename: 'a.png', raw: true }],
    ['@playwright__mcp', '0.0.41', '0.0.61', 'browser_type', { ref: 'e1', text: 'x', element: 'box' }],
    [
      '@playwright__mcp',
      '0.0.61',
      '0.0.83',
      'browser_drag',
      { startElement: 'a', startRef: 'e1', endElement: 'b', endRef: 'e2' },
    ],
    ['firecrawl-mcp', '3.5.2', '3.15.0', 'firecrawl_crawl', { url: 'https://example.com' }],
  ];
  it('reads well on ten calls to real servers', { skip: captures.skip }, async (test) => {
    const texts: string[] = [];
    for (const [server, before, after, tool, args] of real) {
      const load = (version: string) =>
        readToolList(readJsonFile(`${captures.path}/${server}/${version}.json`) as Json).tools.filter(
          ({ name }) => name === tool,
        );
      const text = await explained(test, load(before), load(after), tool, args);
      texts.push(`${server} ${before} → ${after}: ${tool} ${JSON.stringify(args)}\n\n${text}`);
    }
    assertGolden('explain-real', texts.join('\n\n'));
  });
});
