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
      ].map((more) => [tool, `${tool} ${more}`]),
    );
    tells(
      ['This shows the list.', 'Boats that are locked stay.', 'It also returns the list.', 'The list is long.'].map(
        (more) => [tool, `${tool} ${more}`],
      ),
    );
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
    ])
      of(part.repeat(5_000), `${part.repeat(5_000)}. It is erased.`);
    assert.ok(elapsed() < 5_000, `${elapsed()} ms`);
  });
});
