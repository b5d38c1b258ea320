// What is told of whole lists: tools with other names, all that a server offers, upgrades of libraries, and what ran out of time.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract, Identity, Json } from '../scripts/contract/types.ts';
import { diffContract, incomplete, riskOf, worstFirst } from '../scripts/diff/diff.ts';
import { diffLists, ofReadable } from '../scripts/diff/diff-lists.ts';
import { diffOffered } from '../scripts/diff/offered.ts';
import { findToolDivisions, findToolRenames } from '../scripts/diff/rename-tools.ts';
import { ofContract } from '../scripts/diff/table.ts';
import type { FoundChange } from '../scripts/diff/types.ts';
import { splitUpgrade, upgradeNote } from '../scripts/diff/upgrade.ts';
import { stopwatch } from './sandbox.ts';

/** A tool with parameters, of which each has a type of its own if it names one: `id:integer`. */
const tool = (name: string, parameters: readonly string[] = [], more: Partial<Contract> = {}): Contract => ({
  name,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map((one) => one.split(':')).map(([key, type = 'string']) => [key as string, { type }]),
    ),
  },
  ...more,
});

describe('tools that have another name', () => {
  const told = (removed: Contract[], added: Contract[]): string[] =>
    findToolRenames(removed, added).map(({ before, after, evidence }) => `${before.name} → ${after.name}: ${evidence}`);
  const CUT = 'a name that was extended or cut, and the same parameters';
  const WORDS = 'a name of the same words and others, and the same parameters';
  const cases: [what: string, removed: Contract[], added: Contract[], expected: string[]][] = [
    [
      'a prefix came, and a type changed',
      [tool('item', ['id'])],
      [tool('shop_item', ['id:integer'])],
      [`item → shop_item: ${CUT}`],
    ],
    ['a suffix went', [tool('items_v2', ['id'])], [tool('items', ['id:integer'])], [`items_v2 → items: ${CUT}`]],
    ['what came is in the middle', [tool('getitem', ['id'])], [tool('getoneitem', ['id:integer'])], []],
    ['the shorter name has three letters', [tool('ban', ['id'])], [tool('ban_v2', ['id:integer'])], []],
    ['a name that was extended, with another parameter', [tool('items', ['id'])], [tool('items_v2', ['key'])], []],
    [
      'words came in the middle',
      [tool('get_items', ['id'], { description: 'Gets items' })],
      [tool('get_shop_items', ['id'], { description: 'Reads shop items' })],
      [`get_items → get_shop_items: ${WORDS}`],
    ],
    [
      'words went from the middle',
      [tool('get_shop_items', ['id'], { description: 'Reads shop items' })],
      [tool('get_items', ['id'], { description: 'Gets items' })],
      [`get_shop_items → get_items: ${WORDS}`],
    ],
    [
      'the same words in another order',
      [tool('get_items', ['id'], { description: 'Gets items' })],
      [tool('items_shop_get', ['id'], { description: 'Reads shop items' })],
      [],
    ],
    [
      'words in the middle, and no parameter',
      [tool('get_items', [], { description: 'Gets items' })],
      [tool('get_shop_items', [], { description: 'Reads shop items' })],
      [],
    ],
    [
      'each is used once, the best evidence first',
      [tool('get-item', ['id']), tool('get_item_by_id', ['id'])],
      [tool('get_item', ['id'])],
      ['get-item → get_item: the same name in another spelling'],
    ],
    [
      'one that two stand for',
      [tool('items_v1', ['id:integer']), tool('items_v2', ['id:integer'])],
      [tool('items', ['id'])],
      [],
    ],
    [
      'equal contracts that take nothing, and share a word of their names',
      [tool('ping', [], { inputSchema: { type: 'object' } })],
      [tool('ping_now', [], { inputSchema: { type: 'object' } })],
      ['ping → ping_now: the same contract'],
    ],
    [
      'equal contracts that only require something',
      [tool('alpha', [], { inputSchema: { type: 'object', required: ['x'] } })],
      [tool('beta', [], { inputSchema: { type: 'object', required: ['x'] } })],
      ['alpha → beta: the same contract'],
    ],
    ['none came', [tool('a', ['id'])], [], []],
    ['none went', [], [tool('a', ['id'])], []],
  ];
  for (const [what, removed, added, expected] of cases)
    it(what, () => assert.deepEqual(told(removed, added), expected));

  it('another spelling is no evidence where nine share it', () => {
    const spelled = Array.from({ length: 9 }, (_, at) => `a${'_'.repeat(at)}bcd`);
    for (const count of [8, 9])
      for (const last of [true, false])
        assert.deepEqual(
          told(
            [tool('abcd', ['x', last ? 'y' : 'z'])],
            spelled.slice(0, count).map((name) => tool(name, ['q'])),
          ),
          [],
        );
    assert.equal(told([tool('abcd', ['x'])], [tool('ab_cd', ['q'])]).length, 1);
  });

  it('many names are compared by their marks alone', () => {
    const many = (prefix: string, count: number, end: string) =>
      Array.from({ length: count }, (_, at) =>
        tool(`${prefix}${at}${end}`, [`p${at}`, end === '' ? 'a' : 'a:integer']),
      );
    assert.equal(told(many('tool_', 50, ''), many('tool_', 50, '_v2')).length, 50);
    assert.equal(told(many('tool_', 51, ''), many('tool_', 50, '_v2')).length, 0);
    assert.equal(told(many('tool_', 60, ''), many('tool-', 60, '')).length, 60);
  });
});

