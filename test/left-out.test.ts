// A call that leaves a parameter out: whether that means what it meant.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { judge } from '../scripts/judge/judge.ts';
import { judgedCall } from './judged-call.ts';

const tool = (properties: JsonObject): Contract => ({
  name: 'work_on',
  description: 'Works on it.',
  inputSchema: { type: 'object', properties: { id: { type: 'string' }, ...properties }, required: ['id'] },
});

/** Whether a call that gives none of the parameters is sent. */
const isSent = (before: JsonObject, after: JsonObject, args: JsonObject = {}): boolean => {
  const [believed, live] = [tool(before), tool(after)];
  const { decision } = judgedCall(believed, live, { id: '1', ...args });
  return decision === 'silence' || decision === 'notice';
};

type Row = [what: string, before: JsonObject, after: JsonObject, args?: JsonObject];

const each = (rows: readonly Row[], sent: boolean) => {
  for (const [what, before, after, args] of rows)
    it(what, () => {
      assert.equal(isSent(before, after, args), sent);
    });
};

describe('a default in another spelling', () => {
  const one = (name: string, value: Json, values?: Json[], more: JsonObject = {}): JsonObject => ({
    [name]: { default: value, ...(values && { enum: values }), ...more },
  });
  const open = ['open', 'closed'];
  const OPEN = ['OPEN', 'CLOSED'];

  describe('is the same value', () => {
    each(
      [
        ['in capitals, with its list', one('x', 'open', open), one('x', 'OPEN', OPEN)],
        ['with a capital', one('x', 'open', open), one('x', 'Open', ['Open', 'Closed'])],
        ['with a hyphen', one('x', 'not_yet', ['not_yet']), one('x', 'not-yet', ['not-yet'])],
        ['in camel case', one('x', 'onHold', ['onHold', 'done']), one('x', 'on_hold', ['on_hold', 'done'])],
        ['that has a list now', one('x', 'open'), one('x', 'OPEN', OPEN)],
        ['of which the name tells that it is one of a few', one('sort_direction', 'asc'), one('sort_direction', 'ASC')],
        [
          'of which the words tell that',
          one('x', 'strict', undefined, { description: 'Mode of the check' }),
          one('x', 'STRICT', undefined, { description: 'Mode of the check' }),
        ],
        [
          'beside null',
          { x: { anyOf: [{ enum: open }, { type: 'null' }], default: 'open' } },
          { x: { anyOf: [{ enum: OPEN }, { type: 'null' }], default: 'OPEN' } },
        ],
        [
          'of each element',
          { x: { type: 'array', items: { enum: open }, default: ['open'] } },
          { x: { type: 'array', items: { enum: OPEN }, default: ['OPEN'] } },
        ],
        ['as a number', one('x', '25'), one('x', 25)],
        ['as a text', one('x', true), one('x', 'true')],
        ['of a unit that is written out', one('x', 'day', ['day', 'week']), one('x', 'DAY', ['DAY', 'WEEK'])],
      ],
      true,
    );
  });

  describe('may be another value', () => {
    each(
      [
        ['a letter', one('x', 's', ['s', 'm']), one('x', 'S', ['S', 'M'])],
        ['a short unit', one('x', 'kb', ['kb', 'gb']), one('x', 'kB', ['kB', 'gB'])],
        ['how a date is written', one('x', 'dd.mm', ['dd.mm']), one('x', 'DD.MM', ['DD.MM'])],
        ['the same of years alone', one('mode', 'yyyy', ['yyyy']), one('mode', 'YYYY', ['YYYY'])],
        ['an expression', one('mode', String.raw`\d+`), one('mode', String.raw`\D+`)],
        ['a name', one('branch', 'trunk'), one('branch', 'Trunk')],
        ['a name of something that is ordered', one('order_by', 'title'), one('order_by', 'TITLE')],
        ['a text of any kind', one('x', 'staging'), one('x', 'STAGING')],
        ['a list that has both', one('x', 'open', ['open', 'OPEN']), one('x', 'OPEN', ['open', 'OPEN'])],
        ['a list that has both now', one('x', 'open', open), one('x', 'OPEN', [...open, ...OPEN])],
        ['another one of the list', one('x', 'open', open), one('x', 'CLOSED', OPEN)],
        ['another number', one('x', '25'), one('x', 2.5)],
        ['the other of two', one('x', 'true'), one('x', false)],
        [
          'more elements',
          { x: { type: 'array', items: { enum: open }, default: ['open'] } },
          { x: { type: 'array', items: { enum: OPEN }, default: OPEN } },
        ],
      ],
      false,
    );
  });
});

