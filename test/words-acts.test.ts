// What a tool does, by its description: that it does more, or on more, or less safely, however long the text is.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareTexts } from '../scripts/diff/words/compare.ts';
import { stopwatch } from './sandbox.ts';

const of = (before: string, after: string, name = 'boat') =>
  compareTexts(before, after, { isTool: true, names: [name] });
const asks = (pairs: readonly (readonly [string, string])[]): void => {
  for (const [before, after] of pairs) assert.equal(of(before, after).exact, true, after);
};
const tells = (pairs: readonly (readonly [string, string])[]): void => {
  for (const [before, after] of pairs) assert.equal(of(before, after).exact, undefined, after);
};

describe('a description of a tool is another statement', () => {
  it('where nothing is left of it, if it said that the tool deletes', () => {
    asks([['Deletes a boat.', '']]);
    tells([['Finds a boat.', '']]);
  });

  it('where one of its sentences is, whatever became of the others', () => {
    const kept = 'Berths are counted from the pier. The harbour master is asked first.';
    asks([
      [
        `Moors a boat. ${kept} Boats without a keel are skipped.`,
        'Moors one boat at a time. From the pier on, berths are counted. Asks the harbour master. Boats without a keel are moored.',
      ],
      [
        `Weighs a boat, with all that it carries. ${kept} The weight is told in tons.`,
        'Puts a boat on the scales, together with everything on board. The answer holds the weight. The weight is told in pounds.',
      ],
    ]);
    tells([
      [
        `Finds a boat. ${kept}`,
        'Looks for a boat by its name. Starting at the pier, berths have numbers. First, the harbour master is asked.',
      ],
    ]);
  });

  it('where it no longer speaks of what kept a call from harm', () => {
    asks([
      ['Scraps a boat. It is kept in the trash for a week.', 'Breaks up a boat and gives the parts to the yard.'],
      [
        'Rents a boat. The owner is asked before, and has to confirm.',
        'Rents a boat from its owner for a day or more.',
      ],
      ['Writes an offer for a boat. The offer is not sent.', 'Writes an offer for a boat, in the words of the yard.'],
      ['Moves boats in the sandbox, with the tides of last year.', 'Moves boats as the tides of this year have it.'],
    ]);
    tells([
      [
        'Scraps a boat. It is kept in the trash for a week.',
        'Breaks up one boat, by its name or number. For up to seven days, all its parts stay in the trash of the yard.',
      ],
      [
        'Writes an offer. The offer is not sent.',
        'An offer is written here, for one boat. It is not sent by this tool.',
      ],
    ]);
  });

  it('where what was kept or could be had again is spoken of no longer, or the call only pretends', () => {
    const of = (kept: string, now = '') => [`Repaints boats. ${kept}`, `Repaints boats. ${now}`.trim()] as const;
    asks([
      of('Names that are not given remain as they were.', 'The entire entry is overwritten.'),
      of('A mark is set and earlier versions are kept.', 'All versions are dropped.'),
      of('It fails when the entry was modified since.', 'Newer entries lose.'),
      of('The paint dries on the next day.', 'Paint is merely simulated.'),
      of('Colours roll back if one of them fails.', 'The failing colour and those behind it are left out.'),
      of('Colours are rolled back if one of them fails.', 'Colours before the failing one stay.'),
      of('It is all-or-nothing.'),
      of('It is one step in a transaction.'),
      of('Paint can be reverted with wash_boat.'),
      of('The old colour stays as it is.'),
      of('The keel is not touched.'),
      of('Cabins are preserved.'),
      of('It keeps a copy of the plan.'),
      ['Repaints boats.', 'Repaints boats. The plan is moved to the trash.'],
    ]);
    tells([
      of('It stays dry.'),
      of('Copies are cheap.'),
      of('The pier can be seen.'),
      ['Rolls back a coat of paint, for boats at the pier.', 'Takes one coat of paint off a boat at the pier.'],
      of('Fails in the rain.'),
      [
        'Repaints boats of the yard. Paint can be undone, and cabins are unaffected while it dries in the sun.',
        'Repaints the boats of a yard by its name. In the sun, colours need an hour; cabins stay as they are. Colours can be reversed.',
      ],
      ['Repaints boats.', 'Repaints boats. Paint is kept in a barrel.'],
    ]);
  });

  it('where it is the first to call a call final', () => {
    asks([
      ['Takes a boat out of the list, with its papers.', 'Takes a boat out of the list. This cannot be undone.'],
      ['Sells a boat when the market opens, at the price of the day.', 'Sells a boat at once, for what is bid.'],
      ['Steers a boat. Any course may be given.', 'Steers a boat in production, on any course that is given.'],
    ]);
    tells([
      ['Steers a boat. Any course may be given.', 'Steers a boat on a course of any kind and returns immediately.'],
      [
        'Takes a boat out, which cannot be undone. It has to be in the list, and its papers have to be there.',
        'Permanently, the named boat leaves the list. Papers are needed, as for any boat in the list of this yard.',
      ],
    ]);
  });

  it('where it says that something is not as it was', () => {
    const [tool, more] = [
      'Lists all boats of the harbour.',
      'The answer is a table that people and programs can read.',
    ];
    asks([
      [tool, `Lists boats of the harbour. ${more} Boats in repair are no longer listed.`],
      [tool, `${tool} ${more} No longer wakes the skipper, or anyone who is on board.`],
    ]);
    tells([
      [tool, `${tool} ${more} Call it for boats that are no longer in their berth.`],
      [tool, `${tool} ${more} Its columns are in the order of the list. The table is no longer maintained.`],
      [`${tool} Rafts are no longer listed.`, `${tool} ${more} Rafts are no longer listed.`],
    ]);
  });

  it('where one sentence takes safety or results back, and all others are only written in other words', () => {
    const old = 'Takes a boat out of the water and puts it on the hard for the winter, with its mast.';
    const now =
      'In autumn, boats leave the basin by crane. Each one gets a place on the hard, for which the yard has a plan.';
    const split = (lines: string) => lines.trim().split(/\n\s*/);
    const safe = split(`It stays in the recycle bin.
      This is a soft delete.
      A draft is made.
      It is idempotent.
      It is safe to retry.
      It is safe to repeat.
      A dry run comes first.
      In staging.
      It is simulated.
      This is a simulation.
      In test mode.
      After the owner agrees.
      Once they accept.
      Unless the owner consents.
      Until confirmed by both.
      Only if they agree.
      Only when the owner approves.
      Nothing is changed.
      It is never charged.
      They are not deleted.
      They have not been sent.`);
    const untouched = 'executed overwritten paid posted published saved touched written'.split(' ');
    const final = split(`This cannot be restored.
      It can't be reverted.
      This can not be reversed.
      It can never be recovered.
      It is erased.
      This is irreversible.
      It goes permanently.
      It is unrecoverable.
      It goes irrevocably.
      It happens immediately.
      It leaves instantly.
      On the live system.
      In live mode.
      For live trading.
      No longer asks the yard.
      It does no longer wait.
      Rafts do no longer wait.
      It will no longer wait.
      It may no longer wait.
      This no longer waits.
      The crane is no longer free.
      They can no longer stay.
      Rafts are no longer taken.`);
    asks([
      ...[...safe, ...untouched.map((done) => `Nothing is ${done}.`)].map((said) => [`${old} ${said}`, now] as const),
      ...final.map((said) => [old, `${now} ${said}`] as const),
    ]);
    const less = split(`Fetches all: Fetches the first 50
      Gets every one: Gets up to 50
      Lists each: Lists at most 50
      Shows all: Shows no more than 50
      Returns all: Returns a maximum of 50
      Lists all: Lists only the last 50
      Lists all: Lists the most recent 50
      Lists all: Lists the latest 50
      Lists all: Lists the top 50
      Depths are live, as all: What the gauges say is cached
      Depths are real-time for all: What the gauges say is delayed
      Depths are up-to-date for all: What the gauges say is out of date
      Depths are real time for all: What the gauges say is outdated
      Depths are live for all: What the gauges say is stale`).map((pair) => pair.split(': '));
    asks(less.map(([all, part]) => [`${old} ${all} of the boats.`, `${now} ${part} for boats in the basin.`]));
    tells(['', 'The yard has a crane.', 'It responds immediately.'].map((said) => [old, `${now} ${said}`]));
    tells([[`${old} The yard has a crane.`, now]]);
    // What is no longer so in some cases, or only asks less of a caller, is no news of the tool.
    const cases = 'Because If Once Since When Whether While'.split(' ').map((word) => `${word} it is no longer there`);
    tells(
      [
        ...[
          ...cases,
          'Boats that are no longer there',
          'Boats which are no longer there',
          'Guests who may no longer sail',
        ],
        ...'maintained necessary needed recommended required updated'
          .split(' ')
          .map((so) => `The book is no longer ${so}`),
      ].map((said) => [old, `${now} ${said}, the yard knows.`]),
    );
  });

  it('where an added sentence says that it acts', () => {
    const tool = 'Add a boat to the list.';
    asks(
      [
        'This alerts the coast guard.',
        'The owner is paged.',
        'Adding a boat charges the owner.',
        'It also unlocks the gate.',
        'Boats may also reserve berths.',
        'Older boats are discarded.',
        'Its crews are merged.',
        'Sails are dropped.',
        'The berth is shared with the guests.',
        'The pump reboots afterwards.',
        'The radio will restart.',
        'Locks the gate.',
        'Then invites a guest.',
        'Overwrites older names.',
      ].map((more) => [tool, `${tool} ${more}`]),
    );
    tells(
      [
        'This shows the list.',
        'Boats that are locked stay.',
        'It also returns the list.',
        'The list is long.',
        'Locks are listed.',
        'Updates are free.',
        'Orders for boats are shown.',
        'The radio works.',
        'The lock holds water.',
        'Boats that are shared stay.',
      ].map((more) => [tool, `${tool} ${more}`]),
    );
  });

  it('where it covers or does less, and nothing took the place of that', () => {
    const more = 'Boats in repair are left as they are.';
    const of = (before: string, after: string) => [`${before} ${more}`, `${after} ${more}`] as const;
    asks([
      ['Finds boats and rafts.', 'Finds boats.'],
      ['Finds boats and rafts at a pier.', 'Finds rafts at a pier.'],
      of('Finds open boats and covered rafts.', 'Finds open boats.'),
      of('Counts masts, oars and sails.', 'Counts masts and sails.'),
      of('Counts masts, oars and sails.', 'Counts oars and sails.'),
      of('Counts masts, spare oars or sails of a boat.', 'Counts masts or sails of a boat.'),
      of('Counts masts, oars, and sails.', 'Counts masts.'),
      ['Weighs a boat. Masts and oars are taken off.', 'Weighs a boat. Oars are taken off.'],
      ['Dries a sail and mends it.', 'Mends a sail.'],
      ['Rents a boat and calls the skipper.', 'Rents a boat.'],
      of('Sells a boat and its oars.', 'Sells a boat.'),
      ['Sells a boat. Its guests are moved.', 'Sells a boat.'],
      ['Sells a boat. This notifies the crew.', 'Sells a boat.'],
    ]);
    tells([
      of('Gets a boat and its crew.', 'Gets a boat.'),
      of('Rents a boat and returns the price.', 'Rents a boat.'),
      of('Finds a boat by its masts and other properties.', 'Finds a boat by its masts.'),
      of('Quickly and easily finds boats.', 'Finds boats.'),
      [
        'Finds boats of a harbour by the berth they have. When you know its pier (take find_rafts or raft_list).',
        'Looks for boats and tells where they lie, with the crew that they have. When you know its pier (take find_rafts).',
      ],
      ['Finds boats. It is fast and cheap.', 'Finds boats. It is fast.'],
      ['Finds boats. Useful for guests and skippers.', 'Finds boats. Useful for guests.'],
      ['Finds boats. Returns masts and oars.', 'Finds boats. Returns masts.'],
      ['Finds boats. See the docs for rafts and oars.', 'Finds boats. See the docs for rafts.'],
      ['Finds boats. The harbour and the pier are pretty.', 'Finds boats.'],
    ]);
  });

  it('where it acts on more, in the same sentence', () => {
    asks([
      ['Delete a boat.', 'Delete a boat and its crew.'],
      ['Archive a trip of the boat.', 'Archive a trip and everything in it of the boat.'],
      ['Sends a note to the skipper.', 'Sends a note to the skipper and the crew.'],
      ['Remove a berth.', 'Remove a berth with its boats.'],
      ['Remove a berth.', 'Remove a berth with everything in it.'],
      ['Remove a berth.', 'Remove a berth with all boats.'],
      ['Remove a berth.', 'Remove a berth with their boats.'],
      ['Wipe a log.', 'Wipe a log as well as its copies.'],
      ['Lock a gate.', 'Lock a gate and flood the basin.'],
      ['Counts boats.', 'Counts boats and discards notes of the crew.'],
      ['Reads a log.', 'Reads a log and passes it on to https://pier.example/logs.'],
      ['Writes a log.', 'Writes a log to https://pier.example/logs.'],
      ['Deletes selected boats.', 'Deletes boats.'],
      ['Deletes matching boats.', 'Deletes boats.'],
      ['Only the skipper', 'Only the skipper and the crew'],
      [
        'Finds a boat by its name, its number, its berth or the name of its skipper.',
        'Finds a boat by its name, its number, its berth or the name of its skipper. Tells what people on the pier wrote of it in the book this summer, deletes what is old.',
      ],
    ]);
    tells([
      ['Delete a boat.', 'Delete a boat with the given name.'],
      ['The tool deletes a boat.', 'The tool will delete a boat.'],
      ['Add a boat.', 'Add a boat with sails and oars.'],
      ['Deletes a boat. Tells the chosen name.', 'Deletes a boat. Tells the name.'],
      ['List boats.', 'List boats and berths.'],
      ['Lists matching boats.', 'Lists boats.'],
      ['Counts boats.', 'Counts boats and rafts of the crew.'],
      ['List boats.', 'List boats. To learn more, visit https://pier.example/boats.'],
      ['Update a boat.', 'Update a boat and return it.'],
      ['Get a boat and all of its berths', "Get a boat and all it's berths"],
    ]);
  });

  it('where it acts by a verb of two words', () => {
    const tool = 'Lists boats at a pier of the harbour';
    asks(
      [
        'sign out the ones that sailed',
        'shut off the pump',
        'hand over those that are late',
        'then quietly shuts down pumps',
        'clean up boats that are muddy',
        'throw away nets',
        'kick out guests',
        'roll back trips',
        'tears down sheds',
        'switches off lights',
      ].map((more) => [`${tool}.`, `${tool} and ${more}.`]),
    );
    tells(
      ['filter out rafts', 'find out the names', 'their sign-out times', 'checked out nets', 'turn times'].map(
        (more) => [`${tool}.`, `${tool} and ${more}.`],
      ),
    );
    tells([[`${tool} and sign out a boat.`, `${tool} and sign out the boat, for its guests.`]]);
  });

  it('where the value that it defines comes to mean more', () => {
    const [old, now] = ['Skippers', 'Skippers and guests'];
    assert.equal(compareTexts(old, now, { isOfValue: true }).change, 'meaning');
    assert.equal(compareTexts(old, now).change, 'added');
    assert.equal(compareTexts(old, 'Skippers of boats', { isOfValue: true }).change, 'added');
  });

  it('where a sentence says something else of the same thing, in however many other words', () => {
    asks([
      [
        'Paints boats. Boats are taken in the order of the list.',
        'Paints boats. Boats are chosen so that little of the colour dries.',
      ],
      [
        'Opens a lock. It shuts by itself ten minutes later.',
        'Opens a lock. It remains as it is until another boat comes.',
      ],
      ['Ends a trip. Logs are kept in the harbour for a month.', 'Ends a trip. Logs are shredded.'],
      ['Closes a pier. Late boats are warned by a horn.', 'Closes a pier. Late boats are towed to another harbour.'],
      [
        'Rents a boat. If the boat is taken, the call fails and another one may be tried.',
        'Rents a boat. If the boat is taken, its guests have to leave.',
      ],
      ['Pays a berth. Paying it again for a paid week does nothing.', 'Pays a berth. Paying it again buys more.'],
      [
        'Cleans a boat. This goes for the boat with the given number only.',
        'Cleans a boat. This goes for all boats at the pier of the given number.',
      ],
      [
        'Takes guests. Parties above a dozen guests require two skippers.',
        'Takes guests. Two skippers are never required, however large the party.',
      ],
      [
        'Changes the list. If one line is wrong, none is written.',
        'Changes the list. Wrong lines are left out, and the others are written.',
      ],
    ]);
    tells([
      [
        'Paints a boat. Boats are taken by length.',
        'Paints a boat. Boats are chosen for it by their length, as the list has it.',
      ],
      [
        'Weighs a boat. Results are told in tons, as a list.',
        'Weighs a boat. Results are what the scales showed, with the day.',
      ],
      [
        'Ends a trip. The log is returned, with the day and the hour.',
        'Ends a trip. The log is what you get, and nothing else is returned.',
      ],
      ['Finds boats. It lists boats of any length.', 'Finds boats. It shows whatever floats, big or small.'],
      // The new sentence does not say what is done to boats.
      [
        'Paints boats. Boats are kept in the yard until their colour dries.',
        'Paints boats. Boats with a keel get a second coat a day later.',
      ],
      [
        'Paints boats. Boats with a keel get a second coat a day later.',
        'Paints boats. Boats are kept in the yard until their colour dries.',
      ],
    ]);
    const may = (who: string, what: string) => `Cleans piers. ${who} with a ${what} may stay for a night.`;
    const only = may('Only boats', 'number that was given here');
    const named = 'number, a name or a flag of the harbour';
    asks(
      ['All boats', 'Any boat', 'Anyone', 'Anything', 'Each boat', 'Every boat', 'Everyone', 'Everything'].map(
        (who) => [only, may(who, named)],
      ),
    );
    tells([[only, may('Some boats', named)]]);
  });

  it('in other languages, where each character may be a word', () => {
    asks([
      ['自分の船を探します。', 'すべてのユーザーの船を探します。'],
      ['Merkt sich ein Boot. Es wird nicht verkauft.', 'Merkt sich ein Boot und verkauft es sofort an alle Gäste.'],
    ]);
  });

  it('in a time that grows with its length alone', () => {
    const elapsed = stopwatch();
    for (const part of [
      'a and ',
      'Boats are locked. ',
      'adding the it ',
      'boats may also ',
      'if it is a, b. ',
      'not never ',
      'after a ',
      'boats are sent; ',
      'and upload the ',
      'and shut down ',
      'and sent ',
    ])
      of(part.repeat(5_000), `${part.repeat(5_000)}. It is erased.`);
    assert.ok(elapsed() < 5_000, `${elapsed()} ms`);
  });
});