describe('tools of which one only looks like the other under a new name', () => {
  type Case = readonly [from: string, said: string, to: string, says: string, parameters?: readonly string[]];
  const successor = ([from, said, to, says, parameters = ['id']]: Case): string | undefined =>
    findToolRenames([tool(from, parameters, { description: said })], [tool(to, parameters, { description: says })])[0]
      ?.after.name;
  const tests = (cases: readonly Case[], isNamed: boolean) => {
    for (const one of cases)
      it(`${one[0]} ${isNamed ? 'became' : 'is not'} ${one[2]}: "${one[1]}", "${one[3]}"`, () =>
        assert.equal(successor(one), isNamed ? one[2] : undefined));
  };

  describe('another act is no successor', () => {
    tests(
      [
        ['abort_drop_table', 'Abort dropping a table', 'drop_table', 'Drop a table'],
        ['undo_archive_thread', 'Bring an archived thread back', 'archive_thread', 'Archive a thread'],
        ['snooze_close_ticket', 'Close a ticket later', 'close_ticket', 'Close a ticket'],
        ['revoke_invite', 'Revoke an invitation', 'invite', 'Invite a person to the team'],
        ['confirm_wire_transfer', 'Confirm a wire transfer', 'wire_transfer', 'Start a wire transfer'],
        ['store_snapshot', 'Store a snapshot', 'restore_snapshot', 'Restore a snapshot'],
        ['mount_volume', 'Mount a volume', 'remount_volume', 'Mount a volume again'],
        ['port_number', 'Move a number to another carrier', 'import_number', 'Import a number'],
        ['halt_job', '', 'purge_job', ''],
        ['get_limits', '', 'raise_limits', ''],
        ['freeze_card', '', 'cancel_card', ''],
        ['show_quota', '', 'exceed_budget', ''],
        ['frob_valve', '', 'vent_valve', ''],
        ['suspend_seat', 'Manage a seat', 'cancel_seat', 'Manage a seat'],
        ['get_item', 'Get one item', 'acme_get_item', 'Reset one item'],
        ['export_ledger', 'Export the ledger', 'acme_export_ledger', 'Export the ledger and erase it'],
        ['post_entry', 'Post an entry', 'get_post_entry', 'Get an entry'],
        ['jettison_load_cargo', 'Jettison the cargo', 'load_cargo', 'Load cargo'],
      ],
      false,
    );
  });
  describe('a trial, another strength or another stage is no successor', () => {
    tests(
      [
        ['try_restore_backup', 'See whether a backup can be restored', 'restore_backup', 'Restore a backup'],
        ['restore_backup', 'Restore a backup', 'restore_backup_dry', 'See what restoring would do'],
        ['mock_ship_parcel', 'Pretend to ship a parcel', 'ship_parcel', 'Ship a parcel'],
        ['estimate_merge_ledgers', 'Estimate a merger', 'merge_ledgers', 'Merge two ledgers'],
        ['verify_rotate_key', 'Verify that a key can be rotated', 'rotate_key', 'Rotate a key'],
        ['book_demo_flight', 'Book a flight of the demo airline', 'book_flight', 'Book a flight'],
        ['can_wipe_disk', 'Whether a disk may be wiped', 'wipe_disk', 'Wipe a disk'],
        ['explain_run_query', 'Explain how a query runs', 'run_query', 'Run a query'],
        ['simulate_vote', 'Simulate a vote', 'vote', 'Vote'],
        ['preview_fax', 'Preview a fax', 'fax', 'Fax a page'],
        ['deploy_staging_site', 'Deploy a site to staging', 'deploy_site', 'Deploy a site'],
        ['hard_reset_router', 'Reset a router to factory settings', 'reset_router', 'Reset a router'],
        ['reset_router', 'Reset a router', 'hard_reset_router', 'Reset a router to factory settings'],
        ['safe_eject_drive', 'Eject a drive once it is idle', 'eject_drive', 'Eject a drive'],
        ['evict_node', 'Evict a node', 'evict_node_recursive', 'Evict a node and its children'],
        ['detach_disk', 'Detach a disk', 'force_detach_disk', 'Detach a disk'],
        ['temporarily_ban_member', 'Ban a member for a day', 'ban_member', 'Ban a member'],
        ['unassign_ticket', 'Unassign a ticket', 'unassign_all_tickets', 'Unassign tickets'],
        ['request_refund_order', 'Ask for a refund', 'refund_order', 'Refund an order'],
        ['draft_reply_email', 'Draft a reply', 'reply_email', 'Reply to an email'],
        ['queue_render_clip', 'Render a clip later', 'render_clip', 'Render a clip'],
        ['prepare_merge_branch', 'Prepare a merge', 'merge_branch', 'Merge a branch'],
        ['submit_timesheet_draft', 'Save a draft of a timesheet', 'submit_timesheet', 'Hand in a timesheet'],
        ['plan_migrate_host', 'Show the plan', 'migrate_host', 'Carry out the plan'],
        ['schedule_rotate_log', 'Rotate a log later', 'rotate_log', 'Rotate a log. To do so later, schedule it.'],
        ['check_upload_file', 'Check a file', 'upload_file', 'Upload a file without a check'],
      ],
      false,
    );
  });
  describe('another thing is no successor', () => {
    tests(
      [
        ['close_account_alert', 'Close an alert of an account', 'close_account', 'Close an account'],
        ['close_account', 'Close an account', 'close_account_alert', 'Close an alert of an account'],
        ['rename_team_channel', '', 'rename_team', ''],
        ['user_token_revoke', 'Revoke a token of a user', 'user_revoke', 'Revoke a user'],
        ['drop_table_index', 'Drop an index', 'drop_table', 'Drop a table'],
        ['weather', 'Current weather', 'weather_alerts', 'Storm alerts'],
        ['remove_member_from_project', 'Remove a member from a project', 'remove_member', 'Remove a member'],
        ['wipe_phone_data', 'Wipe the data of a phone', 'wipe_phone', 'Wipe a phone'],
        ['get_ship', 'Get by id', 'get_harbor', 'Get by id'],
        ['fetch_song', 'Returns the item.', 'fetch_album', 'Returns the item.'],
        ['get_ship', 'Reads one row of the registry', 'get_harbor', 'Reads one row of the registry'],
        ['update_menu', '', 'update_price', ''],
        ['read_photo_file', 'Read an image or a drawing', 'read_file', 'Read the contents of a text file'],
      ],
      false,
    );
  });

  describe('what has another name alone is its successor', () => {
    tests(
      [
        ['search_papers', 'Search for papers', 'papers_search', 'Search for papers'],
        ['get_forecast', 'Forecast for a city', 'forecast_get', 'Forecast for a city'],
        ['list-boards', 'List boards', 'list_boards', 'Lists all boards of a team'],
        ['listBoards', 'List boards', 'list_boards', 'Show boards'],
        ['create_card', 'Create a card', 'gitlab_create_card', 'Create a card'],
        ['create_card', 'Create a card', 'acme_create_card', 'Creates a new card on a board'],
        ['acme_create_card', 'Creates a card', 'create_card', 'Add a card to a board'],
        ['create_card', '', 'trello_create_card', ''],
        ['create_card', 'Create a card', 'create_card_github', 'Create a card'],
        ['query', 'Find pages', 'query_v2', 'Hybrid retrieval over the index'],
        ['translate', 'Translate a text', 'translateV2', 'Translate a text'],
        ['resolve2', 'Resolve a name', 'resolve', 'Resolve a host name'],
        ['rank_pages', 'Rank pages', 'rank_pages_tool', 'Rank pages'],
        ['read_doc', 'Read a document', 'read_doc_contents', 'Read the contents of a document'],
        ['get_file', 'Get the contents of a file', 'get_file_contents', 'Get the contents of a file or folder'],
        ['get_city', 'Get a city', 'get_city_details', 'Get the details of a city'],
        ['get_city_info', 'Facts about a city', 'get_city', 'Facts about a city'],
        ['fetch_page', 'Fetch a page', 'get_page', 'Fetch a page'],
        ['fetch_page', '', 'get_page', ''],
        ['add_label', 'Add a label', 'create_label', 'Add a label'],
        ['add_label', '', 'create_label', ''],
        ['edit_row', 'Change a row', 'update_row', 'Change a row'],
        ['get_member', 'Get members by email', 'get_members', 'Get members by email'],
        ['get_member', '', 'get_members', ''],
        ['check_status', 'Status of a job', 'get_status', 'Status of a job'],
        ['forecast', 'Forecast for a city', 'get_forecast', 'Get the forecast for a city'],
        ['get_time', 'Current time of a zone', 'time', 'Current time of a zone'],
        ['run_report', '', 'report', ''],
        ['migration', 'Run a migration', 'run_migration', 'Run a migration'],
        ['suspend_seat', 'Suspends a seat for a while', 'pause_seat', 'Suspends a seat for a while'],
        ['get_client', 'Get a client by id', 'get_customer', 'Get a client by id'],
        ['echo', 'Echoes a text', 'echo_text', 'Echoes a text'],
        ['order', 'Order a pizza', 'order_pizza', 'Order a pizza'],
        ['delete_card', 'Delete a card', 'delete_board_card', 'Delete a card of a board'],
        ['delete_session', 'Delete a session', 'delete_user_session', 'Delete a session of a user'],
        ['list_jobs', 'List jobs', 'list_all_jobs', 'List all jobs'],
        ['list_repo_tags', 'List tags of a repository', 'list_tags', 'List the tags of a repository'],
        ['get_track_by_id', 'Get a track', 'get_track', 'Get one track'],
        ['soft_delete_row', 'Soft-delete a row', 'delete_row', 'Soft-delete a row'],
        ['create_draft_post', 'Create a draft of a post', 'create_post', 'Create a draft of a post'],
        ['simulate_orbit', 'Simulate an orbit', 'orbit', 'Simulate an orbit'],
        ['cancel_order', 'Cancel an order', 'shop_cancel_order', 'Cancel an open order'],
        ['dry_run_plan', 'Try a plan', 'acme_dry_run_plan', 'Try a plan'],
        ['send_note', 'Send a note', 'mail_send_note', 'Post a note to a person'],
        ['zap', 'Draws a bolt of lightning', 'bolt', 'Draws a bolt of lightning'],
        ['take_picture', 'Take a picture', 'capture_picture', 'Take a picture'],
        ['get_order_status', 'Status of an order', 'shop_get_order_status', 'Status of a shop order'],
      ],
      true,
    );
  });

  it('where both are there, the one that does the same is named', () => {
    const [soft, hard, other] = [
      tool('archive_page', ['id'], { description: 'Archive a page' }),
      tool('force_archive_page', ['id'], { description: 'Archive a page' }),
      tool('wiki_archive_page', ['id'], { description: 'Archive a page of the wiki' }),
    ] as const;
    assert.deepEqual(
      findToolRenames([soft], [hard, other]).map(({ after }) => after.name),
      ['wiki_archive_page'],
    );
  });
  it('long names and descriptions take no long time', () => {
    for (const [name, count] of [
      ['ab_'.repeat(80), 8],
      ['ab_'.repeat(80), 2_000],
      ['ab_'.repeat(14), 8],
    ] as const) {
      const named = (end: string): Contract =>
        tool(`${name}${end}`, ['id'], { description: 'Reads or '.repeat(count < 10 ? 100_000 : 20) });
      const took = stopwatch();
      const all = Array.from({ length: count }, (_, at) => named(`v${at}`));
      assert.deepEqual(findToolRenames([named('')], all), []);
      assert.ok(took() < 500, `${name} ${count}: ${took()} ms`);
    }
  });
});

