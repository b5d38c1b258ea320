import type { Contract, JsonObject } from '../contract/types.ts';

/** The version of a server's tools when the conversation learned them, and after the next release. */
export const BEFORE_VERSION = '2026-04-09';
export const AFTER_VERSION = '2026-04-10';

const tool = (name: string, description: string, properties: JsonObject, rest: JsonObject): Contract => ({
  name,
  description,
  inputSchema: { type: 'object', properties, ...rest },
});

const search = 'Search reviews by text query.';
const page = 'Fetch a page in a given format.';
const text = (description: string): JsonObject => ({ type: 'string', description });
const whole = (description: string): JsonObject => ({ type: 'integer', description });
const profile = tool(
  'get_profile',
  'Fetch a user profile by id.',
  { user_id: text('user id') },
  { required: ['user_id'] },
);

export const BEFORE: Contract[] = [
  tool(
    'search_reviews',
    search,
    { query: text('free-text search'), limit: whole('max results') },
    { required: ['query'] },
  ),
  tool('list_items', 'List items.', { limit: whole('max results to return') }, { required: [] }),
  tool(
    'get_page',
    page,
    {
      url: text('page url'),
      format: { type: 'string', enum: ['text', 'html'], default: 'text', description: 'output format' },
    },
    { required: ['url'] },
  ),
  profile,
  tool('create_export', 'Start an export job.', { dataset: text('dataset id') }, { required: ['dataset'] }),
];

export const AFTER: Contract[] = [
  tool(
    'search_reviews',
    search,
    { q: text('free-text search'), limit: whole('max results') },
    { required: [], additionalProperties: true },
  ),
  tool('list_items', 'List items.', { limit: whole('page index (0-based)') }, { required: [] }),
  tool(
    'get_page',
    page,
    {
      url: text('page url'),
      format: { type: 'string', enum: ['markdown'], default: 'markdown', description: 'output format' },
    },
    { required: ['url'], additionalProperties: true },
  ),
  profile,
  tool(
    'create_export',
    'Start an export job.',
    { dataset: text('dataset id'), region: text('data region') },
    { required: ['dataset', 'region'] },
  ),
];

/** A call of the conversation, and the result that its caller expects. */
export interface PlannedCall {
  tool: string;
  args: JsonObject;
  /** The result that the caller expects. */
  meant: string;
}

export const CALLS: PlannedCall[] = [
  {
    tool: 'search_reviews',
    args: { query: 'noise cancelling', limit: 50 },
    meant: '50 reviews for "noise cancelling"',
  },
  { tool: 'list_items', args: { limit: 50 }, meant: 'the first 50 items' },
  { tool: 'get_page', args: { url: 'https://example.com/p/1', format: 'text' }, meant: 'the page as text' },
  { tool: 'get_profile', args: { user_id: 'u_42' }, meant: 'the profile of u_42' },
  { tool: 'create_export', args: { dataset: 'ds_7' }, meant: 'an export of ds_7' },
];

/** What the server answers after the release. Like most, it ignores unknown parameters; null if it refuses a call. */
export const serve = (name: string, args: JsonObject): string | null => {
  if (name === 'search_reviews') return `${args.limit ?? 10} reviews for "${args.q ?? ''}"`;
  if (name === 'list_items') return args.limit === undefined ? 'the first 50 items' : `items of page ${args.limit}`;
  if (name === 'get_page') return `the page as ${args.format === 'markdown' ? args.format : 'markdown'}`;
  if (name === 'get_profile') return `the profile of ${args.user_id}`;
  return args.region === undefined ? null : `an export of ${args.dataset}`;
};