describe('a switch in whose place another one came', () => {
  const one = (name: string, value?: Json, more: JsonObject = {}): JsonObject => ({
    [name]: { type: 'boolean', ...(value !== undefined && { default: value }), ...more },
  });
  const nullable = (name: string): JsonObject => ({
    [name]: { anyOf: [{ type: 'boolean' }, { type: 'null' }], default: null },
  });
  const told = (name: string, description: string): JsonObject => one(name, undefined, { description });
  const within = (properties: JsonObject): JsonObject => ({ options: { type: 'object', properties } });
  const listed = (properties: JsonObject): JsonObject => ({
    list: { type: 'array', items: { type: 'object', properties } },
  });

  const INVERSE = [
    ['apply', 'dry_run'],
    ['commit', 'previewOnly'],
    ['is_private', 'is_public'],
    ['publish', 'draft'],
    ['notify', 'silent'],
    ['active', 'inactive'],
    ['includeDeleted', 'excludeDeleted'],
    ['show_totals', 'hide_totals'],
    ['cache', 'no_cache'],
    ['enable_retry', 'disable_retry'],
    ['send_receipt', 'skip_receipt'],
    ['allow_http', 'https_only'],
    ['read_only', 'allow_writes'],
    ['verify_tls', 'insecure'],
    ['keep_files', 'erase_files'],
  ] as const;
  const both = INVERSE.flatMap(([name, other]) => [
    [name, other],
    [other, name],
  ]) as [string, string][];

  describe('is its opposite, and is off as it was', () => {
    each(
      both.flatMap(([name, other]): Row[] => [
        [`${name} and ${other}`, one(name, false), one(other, false)],
        [`${name} and ${other}, of which no default is told`, one(name, false), one(other)],
        [
          `${name} and ${other}, beside others`,
          { ...one(name, false), max: { type: 'integer' } },
          { ...one(other, false), page: { type: 'string' } },
        ],
      ]),
      false,
    );
    each(
      [
        ['beside null', nullable('public'), nullable('private')],
        ['without any default', one('public'), one('private')],
        ['as the words say', told('public', 'Defaults to false.'), told('private', 'Defaults to false.')],
        ['in an object', within(one('apply', false)), within(one('dry_run', false)), { options: {} }],
        ['in a list', listed(one('apply', false)), listed(one('dry_run', false)), { list: [{}] }],
        ['and on', one('public', true), one('private', true)],
      ],
      false,
    );
  });

  describe('is its opposite, with the opposite default', () => {
    each(
      both.flatMap(([name, other]): Row[] => [
        [`${name} is off, and ${other} is on`, one(name, false), one(other, true)],
        [`${name} is on, and ${other} is off`, one(name, true), one(other, false)],
      ]),
      true,
    );
    each(
      [
        ['as the words say', told('public', 'Defaults to false.'), told('private', 'Defaults to true.')],
        ['where a list has no elements', listed(one('apply', false)), listed(one('dry_run', false)), { list: [] }],
      ],
      true,
    );
  });

  describe('is another one, and both do nothing', () => {
    const others = `lock unlock, archive unarchive, verbose notify, include_images include_videos, can_read can_write,
      force dry_run, upload download, include_users include_inactive_users, delete dry_run, include_tests exclude_docs,
      show_details details, not_private public, skip_tests skip_lint, open close, public public_only`;
    each(
      others.split(',').map((pair): Row => {
        const [name = '', other = ''] = pair.trim().split(' ');
        return [`${name} and ${other}`, one(name, false), one(other, false)];
      }),
      true,
    );
    each([['a list of names', { include: { type: 'array' } }, { exclude: { type: 'array' } }]], true);
  });
});

