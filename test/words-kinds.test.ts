// Kinds of changes of words: each with its own examples, and very long texts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ofCallsWith } from '../scripts/diff/worded-defaults.ts';
import { compareTexts, isMissed } from '../scripts/diff/words/compare.ts';
import { KINDS } from '../scripts/diff/words/kinds.ts';
import { ofTool, withoutAsides } from '../scripts/diff/words/of-tool.ts';
import { withoutStated } from '../scripts/diff/words/stated.ts';
import { withoutLists, withoutNewInLists, withoutNewValues } from '../scripts/diff/words/values.ts';
import { warns } from '../scripts/diff/words/warns.ts';
import { stopwatch } from './sandbox.ts';

describe('kinds of words', () => {
  for (const { name, meaning, near } of KINDS) {
    it(`${name}: a change of meaning, and what looks like one`, () => {
      assert.ok(meaning.length >= 3 && near.length >= 3, 'three examples of each at least');
      const wrong = [
        ...meaning.filter(([before, after]) => compareTexts(before, after).change !== 'meaning'),
        ...near.filter(([before, after]) => compareTexts(before, after).change === 'meaning'),
      ];
      assert.deepEqual(wrong, []);
    });
  }

  it('unit: each sign of one, also where it only adds', () => {
    for (const sign of '%‰$€£¥¢°') assert.equal(compareTexts('Price', `Price ${sign}`).change, 'meaning', sign);
  });
});