describe('tools that were split or merged', () => {
  const told = (removed: Contract[], added: Contract[]): string[] =>
    findToolDivisions(removed, added).map(({ before, after }) =>
      [before, after].map((side) => side.map(({ name }) => name).join(' + ')).join(' → '),
    );
  const [files, read, write] = [
    tool('files', ['path']),
    tool('files_read', ['path']),
    tool('files_write', ['path', 'x']),
  ];
  it('by names that extend one, and a parameter in common', () => {
    assert.deepEqual(told([files], [read, write]), ['files → files_read + files_write']);
    assert.deepEqual(told([read, write], [files]), ['files_read + files_write → files']);
    assert.deepEqual(told([files], [tool('read_files', ['path']), write]), ['files → read_files + files_write']);
  });
  it('and not by less', () => {
    assert.deepEqual(told([files], [read]), []);
    assert.deepEqual(told([read], [files]), []);
    assert.deepEqual(told([files], [read, tool('files_write', ['x'])]), []);
    assert.deepEqual(told([files], [read, tool('write_file', ['path'])]), []);
    assert.deepEqual(told([tool('run', ['path'])], [tool('run_a', ['path']), tool('run_b', ['path'])]), []);
  });
  it('each tool once', () => {
    const more = [files, tool('files_r', ['path'])];
    const found = told(more, [tool('files_read', ['path']), tool('files_r_w', ['path']), tool('files_r_x', ['path'])]);
    assert.deepEqual(found, ['files → files_read + files_r_w + files_r_x']);
  });
  it('they are told as that, and neither as new nor as gone', () => {
    const rules = diffLists(
      [tool('files', ['path', 'mode']), tool('other', ['a'])],
      [read, write, tool('another', ['b:integer'])],
    ).map(({ rule, tool: name }) => `${rule} ${name}`);
    assert.deepEqual(rules, ['tool-removed other', 'tool-divided files', 'tool-added another']);
  });
});

