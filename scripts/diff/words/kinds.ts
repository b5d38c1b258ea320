/**
 * One kind of word that means something by itself: adding one makes the sentence say something else. Adding any other word
 * makes it say more. (Removing or replacing a word of the old text is always a change, whatever its kind.)
 */
export interface Kind {
  name: string;
  words: ReadonlySet<string>;
  /** Tokens that are not words: numbers, signs, code. */
  pattern?: RegExp;
  /** Changes of meaning. */
  meaning: readonly [before: string, after: string][];
  /** Similar changes that are not. */
  near: readonly [before: string, after: string][];
}

const kind = (name: string, words: string, examples: Pick<Kind, 'meaning' | 'near'>, pattern?: RegExp): Kind => ({
  name,
  words: new Set(words.split(/\s+/).filter(Boolean)),
  ...examples,
  ...(pattern ? { pattern } : {}),
});

export const VALUE = 'code or value';

/** Names that are written like code. */
const BRANDS =
  'BigQuery|ChatGPT|ClickHouse|ClickUp|DuckDuckGo|eBay|GitHub|GitLab|HubSpot|iOS|iPad|iPhone|JavaScript|LinkedIn|macOS|MongoDB|MySQL|OneDrive|OneNote|OpenAI|PagerDuty|PayPal|PostgreSQL|PowerPoint|SendGrid|SharePoint|SQLite|TikTok|TypeScript|WhatsApp|WordPress|YouTube';
const BRAND = new RegExp(`^(?:${BRANDS})$`, 'i');
/** Whether a word is such a name, however it is written: "Github". */
export const isBrand = (word: string): boolean => BRAND.test(word);
const CODE = new RegExp(
  String.raw`^(?!https?:|(?:${BRANDS})$)(?=.*[A-Za-z])(?=.*(?:_|[a-z][A-Z]|\d|\w[./\\]\w)).+$|^[A-Za-z]$`,
);