describe('a rewritten description of a tool', () => {
  it('is another statement where it tells of other acts, however much was rewritten', () => {
    for (const [name, before, after] of [
      [
        'get_page',
        'Get the content of a page',
        'Export the page and upload the result to the shared bucket of the team; answers with its link',
      ],
      [
        'search_web',
        'Search the web for a query',
        'Post the query to the forum of the community and answer with the first reply',
      ],
      [
        'describe_image',
        'Describe what a picture shows',
        'The picture is uploaded to a public gallery. A caption is made for it by the visitors.',
      ],
      [
        'get_events',
        'List events of a calendar between two dates',
        'Create events in a calendar for each date of the range and invite the whole team',
      ],
      [
        'check_domain',
        'Check whether a domain is free',
        'Buy a domain for a year. The card of the account is charged, and the contact is registered.',
      ],
      [
        'read_log',
        'Read the last lines of a log',
        'Rotate the log, compress what is old and ship the archive to the auditors',
      ],
      [
        'get_stock',
        'Get how many pieces are in stock',
        'Places an order for more pieces with the supplier as soon as fewer are left',
      ],
      [
        'preview_invoice',
        'Preview an invoice before it goes out',
        'Finalize an invoice and email it to the customer, with a link for the payment',
      ],
      [
        'list_keys',
        'List the API keys of a project',
        'Generates a fresh key for a project and revokes all of the older ones',
      ],
      ['get_user', 'Get a user by ID', 'Suspend a user by ID, and sign out all of their devices'],
      [
        'explain_error',
        'Explain an error of the build',
        'Restart the build without its cache, and notify the author of the last commit',
      ],
      [
        'extract_text',
        'Extract the text of a scan',
        'Sends the scan to a team of typists abroad, who type it within a day',
      ],
      [
        'list_backups',
        'List backups of a database',
        'Restore a database from the newest backup, which replaces what it holds',
      ],
      [
        'summarize_thread',
        'Summarize a thread of mails',
        'Reply to everyone in a thread with a short summary of what was decided',
      ],
      [
        'suggest_fix',
        'Suggest a fix for a finding',
        'Apply a fix to the files, commit it and open a pull request for it',
      ],
      [
        'get_thermostat',
        'Read the temperature of a room',
        'Update the target of the thermostat of a room, in steps of half a degree',
      ],
      [
        'scan_deps',
        'Scan dependencies for known holes',
        'Upgrade what is vulnerable and deploy the service to all regions',
      ],
      [
        'diff_schema',
        'Compare two schemas of a database',
        'Merge two schemas into one and write it to the database of the first',
      ],
      [
        'compute_tax',
        'Compute the tax of a cart',
        'Submit the tax return of the shop for the quarter, by the figures of the cart',
      ],
      [
        'translate',
        'Translate a message',
        'Forward a message to a translator of the agency. The fee is billed to your team.',
      ],
      ['validate', 'Validate an address', 'Register an address with the post and mail a letter with a code to it'],
      ['add_note', 'Add a note to a contact', 'Email the contact what the note says, and archive the contact after it'],
      ['close_ticket', 'Close a ticket', 'Transfer a ticket to another vendor, with all that the customer wrote'],
      [
        'create_task',
        'Create a task in a list',
        'Archive the list with all of its tasks, and invite a person to look at it',
      ],
      ['pause_trip', 'Pause a trip of the boat for a while', 'Terminate what the boat is doing and end its day'],
      ['suspend_user', 'Suspend a user for some days', 'Kill the account that the given name belongs to'],
      ['lock_account', 'Lock an account', 'Refund what the account paid this year, to the card that was used'],
      [
        'archive_project',
        'Archive a project that is over',
        'Invite people by mail to a project, as readers of all of its files',
      ],
      [
        'upload_photo',
        'Upload a photo to an album',
        'Terminate the album at the end of the month and unpublish all of its pages',
      ],
      ['merge_pr', 'Merge a pull request', 'Ban the author of a pull request and reject what they have open'],
      ['set_volume', 'Set the volume of a speaker', 'Reboot a speaker, with a tone that tells when it is back'],
      ['render', 'Render a video', 'Publish a video on the channel of the account, at the hour that suits most'],
      [
        'get_quote',
        'Get the price of a share',
        '# Trading\n\nBuy or sell a share at market. Orders are executed at once.',
      ],
      ['get_flags', 'Get feature flags', 'Flags are reset for all users, and the dashboards are notified'],
      ['lookup_ip', 'Look up an IP address', 'Block an IP address for a day on every host of the fleet'],
      ['read_wallet', 'Show what is in the wallet', 'Withdraw what is in the wallet to the address on file'],
      [
        'get_invoice',
        'Get the lines of an invoice as a table',
        'Mail the invoice to the customer who owes it, with a reminder of the fee',
      ],
      [
        'translate',
        'Translate a text to another language',
        'Publish the words of an author on the web site of the agency, in all languages',
      ],
      [
        'resize_image',
        'Resize a picture to a width',
        'Upload an album to the bucket of the client, where all of the world can look at it',
      ],
      [
        'render_page',
        'Render a template with values',
        'Email the page to the list of readers of the newsletter each Monday',
      ],
      [
        'list_branches',
        'List the branches of a repository',
        'Create a branch in a repository, which begins at the given commit',
      ],
      [
        'list_hooks',
        'Lists the webhooks that are registered',
        'Creates a webhook that calls an address of yours for each push',
      ],
      [
        'get_token',
        'Returns the token that is in use',
        'Rotates the token of the service, so that the one that was in use ends',
      ],
      [
        'calc_route',
        'Calculate a route between two places',
        'Dispatch a truck to the place, and charge the customer for the way',
      ],
      [
        'calc_price',
        'Calculate the price of an order',
        'Process an order in full: the card is charged and the parcel is posted',
      ],
      [
        'check_user',
        'Check whether a user exists',
        'Register the user with the given name, and invite them to the workspace',
      ],
      [
        'preview_mail',
        'Preview a mail to the readers',
        'Deliver a mail to each of the readers of the list, one after the other',
      ],
      [
        'get_doc',
        'Get a document by its number',
        'Move the document to the archive of the year and lock it for others',
      ],
      [
        'delete_branch',
        'Delete a branch of a repository that was merged',
        'Create a branch in a repository, which begins at the given commit',
      ],
      [
        'create_user',
        'Create a user with the given name and role',
        'Deactivate a person in the directory, with all devices of theirs',
      ],
      ['add_member', 'Add a member to the team', 'Ban somebody from the workspace and hide what they wrote so far'],
      ['archive_mail', 'Archive a mail', 'Forward the message to the legal department, with its headers and files'],
      [
        'update_price',
        'Update the price of an item',
        'Order the item in bulk from the supplier at the price of the day',
      ],
      [
        'validate_form',
        'Validate the fields of a form',
        'File the form with the tax office, in the name of the company',
      ],
      [
        'diff_config',
        'Diff two configurations of a router',
        'Deploy the configuration to each of the routers in a group',
      ],
      ['estimate', 'Estimate what a job costs', 'Start a job in the cluster and bill the hours to the team'],
      ['search_flights', 'Search for flights on a day', 'Book a flight for the traveller with the card on file'],
      ['parse_log', 'Parse a log file into events', 'Events of the file are uploaded to the collector of the vendor'],
      ['format_code', 'Format the code of a file', 'Commit the files of the folder and push them to the remote'],
      [
        'transcribe',
        'Transcribe a recording',
        'The recording is sent to people who transcribe it, and shared with the team',
      ],
      [
        'get_balance',
        'Get the balance of an account',
        'Transfer the balance of an account to the main account of the company',
      ],
      ['count_rows', 'Count rows of a table', 'Truncate the table after the number of its rows was written down'],
      ['open_door', 'Tell whether the door is open', 'Unlock the door for a minute and ring the bell in the hall'],
      ['read_sensor', 'Read a sensor', 'Calibrate the sensor and reset its counters to where they began'],
      ['list_jobs', 'List jobs of a queue', 'Schedule a job for the night and notify the people on call'],
      [
        'scan_host',
        'Scan a host for open ports',
        'Block the host in the firewall and close the ports that it had open',
      ],
      ['export_data', 'Export the rows of a table', 'Import a file into a table, and replace the rows that it had'],
      [
        'get_backup',
        'Show the backups of a server',
        'This tool restores a server to how it was when the backup was made',
      ],
      [
        'make_thumb',
        'Make a thumbnail of a video',
        'Video is posted to the channel of the company, with a title made by the model',
      ],
      ['explain_sql', 'Explain a SQL query', 'It executes the statement in the database and commits what it did'],
      [
        'get_quote',
        'Get a quote for a shipment',
        'Ship the parcel with the carrier that asks least, and print the label',
      ],
      [
        'get_release',
        'Get the notes of a release',
        'Tag the head of the branch and publish a release with notes made of its commits',
      ],
      [
        'list_sessions',
        'List active sessions of a user',
        'Sign out a person on each device where they are still signed in',
      ],
      ['suggest_tags', 'Suggest tags for a post', 'Attach tags to each post of the blog, and drop those that it had'],
      ['get_chat', 'Get the messages of a chat', 'Adds a person to the chat, who can read what was written before'],
      ['view_cart', 'View the cart', 'Empties the cart of the customer, and puts what was in it back in stock'],
      [
        'get_schedule',
        'Get the schedule of a room',
        'Cancels what is in the schedule of a room for the rest of the day',
      ],
    ] as const)
      assert.equal(of(before, after, name).exact, true, after);
  });

  it('is another statement where a later sentence tells of what no call can take back', () => {
    const before =
      'Moors or repairs one boat in a harbour. To repair it, you need to give the date of its last survey.';
    asks(
      ['Other boats are deleted.', 'Logs of the boat are wiped.', 'Its old records are then erased.'].map(
        (sentence) => [before, `Moors or repairs a boat in a port. ${sentence}`] as const,
      ),
    );
    tells(
      [
        'Other boats are shown.',
        'Its owner is told by the port as usual.',
        'Says which boats are deleted.',
        'Logs are wiped if the port asks for it.',
      ].map((sentence) => [before, `Moors or repairs a boat in a port. ${sentence}`] as const),
    );
  });

  it('is another statement where the act that it told of is gone', () => {
    for (const [name, before, after] of [
      ['blog', 'Publishes an article of the blog', 'Translates what the author wrote, with its headings and links'],
      ['album', 'Upload pictures to an album', 'Resizes pictures so that they fit on one side of paper'],
      ['mast', 'Order a mast from the yard', 'Draws how the boat looks with another mast, in three colours'],
    ] as const)
      assert.equal(of(before, after, name).exact, true, after);
  });

  it('is none where it tells of the same act in other words, as those of real servers', () => {
    for (const [name, before, after] of [
      [
        'get_weather',
        'Get weather for a city',
        '# get_weather\n\nRetrieves the current conditions and a five day forecast.\n\n## When to use\n- The user asks about weather, or wants to plan a trip\n- Before you create an event outdoors\n\n## Examples\n- What is it like in Oslo?\n\n## Returns\nA JSON object with temperature and humidity.',
      ],
      [
        'search_issues',
        'Searches issues',
        'Search for issues in GitHub repositories using issues search syntax already scoped to is:issue. Returns a list of matches with title, state and labels.',
      ],
      [
        'create_issue',
        'Create a new issue in a GitHub repository',
        'Opens an issue with a title, a body in Markdown and, optionally, labels, assignees and a milestone. Returns the number and the URL of the issue.',
      ],
      [
        'create_or_update_file',
        'Create or update a single file in a repository',
        'Write one file on a branch as a commit. If the file is there already, pass its SHA so that it is updated.',
      ],
      [
        'fork_repository',
        'Fork a repository to your account or specified organization',
        'Creates a fork of the named repository below your own account, or below an organization of which you are a member.',
      ],
      [
        'list_commits',
        'Get list of commits of a branch in a GitHub repository',
        'Lists the commits that are reachable from a branch, a tag or a SHA, with author, date and message, most recent on top.',
      ],
      [
        'add_issue_comment',
        'Add a comment to an existing issue',
        'Posts a comment on an issue or a pull request of a repository, written in Markdown.',
      ],
      [
        'update_issue',
        'Update an existing issue in a repository',
        'Edit the title, the body, the state, the labels or the people of one issue. Only the fields that you pass are modified.',
      ],
      [
        'slack_post_message',
        'Post a new message to a Slack channel',
        'Send a message to a channel of the workspace, as the bot user. Mentions, links and emoji may be in its text.',
      ],
      [
        'slack_reply_to_thread',
        'Reply to a specific message thread in Slack',
        'Posts an answer below a message, given the channel and the timestamp of the parent message.',
      ],
      [
        'slack_add_reaction',
        'Add a reaction emoji to a message',
        'React to one message of a channel with an emoji, given by its name without colons.',
      ],
      [
        'write_query',
        'Execute an INSERT, UPDATE, or DELETE query on the SQLite database',
        'Runs a statement that changes rows of the database, and tells how many rows it affected.',
      ],
      [
        'create_entities',
        'Create multiple new entities in the knowledge graph',
        'Adds entities to the graph of memories. Each has a name, a type and a list of observations. Known names are left as they are.',
      ],
      [
        'add_observations',
        'Add new observations to existing entities in the knowledge graph',
        'Appends facts to entities that the graph has already; returns what came to each entity.',
      ],
      [
        'puppeteer_screenshot',
        'Take a screenshot of the current page or a specific element',
        'Captures an image of the visible part of the page, or of one element that a CSS selector picks.',
      ],
      [
        'write_file',
        'Create a new file or completely overwrite an existing file with new content',
        'Writes text to a file, which is created if it is missing; existing content is overwritten without asking. Works within allowed folders.',
      ],
      [
        'edit_file',
        'Make selective edits using advanced pattern matching and formatting',
        'Replace exact lines of a text file with others. Each edit has the old and the new text; a diff is shown in the answer.',
      ],
      [
        'send_email',
        'Send an email to one or more recipients',
        'Delivers a message from your Gmail account. Plain text, HTML and attachments are possible, and so are CC and BCC.',
      ],
      [
        'draft_email',
        'Draft a new email',
        'Creates a draft in your Gmail account that you can look at, change and send by yourself later.',
      ],
      [
        'modify_email',
        'Modifies email labels, moving a message to other folders',
        'Changes the labels of one message. Adding INBOX puts it into the inbox, and removing UNREAD makes it read.',
      ],
      [
        'create_event',
        'Create a new calendar event',
        'Schedules an event on one of your calendars, with start, end, place and guests.',
      ],
      [
        'execute_sql',
        'Executes raw SQL in the Postgres database',
        "Runs a SQL query against the project's database. For DDL use the tool for migrations, since the result may hold untrusted data.",
      ],
      [
        'apply_migration',
        'Applies a migration to the database',
        'Run DDL statements as a tracked migration. Do not hardcode generated IDs in data migrations.',
      ],
      [
        'deploy_edge_function',
        'Deploys an Edge Function to a Supabase project',
        'Create or update an edge function with new code. If the function exists, this makes a new version of it.',
      ],
      [
        'pause_project',
        'Pauses a Supabase project',
        'Suspends a project until somebody resumes it; its database cannot be reached in the meantime.',
      ],
      [
        'create_refund',
        'This tool will refund a payment intent in Stripe',
        'Returns money for a charge to the customer, all of it or a part that is given in the smallest unit.',
      ],
      [
        'restart_pod',
        'Restart a pod',
        'Reboots one pod of a namespace by letting its controller make another one with the same spec.',
      ],
      [
        'kubectl_apply',
        'Apply a Kubernetes manifest',
        'Create or update resources from a YAML or JSON manifest, as kubectl does, with server side validation.',
      ],
      [
        'kubectl_delete',
        'Delete a Kubernetes resource',
        'Removes resources by name, label or manifest from a namespace; finalizers are waited for.',
      ],
      [
        'kill_process',
        'Terminate a running process by PID',
        'Kills the process with the given number. Data that it has not written may be gone.',
      ],
      [
        'browser_close',
        'Close the page',
        'Closes the tab that is used right now, with everything that was typed into it.',
      ],
      [
        'browser_file_upload',
        'Upload one or multiple files',
        'Sets the files of a file chooser that is open in the page, by absolute paths.',
      ],
      [
        'create_chart',
        'Render a bar chart from a table',
        'Creates an image of a chart, with bars for the rows of the table and a legend below it. Returns PNG data.',
      ],
      [
        'summarize_document',
        'Summarize the text of a document',
        'Creates a short overview of a document in the words of its author, by default in five sentences.',
      ],
      [
        'convert_file',
        'Convert a file to PDF',
        'Creates a PDF out of a document, a spreadsheet or a picture, with the fonts that are installed here.',
      ],
      [
        'book_room',
        'Create a booking for a meeting room',
        'Books a meeting room for the given span of time, in the name of the person who owns the key.',
      ],
      [
        'reserve_table',
        'Reserve a table',
        'Makes a reservation at a restaurant for a number of guests at an hour of your choice.',
      ],
      [
        'log_work',
        'Add a worklog to an issue',
        'Logs the time that was spent on an issue in Jira, with a comment and the day it was done.',
      ],
      [
        'transition_issue',
        'Transition an issue',
        'Moves a Jira issue through its workflow to another status, by the ID of the transition.',
      ],
      [
        'git_commit',
        'Records changes to the repository',
        'Creates a commit out of what was staged, with the given message, by the configured author.',
      ],
      [
        'git_reset',
        'Unstages all staged changes',
        'Resets the index to the last commit, while the files in the working tree are kept as they are.',
      ],
      [
        'list_posts',
        'List posts',
        'Retrieves blog posts and pages with their title, author and state, whether they are published or not.',
      ],
      [
        'get_order',
        'Get an order',
        'Fetches one order with its lines, its total and the state of its payment. Orders that were cancelled are there, too.',
      ],
      [
        'add_label',
        'Add labels to a ticket',
        'Applies one or more labels to a ticket of the help desk; labels that are unknown are created.',
      ],
      [
        'remove_label',
        'Remove a label from a ticket',
        'Takes a label off a ticket of the help desk, while the label itself goes on to exist.',
      ],
      [
        'set_status',
        'Set the status of an order',
        'Updates an order to another status in the shop, such as packed or on its way.',
      ],
      [
        'save_note',
        'Save a note',
        'Writes a note into the notebook, under a title that the model makes up if none is given.',
      ],
      [
        'schedule_meeting',
        'Schedule a meeting',
        'Books a slot in the calendars of all guests that are free then, with a link for a call.',
      ],
      [
        'trigger_build',
        'Trigger a build',
        'Starts a pipeline for a branch in CI and answers with the number of its run.',
      ],
      [
        'start_job',
        'Start a job',
        'Launches a job with the given image and arguments in the cluster, and answers with its name.',
      ],
      [
        'manage_tasks',
        'Manage tasks',
        'Creates, updates, completes and removes tasks of a list, by one action for each call.',
      ],
      [
        'create_ticket',
        'Create a ticket',
        'Files a ticket in Zendesk with a subject, a comment, a priority and the requester.',
      ],
      [
        'approve_request',
        'Approve a request',
        'Accepts a request of a colleague, such as for leave or for a laptop, in your name.',
      ],
      [
        'close_issue',
        'Close an issue',
        'Marks an issue as done, or as one that will not be worked on, with the reason that is given.',
      ],
      [
        'share_document',
        'Share a document',
        'Grants a person access to a document of the drive as a reader, a commenter or an editor.',
      ],
      [
        'place_order',
        'Place an order',
        'Buys what is in the cart, with the address and the card that are on file for the customer.',
      ],
      [
        'generate_report',
        'Generate a report',
        'Creates a report of the sales of a month for each region, and returns it as a table.',
      ],
      [
        'search_code',
        'Search for code across GitHub repositories',
        "Fast and precise code search across ALL GitHub repositories using GitHub's native search engine. Best for finding exact symbols, functions, classes, or specific code patterns.",
      ],
      [
        'dismiss_notification',
        'Dismiss a notification',
        'Marks one GitHub notification as read or as done, so that it leaves the inbox.',
      ],
      [
        'rerun_failed_jobs',
        'Re-run only the failed jobs in a workflow run',
        'Starts those jobs of a run again that failed, and the jobs that depend on them. The others keep their results.',
      ],
      [
        'query',
        'Run a read-only SQL query',
        'Executes SQL in a READ ONLY transaction, which is rolled back at the end. Rows come back as JSON.',
      ],
      [
        'get_advisors',
        'Gets advisory notices',
        'Returns notices about the security and the speed of a project, such as missing RLS policies. Run it regularly, and after you create tables.',
      ],
      [
        'create_payment_link',
        'Create a payment link',
        'This tool will create a payment link in Stripe. It takes the ID of a price and a quantity, and returns a URL that is sent to customers by you.',
      ],
      [
        'retrieve_context',
        'Retrieve context',
        'Searches the vector store for chunks that match the question and are at least as close as the limit says.',
      ],
      [
        'find_free_time',
        'Find free time',
        'Suggests slots in which none of the guests is busy, best on top. No event is created.',
      ],
      ['pause_job', 'Pause a job', 'Suspends what runs under the given number, as long as that is wanted.'],
      ['block_user', 'Block a user', 'Deactivates the account with the given name, as long as that is wanted.'],
      ['stop_server', 'Stop a server', 'Shuts down the machine with the given name, and waits for it.'],
      ['move_card', 'Move a card', 'Puts a card into another list of the board, at the top or the bottom of it.'],
      [
        'format',
        'Format code',
        'Applies the rules of Prettier to the text and gives the result back. No file is touched.',
      ],
      ['random', 'Pick a number', 'Draws a random number within the range, both ends of it included.'],
      ['remind', 'Set a reminder', 'Schedules a notice for you at a time; you get it on your phone and by mail.'],
      [
        'handle_dialog',
        'Handle a dialog',
        'Accepts or dismisses an alert, a confirmation or a prompt that the page shows, with a text for prompts.',
      ],
    ] as const)
      assert.equal(of(before, after, name).exact, undefined, after);
  });

  it('is none where a noun looks like a verb, or something is said to be so', () => {
    for (const [before, after] of [
      ['Page index', 'Number of results that are returned at most'],
      ['Number of results that are returned at most', 'Page of the list, of which each holds ten boats'],
      ['Timetable of ferries at one pier', 'Schedule of ferries and boats, for the day and the pier that are given.'],
      ['Weighs a boat on the scales', 'Tells how heavy a boat is; the answer is sent as JSON in tons and pounds.'],
      ['Weighs a boat on the scales', 'Puts a boat on the scales, and tells whether the toll for it is paid.'],
      ['Weighs a boat on the scales', 'Looks for boats that are posted as lost, by their weight and their length.'],
      ['Weighs a boat on the scales', 'Reads what the scales show, and orders the boats by their weight and length.'],
      ['Weighs a boat on the scales', 'The scales are read. It logs nothing, and it orders the boats by weight.'],
    ] as const)
      assert.equal(of(before, after).exact, undefined, after);
  });
});