describe('a default that stayed', () => {
  const said = (value: Json, had: string, has: string, more: JsonObject = {}): Row => [
    `${had} > ${has}`,
    { x: { default: value, description: had, ...more } },
    { x: { default: value, description: has, ...more } },
  ];
  const off: JsonObject = { type: 'boolean' };
  const bothWays = (pairs: readonly (readonly [string, string])[], value: Json = false): Row[] =>
    pairs.flatMap(([one, other]) => [said(value, one, other, off), said(value, other, one, off)]);

  describe('means the opposite', () => {
    const TURNED = [
      ['Overwrite the file that is there', 'Keep the file that is there'],
      ['Remove the source after moving', 'Keep the source after moving'],
      ['Mail the owner', 'Do not mail the owner'],
      ["Don't resolve names", 'Resolve names'],
      ['Send no invitations', 'Send invitations'],
      ['Deleted rows are listed', 'Deleted rows are not listed'],
      ['Whether the board is public', 'Whether the board is private'],
      ['Sorted ascending', 'Sorted descending'],
      ['Latest first', 'Oldest first'],
      ['Skip empty rows', 'Include empty rows'],
      ['Execute the plan for real instead of simulating it', 'Only simulate the plan instead of executing it'],
      ['Return plain text rather than Markdown', 'Return Markdown rather than plain text'],
      ['Without replies', 'With replies'],
      ['Runs asynchronously', 'Runs synchronously'],
      ['false = by name, true = by size', 'false = by size, true = by name'],
    ] as const;
    each(bothWays(TURNED), false);
    each([said(true, 'Return text instead of HTML', 'Return HTML instead of text', off)], false);
    each(
      [
        [
          'of which nothing is told',
          { x: { ...off, description: 'Show it' } },
          { x: { ...off, description: 'Hide it' } },
        ],
      ],
      false,
    );
  });

  describe('is told otherwise, and is off as it was', () => {
    const REWORDED = [
      ['Overwrite the file that is there', 'Replace the file that is there'],
      ['Show drafts', 'Show drafts, but none of others'],
      ['Show drafts', 'If true, drafts are shown; otherwise they are hidden'],
      ['Hide the menu', 'Do not show the menu'],
      ['Send no invitations', 'Do not send invitations'],
      ['Send no invitations', 'Suppress invitations'],
      ['Remove the branch', 'Remove the branch instead of keeping it'],
      ['Lock the page', 'Unlock the page'],
      ['Upload the log', 'Download the log'],
      ['Only simulate', 'Only simulate, and do not execute anything'],
      ['Latest first', 'Sort by date, latest first'],
      ['Print details', 'Print details, such as the time of each step'],
      ['Ignore case', 'Case-insensitive'],
      ['Keep blank lines', 'Preserve empty lines'],
    ] as const;
    each(bothWays(REWORDED), true);
  });

  const choice = (...values: Json[]): JsonObject => ({ enum: values });

  describe('is a value of which something else is told', () => {
    each(
      [
        said(0, 'Lines of context; 0 = the whole file', 'Lines of context; 0 = only matches'),
        said(0, 'Retries (0 means forever)', 'Retries (0 means none)'),
        said(1, 'Level: 1 = quiet, 2 = loud', 'Level: 1 = loud, 2 = quiet', { type: 'integer' }),
        said('x', '`x` pushes, `y` pulls', '`x` pulls, `y` pushes', choice('x', 'y')),
        said('x', "'x' sorts by name, 'y' sorts by size", "'x' sorts by size, 'y' sorts by name", choice('x', 'y')),
        said(
          'in-place',
          'in-place: edits it, copy: makes one',
          'in-place: makes one, copy: edits it',
          choice('in-place', 'copy'),
        ),
      ],
      false,
    );
  });

  describe('is a value of which the same is told', () => {
    each(
      [
        said(0, 'Lines of context; 0 = unlimited', 'Lines of context; 0 = no limit'),
        said(0, 'Lines; 0 = the whole file', 'Lines of context, where 0 = the whole file'),
        said(0, 'Days to keep it, 0 = for ever', 'Days to keep it; 0 = it is kept for ever'),
        said(0, 'Retries, 0 to disable', 'Number of retries, 0 = off'),
        said('x', '`x` pushes, `y` pulls', '`x` pushes, `y` fetches', choice('x', 'y')),
        said('x', '`x` pushes, `y` pulls', '`y` pulls, `x` pushes', choice('x', 'y')),
        said(
          'eco',
          'eco: saves; boost: heats for 1 hour',
          'eco: saves; boost: heats for 3 hours',
          choice('eco', 'boost'),
        ),
        said('', 'Text to add', 'The text to add to each line'),
      ],
      true,
    );
  });
});