describe('all that a server offers', () => {
  const offer = (name: string, description: string): Contract => ({
    name,
    description,
    inputSchema: name.startsWith('prompt') ? { type: 'object', additionalProperties: false } : true,
  });
  const [old, now] = [offer('prompt greet', 'Greets'), offer('prompt greet', 'Insults')];
  const lines = (changes: readonly FoundChange[]) =>
    changes.map(({ offer: list = 'tool', rule, tool: name, message }) => `${list} ${rule} ${name}: ${message}`);

  it('prompts and resources are compared like tools, and called by their names', () => {
    const [prompt, resource] = ['prompt bye', 'resource file:///a?token=secret'].map((name) => offer(name, 'A'));
    const found = diffOffered(
      { tools: [tool('a', ['x'])], offers: [old, prompt as Contract] },
      { tools: [tool('a', ['y:integer'])], offers: [now, resource as Contract] },
    );
    assert.equal(found.filter(({ offer: list }) => list === undefined).length, 2);
    const offers = lines(found.filter(({ offer: list }) => list !== undefined));
    assert.equal(offers.length, 3, offers.join('\n'));
    assert.match(offers.join('\n'), /^prompts tool-removed prompt bye: it is gone$/m);
    assert.match(offers.join('\n'), /^resources tool-added resource .*: it is new$/m);
    assert.match(offers.join('\n'), /^prompts tool-description-changed prompt greet: description changed: /m);
    assert.ok(!offers.join('\n').includes('secret'), offers.join('\n'));
    for (const { brief } of found) assert.doesNotMatch(brief, /\bthe tool\b/);
  });
  it('a list that one side lacks, or that could not be read, is not compared', () => {
    assert.deepEqual(diffOffered({ tools: [] }, { tools: [], offers: [now] }), []);
    assert.deepEqual(diffOffered({ tools: [], offers: [old] }, { tools: [] }), []);
    for (const [had, has] of [
      [{ prompts: 'odd' }, {}],
      [{}, { prompts: 'odd' }],
    ] as const) {
      const found = diffOffered(
        { tools: [], offers: [old], unread: had },
        { tools: [], offers: [now, offer('resource file:///a', 'A')], unread: has },
      );
      assert.deepEqual(lines(found), ['resources tool-added resource file:///a: it is new']);
    }
    assert.equal(diffOffered({ tools: [], offers: [old] }, { tools: [], offers: [now] }).length, 1);
  });
});