/** The result for a call that passes the parameter: a question, a notice, or nothing. */
const LABELLED: Record<'ask' | 'notice' | 'silence', [before: string, after: string][]> = {
  ask: [
    ['Name of the guest', 'Given name of the guest'],
    ['Number of berths', 'Number of additional berths'],
    ['Crew count', 'Additional crew count'],
    ['Fee for the berth', 'Fee for the berth. It is given in atomic units.'],
    ['Fee for the berth (micros)', 'Fee for the berth'],
    ['Fee in major units', 'Fee in the smallest currency unit'],
    ['Filter by editors', 'Filter by requested editors'],
    ['Address to send the bill to', 'Postal address to send the bill to'],
    ['Fee for the berth', 'Discounted fee for the berth'],
    ['The captain', 'The relieving captain'],
    ['Path of the log', 'Full path of the log'],
    ['Steps: 1. Pay. 2. Book.', 'Steps: 1. Book. 2. Pay.'],
    ['0. Off. 1. On.', '0. On. 1. Off.'],
    ['A. Tide. B. Wind.', 'A. Wind. B. Tide.'],
    ['Name of the café to open', 'Name of the café to close'],
    ['Size of the deck in m²', 'Size of the deck in m'],
    ['Wait for the tide, in µs', 'Wait for the tide, in ms'],
    ['Número de notas', 'Número de muelles'],
    ['Max. Treffer', 'Max. Treffer pro Seite'],
    ['Prix', 'Prix hors taxe'],
    ['Precio', 'Precio sin impuestos'],
    ['Filer', 'Kun filer'],
    ['Dosyalar', 'Sadece dosyalar'],
    ['Old notes can be dropped', 'Old notes are dropped'],
    ['A fee would be taken', 'A fee is taken'],
    ['Shows the fees taken', 'Shows the fees that would be taken'],
    ['Notes edited since that day', 'Notes you edited since that day'],
    ['Show hidden berths', 'Also show hidden berths'],
    ['Depth, e.g. 3, default 4', 'Depth, e.g. 3, default 8'],
    ['Deck, e.g. 3, starting at 1', 'Deck, e.g. 3, starting at 0'],
    ['Fee, e.g. 5, in units of 0.1', 'Fee, e.g. 5, in units of 1'],
    ['Port, e.g. Bergen — of the sender', 'Port, e.g. Bergen — of the carrier'],
    ['File, e.g. a.md, relative to the vault', 'File, e.g. a.md, relative to the home'],
    ['Pass null to clear it', 'Pass "null" to clear it'],
    ['Place (lat/lon)', 'Place (lat or lon)'],
    ['Project (group/project)', 'Project (group or project)'],
    ['Zone GMT-3', 'Zone GMT 3'],
    ['Zoom, up to 5', 'Zoom, up to 50'],
    ['Fee in SEK', 'Fee'],
    ['Finds berths. Then pay. Keep the slip.', 'Finds berths. Keep the slip. Then pay.'],
    ['Day (`DD.MM-YY`)', 'Day (DD-MM.YY)'],
    ['**If true**, drafts can be deleted', '**If true**, drafts are deleted'],
    ['Kept under `key/value`', 'Kept under `key-value`'],
    ['Who is to be followed', 'Who is to follow'],
    ["Subject, whose variables are written '/<name>'", "Subject, whose variables are written '/{name}'"],
    ["Tag, as '<code>'", "Tag, as '{code}'"],
    ['Scope: org or user', 'Scope: organization or user'],
    ['One of org, user', 'One of organization, user'],
    ['Issue of the parent', 'Parent issue'],
    ['SHA of the parent commit', 'Parent SHA of the commit'],
    ['Absolute path of the file', 'Path of the absolute file'],
    ['New owner of the note', 'Owner of the new note'],
    ['Matches the title', 'Matches the title or email'],
    ['Text of the title', 'Text of the title or email'],
    ['Day, e.g. monday', 'Day, e.g. mon'],
    ['Month, e.g. jan', 'Month, e.g. january'],
    ['Urgency, e.g. P1', 'Urgency, e.g. high'],
    ['Cell, e.g. B7', 'Cell, e.g. Costs!B7'],
    ['Range, written as start - end', 'Range, written as start, end'],
    ['If true, drafts can be deleted', 'If true, drafts are deleted'],
    ['Whether drafts are deleted', 'Whether drafts can be deleted'],
    ['True if the note is closed', 'False if the note is closed'],
    ['Two-letter code', '3-letter code'],
    ['ISO 4217 currency code', 'ISO 3166 currency code'],
    ['Email address of the sender', 'Recipient email address'],
    ['If true, keep drafts', 'If false, keep drafts'],
    ['Whether to keep drafts', 'Whether not to keep drafts'],
    ['At most 12 letters', 'No more than 12 words'],
    ['At most 12 letters', 'No fewer than 12 letters'],
    ['Rows to skip (min 4)', 'Rows to skip (maximum: 4)'],
    ['Only show open notes', 'Show open notes'],
    ['Must not be between 2 and 30', 'Between 2 and 30'],
    ["Name of the guest's host", "Name of the host's guest"],
    ['Search notes', 'Search in notes'],
    ['Speed (km/h)', 'Speed (miles/h)'],
    ['Set to `filename`', 'Set to `file name`'],
    ['Pass userName', 'Pass username'],
    ['Deletes the teams that are archived', 'Deletes the teams that can be archived'],
    ['Members who sign invoices', 'Members who can sign invoices'],
    ['Point as lat, lon', 'Point as lat lon'],
    ['Header, written as name: value', 'Header, written as name, value'],
    ['Terms, joined with OR', 'Terms, joined with or'],
    ['Deletes all notes (except drafts) and folders.', 'Deletes all notes except drafts and folders.'],
    ['Deletes all notes, except drafts, and folders.', 'Deletes all notes except drafts and folders.'],
    ['Finds new or (late and unpaid) bills.', 'Finds new or late and unpaid bills.'],
    ['Room, e.g. lobby', 'Room, e.g. R04BE91LX'],
    ['Ref, e.g. main', 'Ref, e.g. refs/heads/dev'],
    ['Key, e.g. CORE-12', 'Key, e.g. CORE'],
    ['Cell, e.g. B7', 'Cell, e.g. R7C2'],
    ['Size, e.g. 800x600', 'Size, e.g. small'],
    ['Ending, e.g. .csv', 'Ending, e.g. csv'],
    ['Colour, e.g. "blue"', 'Colour, e.g. "rgb(0,0,255)"'],
    ['Bucket, e.g. reports', 'Bucket, e.g. s3://reports-eu'],
    ['Guest, e.g. gst_9fK2mQ71', 'Guest, e.g. Ada Lovelace'],
    ['Sends details to https://api.acme.test/v1/bills', 'Sends details to https://api.acme.test/v2/bills'],
    ['Names of the optional guests', 'Names of the guests'],
    ['Installs optional packages.', 'Installs packages.'],
    ['Note all rows are kept.', 'Not all rows are kept.'],
    ['Länge in 10² Metern', 'Länge in 102 Metern'],
    ['Light, e.g. 0=red, 1=green', 'Light, e.g. 0=green, 1=red'],
    ['First day, e.g. 1:Sunday', 'First day, e.g. 1:Monday'],
    ['Name of the project folder', 'The project name folder'],
    ['Owner of the `repository`', 'The `repository` owner'],
    ['Deprecated. The name of the branch', 'The name of the branch'],
    ['Timeout in seconds', 'Timeout in milliseconds'],
    ['Timeout (s)', 'Timeout (ms)'],
    ['Timeout in secs.', 'Timeout in mins.'],
    ['Weight in kg', 'Weight in g'],
    ['Weight in kg', 'Weight in lb'],
    ['Price in USD', 'Price in EUR'],
    ['Price in $', 'Price in €'],
    ['Price in dollars', 'Price in cents'],
    ['Temperature in °C', 'Temperature in °F'],
    ['Memory in MB', 'Memory in MiB'],
    ['Rate in Mbit', 'Rate in mbit per second'],
    ['Angle in degrees', 'Angle in radians'],
    ['Opacity in %', 'Opacity as a fraction'],
    ['Opacity, 0-1', 'Opacity, 0-100'],
    ['Opacity from 0 to 1', 'Opacity from 0 to 255'],
    ['Volume (0..1)', 'Volume (0..10)'],
    ['Line number, starting at 1', 'Line number, starting at 0'],
    ['Row index (zero-based)', 'Row index (one-based)'],
    ['1-indexed page', '0-indexed page'],
    ['At least 5', 'At most 5'],
    ['x >= 5', 'x > 5'],
    ['x ≤ 5', 'x < 5'],
    ['values above the threshold', 'values below the threshold'],
    ['greater than the limit', 'less than the limit'],
    ['end date, inclusive', 'end date, exclusive'],
    ['in the range [1, 10)', 'in the range [1, 10]'],
    ['Positive amounts are credits', 'Negative amounts are credits'],
    ['+ sorts upwards', '- sorts upwards'],
    ['0 = off, 1 = on', '1 = off, 0 = on'],
    ['0: low, 2: high', '0: high, 2: low'],
    ['true shows drafts', 'true hides drafts'],
    ['true to include drafts', 'false to include drafts'],
    ['Do not send a mail', 'Send a mail'],
    ['Includes archived items', 'Excludes archived items'],
    ['with attachments', 'without attachments'],
    ['May be a name', 'Must be a name'],
    ['Required for guests', 'Optional for guests'],
    ['Needed for uploads', 'Used for uploads'],
    ['Sends the mail if it is safe', 'Sends the mail unless it is safe'],
    ['Runs when the build is green', 'Runs until the build is green'],
    ['all of the tags', 'any of the tags'],
    ['every tag', 'each tag but the first'],
    ['a and b', 'a or b'],
    ['Defaults to true', 'Defaults to false'],
    ['Default: main', 'Default: master'],
    ['If omitted, all users', 'If omitted, no users'],
    ['If empty, today', 'If empty, yesterday'],
    ['oldest first', 'newest first'],
    ['ascending order', 'descending order'],
    ['latitude, longitude', 'longitude, latitude'],
    ['width x height', 'height x width'],
    ['day/month/year', 'month/day/year'],
    ['DD.MM.YYYY', 'MM.DD.YYYY'],
    ['before this date', 'after this date'],
    ['from this account', 'to this account'],
    ['the source branch', 'the target branch'],
    ['clockwise', 'counterclockwise'],
    ['up is positive', 'down is positive'],
    ['in UTC', 'in the local time zone'],
    ['time of day (CET)', 'time of day (PST)'],
    ['ISO 8601 date', 'Unix timestamp'],
    ['ISO date', 'epoch seconds'],
    ['comma-separated names', 'semicolon-separated names'],
    ['a glob', 'a regex'],
    ['case-sensitive', 'case-insensitive'],
    ['relative path', 'absolute path'],
    ['base64', 'hex'],
    ['plain text', 'Markdown'],
    ["'json' or 'yaml'", "'json' or 'toml'"],
    ['Use `user_id`', 'Use `user_name`'],
    ['status is open', 'status is Closed'],
    ['API version 1', 'API version 2'],
    ['Uses v1 of the API', 'Uses v2 of the API'],
    ['Name of the user', 'Name of the group'],
    ['max results to return', 'page index'],
    ['Search query', 'Search filter'],
    ['Day, e.g. 2024-02-29', 'Day, e.g. 29/02/2024'],
    ['Day, e.g. 29/02/2024', 'Day, e.g. 02/29/2024'],
    ['Day, e.g. 2024-02-29', 'Day, e.g. 2024/02/29'],
    ['Day (e.g. "2024-02-29")', 'Day (e.g. "2024-02-29T00:00:00Z")'],
    ['Day (e.g. 29/02/2024)', 'Day (e.g. Feb 29)'],
    ['Start, for example 1714521600', 'Start, for example 1714521600000'],
    ['Share, e.g. 0.25', 'Share, e.g. 25'],
    ['Share, e.g. 0.25', 'Share, e.g. 25%'],
    ['Opens, such as 08:30', 'Opens, such as 8am'],
    ['Land, e.g. FR, IT', 'Land, e.g. France or Italy'],
    ['Land, e.g. FR', 'Land, e.g. FRA'],
    ['Land (e.g. fr)', 'Land (e.g. FR)'],
    ['Zone, e.g. Asia/Tokyo', 'Zone, e.g. +09:00'],
    ['Phone, e.g. +33 6 1234 5678', 'Phone, e.g. 06 1234 5678'],
    ['Assignee, e.g. me@docs.test', 'Assignee, e.g. jo'],
    ['Folder, e.g. /srv/data', 'Folder, e.g. data'],
    ['Key, e.g. CORE-12', 'Key, e.g. 12'],
    ['Ink, e.g. #00ff00', 'Ink, e.g. green'],
    ['Centre, e.g. 59.91,10.75', 'Centre, e.g. 10.75,59.91'],
    ['Begin, e.g. 2024-02-29T08:00:00Z', 'Begin, e.g. 2024-02-29T08:00:00'],
    ['Guest, e.g. "Lovelace, Ada"', 'Guest, e.g. "Ada Lovelace"'],
    ['Minutes from UTC, e.g. 90', 'Minutes from UTC, e.g. -90'],
    ['Project, e.g. web/shop', 'Project, e.g. shop'],
    ['Ticket, e.g. #77', 'Ticket, e.g. 77'],
    ['Field, e.g. first_name', 'Field, e.g. first-name'],
    ['Field, e.g. first_name', 'Field, e.g. firstName'],
    ['Day. E.g. 2024-02-29', 'Day. E.g. 29/02/2024. E.g. 01/03/2024'],
    ['Link the account', 'Link to the account'],
    ['Kept notes. Copies folders', 'Kept notes. Copies to shared folders'],
    ['Show berths. Keep slips', 'Show piers. Keep its slips'],
    ['Shows 5 of the notes', 'Shows notes 5'],
    ['A rule in which - means any', 'A rule in which means any'],
    ['Endereço da conta', 'Endereço da conta antiga'],
    ['Pages, e.g. 4-9', 'Pages, e.g. 9-4'],
    ['Card to charge; charges up to 5 euros at once', 'Card to charge; charges up to 500 euros at once'],
    ['Backup to tidy; keeps at least 9 copies', 'Backup to tidy; keeps at least 2 copies'],
    ['Tries up to 3 times', 'Tries up to 9 times'],
    ['Bills for the guest', 'Bills the guest'],
    ['Deletes your notes', 'Deletes notes'],
    ['Mails only IT staff', 'Mails only staff'],
    ['Guests on plan A only', 'Guests on plan only'],
    ['Start, as hh:mm', 'Start, as HH:mm'],
    ['Rate in GBps', 'Rate in Gbps'],
    ['Finds (new or late) and unpaid bills', 'Finds new or (late and unpaid) bills'],
    ['Bills (not drafts) or notes', 'Bills (not drafts or notes)'],
    ['Removes tags, never notes', 'Removes tags never, notes'],
    ["Parted by ' - '", "Parted by '-'"],
    ["One of 'new rome', 'oslo'", "One of 'new', 'rome oslo'"],
    ['Pass "" for any', 'Pass for any'],
    ['Posts to https://api.acme.test/v1/bills', 'Posts to https://api.acme.test/v2/bills'],
    ['Copies https://acme.test/tree/main', 'Copies https://acme.test/tree/master'],
    ['Mails are sent', "Mails aren't sent"],
    ['Fee of the guest', 'Monthly fee of the guest'],
    ['Notes such as drafts are shown', 'Notes such as drafts are hidden'],
    ['Alarms such as storms go to the police', 'Alarms such as storms go to the press'],
    ['Price, e.g. 500 for 5 euros', 'Price, e.g. 500 for 500 euros'],
    ['Level, e.g. 0 = silent', 'Level, e.g. 0 = loud'],
    ['Stops. For example, true halts it', 'Stops. For example, true begins it'],
    ['Notes, e.g. *.md', 'Notes, e.g. ^.+[.]md$'],
    ['Clears notes such as drafts and keeps sent ones', 'Clears notes such as drafts and hides sent ones'],
    ['Guests such as owners can vote', 'Guests such as kids can vote'],
    ['Shift, e.g. 3 moves three rows', 'Shift, e.g. 3 moves three cells'],
    ['Guest, e.g. Lovelace, Ada', 'Guest, e.g. Ada Lovelace'],
    ['Node, e.g. ul.menu', 'Node, e.g. //ul'],
    ['Method POST', 'Method post'],
    ['Sets TRACE', 'Sets trace'],
    ['Filter, e.g. owner:ada is:open', 'Filter, e.g. owner=ada & open'],
    ['Room, e.g. C777', 'Room, e.g. #hall'],
    ['Rate, e.g. NOK/SEK', 'Rate, e.g. SEK/NOK'],
    ['Start, e.g. 30 6 * * 1', 'Start, e.g. 0 30 6 * * 1'],
    ['Host, e.g. 192.0.2.7', 'Host, e.g. 192.0.2.0/24'],
    ['Sum of the order', 'Sum of the order in pence'],
    ['Speed of the wind', 'Speed of the wind in knots'],
    ['Fee of the transfer', 'Fee of the transfer in gwei'],
    ['Severity (1-4)', 'Severity (1-9)'],
    ['The score, at most 20', 'The score, at most 50'],
    ['Image quality up to 90', 'Image quality up to 120'],
    ['The message', 'The message, at most 200 characters'],
    ['The amount', 'The amount in cents'],
    ['The hour', 'The hour (24 h, UTC)'],
    ['The date', 'The date as a Unix timestamp'],
    ['The path', 'The path. Must be absolute.'],
    ['The path', 'The path. Deprecated: use url.'],
    ['The id', 'The id of the parent'],
    ['Nom du fichier', 'Nom du dossier'],
    ['件数', '件数（0から）'],
    ['Anzahl der Zeilen', 'Anzahl der Spalten'],
    ['Up to 100', 'Up to 50'],
    ['Default limit 10', 'Default limit 20'],
    ['At most 10 by default', 'At most 20 by default'],
    ['Since 2024-01-10', 'Since 2024-01-20'],
    ['Codes 10-20 are errors', 'Codes 10-30 are errors'],
    ['Set up 5 nodes', 'Set up 9 nodes'],
    ['limit -10', 'limit -20'],
    ['Up to 10 of 100', 'Up to 10 of 200'],
    ['release (10-2)', 'release (10-3)'],
    ['Share, up to 1', 'Share, up to 100'],
    ['the nаme', 'the name'],
    ['10 items', '10k items'],
    ['a 5% discount', 'a 5 discount'],
    ['5-10', '5, 10'],
    ['Names of authors', 'Name of author'],
    ['Do not delete. Archive it', 'Do not delete archive it'],
    ['No. Results are returned', 'No results are returned'],
    ['Pays from your account', 'Pays from our account'],
    ['Pays from your account', 'Pays from our savings account'],
    ['Closes this branch', 'Closes that branch'],
    ['Will remove files', 'Can remove files'],
    ['Files which were read', 'Files which will be read'],
    ['A note for the team', 'A note of the team'],
    ['Moves it here', 'Moves it there'],
    ['Sum is (a+b)*c', 'Sum is a+(b*c)'],
    ['offset - 5', 'offset 5'],
    // A preposition that came alone turns what was said.
    ['Account to transfer', 'Account to transfer to'],
    ['Account to transfer', 'Account to transfer to.'],
    ['Account to transfer', 'Account to transfer to (e.g. savings)'],
    ['Account to transfer.', 'Account to transfer to, chosen freely.'],
    ['Account to transfer', 'Account to transfer money to'],
    ['Branch to merge', 'Branch to merge to'],
    ['Branch to merge', 'Branch to merge in'],
    ['Branch to merge', 'Branch to merge with'],
    ['Branch to merge', 'Branch to merge to it'],
    ['Currency to convert', 'Currency to convert to'],
    ['Matches name, owner', 'Matches name or owner'],
    ['Tags that items have: tag1, tag2', 'Tags that items have: tag1 or tag2'],
    ['Converts Celsius.', 'Converts to Celsius.'],
    ['Converts amounts', 'Converts to exact amounts'],
    ['Copies the file', 'Copies to the file'],
    ['Signs the user', 'Signs in the user'],
    ['Signs the user', 'Signs out the user'],
    ['Switches the heater', 'Switches the heater on'],
    ['Switches the heater', 'Switches the heater off'],
    ['Replaces the text', 'Replaces with the text'],
    ['Sorts the column', 'Sorts by the column'],
    ['Adds the user', 'Adds as the user'],
    ['Price USD', 'Price or USD'],
    ['Copy of the file', 'Copy to the file'],
    ['Reads values (JSON)', 'Reads values or JSON'],
    ['Transfers euros', 'Transfers in euros'],
    ['States: open, closed', 'States: open or closed'],
    ['Text (Markdown)', 'Text with Markdown'],
    ['Sum is (a+b)*c', 'Sum is a+b*c'],
    ['Sorts by -date', 'Sorts by date'],
    ['Wait, e.g. 5 seconds', 'Wait, e.g. 5 minutes'],
    ['Files (e.g. all drafts)', 'Files (e.g. drafts)'],
    ['Filter, e.g. newest first', 'Filter, e.g. oldest first'],
    ['One of: a priori, ad hoc', 'One of: priori, ad hoc'],
    ['Tags that each one has: red, blue', 'Tags that each one has: red or blue'],
    // Marks that are no Markdown and no pause.
    ['> 90 means critical', '90 means critical'],
    ['> -5 means critical', '-5 means critical'],
    ['> **90** means critical', '**90** means critical'],
    ['> Threshold means critical', 'Threshold means critical'],
    ['> threshold means critical', 'threshold means critical'],
    ['Alert level:\n>  5 errors', 'Alert level:\n5 errors'],
    ['- 12 is the lowest', '12 is the lowest'],
    ['-  $12 is the lowest', '$12 is the lowest'],
    ['- means none', 'means none'],
    ['* means all of them', 'means all of them'],
    ['Files matching *name*', 'Files matching name'],
    ['Files matching *all*', 'Files matching all'],
    ['Glob such as *all* of them', 'Glob such as all of them'],
    ['Domains: *example*', 'Domains: example'],
    ['Domains: *all*', 'Domains: all'],
    ['Deletes the *tmp* files', 'Deletes the tmp files'],
    ['Files: *.log,*.txt', 'Files: .log,.txt'],
    ["Files: '*.log' or '*.txt'", "Files: '.log' or '.txt'"],
    ['Use `*` for all, `*` for one', 'Use `` for all, `` for one'],
    ['Use `**x**`', 'Use `x`'],
    ['Files in src/**', 'Files in src/'],
    ['Files in **/src/**', 'Files in /src/'],
    ['Computes 2**n', 'Computes 2n'],
    ['Computes (a)**2', 'Computes (a)2'],
    ['Computes 2 ** n', 'Computes 2 n'],
    ['Takes **kwargs', 'Takes kwargs'],
    ['Calls __init__', 'Calls init'],
    ['Filters by name__contains', 'Filters by namecontains'],
    ['Words separated by -', 'Words separated by _'],
    ['Words separated by -', 'Words separated by'],
    ['Words separated by - or by _', 'Words separated by _ or by -'],
    ['Words separated by -, a dash', 'Words separated by _, a dash'],
    ['A word with - is left out', 'A word with is left out'],
    ['Separator: -', 'Separator: _'],
    ['Separator: - (a dash)', 'Separator: (a dash)'],
    ['Separator (-)', 'Separator (_)'],
    ['Separator (!)', 'Separator (?)'],
    ['Separator (,)', 'Separator (;)'],
    ['Names separated by !', 'Names separated by ?'],
    ['Names separated by !, or by ?', 'Names separated by ?, or by !'],
    ["Names in '", 'Names in "'],
    ['Tags that start with ! are excluded', 'Tags that start with ? are excluded'],
    ['Tags that start with ! are excluded', 'Tags that start with are excluded'],
    ['Tags that start with _ are excluded', 'Tags that start with are excluded'],
    ['Takes !name', 'Takes name'],
    ['Fields: name?: text', 'Fields: name: text'],
    ['Words like colou?r', 'Words like colour'],
    ['Files that match data?', 'Files that match data'],
    ['Range 1,100', 'Range 1100'],
    ['The range is 1,100 rows', 'The range is 1100 rows'],
    ['Between 2,500', 'Between 2500'],
    ['Rows 1,100 are left out', 'Rows 1100 are left out'],
    ['Rows 1,100 gets', 'Rows 1100 gets'],
    ['One of 1,100', 'One of 1100'],
    ['Size 1,100', 'Size 1100'],
    ['Begin of the trip (ISO 8601)', 'Begin of the trip in RFC 3339 format'],
    ['Notes as JSON, format them', 'Notes as JSON, them'],
    ['Notes in any format', 'Notes in JSON format'],
    ['Name of the file', 'Name of the file format'],
    ['Matches name or owner', 'Matches name, owner'],
    ['Files in the folder', 'Files, the folder'],
    ['Address to call back', 'Address to call back (unused)'],
    ["Unit: 'sec' or 'min'", "Unit: 'seconds' or 'mins'"],
    ['Town, e.g. osloeast', 'Town, e.g. OSLO_EAST'],
    ["Land, e.g. 'NORTH_SEA'. Town, e.g. 'east'", "Land, e.g. 'NORTH_SEA'. Town, e.g. 'EAST_END'"],
    ['✅ Mails are sent', '❌ Mails are sent'],
    ['🔴 high, 🟢 low', '🟢 high, 🔴 low'],
    ['⛔ Mails', 'Mails'],
    ['📄 Nom du fichier', '📄 Nom du dossier'],
    ['Deleted the note', 'Deletes the note'],
  ],
  notice: [
    ['Notes about the crew', 'Detailed notes about the crew'],
    ['Notes about the crew', 'Additional notes about the crew'],
    ['Name of the base', 'Name of the base of the whole unit'],
    ['Identifier of the berth', 'Unique identifier of the berth'],
    ['Where the repository is', 'Where the GitHub repository is'],
    ['Commit message', 'Message of the commit'],
    ['Email address of the recipient', 'Recipient email address'],
    ['The repository owner', 'Owner of the repository'],
    ['Owner of the issue tracker. May be a bot', 'The issue tracker owner. May be a bot'],
    ['Push all tags.', 'Push all tags to the remote.'],
    ['The name', 'The name of the project in the workspace'],
    ['Name of the user', 'Name of the user. The user is found by it.'],
    ['Text of the message', 'Text of the message that the team reads'],
    ['Title of the page', 'Title of the page and its description'],
    ['Text', 'Text of a note'],
    ['Query for the search', 'Query for the search engine'],
    ['Folder of the project', 'Folder of the project. See https://docs.test/folders for more about it.'],
    ['The user', 'The user who is known to the team'],
    ['Name of the user. It is shown.', 'Name of the user. It is what we look for. It is shown.'],
    ['Files to read', 'Files in the folder to read'],
    ['Name of files in the project', 'Name of files in a folder in the project'],
    ['Name or email address', 'Name or email address, or in the workspace an identifier'],
    ['Note to send', 'Note to send to the team'],
    ['Name', 'Name by which the team knows it'],
    ['Grind (1-10)', 'Grind (1-20)'],
    ['State (OPEN, DONE)', 'State (OPEN, SIGNING-OUT, DONE)'],
    ['Name of the team', 'Name 🎉 of the team'],
    // What begins something new ends what a preposition joins.
    ['Kept notes. Drafts may be empty', 'Kept notes. Drafts in folders may be empty'],
    ['Kept notes. Drafts must fit', 'Kept notes. Drafts for guests must fit'],
    ['Kept notes. Drafts should fit', 'Kept notes. Drafts for guests should fit'],
    ['Kept notes. Drafts go and stay', 'Kept notes. Drafts go to guests and stay'],
    ['Kept notes. Drafts go but stay', 'Kept notes. Drafts go to guests but stay'],
    ['Kept notes. Drafts go from here', 'Kept notes. Drafts go to guests from here'],
    ['Kept notes. Drafts go if paid', 'Kept notes. Drafts go to guests if paid'],
    ['Kept notes. Drafts go when paid', 'Kept notes. Drafts go to guests when paid'],
    ['Kept notes. Drafts go unless paid', 'Kept notes. Drafts go to guests unless paid'],
  ],
  silence: [
    ['Most chars of the param', 'Most characters of the parameter'],
    ['Licence of the note, e.g. MIT', 'License of the note (e.g. MIT)'],
    ['Port of the boat, e.g. Málaga, for the slip', 'The port of the boat, e.g. Málaga, for the slip'],
    ['Name of the café to open', 'The name of the café to open'],
    ['Size of the deck in m²', 'The size of the deck in m²'],
    ['Key as PEM or DER', 'The key as PEM or DER'],
    ['Flag 🇳🇴 of the boat to show', 'The flag 🇳🇴 of the boat to show'],
    ['Also include old notes', 'Include old notes'],
    ['Name of the note you selected', 'Name of the note selected'],
    ['The slip can be found below deck', 'The slip is found below deck'],
    ['Word, e.g. off, on', 'Word, e.g. on, off'],
    ['Pass `null` to clear it', 'Pass null to clear it'],
    ['Side (outer/inner)', 'Side (outer or inner)'],
    ['The top-5 notes', 'The top 5 notes'],
    ['The given berth', 'The specified berth'],
    ['Depth in metres', 'Depth in meters'],
    ['Analyse berths', 'Analyze berths'],
    ['Time in ISO8601', 'Time in ISO 8601'],
    ['Share of 5 percent', 'Share of 5%'],
    ['Berths & piers', 'Berths and piers'],
    ['Name (or number) of the berth.', 'Name (or number) of the berth'],
    ['**Height** (low or high) of tide', 'Height (low or high) of tide'],
    ['Finds berths. Shows the oldest first. Needs a key.', 'Finds berths. Needs a key. Shows the oldest first.'],
    ['Day (`DD-MM-YY`)', 'Day (DD-MM-YY)'],
    ['Tongue, such as `nb-NO`', 'Tongue, such as nb-NO'],
    ['Day, e.g. monday', 'Day, e.g. Tuesday'],
    ['Day, e.g. monday', 'Day, e.g. tomorrow'],
    ['Day, e.g. mon', 'Day, e.g. TUE'],
    ['Land, e.g. MAR', 'Land, e.g. ITA'],
    ['Urgency, e.g. P1', 'Urgency, e.g. P3'],
    ['Paper, e.g. A4', 'Paper, e.g. Letter'],
    ['Tags, given as comma separated names', 'Tags, given as comma-separated names'],
    ['Tags, as key/value pairs', 'Tags, as key-value pairs'],
    ['Used as fallback (optional)', 'Used as fallback, optional'],
    ['True if the note is closed', 'Whether the note is closed'],
    ['Whether or not the note is closed', 'Whether the note is closed'],
    ['How many notes to skip', 'Number of notes to skip'],
    ['Regular expression that is matched', 'The regex pattern that is matched'],
    ['ISO 4217 currency code', 'Currency code (ISO 4217)'],
    ['Two-letter code', '2-letter code'],
    ['Query to run', 'The query to execute'],
    ['Key/value pairs', 'Key-value pairs'],
    ['Whether to keep drafts', 'If true, keep drafts'],
    ['Keeps drafts', 'Set to true to keep drafts'],
    ['Wether to keep drafts', 'Whether to keep drafts'],
    ['This tool lists notes', 'Lists notes'],
    ['Use this tool to search for notes', 'Search notes'],
    ['Filters notes by owner', 'Filter notes by owner'],
    ["The guest's name", 'Name of the guest'],
    ['Filename', 'File name'],
    ['Time zone of the trip', 'Timezone of the trip'],
    ['At most 12 letters', 'No more than 12 letters'],
    ['At least 3 letters', 'Not fewer than 3 letters'],
    ['Rows to skip (min 4)', 'Rows to skip (minimum: 4)'],
    ['Must be between 2 and 30', 'Between 2 and 30'],
    ['Only show open notes', 'Show only open notes'],
    ['Please specify the name of the note', 'Name of the note'],
    ['Specifies the order of the notes', 'The order of the notes'],
    ['Unique identifier for the note', 'The unique ID of the note'],
    ['Identifier of the folder', 'ID of the directory'],
    ['Order (asc/desc)', 'Order: asc or desc'],
    ['Order: up or down', 'Order: either up or down'],
    ['Day (YYYY-MM-DD)', 'Day, formatted as YYYY-MM-DD'],
    ['Name for the new note', 'Name of the new note'],
    ['Seperator of the parts', 'Separator of the parts'],
    ['Tools that find notes', 'Tools that can find notes'],
    ['Given as start and end', 'Given as start, and end'],
    ['Folders (empty or not)', 'Folders, empty or not'],
    ['Ref, e.g. refs/heads/dev', 'Ref, e.g. refs/tags/v1'],
    ['Cell, e.g. B7', 'Cell, e.g. AA12'],
    ['Colour, e.g. "rgb(0,0,255)"', 'Colour, e.g. "rgb(9,9,9)"'],
    ['Guest, e.g. gst_9fK2mQ71', 'Guest, e.g. gst_1aB3cD45'],
    ['Optional. The name of the branch', 'The name of the branch (optional)'],
    ['The name of the author', 'Name of the author'],
    ['The name of the author.', 'The name of the author'],
    ['the name\nof the author', 'the name of  the author'],
    ['the name of the author', 'The Name of the Author'],
    ['The ID of the page', 'The id of the page'],
    ['A list of names', 'List of names'],
    ['Optional names of guests', 'Names of guests'],
    ['Names of guests (optional).', 'Names of guests.'],
    ['Start, e.g. 10:30', 'Start, e.g. 11:30'],
    ['Name of the author (optional)', 'Name of the author'],
    ['Name — of the author', 'Name - of the author'],
    ['“Name” of the author', '"Name" of the author'],
    ['**Name** of the author', 'Name of the author'],
    ['Name of the **author**.', 'Name of the author'],
    ['**Note:** it is **"exact"** and **`exact`**', 'Note: it is "exact" and `exact`'],
    ['__Note: it is exact__', 'Note: it is exact'],
    ['It is *not* sent', 'It is not sent'],
    ['Name *(optional)*', 'Name (optional)'],
    ['*Note:* it is sent', 'Note: it is sent'],
    ['*Only if needed*, a name', 'Only if needed, a name'],
    ['> Note: a name', 'Note: a name'],
    ['> [!NOTE] a name', '[!NOTE] a name'],
    ['# Name of the author', 'Name of the author'],
    ['* 5 names', '• 5 names'],
    ['- Max results', 'Max results'],
    ['Is it sent?', 'Is it sent'],
    ['Reads (it is fast!)', 'Reads (it is fast)'],
    ['A name - of the author', 'A name, of the author'],
    ['- name of the author', '* name of the author'],
    ['Set `name` here', 'Set name here'],
    ['Runs `npm start` there', 'Runs npm start there'],
    ['Guests on plan a', 'guests on plan a.'],
    ['See [the docs](https://docs.test/v1/names)', 'See [the docs](https://docs.test/v2/names)'],
    ['See https://docs.test/2024-01-01/names.', 'See https://docs.test/2025-06-01/names.'],
    ['Name, e.g. "Ada"', 'Name, e.g. "Grace"'],
    ['Results (e.g. 10)', 'Results (e.g., 20)'],
    ['Day, e.g. 2024-02-29', 'Day, e.g. 2025-12-01'],
    ['Day, e.g. 2024-02-29', 'Day, e.g. 2024-02-29 or today'],
    ['Day, e.g. 01/02/2024', 'Day, e.g. 31/01/2024'],
    ['Start, e.g. 1714521600', 'Start, e.g. 1609459200'],
    ['Land, e.g. FR', 'Land, e.g. IT, DE'],
    ['Share, e.g. 0.25', 'Share, e.g. 0.5'],
    ['Pet, e.g. cat', 'Pet, e.g. a big dog'],
    ['Key, e.g. CORE-12', 'Key, e.g. web-7'],
    ['Guest, e.g. "Lovelace, Ada"', 'Guest, e.g. "Hopper, Grace"'],
    ['Guest, e.g. Ada or Grace', 'Guest, e.g. Grace, Ada'],
    ['Begin, e.g. 2024-02-29T08:00:00Z', 'Begin, e.g. 2025-12-01T09:30:00+02:00'],
    ['Size, e.g. large', 'Size, e.g. large-2'],
    ['Page, e.g. https://docs.test/', 'Page, e.g. https://docs.test'],
    ['Source, e.g. lib/a.ts', 'Source, e.g. test/b.ts'],
    ['City, such as Oslo', 'City, such as Bergen or Trondheim'],
    ['City, such as Oslo. Required.', 'City, such as Bergen. Required.'],
    ['The JSON of it, ONLY if asked', 'The json of it, only if asked'],
    ['Filter, e.g. is:open', 'Filter, e.g. is:closed owner:ada'],
    ['Tags (such as news, sports)', 'Tags (such as art and music of today)'],
    ['Page, e.g. https://acme.test/x?y=1', 'Page, e.g. https://docs.test/z'],
    ['Question, e.g. "What came today?"', 'Question, e.g. "Who sang here?"'],
    ['Wait in ms', 'Wait in milliseconds'],
    ['Wait in secs', 'Wait in seconds'],
    ['Depth (default 5)', 'Depth, defaults to 5'],
    ['One of open, closed', 'One of: open, closed'],
    ['Row, 0-based', 'Row, zero-based'],
    ['Max 10 notes', 'Maximum of 10 notes'],
    ["Don't send it", 'Do not send it'],
    ['Cannot be sent', "Can't be sent"],
    ['Date in ISO 8601', 'Date in ISO-8601'],
    ['Must be at most 20', 'Must be at most 90'],
    ['Notes of the guest, up to 20', 'Notes of the guest, up to 90'],
    ['Drafts, and notes', 'Drafts and notes'],
    ['Only notes (not drafts)', 'Only notes, not drafts'],
    ['A guest', 'The guest'],
    ['See https://api.acme.test/docs/v1/bills', 'See https://api.acme.test/docs/v2/bills'],
    ['Name of the city', 'Name of the city, such as Oslo'],
    ['Number of results (max 100)', 'Number of results (max 500)'],
    ['Number of results (1-100)', 'Number of results (1-1000)'],
    ['At most 20 results', 'At most 50 results'],
    ['Minimum 10 results', 'Minimum 5 results'],
    ['Takes 10000 rows', 'Takes 10,000 rows'],
    ['Takes 2500 rows', 'Takes 2,500 rows'],
    ['At most 1100', 'At most 1,100'],
    ['Takes 1234567 bytes', 'Takes 1,234,567 bytes'],
    ['Range up to 1000', 'Range up to 1,000'],
    ['The name; of an author', 'The name, of an author'],
    ['Name of the author!', 'Name of the author'],
    ['Authors that can be found', 'Authors that are found'],
    ['The file (its name)', 'The file, its name'],
    ['Approx. 5 files', 'approx 5 files'],
    ['Text of the message', 'Text of the message, as given'],
    ['Timeout (seconds)', 'Timeout in seconds'],
    ['Start of the event (UTC)', 'Start of the event, in UTC'],
    ['Data (JSON)', 'Data as JSON'],
    ['Path of the file', 'Path to the file'],
    ['One of open, closed', 'One of open or closed'],
    ['Either open, closed, merged', 'Either open, closed, or merged'],
    ['Either open, closed, or merged', 'Either open, closed, merged'],
    ['Timeout in seconds', 'Timeout (seconds)'],
    ['Text of the message, as given', 'Text of the message'],
    ['Adds a new note', 'Adds a note'],
    ['Begin of the trip (ISO 8601)', 'Begin of the trip in ISO 8601 format'],
    ['Begin of the trip in ISO 8601 format', 'Begin of the trip (ISO 8601)'],
    ['Times (RFC 3339 format)', 'Times (RFC 3339)'],
    ['Day (YYYY-MM-DD)', 'Day in YYYY-MM-DD format'],
    ['Notes in JSON format', 'Notes (JSON)'],
    ['Filters the notes by owner', 'Filter the notes by owner'],
    ['Passes the note on', 'Pass the note on'],
    ['Passes the note on', 'Pass note on'],
    ['Lists the notes', 'Lists notes'],
    ['The default value is 5', 'Default: 5'],
    ['Maximum value is 9', 'Maximum is 9'],
    ['Notes (1-10)', 'Notes (1-20)'],
    ['Highest number (1-10)', 'Highest number (1-20)'],
    ['🔧 Plans the trip', 'Plans the trip'],
    ["Field of the note. Examples: 'Ada', '[Grace]'.", 'Field of the note.'],
    ['Field of the note. E.g. Ada. It is shown.', 'Field of the note. It is shown.'],
    ['⚠️ Wipes notes', '⚠ Wipes notes'],
    ["Guests of the '90s", 'Guests of the 90s'],
    ['Sizes: small • large', 'Sizes: small, large'],
    ['Drafts (old), notes', 'Drafts, old, notes'],
    ['Rest in time\u2011slots', 'Rest in time-slots'],
  ],
};