describe('a switch that picks some, and its opposite', () => {
  const off = (description?: string): JsonObject => ({
    type: 'boolean',
    default: false,
    ...(description === undefined ? {} : { description }),
  });
  each(
    [
      ['by their names', { only_public: off() }, { only_private: off() }],
      ['by what is said of them', { sold: off('Only sold ones') }, { unsold: off('Only ones that are not sold') }],
      ['as filters', { seen: off('Filter by what was seen') }, { unseen: off('Filter by what was not seen') }],
    ],
    true,
  );
  each([['of which one does not pick', { public: off('Make it public') }, { private: off('Make it private') }]], false);
});

describe('what a description says of calls without the parameter', () => {
  const row = (had: string, has: string, more: JsonObject = {}, name = 'scope'): Row => [
    `${had || '(nothing)'} → ${has || '(nothing)'}`,
    { [name]: { type: 'string', ...more, description: had } },
    { [name]: { type: 'string', ...more, description: has } },
  ];
  const flag = (had: string, has: string, name: string): Row => row(had, has, { type: 'boolean' }, name);
  const NEEDED = [
    row('Scope (optional)', 'Scope (required)'),
    row('Scope', 'Scope [required]'),
    row('Optional scope', 'Required scope'),
    row('Scope', 'Scope. It is now mandatory.'),
    row('Scope', 'Scope - required'),
    row('Scope', 'Scope. The scope must be given.'),
    row('Scope', 'Scope; may not be omitted.'),
    row('Scope', 'Scope. Requests without a scope are refused.'),
    row('Scope', 'Scope. If omitted, the call fails.'),
  ];
  const ACTING = [
    row('Scope', 'Scope. When not set, all rows are removed.'),
    row('Scope', 'Scope. Without a scope, the table is truncated.'),
    row('Scope', 'Scope. Every row is erased unless a scope is given.'),
    row('', 'Scope. If omitted, everyone is told.'),
    row('What to do', 'What to do. Defaults to delete.', {}, 'action'),
    row('Scope. If omitted, every row is erased.', 'Scope.'),
    row('Scope', 'Scope. Nothing is removed without it.'),
    flag('Simulate', 'Simulate. Defaults to true.', 'simulate'),
    flag('Simulate (on by default)', 'Simulate', 'simulate'),
    flag('Simulate', 'Simulate. Pass false to really book.', 'simulate'),
    flag('Tell the owner', 'Tell the owner. True by default.', 'notify'),
    flag('Go on', 'Go on. Nothing is booked unless this is true.', 'go'),
  ];
  each([...NEEDED, ...ACTING], false);
  each(
    [
      row('Scope (optional)', 'Scope'),
      row('Scope (required)', 'Scope (optional)'),
      row('Scope', 'Scope (optional)'),
      row('Scope', 'Scope. Required scopes of the token: read.'),
      row('Scope', 'Scope. Required if the mode is strict.'),
      row('Scope', 'Scope (required for PDF files)'),
      row('Scope', 'Scope. An API key is required.'),
      row('Scope', 'Scope. Must be given in lower case.'),
      row('Rows', 'Rows. Defaults to 20.', { type: 'integer' }, 'limit'),
      row('Rows (default: 20)', 'Rows', { type: 'integer' }, 'limit'),
      row('Scope', 'Scope. If omitted, all scopes are listed.'),
      row('Scope', 'Scope. If omitted, no rows are removed.'),
      row('Scope', 'Scope. By default, removed rows are hidden.'),
      row('Branch', 'Branch. Defaults to the branch that was published last.', {}, 'branch'),
      row('How to join', 'How to join. Defaults to merge.', {}, 'method'),
      row('Who sees it', 'Who sees it. Defaults to private.', {}, 'visibility'),
      row('How', 'How (default: replace)', { default: 'replace' }, 'how'),
      row('Scope. If omitted, every row is erased.', 'Scope. If not given, every row is erased.'),
      flag('Simulate', 'Simulate. Defaults to false.', 'simulate'),
      flag('Compact', 'Compact. Defaults to true.', 'compact'),
      flag('Simulate', 'Simulate. If false, the changes are written.', 'simulate'),
      [
        'which a call gives',
        { x: { description: 'X (optional)' } },
        { x: { description: 'X (required)' } },
        { x: 'y' },
      ],
      [
        'which a call sets',
        { dry_run: { description: 'Test' } },
        { dry_run: { description: 'Test. Defaults to true.' } },
        { dry_run: false },
      ],
    ],
    true,
  );

  const documented = (entry: string): Contract => ({
    name: 'work_on',
    description: `Works on it.\n\nArgs:\n    id: Which.\n    scope: ${entry}`,
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, scope: { type: 'string' } },
      required: ['id'],
    },
  });
  const decide = (had: string, has: string): string => {
    const [believed, live] = [documented(had), documented(has)];
    const policy = { mode: 'guard', trusted: false } as const;
    return judge({ believed, live, tools: [live], args: { id: '1' }, policy, settled: () => false }).decision;
  };
  it('counts in a docstring as well', () => {
    assert.equal(decide('Scope.', 'Scope. If omitted, every row is erased.'), 'ask');
    assert.equal(decide('Scope.', 'Scope. Defaults to delete.'), 'ask');
    assert.equal(decide('Scope.', 'Scope. Must be given.'), 'ask');
    assert.equal(decide('Scope.', 'Scope. Defaults to main.'), 'notice');
  });
});