/** To add a kind, or a word to one: put it here, with examples. The test walks them all. */
export const KINDS: readonly Kind[] = [
  kind(
    'number',
    `zero one two three four five six seven eight nine ten eleven twelve hundred hundreds thousand thousands million
    millions billion billions dozen dozens half quarter double triple twice once`,
    {
      meaning: [
        ['Page, 1-based', 'Page, 0-based'],
        ['units of 0.01 USD', 'units of 1 USD'],
        ['0 quiet, 1 loud', '1 quiet, 0 loud'],
        ['Share (0-1)', 'Share (0-100)'],
        ['In steps of 1 s', 'In steps of 0.001 s'],
        ['Retries', 'Retries, three of them'],
        ['Uses API v1', 'Uses API v2'],
      ],
      near: [
        ['Max results (1-100)', 'Max results (1-200)'],
        ['Up to 50 characters of the name', 'Up to 80 characters of the name'],
        ['Number of results (e.g. 10)', 'Number of results (e.g. 25)'],
        ['Takes 1000 rows', 'Takes 1,000 rows'],
      ],
    },
    /^\d/,
  ),
  kind(
    'unit',
    `ms millisecond milliseconds s sec secs second seconds min mins minute minutes h hour hours day days week weeks month
    months year years microsecond microseconds nanosecond nanoseconds us ns byte bytes kb mb gb tb kib mib gib bit bits
    pixel pixels px pt em rem percent percentage meter meters metre metres m cm mm km kilometer kilometers kilometre
    kilometres mile miles feet foot ft inch inches yard yards degree degrees radian radians celsius fahrenheit kelvin
    dollar dollars cent cents euro euros pound pounds yen usd eur gbp jpy gram grams g kg kilogram kilograms lb lbs
    liter liters litre litres ml hz khz mhz ghz watt watts fraction ratio basis_points bps token tokens character
    characters char chars line lines per each net gross pence penny wei gwei ether eth satoshi satoshis sats btc
    lamports mph kph kmh knot knots kts ounce ounces oz ton tons tonne tonnes stone acre acres hectare hectares joule
    joules kj kwh calorie calories kcal volt volts amp amps pascal pascals psi rpm fps bpm dpi tick ticks frame frames
    millicore millicores cores hourly daily weekly monthly yearly annual decade decades quarters millimeter millimeters
    millimetre millimetres centimeter centimeters centimetre centimetres tax taxes vat micros subunit subunits minor_units major_units whole_units base_units
    atomic_units fractional_units trade_lots deviations kilobyte kilobytes
    megabyte megabytes gigabyte gigabytes terabyte terabytes kbps mbps gbps chf cad aud cny inr rupee rupees yuan franc
    francs peso pesos sek nok dkk brl mxn krw zar pln czk krona kronor krone kroner zloty lira reais gallon gallons
    imperial mg milligram milligrams milliliter milliliters millilitre millilitres deg nanometer nanometers hertz kilohertz
    megahertz gigahertz decibel decibels kilowatt kilowatts megawatt megawatts milliwatt milliwatts kibibyte kibibytes
    mebibyte mebibytes gibibyte gibibytes`,
    {
      meaning: [
        ['in s', 'in ms'],
        ['distance in M', 'distance in m'],
        ['Size in MB', 'Size in Mb'],
        ['The time to wait', 'The time to wait, in seconds'],
        ['max results', 'max results per page'],
        ['Amount in $.', 'Amount in ¢.'],
        ['Given in euros.', 'Given in cents.'],
        ['Number of days', 'Number of business days'],
        ['Budget', 'Budget, in thousands'],
        ['Amount of the bill', 'Amount of the bill, net'],
        ['Fee to take', 'Fee to take (minor units)'],
        ['Tip to add', "Tip to add, in the currency's smallest unit"],
        ['Rate of the loan', 'Rate of the loan, in basis points'],
        ['Shares to buy', 'Shares to buy, in lots'],
      ],
      near: [
        ['Time to wait in Seconds', 'Time to wait in seconds'],
        ['time in seconds', 'The time in seconds.'],
        ['the weight, in kg', 'weight in kg'],
        ['Max tokens', 'Maximum number of tokens'],
        ['Fee in minor units', 'Fee (smallest currency unit)'],
        ['Rate in basis points', 'Rate, in basis-points'],
        ['Fee in cents', 'Fee in cents (minor currency units)'],
        ['Unit to move', 'Unit to move to the army'],
        ['Shares to buy', 'Shares to buy of the lots on sale'],
      ],
    },
    /^[%‰$€£¥¢°]$/,
  ),
  kind(
    'sign or comparison',
    `less than greater fewer larger smaller bigger than above below over under between within beyond inclusive exclusive
    includes included including excluding excluded least most max maximum min minimum limit limits limited cap capped
    exceed exceeds exceeding range ranges approximately roughly nearly almost positive negative plus minus equal equals`,
    {
      meaning: [
        ['(<=)', '(<)'],
        ['+90 is up', '-90 is up'],
        ['Only values > 5', 'Only values < 5'],
        ['in the interval [0, 1]', 'in the interval [0, 1)'],
        ['separated by ,', 'separated by ;'],
        ['given as lat,lon', 'given as lat;lon'],
        ['Number of results', 'Number of results, inclusive'],
      ],
      near: [
        ['a well-known name', 'a well known name'],
        ['Name – of the author', 'Name - of the author'],
        ['the name (of an author)', 'the name of an author'],
      ],
    },
    /^[<>=≤≥≠±×+\-/\\|&^~@#;,:*[\]{}()]+$/,
  ),
  kind(
    'quantity',
    `adjusted aggregate aggregated annualized average averaged compound cumulative estimated logarithmic mean median nominal
    normalised normalized projected reciprocal remaining signed squared unsigned weighted`,
    {
      meaning: [
        ['Rainfall', 'Cumulative rainfall'],
        ['Distance', 'Squared distance'],
        ['Wind speed', 'Average wind speed'],
        ['Amount of the loan', 'Remaining amount of the loan'],
      ],
      near: [
        ['The average speed', 'average speed'],
        ['Cumulative rainfall', 'Cumulative rainfall of the place'],
        ['Rainfall', 'Rainfall of the place'],
      ],
    },
  ),
  kind('base', 'based indexed zero-based one-based index offset cursor origin', {
    meaning: [
      ['Page to fetch', 'Index of the page to fetch'],
      ['Row number', 'Row number (zero-based)'],
      ['Position of the row', 'Position of the row, counted as an offset'],
    ],
    near: [
      ['the row to read', 'The row to read.'],
      ['Row to read', 'Row to read of the sheet'],
      ['row to Read', 'row to read'],
    ],
  }),
  kind(
    VALUE,
    'true false null nil undefined nan',
    {
      meaning: [
        ["Mode: 'fast' or 'deep'", "Mode: 'deep' or 'fast'"],
        ['One of `asc`, `desc`', 'One of `asc`, `Desc`'],
        ['one of open, closed', 'one of Open, Closed'],
        ['one of github, gitlab', 'one of GitHub, GitLab'],
        ['Reads the field `github`', 'Reads the field `GitHub`'],
        ['Reads userId', 'Reads userName'],
        ['The status', "The status, 'open'"],
        ['The field', 'The field user_name'],
        ['Finds a GitHub user', 'Finds a GitLab user'],
      ],
      near: [
        ['The id of the user', 'The ID of the user'],
        ['Set `name` of it', 'Set name of it'],
        ["Name, such as 'Ada'", "Name, such as 'Alan'"],
        ['The repository', 'The GitHub repository'],
        ['Finds a Github user', 'Finds a GitHub user'],
      ],
    },
    CODE,
  ),
  kind(
    'negation',
    `no not never none neither nor without except unlike instead rather longer ignore ignores ignored skip skips skipped
    exclude excludes omit omits deprecated deprecation obsolete legacy unsupported discontinued removed replaced retired
    disabled disable disables stop stops stopped stopping prevent prevents refuse refuses nothing avoid avoids block
    blocks bypass bypasses disregard disregards mute mutes hide hides hidden inverse inverted non undo undoes inactive
    unused noop ❌ ⛔ 🚫`,
    {
      meaning: [
        ['Send mails to the list', 'Stop to send mails to the list'],
        ['Includes drafts', 'Does not include drafts'],
        ['Include drafts', 'Include no drafts'],
        ['Name of the user', 'Name of the user. Deprecated.'],
        ['Sends the mail', 'Sends the mail without attachments'],
      ],
      near: [
        ['Does not include drafts', 'Does not include drafts.'],
        ['Not the name', 'not the name'],
        ['Never sends it', 'Never sends it to the team'],
      ],
    },
  ),
  kind(
    'duty',
    `must should shall require requires required requirement mandatory need needs needed only always ought exactly strictly
    have has ensure forbidden prohibited allowed may-not solely just`,
    {
      meaning: [
        ['Name of the author', 'Must be the name of the author'],
        ['May be empty text', 'Must be empty text'],
        ['Name of an author', 'Name of an author only'],
        ['Token for uploads', 'Token, required for uploads'],
      ],
      near: [
        ['must be the name', 'Must be the name.'],
        ['Only the name', 'only the name'],
        ['Name of the author', 'Name of the author of the book'],
      ],
    },
  ),
  kind(
    'condition',
    `if when whenever while until till unless whether provided assuming otherwise else depending depends case-by-case once
    both either every any all some many multiple single several`,
    {
      meaning: [
        ['Sends a mail', 'Sends a mail if the user agreed'],
        ['Deletes it', 'Deletes it unless it is locked'],
        ['Push tags', 'Push all tags'],
        ['Waits', 'Waits until it is done'],
      ],
      near: [
        ['if the user agreed', 'If the user agreed.'],
        ['Push all tags.', 'Push all tags to the remote.'],
        ['when it is done', 'when it is done by the server'],
      ],
    },
  ),
  kind(
    'default',
    `default defaults defaulted omitted unset unspecified missing absent empty blank leave leaves left fallback falls
    implicit implied automatic automatically`,
    {
      meaning: [
        ['Language', 'Language, by default that of the user'],
        ['Depth, default 5', 'Depth, default 10'],
        ['Folder', 'Folder. If omitted, the root.'],
        ['Folder', 'Folder, empty for the root'],
      ],
      near: [
        ['The default language', 'default language'],
        ['Depth (default 5)', 'Depth (default: 5)'],
        ['Language', 'Language of the user'],
      ],
    },
  ),
  kind(
    'order',
    `first last second third fourth next previous oldest newest latest earliest recent order ordered ordering sort sorted
    ascending descending asc desc reverse reversed before after prior then finally rank ranked top bottom lowest highest`,
    {
      meaning: [
        ['newest first', 'oldest first'],
        ['lat, lon', 'lon, lat'],
        ['sorted ascending', 'sorted descending'],
        ['List of commits', 'List of commits, newest on top'],
        ['Text before the cursor', 'Text after the cursor'],
      ],
      near: [
        ['Newest first', 'newest first.'],
        ['sorted by the name', 'sorted by name'],
        ['lat, lon of the place', 'lat, lon of the place on the map'],
      ],
    },
  ),
  kind(
    'direction',
    `up down left right north south east west forward forwards backward backwards clockwise counterclockwise
    anticlockwise incoming outgoing inbound outbound upstream downstream inward outward parent child source target
    destination sender recipient old new current from into onto follow follows followed`,
    {
      meaning: [
        ['Scrolls up', 'Scrolls down'],
        ['Copies to the folder', 'Copies from the folder'],
        ['id', 'parent id'],
        ['Angle of the turn', 'Angle of the turn, clockwise'],
      ],
      near: [
        ['scrolls up', 'Scrolls up.'],
        ['Copies to a folder', 'Copies to the folder'],
        ['The angle', 'The angle of the picture'],
      ],
    },
  ),
  kind(
    'identifier',
    `id ids uuid uuids guid guids slug slugs handle handles username usernames login logins email emails e-mail e-mails code
    codes key keys path paths url urls uri uris filename filenames name names title titles address addresses hash hashes`,
    {
      meaning: [
        ['Who gets the ticket', 'ID of who gets the ticket'],
        ['The assignee', 'The username of the assignee'],
        ['People to invite', 'People to invite, by email'],
        ['The country', 'The code of the country'],
        ['The email to send', 'The email address to send'],
        ['Email of the user', 'Address of the user'],
      ],
      near: [
        ['The email of the author', 'the e-mail of the author'],
        ['Email of the user', 'User email address'],
        ['Email of the user', "The user's email address"],
        ['ID of the ticket', 'The id of the ticket'],
        ['Title of the ticket', 'Title of the ticket to open'],
      ],
    },
  ),
  kind(
    'time zone',
    'utc gmt timezone timezones zone local est edt cst cdt mst mdt pst pdt cet cest bst ist jst localtime eastern pacific',
    {
      meaning: [
        ['Time in UTC', 'Time in local time'],
        ['Start of the event', 'Start of the event (UTC)'],
        ['Hour of the day, CET', 'Hour of the day, GMT'],
      ],
      near: [
        ['in UTC', 'In UTC.'],
        ['Start of the event in UTC', 'The start of the event in UTC'],
        ['Start of event', 'Start of an event'],
      ],
    },
  ),
  kind(
    'format',
    `json yaml xml csv tsv html markdown iso rfc epoch unix timestamp base64 hex hexadecimal binary ascii utf encoded encode
    decoded escaped quoted format formats formatted syntax pattern patterns regex regexp glob wildcard wildcards lowercase
    uppercase case sensitive insensitive relative absolute comma comma-separated newline separated delimited space-separated
    semicolon array plain raw integer decimal float cron expression gzip gzipped hashed md5 sha lucene quotes
    lat latitude lng lon longitude`,
    {
      meaning: [
        ['Date of the event', 'Date of the event, as an epoch'],
        ['Names, comma-separated', 'Names, space-separated'],
        ['Path of the file', 'Absolute path of the file'],
        ['Text to search', 'Regex to search'],
        ['Where the shop is', 'Where the shop is (lon, lat)'],
      ],
      near: [
        ['in JSON', 'In JSON.'],
        ['Names (comma-separated)', 'Names (comma separated)'],
        ['Text to search', 'Text to search in the files'],
      ],
    },
  ),
  kind(
    'effect',
    `delete deletes deleted deleting destroy destroys drop drops remove removes removing erase erases wipe wipes purge
    purges billed charged destroyed erased overwrite overwrites overwritten replace replaces truncate truncates charge
    charges pay pays buy buys purchase bill bills publish publishes send sends post posts submit submits upload uploads
    execute executes revoke revokes grant grants commit commits merge merges permanently permanent recursive recursively
    secret secrets password passwords credential credentials production staging sandbox simulation simulates simulated
    live preview previews clears cleared resets publicly internet everyone anyone outside public private background
    asynchronously synchronously append appends prepend prepends shares immediately instantly forcibly irreversibly
    irrevocably`,
    {
      meaning: [
        ['Finds the file', 'Finds and deletes the file'],
        ['Writes the file', 'Writes the file and overwrites what is there'],
        ['Books a room', 'Books a room and charges the team'],
        ['Creates a page', 'Creates a public page'],
      ],
      near: [
        ['deletes the file', 'Deletes the file.'],
        ['Finds the file', 'Finds the file of the team'],
        ['Books a room', 'Books a room for the team'],
      ],
    },
  ),
];

/** All words of all kinds. */
export const MEANING_WORDS: ReadonlySet<string> = new Set(KINDS.flatMap(({ words }) => [...words]));

/** The kind of a token; undefined if it means nothing by itself. */
export const kindOf = ({ text, word, quoted }: { text: string; word: string; quoted?: boolean }): string | undefined =>
  KINDS.find(({ words, pattern }) => words.has(word) || pattern?.test(text))?.name ?? (quoted ? VALUE : undefined);

/** Whether a text holds a word, number or sign that means something by itself. */
export const tellsSomething = (text: string): boolean =>
  (text.match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+/gu) ?? []).some(
    (part) => kindOf({ text: part, word: part.toLowerCase() }) !== undefined,
  );