const MEETS = { same: 'silence', widened: 'silence', added: 'notice', meaning: 'ask' } as const;

describe('labelled changes of words', () => {
  for (const [label, pairs] of Object.entries(LABELLED)) {
    it(`${label}: ${pairs.length} pairs`, () => {
      const found = pairs.map(([before, after]) => [before, after, MEETS[compareTexts(before, after).change]]);
      assert.deepEqual(
        found.filter(([, , meets]) => meets !== label),
        [],
      );
    });
  }

  it('is none where a name says the same in one word or in two', () => {
    for (const [before, after, name] of [
      ['Zone', 'Time zone', 'time_zone'],
      ['Name', 'Filename', 'file_name'],
      ['Path', 'Folder path', 'folder_path'],
    ] as const)
      assert.equal(compareTexts(before, after, { names: [name] }).change, 'same', after);
  });

  it('is none where the names say it already, unless it is a unit, an order or the like', () => {
    const about = { names: ['find_max_results', 'seconds', 'authorName'] };
    assert.equal(compareTexts('Results', 'Max results', about).change, 'same');
    assert.equal(compareTexts('Name', 'Name of the author', about).change, 'same');
    assert.equal(compareTexts('Time', 'Time in seconds', about).change, 'meaning');
    assert.equal(compareTexts('Results', 'Max results').change, 'meaning');
    for (const [before, after, name] of [
      ['Field', 'Field `name`', 'name'],
      ['Results', 'Deleted results', 'deleted_results'],
      ['Time', 'Time (UTC)', 'time_utc'],
    ] as const)
      assert.equal(compareTexts(before, after, { names: ['find', name] }).change, 'meaning', after);
  });

  it('is one where a word that the names hold makes another thing of what is named', () => {
    const are = (change: string, texts: [string, string, string[], isTool?: true][]): void => {
      for (const [one, other, names, isTool = false] of texts)
        for (const [before, after] of [
          [one, other],
          [other, one],
        ] as const)
          assert.equal(compareTexts(before, after, { names, isTool }).change, change, `${before} → ${after}`);
    };
    are('meaning', [
      ['Removes the labels of an issue.', 'Removes an issue.', ['remove_issue_labels'], true],
      ['Revokes a device token.', 'Revokes a device.', ['revoke_device_token'], true],
      ['Key of the board', 'Key of the board column', ['move_board_column', 'key']],
      ['Invoice number', 'Invoice line number', ['edit_invoice_line', 'number']],
      ['Members of the team', 'Team', ['lock', 'team_members']],
    ]);
    are('same', [
      ['Finds invoices.', 'Finds.', ['find_invoices'], true],
      ['Number of the invoice', 'Number', ['edit_invoice', 'number']],
      ['Line number', 'Invoice line number', ['edit_invoice_line', 'line']],
      ['Whether to show closed issues', 'Whether to show closed', ['list_issues', 'closed']],
    ]);
  });

  it('is one in the first words for a parameter, and in the last, if they say what no caller could guess', () => {
    const are = (change: string, texts: readonly (readonly [name: string, text: string])[]): void => {
      for (const [name, text] of texts) {
        const context = { names: ['moor_boat', name] };
        assert.equal(compareTexts('', text, context).change, change, text);
        assert.equal(isMissed(text, context), change === 'meaning', text);
      }
    };
    are('meaning', [
      ['fee', 'Fee in pence'],
      ['photo', 'The photo, base64-encoded'],
      ['berth', 'Regular expression that the berth has to match'],
      ['crew', 'Names of the crew, semicolon-separated'],
      ['day', 'Day as MM/DD/YYYY'],
      ['note', 'The note, as HTML'],
      ['captain', 'Numeric captain id'],
      ['berth', 'Not used'],
      ['berth', 'Name of the berth. This parameter is no longer supported.'],
      ['berth', 'Obsolete, use pier'],
      ['ropes', 'Overwrites the ropes in use'],
      ['ropes', 'Ropes to remove'],
      ['ropes', 'Ropes that are excluded'],
      ['sail', 'Sail number without its letters'],
      ['pier', 'Must begin with a letter'],
    ]);
    are('added', [
      ['captain', "The captain's name"],
      ['limit', 'Max boats (default 10)'],
      ['base64_photo', 'The photo in base64'],
      ['waitMs', 'Wait in milliseconds'],
      ['per_page', 'Boats per page'],
      ['lat', 'Latitude of the pier'],
      ['day', 'Day (YYYY-MM-DD)'],
      ['day', 'Day in ISO 8601 format'],
      ['note', 'HTML or plain text'],
      ['tags', 'HTML tags to look at'],
      ['filter', 'JSON object with filters'],
      ['output_format', 'csv, xml or json'],
      ['message', 'The message to send'],
      ['old_name', 'The name to replace'],
      ['removed', 'Whether to include removed boats'],
      ['boats', 'Boats to moor'],
      ['pier', 'Pier, ignored if a berth is given'],
      ['pier', 'Pier of the boat. Must be unique.'],
      ['cursor', 'Where to go on. Omit for the first page.'],
    ]);
    // Of another language, no word is known.
    assert.equal(isMissed('Name der Datei', { names: ['moor_boat', 'file'] }), false);
  });

  it('leaves out a list of values only where that says no more than the schema', () => {
    const values = new Set(['low', 'mid', 'high']);
    for (const list of ['low, mid, high', ' low, mid or high ', '`low` | "mid" | \'high\''])
      assert.equal(withoutLists(`Level (${list})`, values), 'Level', list);
    for (const text of [
      'Level. Needs a key (mid, high)',
      'From weakest to last: low, mid, high',
      'In ascending order: low, mid, high',
      'The default comes first (low, mid or high)',
    ])
      assert.equal(withoutLists(text, values), text);
  });

  it('leaves out a bound or a default only where the schema states the same', () => {
    const [rows, name] = [
      { type: 'integer', minimum: 2, maximum: 9, default: 5 },
      { type: 'string', minLength: 2, maxLength: 9 },
    ];
    for (const [before, after, schema] of [
      ['Rows (2-9)', 'Rows', rows],
      ['Rows, at least 2, max 9', 'Rows', rows],
      ['Rows (default 5)', 'Rows', rows],
      ['Name, 2 to 9 characters', 'Name', name],
    ] as const)
      assert.equal(withoutStated(before, schema, false).trim(), after, before);
    for (const [text, schema] of [
      ['Rows (1-9)', rows],
      ['Rows (2-8)', rows],
      ['Rows, at least 9', rows],
      ['Rows, max 2', rows],
      ['Rows (default 2)', rows],
      ['Rows (default 5)', { type: 'integer' }],
      ['Rows (2-9)', { ...rows, type: ['integer', 'string'] }],
      ['Name, 1 to 9 characters', name],
      ['Name, 2 to 9', name],
    ] as const)
      assert.equal(withoutStated(text, schema as typeof rows, false), text, JSON.stringify(schema));
  });

  it('is a warning only where there was none, whatever the title was', () => {
    for (const [before, after, is] of [
      ['Search', 'Search (deprecated)', true],
      [undefined, 'Do not use', true],
      ['Legacy search', 'Search (deprecated)', false],
      ['Search', 'Find', false],
      ['Legacy search', undefined, false],
    ] as const)
      assert.equal(warns(before, after), is, `${before} → ${after}`);
  });

  it('is none in another spelling', () => {
    for (const [before, after] of [
      ['Colours of the organisation', 'colors of the organization'],
      ['Cancelled orders in the catalogue', 'Canceled orders in the catalog'],
      ['Summarises the behaviour', 'Summarizes the behavior'],
      ['E-mails to send', 'Emails to send'],
      ['Centre of the grey map', 'Center of the gray map'],
      ['Whether closed weirs should be listed', 'Whether to list closed weirs'],
      ['The note to be saved', 'The note to save'],
      ['Files that are to be moved', 'Files to move'],
      ['Depth, between 2 and 5.5', 'Depth, 2-5.5'],
      ['Depth from 2 to 5', 'Depth, 2–5'],
      ['Leaves of the branch.A leaf has no branch.', 'Leaves of the branch. A leaf has no branch.'],
      ['Plans—and then moves—the crane', 'Plans -- and then moves -- the crane'],
    ] as const)
      assert.equal(compareTexts(before, after).change, 'same', after);
    for (const [before, after] of [
      ['Prise to pay', 'Prize to pay'],
      ['Whether closed weirs should be listed', 'Whether to delete closed weirs'],
      ['Files that must be moved', 'Files to move'],
      ['Depth, between 2 and 5', 'Depth, 2-15'],
      ['Hour of the day', 'Hor of the day'],
      ['The `colour` field', 'The `color` field'],
      ['Branch of crane.Lift then', 'Branch of crane.Drop then'],
      ['Adds -- 3 cranes', 'Adds -3 cranes'],
      ['Parent of the crane', 'Parent crane'],
      ['Lifts the target crane', 'Lifts the target of the crane'],
    ] as const)
      assert.equal(compareTexts(before, after).change, 'meaning', after);
  });

  it('is another statement where a word of a short edit became its opposite, or all else is left out', () => {
    for (const [before, after] of [
      ['Locks the door of a room.', 'Unlocks the door of a room.'],
      ['Pushes the branch to the remote.', 'Pulls the branch of the remote.'],
      ['Finds messages older than the given day.', 'Finds messages newer than the given day.'],
      ['Lists upcoming trips of the team.', 'Lists past trips the team made.'],
      ['Connected devices are shown.', 'Devices that are disconnected are shown.'],
      ['Only public channels are searched.', 'Channels are searched, public or not.'],
      ['Shows the newest red bikes to guests.', 'Deletes the oldest blue bikes to guests.'],
      ['Copies drafts over notes.', 'Copies notes over drafts.'],
      // All of its words are another one.
      ['Reversible.', 'Irreversible.'],
      ['Ordered', 'Unordered'],
      ['Enabled.', 'Disabled.'],
      ['Recursive.', 'Non-recursive.'],
      ['Valid', 'Invalid'],
      ['Stateful.', 'Stateless.'],
      ['Activates alarms.', 'Deactivates alarms.'],
      ['Configured', 'Misconfigured'],
    ] as const) {
      assert.equal(compareTexts(before, after).exact, true, `${before} → ${after}`);
      assert.equal(compareTexts(after, before).exact, true, `${after} → ${before}`);
    }
    assert.equal(compareTexts('Runs the statement read-only.', 'Runs the statement.').exact, true);
    const limited = compareTexts('Runs the statement.', 'Runs the statement read-only.');
    assert.deepEqual([limited.change, limited.exact], ['meaning', undefined], 'an addition is told');
    for (const [before, after] of [
      ['Locks the door of a room.', 'Locks the doors of the rooms.'],
      ['Finds old messages.', 'Searches for old messages.'],
      ['Covers a page.', 'Covers the pages.'],
      ['Form', 'Inform'],
      ['Port', 'Import'],
      ['Put', 'Input'],
      ['Line', 'Inline'],
      ['Nail', 'Denail'],
    ] as const)
      assert.equal(compareTexts(before, after).exact, undefined, `${before} → ${after}`);
  });

  it('is another statement where a few words took the place of others', () => {
    for (const [before, after] of [
      ['Lists open orders of a shop.', 'Lists all orders of a shop.'],
      ['Finds a guest by number.', 'Finds a guest by surname.'],
      ['Counts from the first row of the sheet.', 'Counts from the header row of the sheet.'],
      ['Books rooms for the team.', 'Books rooms for the guest.'],
      ['Finds repos on GitHub.', 'Finds repos on GitLab.'],
      ['Drops notes older than a week and larger than a page.', 'Drops notes older than a week or larger than a page.'],
      ['All terms are joined with AND.', 'All terms are joined with OR.'],
      ['You must ask the guest.', 'You may ask the guest.'],
    ] as const) {
      assert.equal(compareTexts(before, after).exact, true, `${before} → ${after}`);
      assert.equal(compareTexts(after, before).exact, true, `${after} → ${before}`);
    }
    for (const [before, after] of [
      // The verb at the start may be another word for the same.
      ['Gets the tide table.', 'Fetches the tide table.'],
      ['Rooms to book.', 'Rooms that should be booked.'],
      ['Finds repos of a person.', 'Finds GitHub repos of a person.'],
      ['Makes and changes notes.', 'Makes or changes notes.'],
      ['Shows info of a berth.', 'Shows information of a berth.'],
      // A text that was written anew is only reported.
      [
        'Lists the open orders that a shop has of this person.',
        'Gives you whatever somebody bought there, with prices and dates, page by page.',
      ],
    ] as const) {
      assert.equal(compareTexts(before, after).exact, undefined, `${before} → ${after}`);
      assert.equal(compareTexts(after, before).exact, undefined, `${after} → ${before}`);
    }
  });

  it('is another statement where an old word is turned, or measured by something else', () => {
    const [drafts, weight] = ['Kept notes. Include drafts', 'Load in tons. Weight'];
    for (const [before, after, exact] of [
      [drafts, 'Kept notes. Do not include drafts', true],
      [drafts, 'Kept notes. It tells the crew politely, loudly and gladly: do not include drafts', undefined],
      [weight, `${weight} as told in pounds`, true],
      [weight, `${weight} as told in tons`, undefined],
    ] as const)
      assert.deepEqual(compareTexts(before, after), { change: 'meaning', ...(exact && { exact }) }, after);
  });

  const asTool = (before: string, after: string) => compareTexts(before, after, { isTool: true }).exact;

  it('is another statement where a few words more tell something about a call, or went', () => {
    for (const [before, after] of [
      ['Reads rows of a sheet.', 'Reads rows of a sheet. Counted from 0.'],
      ['Finds a berth.', 'Finds a berth. Depths are in fathoms, or feet.'],
      ['Adds a guest.', 'Adds a guest. Guests are given by email.'],
      ['Lists weirs.', 'Lists weirs. Those without a lock are skipped.'],
      ['Sets the tags.', 'Sets the tags. Replaces the whole list.'],
    ] as const) {
      assert.equal(asTool(before, after), true, after);
      assert.equal(asTool(after, before), true, `without ${after}`);
    }
    for (const [before, after] of [
      ['Makes a payment.', 'Makes a payment. Live mode.'],
      ['Invites a guest.', 'Invites a guest. The guest is charged at once.'],
      ['Finds public maps.', 'Finds public and private maps.'],
      // It may overwrite it now, write now, or delete more.
      ['Saves a map. Fails if there is one.', 'Saves a map.'],
      ['Lists weirs. This is a read-only operation.', 'Lists weirs.'],
      ['Saves a map.', 'Saves a map. This is a read-only operation.'],
      ['Deletes a map.', 'Deletes a map from the shelf.'],
      // What begins as advice does may be none.
      ...[
        'Use cents for fees.',
        'For fees, use cents.',
        'Use IDs, not names.',
        'Call this only in production.',
        'Call charges apply.',
        'Read replicas are not updated.',
        'Docs are published at once.',
        'Does not need confirmation.',
        'If a lock is in use, it is removed.',
        'When a call fails, all locks are deleted.',
        'Use with care: it cannot be undone.',
        'Consider fees as cents.',
        'Call it without a name to empty the list.',
        'Use it for one weir, since it deletes the others.',
        'Requires an author.',
        'Requires no name: without one, all are listed.',
        'Requires the scope river.',
        'Returns fees in cents.',
        'Use it for one weir, and deletes the others.',
      ].map((said) => ['Lists weirs.', `Lists weirs. ${said}`] as const),
    ] as const)
      assert.equal(asTool(before, after), true, after);
    for (const [before, after] of [
      ['Makes a payment.', "Makes a payment. Takes 'live' or 'test'."],
      ['Lists weirs.', 'Lists weirs. Use list_locks before; it has live data, and this one is a day old at most.'],
      ['Lists weirs.', 'Lists weirs. Prefer this tool whenever locks matter.'],
      ['Lists weirs.', 'Lists weirs. Handy on a slow boat.'],
      ['Lists weirs.', 'Lists weirs. Rate limit: 20 requests per minute.'],
      ['Lists weirs.', 'Lists weirs. To see one of them, use get_weir.'],
      ['Lists weirs.', 'Lists weirs. Does not need an account.'],
      ['Lists weirs.', 'Lists weirs. You can use get_weir for a single one.'],
      ['Lists weirs.', 'Lists weirs. Do not use this for locks.'],
      ['Lists weirs.', 'Lists weirs. Requires an API key.'],
      ['Lists weirs.', 'Lists weirs. Requires the scope weirs.read.'],
      ['Lists weirs.', 'Lists weirs. Returns JSON.'],
      ['Lists weirs.', 'Lists weirs. Returns an empty list if there are none.'],
      ['Lists weirs.', 'Lists weirs. Deprecated: use find_weirs.'],
      ['Lists weirs.', 'Lists weirs. May take several minutes.'],
      // In as many words, there is more than one fact, or none.
      [
        'Lists weirs.',
        'Lists weirs, as a boatman would who has seen every one of those weirs twice, wrote down where it was, and drew it.',
      ],
    ] as const)
      assert.equal(asTool(before, after), undefined, after);
  });

  it('is none where a sentence praises the tool, or tells what it is made of, and says nothing else', () => {
    const weirs = 'Lists the weirs of a river.';
    for (const more of [
      'Powered by a new model.',
      'Powered by RiverLM-3 and the latest charts.',
      'Built on top of the current maps.',
      'It is better than a walk.',
      'Quicker and more reliable than the old list.',
      'Often faster than walk_river.',
      'Now much easier than before.',
      'Prefer this over a walk.',
      'Choose this rather than walk_river.',
      'Handy before a trip.',
      'Useful after the rain.',
      'A good first step.',
      'Takes less time than the old one.',
      'It uses far fewer tokens than a picture.',
    ])
      assert.equal(asTool(weirs, `${weirs} ${more}`), undefined, more);
    for (const more of [
      'Powered by a daily walk.',
      'Built on the last snapshot.',
      'Powered by the new cache.',
      'Powered by the new model, which sends charts to the mill.',
      'Better than a walk: skips locks.',
      'Better than a walk, but only from May on.',
      'Faster than before since it leaves out locks.',
      'Faster than the old list by dropping all locks.',
      'More precise than before: depths are in feet.',
      'Prefer this over a walk of less than 3 miles.',
      'Prefer this over a walk; it deletes the old list.',
      'Useful before a trip, and the list is erased.',
      'Useful before a trip, with at most 10 weirs.',
      'Takes less water than before.',
      'Takes less time than before, without locks.',
      'Needs fewer weirs than the mill.',
    ])
      assert.equal(asTool(weirs, `${weirs} ${more}`), true, more);
  });

  it('is none in what says nothing of the tool: names of others, examples of calls, and errors', () => {
    const said = (before: string, after: string) => {
      const texts = [withoutAsides(before), withoutAsides(after)] as const;
      const [old, now] = ofTool(texts, 'find_weirs', ['dry_run', 'at_lock']);
      return compareTexts(old, now, { names: ['find_weirs'], isTool: true }).change;
    };
    for (const [before, after] of [
      ['Finds weirs. For one weir, use get_weir.', 'Finds weirs. For one weir, use read_weir.'],
      ['Finds weirs. See also: get_weir', 'Finds weirs. See also: `weir.get`, drop_weir.'],
      ['Finds weirs. Call `resolve-weir-id` first.', 'Finds weirs. Call `find-weir-id` first.'],
      ["Finds weirs.\nfind_weirs(river='Ouse')", "Finds weirs.\nfind_weirs(river='Cam', near=true)"],
      ['Finds weirs.\n\nfind_weirs(limit=5)\n', 'Finds weirs.'],
      ['Finds weirs.', "Finds weirs. Example: find_weirs(river='Ouse', near=true)"],
      ['Finds weirs.', 'Finds weirs.\nExamples:\n- find_weirs(limit=5)\n- find_weirs()'],
      ['Finds weirs.', 'Finds weirs.\n\nError Responses:\n404: Not Found'],
    ] as const)
      assert.equal(said(before, after), 'same', `${before} → ${after}`);
    for (const [before, after] of [
      ['Finds weirs. To try it, use dry_run.', 'Finds weirs. To try it, use at_lock.'],
      ['Finds weirs.', 'Finds weirs. Example: find_weirs() removes all'],
      ['Finds weirs.', 'Finds weirs. Calls find_weirs(all=true)'],
      ["Finds weirs. E.g. find_weirs(day='2026-05-30')", "Finds weirs. E.g. find_weirs(day='30/05/2026')"],
      ["Finds weirs.\nfind_weirs(day='2026-05-30')", "Finds weirs.\nfind_weirs(day='30/05/2026')"],
      ['Finds weirs.\nfind_weirs(limit=5) waits', 'Finds weirs.\nfind_weirs(limit=5) deletes'],
      ['Finds weirs.\nfind_weirs(all) waits (long)', 'Finds weirs.\nfind_weirs(all) deletes (long)'],
      ['Finds weirs.\nfind_weirs({"day": "2026-05-30"})', 'Finds weirs.\nfind_weirs({"day": "30/05/2026"})'],
      ['Finds weirs. Use snake_case names.', 'Finds weirs. Use camel_case names.'],
      ['Finds weirs. Use `UTC` for times.', 'Finds weirs. Use `CET` for times.'],
      ['Finds weirs. Use river_id to name one.', 'Finds weirs. Use river_name to name one.'],
      ['Finds weirs. Will call open_gate.', 'Finds weirs. Will call drop_gate.'],
      ['Finds weirs. To try it, use open_none=true.', 'Finds weirs. To try it, use open_all=true.'],
      ['Finds weirs. Use read_only access.', 'Finds weirs. Use read_write access.'],
    ] as const)
      assert.equal(said(before, after), 'meaning', `${before} → ${after}`);
  });

  it('is none in an example call, however the tool is called', () => {
    for (const tool of ['find-weirs', 'find.weirs', 'find/weirs', 'WEIRS', '堰を探す', '$find', 'a(b']) {
      const texts = ['Finds weirs.', `Finds weirs.\n${tool}(river='Ouse')`] as const;
      const [old, now] = ofTool(texts, tool, []);
      assert.equal(compareTexts(old, now, { names: [tool], isTool: true }).change, 'same', tool);
    }
  });

  it('is another statement where a word limits what the tool acts on, and none where it describes that', () => {
    for (const [before, after] of [
      ['Lists guests of a berth.', 'Lists moored guests of a berth.'],
      ['Sends a note to the crew. Answers with its id.', 'Sends a mock note to the crew. Answers with its id.'],
      ['Books the deck', 'Books the upper left deck'],
      ['[DEPRECATED] Lists guests.', '[DEPRECATED] Lists moored guests.'],
    ] as const) {
      assert.equal(asTool(before, after), true, after);
      assert.equal(asTool(after, before), true, `without what is new in ${after}`);
    }
    for (const [before, after] of [
      ['Lists guests.', 'Lists the relevant guests.'],
      ['Lists guests.', 'Lists guests politely.'],
      ['Lists guests. Answers with notes.', 'Lists guests. Answers with finished notes.'],
    ] as const)
      assert.equal(asTool(before, after), undefined, after);
  });

  it('is told where a list of values only has more of them', () => {
    const values = [new Set(['tidal', 'canal']), new Set(['tidal', 'canal', 'lake'])] as const;
    const lists = (before: string, after: string) => withoutNewInLists([before, after], values);
    for (const [before, after] of [
      ['Waters: tidal (with ebb), or canal.', 'Waters: tidal (with ebb), canal, or lake (none of it).'],
      ["'tidal' or 'canal'", "'tidal', 'canal' or 'lake'"],
      ['Waters: tidal|canal', 'Waters: tidal|canal|lake'],
    ] as const) {
      const [old, now] = lists(before, after);
      assert.equal(now, old, after);
    }
    for (const [before, after] of [
      ['tidal (with ebb)', 'tidal (with ebb and lake)'],
      ['tidal and canal', 'tidal or canal, lake'],
      ['canal or tidal', 'canal and tidal, or lake'],
      ['tidal or canal', 'tidal, canal or lake (as canal)'],
      ['tidal sends it to the miller', 'tidal sends it to the miller, lake'],
    ] as const) {
      const [old, now] = lists(before, after);
      assert.notEqual(now, old, after);
    }
    const turned = lists('tidal (with ebb) or canal', 'tidal (no ebb), canal, or lake');
    assert.notEqual(turned[0], turned[1]);
    const many = [...values[1], ...Array.from({ length: 300 }, (_, at) => `lake number ${at}`)];
    const text = 'tidal, canal or lake';
    assert.deepEqual(withoutNewInLists(['tidal or canal', text], [values[0], new Set(many)]), ['tidal or canal', text]);
    // Where none is new, each sign stays as it is.
    assert.deepEqual(lists('tidal or canal', 'canal or tidal'), ['tidal or canal', 'canal or tidal']);
    const same = [values[0], values[0]] as const;
    assert.deepEqual(withoutNewInLists(['tidal|canal', 'canal, tidal'], same), ['tidal|canal', 'canal, tidal']);
    // Of new values alone, and of those that were told of before, nothing is left out.
    const more = [values[0], new Set([...values[1], 'sea'])] as const;
    assert.equal(withoutNewInLists(['tidal', 'tidal. Deep: lake or sea'], more)[1], 'tidal. Deep: lake or sea');
    const told = 'tidal: with ebb\nlake: deep';
    assert.equal(withoutNewValues(told, 'tidal: with ebb', values), 'tidal: with ebb\n');
    assert.equal(withoutNewValues(told, told, values), told);
  });

  it('is another statement where a tool does more to something in its first sentence', () => {
    for (const [before, after] of [
      ['Opens a bill.', 'Opens a bill and archives the bill.'],
      ['Get a bill ready to be paid.', 'Get a bill ready to be paid, and cancel the bill.'],
      ['Opens a bill, e.g. the last.', 'Opens a bill, e.g. the last, and marks it as seen.'],
      ['Opens a bill.', 'Opens a bill and notifies guests.'],
      ['Cancel a bill.', 'Cancel a bill and cancel the payment.'],
      [
        'Get a bill ready for a guest of one of the rooms on the upper floor.',
        'Get a bill ready for a guest of one of the rooms on the upper floor, and cancel the stay.',
      ],
      ['Opens a bill. Keeps a slip.', 'Opens a bill. Open orders are cancelled. Keeps a slip.'],
      ['Get a bill ready and print it. Use it for bills.', 'Get a bill ready and cancel a bill. Use it for bills.'],
    ] as const)
      assert.equal(asTool(before, after), true, after);
    assert.equal(asTool('Opens a bill.', 'Opens a bill. Find its number and copy the number.'), undefined);
    assert.equal(asTool('Cancel a trip.', 'Cancel a trip. Trips are cancelled in the office.'), undefined);
  });

  it('is another statement where a rewritten tool begins to act in a way of which nothing spoke', () => {
    const of = (name: string, before: string, after: string) =>
      compareTexts(before, after, { isTool: true, names: [name] }).exact;
    for (const [before, after] of [
      ['Keeps a draft of the bill. Nobody gets it.', 'Sends a bill.'],
      ['Creates a bill. Fails if there is one with this number.', 'Create a new bill or overwrite an old one.'],
      ['Finds what a guest still owes us, with dates.', 'Looks up open bills, then pays those that are due.'],
      ['Shows how a row would look, and changes nothing.', 'Deletes a row.'],
      ['Drafts a reply that you look through.', 'Replies to the guest as soon as it is called.'],
      ['Checks whether a berth is still free.', 'Registers the boat for a berth in the given week.'],
      ['Deploys the newest release to all rooms.', 'Shows what a deployment would do, step by step.'],
    ] as const)
      assert.equal(of('bill', before, after), true, after);
    for (const label of ['[DEPRECATED]', 'Deprecated.']) {
      const [sends, pays] = [`${label} Sends a bill.`, `${label} Pays what guests still owe.`];
      assert.equal(of('bill', `${label} Keeps a draft of the bill. Nobody gets it.`, sends), true, label);
      assert.equal(of('bill', `${label} Finds bills of a guest.`, pays), true, label);
      assert.equal(of('bill', `${label} Gets a bill.`, `${label} Fetches a bill.`), undefined, label);
      assert.equal(of('bill', 'Keeps a draft of the bill. Nobody gets it.', sends), true, `came with ${label}`);
    }
    // Another word for the same, in the old description or in the name.
    assert.equal(of('bill', 'Drops a row out of the table of bills for good.', 'Removes one bill.'), undefined);
    assert.equal(
      of('bill', 'Manages what guests owe us.', 'Creates, updates and deletes the bills of all rooms.'),
      undefined,
    );
    assert.equal(of('send_bill', 'Lets a guest know what is due.', 'Sends a bill by mail or fax.'), undefined);
    assert.equal(of('bill', 'Finds and archives what guests have paid.', 'Archives old bills by room.'), undefined);
    assert.equal(of('archive_bill', 'Finds what guests have paid for good.', 'Archives old bills by room.'), undefined);
    assert.equal(
      of('bill', 'Gets the bill of one guest, with dates.', 'Opens a bill and its pages by number.'),
      undefined,
    );
    // What the caller does, or what was done.
    assert.equal(
      of('bill', 'Finds what a guest still owes us.', 'Lists bills that you deleted or sent, by room.'),
      undefined,
    );
    assert.equal(
      of('bill', 'Finds what a guest still owes us.', 'Lists bills by room and date. Send the whole number.'),
      undefined,
    );
  });

  it('is told where a label says that a tool is deprecated, unless it says more', () => {
    for (const label of ['[DEPRECATED]', '(deprecated)', '**[Deprecated]**', '[Deprecated]:'])
      assert.equal(asTool('Lists weirs.', `${label} Lists weirs.`), undefined, label);
    for (const label of ['[DEPRECATED, answers are a day old]', '[Deprecated] Never', '[deprecated] Deletes and'])
      assert.equal(asTool('Lists weirs.', `${label} Lists weirs.`), true, label);
    assert.equal(compareTexts('Name', '[deprecated] Name').change, 'meaning');
  });

  it('is one where a label of a tool comes, goes or changes, unless it names the service', () => {
    const asTool = (before: string, after: string) => compareTexts(before, after, { isTool: true }).change;
    for (const [before, after] of [
      ['Staging: Sends the bill.', 'Production: Sends the bill.'],
      ['Sandbox | Sends the bill.', 'Live | Sends the bill.'],
      ['Sandbox | Sends the bill.', 'Sends the bill.'],
      ['Simulation: Sends the bill.', 'Sends the bill.'],
      ['Sends the bill.', 'Test | Sends the bill.'],
      ['Team | Sends the bill.', 'Sends the bill.'],
      ['Sends the bill.', 'Prod | Sends the bill.'],
    ] as const)
      assert.notEqual(asTool(before, after), 'same', `${before} → ${after}`);
    assert.equal(asTool('Sends the bill.', 'Acme | Sends the bill.'), 'same');
    assert.equal(asTool('Acme | Sends the bill.', 'Sends the bill.'), 'same');
  });

  it('is one where a text is too long to be compared, whatever it says', () => {
    const long = `Name${' please'.repeat(7_200)}`;
    assert.equal(compareTexts('Name', long).change, 'meaning');
    assert.equal(compareTexts(long, 'Name').change, 'meaning');
    assert.equal(compareTexts('Name', long.slice(0, 40)).change, 'same');
  });

  it('is one where a bound on a scale moves, if only the name tells that it is one', () => {
    assert.equal(compareTexts('Up to 4', 'Up to 9', { names: ['file_bug', 'bugSeverity'] }).change, 'meaning');
    assert.equal(compareTexts('Up to 4', 'Up to 9', { names: ['list_by_severity', 'count'] }).change, 'widened');
    assert.equal(compareTexts('Notes that are shown (1-4)', 'Notes that are shown (1-9)').change, 'added');
    const known = { names: ['list_notes', 'maxNotes'] };
    assert.equal(compareTexts('Notes that are shown (1-4)', 'Notes that are shown (1-9)', known).change, 'widened');
    assert.equal(compareTexts('Grind (1-4)', 'Grind (1-9)', { isTool: true }).change, 'widened', 'asked in a tool');
  });

  it('is one where a preposition turns the old words, even if the names hold it', () => {
    for (const [before, after, name] of [
      ['File to copy', 'File to copy to', 'copy_to_folder'],
      ['Copies the folder.', 'Copies to the folder.', 'copy_to_folder'],
      ['Transfers account', 'Transfers to bank account', 'bank_transfer'],
      ['User to delegate', 'User to delegate to by name', 'delegate_name'],
      ['User to delegate', 'User to delegate to (name)', 'delegate_name'],
    ] as const)
      assert.equal(compareTexts(before, after, { names: [name] }).change, 'meaning', after);
  });

  it('is told where a preposition joins a word that only the names hold', () => {
    for (const [before, after, name] of [
      ['Copies.', 'Copies to folder.', 'copy_folder'],
      ['Weir ID', 'Weir name or ID', 'weir'],
      ['Switches.', 'Switches on heater.', 'switch_heater'],
      ['Logs.', 'Logs in user.', 'log_user'],
      ['Matches a name', 'Matches a name or owner', 'match_owner'],
    ] as const)
      assert.equal(compareTexts(before, after, { names: [name] }).change, 'added', after);
    const about = { names: ['list_project_files'] };
    for (const [before, after] of [
      ['The weir', 'The weir ID'],
      ['Weir to open', 'ID of the weir to open'],
    ] as const) {
      assert.equal(compareTexts(before, after, { names: ['open_weir', 'weir_id'] }).change, 'same', after);
      assert.equal(compareTexts(before, after, { names: ['open_weir', 'weir'] }).change, 'meaning', after);
    }
    const named = { names: ['open_weir', 'weir_id'] };
    assert.equal(compareTexts('Name of the weir', 'Name of the ID of the weir', named).change, 'meaning');
    assert.equal(compareTexts('Lists all files', 'Lists all files in the given project.', about).change, 'same');
    assert.equal(compareTexts('Name of files', 'Name of files in a list of project files', about).change, 'same');
  });

  it('is a change of meaning the other way round, too', () => {
    const wrong = LABELLED.ask.filter(([before, after]) => MEETS[compareTexts(after, before).change] === 'silence');
    // A bound that got narrower is one that widened, seen from the other side.
    assert.deepEqual(wrong, [['Up to 100', 'Up to 50']]);
  });

  it('takes no longer than its text is long, whatever that consists of', () => {
    for (const part of [
      '(',
      '.',
      '*)',
      'a-',
      "a'",
      'a. ',
      '- \n',
      '\n',
      'the ',
      'le ',
      ' ',
      '件',
      '。',
      'é ',
      'default ',
      '[',
      '](',
      '`',
      'e.g. ',
      'one of ',
      'such as ',
      'such as A, ',
      "for example, 'a ",
      'default to ',
      '(a) or ',
      '1,',
      '1,100 ',
      '**',
      '**a',
      '*not ',
      '__',
      '__a ',
      '> ',
      '- ! ',
      ' - ',
      '? ',
      '"',
      '…',
      '(a/',
      '(abc/',
      'e.g. a, ',
      'e.g. a, at ',
      'and a',
      'are ',
      '`a-',
      'a & ',
    ]) {
      const long = part.repeat(Math.floor(45_000 / part.length));
      const elapsed = stopwatch();
      compareTexts(`a${long}a`, `a${long}ab 5`);
      assert.ok(elapsed() < 400, `${JSON.stringify(part)}: ${elapsed()} ms`);
    }
    for (const part of [' ', '(', ',', 'default ', 'default:', `default${' '.repeat(500)}`]) {
      const long = part.repeat(Math.floor(45_000 / part.length));
      const elapsed = stopwatch();
      ofCallsWith(`a${long}x`);
      assert.ok(elapsed() < 400, `${JSON.stringify(part)}: ${elapsed()} ms`);
    }
    const [had, has] = [new Set(['a', 'b']), new Set(['a', 'b', 'c'])];
    for (const part of [
      'See also: a_b, ',
      '. see also: a_',
      '(a, b',
      ': a or b',
      '. can be a or b',
      'a.-',
      'a_b(a=1)\n',
      'a_b(a="',
      'use the a_b',
      '1. a - b\n',
      ', or c (',
      '1. c\n',
      'a, ',
      '`a` or ',
      'a (',
      '- a: b\n',
      "a_b('",
      'example: a_b("',
      '\t',
    ]) {
      const long = part.repeat(Math.floor(200_000 / part.length));
      const elapsed = stopwatch();
      const [text] = ofTool([withoutAsides(long), ''], 'a_b', []);
      withoutNewValues(withoutLists(text, had), 'x', [had, has]);
      withoutNewInLists(['a, b', long], [had, has]);
      withoutStated(long, { type: 'integer' }, true);
      assert.ok(elapsed() < 400, `${JSON.stringify(part)}: ${elapsed()} ms`);
    }
    for (const part of ['to ', 'or ', 'or to ', 'name or ID ', 'in list ', 'to. ', 'one of or ', 'a, or ']) {
      const long = part.repeat(Math.floor(45_000 / part.length));
      const elapsed = stopwatch();
      compareTexts('list, of names', `list, ${long} of names`);
      assert.ok(elapsed() < 400, `${JSON.stringify(part)}: ${elapsed()} ms`);
    }
    /** As many words as fit, all different, none a number. */
    const words = (first: string): string =>
      Array.from(
        { length: 6_000 },
        (_, at) => first + at.toString(36).replace(/\d/g, (digit) => `x${'abcdefghij'[Number(digit)]}`),
      ).join(' ');
    for (const [what, before, after] of [
      ['other words', words('k'), words('q')],
      ['other words of another language', `ö ${words('k')}`, `ö ${words('q')}`],
      [
        'characters of which none is the same',
        String.fromCharCode(...Array.from({ length: 20_000 }, (_, at) => 0x4e00 + at)),
        '件'.repeat(45_000),
      ],
      ['one other word', 'k'.repeat(45_000), 'q'.repeat(45_000)],
      ['acts', words('k'), `${words('k')}${' and deletes'.repeat(200)}`],
      ['acts in sentences', words('k'), `${words('k')}${'. Send it and delete it'.repeat(200)}`],
      ['acts in one', 'Lists', `Lists ${'. Use it, send and delete'.repeat(1_500)}`],
    ] as const) {
      const elapsed = stopwatch();
      compareTexts(before, after, { isTool: true });
      assert.ok(elapsed() < 1_500, `${what}: ${elapsed()} ms`);
    }
  });
});