describe('null as a default that was not there', () => {
  const row = (description: string, forms?: Json[]): Row => {
    const one: JsonObject = { ...(forms ? { anyOf: forms } : { type: ['string', 'null'] }), description };
    return [description + (forms ? ' (forms)' : ''), { due: one }, { due: { ...one, default: null } }];
  };
  const forms = (told: string): Json[] => [{ type: 'string' }, { type: 'null', description: told }];
  each(
    [
      row('Due date. Null deletes the date.'),
      row('Due date; send `null` to remove it'),
      row('Due date, or null to unset'),
      row('Due date. Set it to null to clear the date.'),
      row('Due date (null = clear)'),
      row('Due date. It is cleared if null.'),
      row('Due date', forms('Removes the date')),
    ],
    false,
  );
  each(
    [
      row('Due date'),
      row('Due date or null'),
      row('Due date. If null, the date is kept.'),
      row('Due date. Null does not remove the date.'),
      row('Due date. Null keeps the date.'),
      row('Due date of what is removed; may be null'),
      row('Date to clear from, or null'),
      row('Due date', forms('No date')),
      [
        'which a call gives',
        { due: { type: ['string', 'null'], description: 'Null removes it' } },
        { due: { type: ['string', 'null'], description: 'Null removes it', default: null } },
        { due: 'today' },
      ],
    ],
    true,
  );
});

