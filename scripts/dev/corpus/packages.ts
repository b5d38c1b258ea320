// The servers that are captured by default: popular ones that start without credentials.
export interface Package {
  name: string;
  /** Arguments that the server needs to start; `folder` is an empty one for it to work on. */
  args?: (folder: string) => string[];
  /** Dummy keys, which are required at the start but used only by calls; nothing is ever called. */
  env?: Record<string, string>;
}

export const PACKAGES: Package[] = [
  { name: '@modelcontextprotocol/server-filesystem', args: (folder) => [folder] },
  { name: '@modelcontextprotocol/server-memory' },
  { name: '@modelcontextprotocol/server-everything' },
  { name: '@modelcontextprotocol/server-sequential-thinking' },
  { name: '@playwright/mcp', args: () => ['--headless'] },
  { name: '@upstash/context7-mcp' },
  { name: 'chrome-devtools-mcp', args: () => ['--headless', '--isolated', '--no-usage-statistics'] },
  { name: 'tavily-mcp', env: { TAVILY_API_KEY: 'tvly-dummy' } },
  { name: 'firecrawl-mcp', env: { FIRECRAWL_API_KEY: 'fc-dummy' } },
  { name: '@notionhq/notion-mcp-server', env: { NOTION_TOKEN: 'ntn_dummy' } },
];