describe('what a new version of a library changes in nearly every tool', () => {
  const closed = (name: string): Contract => ({
    ...tool(name, ['x']),
    inputSchema: { ...(tool(name, ['x']).inputSchema as object), additionalProperties: false } as Json,
  });
  const names = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`);
  const split = (closing: number, all: number) => {
    const before = names(all).map((name) => tool(name, ['x']));
    const after = before.map((one, at) => (at < closing ? closed(one.name) : one));
    const { upgrade, others } = splitUpgrade(diffLists(before, after), all);
    return [upgrade.length, others.length];
  };
  it('is apart from all others, in three tools and four fifths of all', () => {
    assert.deepEqual(split(3, 3), [3, 0]);
    assert.deepEqual(split(2, 2), [0, 2]);
    assert.deepEqual(split(4, 5), [4, 0]);
    assert.deepEqual(split(3, 4), [0, 3]);
  });
  it('is no change that an author makes, nor one of another message or place', () => {
    const before = names(3).map((name) => tool(name, ['x']));
    const changed = before.map((one) => ({ ...one, description: 'Says it' }));
    assert.equal(splitUpgrade(diffLists(before, changed), 3).upgrade.length, 0);
    const found = diffLists(before, names(3).map(closed));
    for (const other of [{ message: 'other' }, { path: '/other' }, { rule: 'other' }]) {
      const mixed = found.map((change, at) => (at === 0 ? { ...change, ...other } : change)) as FoundChange[];
      assert.equal(splitUpgrade(mixed, 3).upgrade.length, 0, JSON.stringify(other));
    }
  });
  it('is told in one line, with what else shows it', () => {
    const identity = (name: string, version: string, protocol: string): Identity =>
      ({ name, version, protocol }) as unknown as Identity;
    const [was, is] = [names(3).map((name) => tool(name, ['x'])), names(3).map(closed)];
    const noisy = is.map((one, at) => (at < 1 ? { ...one, extra: { execution: { a: 1 } } } : one));
    const note = (one?: Identity, other?: Identity, before = was, after = is): string | undefined =>
      upgradeNote(
        { tools: before, ...(one && { identity: one }) },
        { tools: after, ...(other && { identity: other }) },
        diffLists(before, after),
      );
    const CLOSED = 'unknown parameters are refused now, in nearly every tool';
    const begins = 'looks like a library upgrade: ';
    assert.equal(note(), `${begins}${CLOSED}`);
    assert.equal(note(identity('a', '1', '2'), undefined), `${begins}${CLOSED}`);
    assert.equal(note(identity('a', '1', '2'), identity('a', '1', '2')), `${begins}${CLOSED}`);
    assert.equal(note(identity('a', '1', '2'), identity('a', '2', '2')), `${begins}"a 1" → "a 2"; ${CLOSED}`);
    assert.equal(note(identity('a', '1', '2'), identity('b', '1', '2')), `${begins}"a 1" → "b 1"; ${CLOSED}`);
    assert.equal(
      note(identity('a', '1', '2025-01-01'), identity('a', '1', '2026-01-01')),
      `${begins}protocol "2025-01-01" → "2026-01-01"; ${CLOSED}`,
    );
    assert.equal(note(undefined, undefined, is, noisy), `${begins}1 tool in other words for the same contract`);
    assert.equal(note(undefined, undefined, was, was), undefined);
    assert.equal(note(undefined, undefined, [], was), undefined);
  });
});

describe('what could not be compared', () => {
  const unknown = (name: string, message: string, path: string): FoundChange =>
    ({
      tool: name,
      path,
      rule: 'unclassified',
      level: 'unclassified',
      message,
      brief: message,
      incomplete: true,
    }) as never;
  it('is unknown, and says why', () => {
    for (const [why, message] of [
      ['late', 'could not be compared in time'],
      ['failed', 'could not be compared'],
      ['large', 'is too large to be compared as a whole: more may have changed'],
    ] as const)
      assert.deepEqual(incomplete('a', why), unknown('a', message, '/inputSchema'));
  });
  it('is a tool that could not be read on either side', () => {
    const [fine, odd, worse] = [
      tool('a'),
      { ...tool('a'), defect: 'it is odd' },
      { ...tool('a'), defect: 'it is bad' },
    ];
    assert.deepEqual(diffContract(fine, odd), [unknown('a', 'could not be read: it is odd', '')]);
    assert.deepEqual(diffContract(odd, fine), [unknown('a', 'could not be read: it is odd', '')]);
    assert.deepEqual(diffContract(odd, worse), [unknown('a', 'could not be read: it is bad', '')]);
    const changes = [{ tool: 'a' }, { tool: 'b' }];
    assert.deepEqual(ofReadable(changes, [fine], [odd]), [{ tool: 'b' }]);
    assert.deepEqual(ofReadable(changes, [odd], []), [{ tool: 'b' }]);
    assert.deepEqual(ofReadable(changes, [fine]), changes);
  });
  it('is each tool that changed, if no time is left, and no other', () => {
    const before = ['a', 'b', 'c'].map((name) => tool(name, ['x']));
    const after = [tool('a', ['y:integer']), tool('b', ['x']), tool('c', ['z:integer'])];
    const seen: string[] = [];
    const found = diffLists(before, after, -1, (done, of) => seen.push(`${done} of ${of}`));
    assert.deepEqual(
      found,
      ['a', 'c'].map((name) => incomplete(name, 'late')),
    );
    assert.deepEqual(seen, ['0 of 2', '1 of 2']);
  });
  it('takes a limit of time where it may take long, and a shorter one where a pattern may run away', () => {
    const plain = (words: string) => tool('a', ['x'], { description: words, inputSchema: { description: words } });
    const refers = { inputSchema: { $ref: '#/$defs/a', $defs: { a: {} } } };
    const runs = { inputSchema: { pattern: '^(a+)+$' } };
    assert.equal(riskOf(plain('a'), plain('b')), 'none');
    assert.equal(riskOf(plain('a'), plain('b'.repeat(20_000))), 'long');
    assert.equal(riskOf(plain('a'.repeat(20_000)), plain('b')), 'long');
    for (const [more, risk] of [
      [refers, 'long'],
      [runs, 'endless'],
      [{ branches: [{ inputSchema: refers.inputSchema }] }, 'long'],
      [{ branches: [{ inputSchema: runs.inputSchema }] }, 'endless'],
      [{ outputSchema: refers.inputSchema }, 'long'],
      [{ outputSchema: runs.inputSchema }, 'endless'],
    ] as const) {
      assert.equal(riskOf(tool('a'), tool('a', [], more as never)), risk, JSON.stringify(more));
      assert.equal(riskOf(tool('a', [], more as never), tool('a')), risk, JSON.stringify(more));
    }
    for (const { inputSchema } of [refers, runs])
      assert.equal(
        riskOf(tool('a', [], { outputSchema: inputSchema }), tool('a', [], { outputSchema: inputSchema })),
        'none',
      );
  });
});

describe('changes', () => {
  it('are sorted by their level, and those of one level stay in their order', () => {
    const levels = ['compatible', 'semantic', 'breaking', 'silent', 'unclassified', 'semantic', 'breaking'];
    const sorted = worstFirst(levels.map((level, at) => ({ level, path: `${at}` }) as unknown as FoundChange));
    assert.deepEqual(
      sorted.map(({ level, path }) => `${level} ${path}`),
      ['breaking 2', 'breaking 6', 'unclassified 4', 'silent 3', 'semantic 1', 'semantic 5', 'compatible 0'],
    );
  });
  it('that are only for reports are no part of the contract', () => {
    const before = { ...tool('a'), extra: { _meta: { a: 1 }, execution: { taskSupport: 'optional' } } };
    const after = { ...tool('a'), description: 'Does it', extra: { execution: { taskSupport: 'required' } } };
    const found = diffContract(before as Contract, after as Contract);
    assert.deepEqual(found.map(({ rule }) => rule).sort(), [
      'tool-appearance-changed',
      'tool-description-changed',
      'tool-task-required',
    ]);
    assert.deepEqual(
      ofContract(found).map(({ rule }) => rule),
      ['tool-description-changed'],
    );
  });
});