describe('a new parameter with a default', () => {
  const decide = (name: string, parameter: string, schema: JsonObject, args: JsonObject = {}): string => {
    const id: JsonObject = { id: { type: 'string' } };
    const [believed, live] = [id, { ...id, [parameter]: schema }].map(
      (properties): Contract => ({ name, inputSchema: { type: 'object', properties } }),
    ) as [Contract, Contract];
    const policy = { mode: 'guard', trusted: false } as const;
    return judge({ believed, live, tools: [live], args: { id: '1', ...args }, policy, settled: () => false }).decision;
  };
  type New = [tool: string, parameter: string, value: Json, description?: string];
  const cases = (rows: readonly New[], decisions: readonly string[]): void => {
    for (const [tool, name, value, description = ''] of rows)
      it(`${name} of ${tool}: ${JSON.stringify(value)} ${description}`, () => {
        const decision = decide(tool, name, { default: value, description });
        assert.ok(decisions.includes(decision), decision);
      });
  };
  describe('of a tool that updates: it may replace what was kept', () => {
    cases(
      [
        ['edit_ticket', 'tags', []],
        ['edit_ticket', 'reviewers', [], 'Who looks at it'],
        ['tracker_update_ticket', 'summary', ''],
        ['ticketModify', 'severity', 'minor'],
        ['service_update', 'replicas', 2],
        ['patch-project', 'visibility', 'team'],
        ['set_board', 'archived', false],
        ['update_board', 'pinned', false],
        ['update_board', 'template', false, 'Whether the board is a model for others'],
        ['update_board', 'sprint', 0, 'Sprint (0 removes it)'],
        ['update_board', 'watchers', [], 'Watchers, replacing the current ones'],
        ['update_board', 'lead', 'none', 'New lead of the team'],
        ['file_put', 'retention_days', 90],
      ],
      ['ask'],
    );
  });
  describe('is harmless in others, or is no field of the thing', () => {
    cases(
      [
        ['edit_ticket', 'tags', null],
        ['edit_ticket', 'return_fields', []],
        ['edit_ticket', 'send_notification', false],
        ['edit_ticket', 'merge_strategy', 'deep'],
        ['edit_ticket', 'timeout', 30],
        ['edit_ticket', 'content_type', 'text/markdown'],
        ['edit_ticket', 'replace', false],
        ['edit_ticket', 'dry_run', false],
        ['edit_ticket', 'force', false],
        ['edit_ticket', 'verbose', true],
        ['edit_ticket', 'validate', false],
        ['edit_ticket', 'wait', false],
        ['edit_ticket', 'limit', 20],
        ['edit_ticket', 'response_format', 'short'],
        ['edit_ticket', 'include_labels', true],
        ['edit_ticket', 'create_labels', false],
        ['edit_ticket', 'namespace', 'default'],
        ['edit_ticket', 'branch', 'main'],
        ['edit_ticket', 'tags', [], 'Tags; what is left out is kept'],
        ['edit_ticket', 'state', 'unchanged'],
        ['create_ticket', 'tags', []],
        ['list_tickets', 'state', 'open', 'New or not'],
        ['get_change_set', 'state', 'open'],
        ['search_and_replace', 'content', ''],
      ],
      ['silence', 'notice'],
    );
    it('is given by the call', () => {
      assert.notEqual(decide('edit_ticket', 'tags', { type: 'array', default: [] }, { tags: [] }), 'ask');
    });
  });
});
