// Changes of words that say the same in another way, beside similar ones that do not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareTexts, type TextContext } from '../scripts/diff/words/compare.ts';
import { stopwatch } from './sandbox.ts';

type Pairs = readonly (readonly [before: string, after: string, context?: TextContext])[];

/** Asserts what each pair is, in both directions; of words that came, only in one. */
const are = (change: 'same' | 'added' | 'meaning', pairs: Pairs): void => {
  const found = pairs.flatMap(([one, other, context]) => [
    [one, other, compareTexts(one, other, context).change],
    ...(change === 'added' ? [] : [[other, one, compareTexts(other, one, context).change]]),
  ]);
  assert.deepEqual(
    found.filter(([, , is]) => is !== change),
    [],
  );
};

describe('words that say the same', () => {
  const both = (change: string, texts: readonly (readonly [string, string])[]): void => {
    for (const [one, other] of texts)
      for (const [before, after] of [
        [one, other],
        [other, one],
      ] as const)
        assert.equal(compareTexts(before, after, { names: ['sail', 'note'] }).change, change, `${before} → ${after}`);
  };
  it('is none where only marks of HTML, Markdown or typography differ', () => {
    both('same', [
      ['Note of the crew', '<p>Note of the crew</p>'],
      ['Must <strong>not</strong> be long', 'Must not be long'],
      ['Value of <code>tide</code>', 'Value of `tide`'],
      ['Depth &lt; 9', 'Depth < 9'],
      ["The crew's note", 'The crew&#39;s note'],
      ['Wind &amp; tide', 'Wind & tide'],
      ['Tides:\n\n| Day | Tide |\n|--|--|\n| Mon | low |', 'Tides:\n\n| Day | Tide |\n|:-----|-----|\n| Mon | low |'],
      ['As in\n```json\n{"a": 1}\n```', 'As in\n```\n{"a": 1}\n```'],
      ["Sea, e.g. 'North'", 'Sea, e.g. ‘North’'],
      ["One of 'low', 'high'", 'One of «low», «high»'],
      ['Depth >= 3', 'Depth ≥ 3'],
      ['Note. It is never sent.', 'Note. ⚠️ It is never sent.'],
      ['Note, see http://sea.dev/notes', 'Note, see https://sea.dev/notes'],
    ]);
  });
  it('is one where such a mark is spoken of, or stands for itself', () => {
    both('meaning', [
      ['Write < in HTML as &lt;', 'Write < in HTML as <'],
      ['Depth &lt; 9', 'Depth &gt; 9'],
      ["Ends with '<br>'", "Ends with '<p>'"],
      ['Depth >= 3', 'Depth ≤ 3'],
      ["One of 'low', 'high'", 'One of «low», «deep»'],
      ['Note. It is sent.', 'Note. ⛔ It is sent.'],
    ]);
  });
  it('is told where a tool says what a caller must be allowed, or which tool to call first', () => {
    const before = 'Sails to a port.';
    const of = (more: string) => compareTexts(before, `${before} ${more}`, { names: ['sail'], isTool: true }).exact;
    for (const more of [
      'Requires captain permissions.',
      'Needs the ports:write scope.',
      'Needed scopes: ports:read, ports:write',
      'Required permission: `ports.read`.',
      'Requires OAuth scope `ports`.',
      'Requires a Gold plan.',
      'You need write access to the port.',
      'Call list_ports first.',
      'First use find_port to get the code.',
    ])
      assert.equal(of(more), undefined, more);
    for (const more of [
      'Requires the depth in metres.',
      'Requires written permission.',
      'Requires captain permissions and deletes the old log.',
      'Use metres first.',
      'First deletes the log.',
      'Call list_ports first, and delete all of them.',
    ])
      assert.equal(of(more), true, more);
  });

  it('is told where words about a parameter say what a caller must be allowed', () => {
    both('added', [
      ['Note of the crew.', 'Note of the crew. Requires the `sail:write` scope.'],
      ['Note of the crew.', 'Note of the crew. Requires admin permissions.'],
      ['Note of the crew.', 'Note of the crew. Needs a Pro plan.'],
    ]);
    both('meaning', [
      ['Note of the crew.', 'Note of the crew. Requires UTC.'],
      ['Note of the crew.', 'Note of the crew. Requires admin permissions, and deletes the old one.'],
      ['Note of the crew.', 'Note of the crew. Requires the role in lowercase.'],
    ]);
  });

  it('is none where a unit is written as its symbol or its name', () => {
    are('same', [
      ['Weight in kg', 'Weight in kilograms'],
      ['Weight (kg)', 'Weight in kilograms'],
      ['Width in px', 'Width in pixels'],
      ['Discount in %', 'Discount in percent'],
      ['Discount in percent', 'Discount as a percentage'],
      ['Discount in %', 'Discount (percent)'],
      ['Temperature in °C', 'Temperature in Celsius'],
      ['Temperature in °C', 'Temperature in degrees Celsius'],
      ['Timeout in s', 'Timeout in seconds'],
      ['Timeout (s)', 'Timeout (seconds)'],
      ['Rest in secs', 'Rest in s'],
      ['Size in KB', 'Size in kilobytes'],
      ['Size in MB', 'Size in megabytes'],
      ['Size in MiB', 'Size in mebibytes'],
      ['Depth in mm', 'Depth in millimeters'],
      ['Angle in deg', 'Angle in degrees'],
      ['Angle (°)', 'Angle in degrees'],
      ['Interval in ms', 'Interval in milliseconds (ms)'],
      ['Interval in milliseconds (ms)', 'Interval (ms)'],
      ['Speed in km/h', 'Speed in kilometers per hour'],
      ['Spindle speed (rpm)', 'Spindle speed in revolutions per minute'],
      ['Power in kW', 'Power in kilowatts'],
      ['Frequency in Hz', 'Frequency in hertz'],
      ['Weight in lb', 'Weight in pounds'],
      ['Price in USD', 'Price in US dollars'],
      ['Position as [lat, lon]', 'Position as [latitude, longitude]'],
      ['Number of milliseconds', 'Number of ms'],
      ['Timeout in s, tried again after 5 ms', 'Timeout in seconds, tried again after 5 milliseconds'],
      ['Cached for 5 s', 'Cached for 5 seconds'],
      ['At most 30 MB of text', 'At most 30 megabytes of text'],
    ]);
    are('meaning', [
      ['Size in MB', 'Size in megabits'],
      ['Size in Mb', 'Size in megabytes'],
      ['Power in mW', 'Power in megawatts'],
      ['Power in MW', 'Power in milliwatts'],
      ['Length in m', 'Length in meters'],
      ['Length in m', 'Length in miles'],
      ['Delay in m', 'Delay in minutes'],
      ['Price in pounds', 'Price in lb'],
      ['Unit: kg or lb', 'Unit: kilograms or pounds'],
      ['Weight in kg or lb', 'Weight in kilograms or pounds'],
      ['Scale (kg, lb)', 'Scale (kilograms, pounds)'],
      ['Default kg', 'Default kilograms'],
      ['Given as {lat, lon}', 'Given as {latitude, longitude}'],
      ['Position as [lat, lon]', 'Position as [longitude, latitude]'],
      ['Duration, like 30s', 'Duration, like 30 seconds'],
      ["Duration, like '30 s'", "Duration, like '30 seconds'"],
      ['Written as `kg`', 'Written as `kilograms`'],
      ['Value in "px"', 'Value in "pixels"'],
      ['Size, with a suffix in px', 'Size, with a suffix in pixels'],
      ['Size in KB', 'Size in KiB'],
      ['Size in KB', 'Size in megabytes'],
      ['Dose', 'Dose in mg'],
      ['Weight in g', 'Weight in kilograms'],
      ['Temperature in °C', 'Temperature in °F'],
      ['Temperature in °C', 'Temperature in degrees Fahrenheit'],
      ['Temperature in degrees', 'Temperature in degrees Celsius'],
      ['Angle in degrees', 'Angle in radians'],
      ['Discount in %', 'Discount as a fraction'],
      ['Speed in km/h', 'Speed in mph'],
      ['Energy in kW', 'Energy in kilowatt hours'],
      ['Price in dollars', 'Price in US dollars'],
      ['Acceleration in m/s²', 'Acceleration in m/s'],
      ['Area in cm²', 'Area in centimeters'],
      ['Columns [lat, lon]', 'Columns [latitude, longitude]'],
      ['Given in kg', 'Given in kilograms', { names: ['convert', 'unit'] }],
    ]);
  });

  it('is none where base64 or the base stands before or behind what is given in it', () => {
    are('same', [
      ['Image data, base64', 'Base64-encoded image data'],
      ['Image data, base64', 'Image data (base64-encoded)'],
      ['Base64 encoded image', 'Image (base64)'],
      ['Slide index, 0-based', '0-based slide index'],
      ['Row index (zero-based)', 'Zero-based row index'],
      ['1-based number of the page', 'Number of the page (1-based)'],
    ]);
    are('meaning', [
      ['Image data', 'Base64-encoded image data'],
      ['Slide index, 0-based', '1-based slide index'],
      ['Row index (zero-based)', 'One-based row index'],
      ['Slide index', '0-based slide index'],
      ['Image data, base64', 'Image data, base32-encoded'],
      ['Value in "base64-encoded"', 'Value in "base64"'],
      ['0-based row and column', 'Row and column (1-based)'],
    ]);
  });

  it('is told where an order is one that a customer places', () => {
    are('added', [
      ['Customer', 'Customer who placed the order'],
      ['Customer', 'Customer of the order'],
      ['Order id', 'ID of the order'],
      ['Order id', 'ID of the order', { names: ['get_order', 'order_id'] }],
      ['Order id', 'The id of the order.', { names: ['get_order', 'order_id'] }],
      ['Note', 'Note that the customer of an order sees'],
      ['Total', 'Total of the order'],
    ]);
    are('meaning', [
      ['Customers', 'Customers in order'],
      ['Customers', 'Customers in the order given'],
      ['Customers', 'Customers, whose order is kept'],
      ['Fields', 'Fields of the order'],
      ['List of commits', 'List of commits, sort order of the dates'],
      ['Items', 'Items, in the order of their dates'],
      ['Direction', 'Direction of the order'],
      ['Rows', 'Rows by order'],
      ['Order id', 'Order to fetch'],
      ['Order id', 'Customer of the order'],
      ['Size', 'Size, of the order of 10'],
      ['Items', 'Items, in the order placed'],
      ['Customers', 'Order of the customers'],
    ]);
  });

  it('is none where the same default is told in another way', () => {
    are('same', [
      ['Follow links. Default: true.', 'Whether to follow links (true by default)'],
      ['Follow links. Default: true.', 'Follow links (default: true)'],
      ['Whether to follow links, true by default', 'Whether to follow links. Default is true.'],
      ['Max results, 50 by default', 'Max results (default 50)'],
      ['Max results, 50 by default', 'Max results (defaults to 50)'],
      ['Max results (defaults to 50)', 'Max results. If omitted, 50 is used.'],
      ['Max results. Default is 50.', 'Max results (50 if omitted)'],
      ['Max results; if not provided, defaults to 50', 'Max results (default: 50)'],
      ["Language, 'de' by default", "Language (default: 'de')"],
    ]);
    are('meaning', [
      ['Follow links. Default: true.', 'Whether to follow links (false by default)'],
      ['Max results, 50 by default', 'Max results (default 100)'],
      ['Max results (defaults to 50)', 'Max results. If omitted, 100 is used.'],
      ['Max results', 'Max results, 50 by default'],
      ['Max results, 50 by default', 'Max results up to 50'],
      ['Max results (default 50)', 'Max results. If given, 50 is used.'],
      ['Sort by name by default', 'Sort by default name'],
      ['Order by name, ascending by default', 'Order by name ascending, default'],
      ['Max results, never 50 by default', 'Max results (default 50)'],
      ['Closes drafts. Not sent by default.', 'Closes drafts. Sent by default.'],
      ['Max results (50 if given)', 'Max results (50 if omitted)'],
      ['Unit of time, 5 by default', 'Unit of time, 5'],
    ]);
  });

  it('is told at most where a tool points a reader to another page or address', () => {
    are('same', [
      [
        'List charges. See https://docs.pay.example/v1/charges.',
        'List charges. See https://docs.pay.example/v2/reference/charges.',
        { names: ['list_charges'], isTool: true },
      ],
      [
        'Get a page. See https://a.example/docs/page',
        'Get a page. See https://a.example/reference/page',
        { names: ['get_page'], isTool: true },
      ],
      ['Query (see https://a.example/docs/query)', 'Query (see https://a.example/guides/query)'],
    ]);
    are('added', [
      [
        'List charges. See https://docs.pay.example/charges.',
        'List charges. See https://docs.pay.example/list-charges.',
        { names: ['list_charges'], isTool: true },
      ],
      [
        'List charges. Docs: https://docs.pay.example/charges',
        'List charges. Docs: https://pay.example/docs/charges',
        { names: ['list_charges'], isTool: true },
      ],
      [
        'List charges.\n\nMore information can be found at:\n- https://pay.example/using/charges/about\n',
        'List charges.\n\nMore information can be found at:\n- https://pay.example/concepts/billing\n',
        { names: ['list_charges'], isTool: true },
      ],
      [
        'List charges (more at https://a.example/x).',
        'List charges (more at https://b.example/y).',
        { names: ['list_charges'], isTool: true },
      ],
      [
        'Status of the service. Questions: help@a.example',
        'Status of the service. Questions: support@a.example',
        { names: ['status'], isTool: true },
      ],
      [
        'List charges.',
        'List charges. For more information, see https://docs.pay.example/charges.',
        { names: ['list_charges'], isTool: true },
      ],
      [
        'List charges. See https://docs.pay.example/charges.',
        'List charges.',
        { names: ['list_charges'], isTool: true },
      ],
    ]);
    are('meaning', [
      [
        'Reads the page https://a.example/docs/page',
        'Reads the page https://a.example/reference/page',
        { names: ['read'], isTool: true },
      ],
      ['Query (see https://a.example/docs/jql)', 'Query (see https://a.example/docs/lucene)'],
      ['Query (see https://a.example/docs/query)', 'Query (see https://b.example/docs/query)'],
      [
        'Lists them, and can be read at:\n- https://a.example/hooks',
        'Lists them, and can be read at:\n- https://b.example/hooks',
        { names: ['read'], isTool: true },
      ],
      ['Sends it to help@a.example', 'Sends it to support@a.example', { names: ['send'], isTool: true }],
      // Each word may stand before a page or a person, and none says that one is meant.
      ['Reads. The API is at https://a.example/x.', 'Reads. The API is at https://b.example/y.', { isTool: true }],
      ['Sends notes. Write to a@b.example.', 'Sends notes. Write to c@b.example.', { isTool: true }],
      [
        'Posts to https://a.example/hooks/new',
        'Posts to https://b.example/hooks/new',
        { names: ['post'], isTool: true },
      ],
      [
        'Get a page. See https://a.example/page',
        'Delete a page. See https://a.example/page2',
        { names: ['page'], isTool: true },
      ],
      [
        'Uses the docs at https://a.example/v1/docs. Sends them on.',
        'Uses the docs at https://b.example/v1/docs. Sends them on.',
        { names: ['page'], isTool: true },
      ],
      ['Base URL, see https://a.example/docs', 'Base URL, see https://a.example/docs. Must end in a slash.'],
    ]);
  });

  it('is none where a slip of the pen is corrected', () => {
    are('same', [
      [
        'Read the currrent alarms. They are not inculded.',
        'Read the current alarms. They are not included.',
        { names: ['read_alarms'], isTool: true },
      ],
      ['Langauge of the text', 'Language of the text', { names: ['get_event', 'language'] }],
      ['Staus of the event', 'Status of the event', { names: ['get_event', 'status'] }],
      ['Query to serach for', 'Query to search for', { names: ['get_event', 'query'] }],
      ['Subscribers receieve an e-mail.', 'Subscribers receive an email.', { names: ['resolve'], isTool: true }],
      ['Creates a task. Retuns its id.', 'Creates a task. Returns its id.', { names: ['create_task'], isTool: true }],
      ['Water temprature in Celsius', 'Water temperature in Celsius', { names: ['brew', 'temp'] }],
      ['Message with three lettters', 'Message with three letters'],
    ]);
    are('meaning', [
      ['County of the user', 'Country of the user', { names: ['add', 'country'] }],
      ['Contract of the client', 'Contact of the client', { names: ['add', 'contact'] }],
      ['Name of the form', 'Name of the from', { names: ['add', 'from'] }],
      ['Statue of the event', 'Status of the event', { names: ['get', 'status'] }],
      ['Names of the department', 'Names of the departments', { names: ['list', 'departments'] }],
      ['Author of the text', 'Authors of the text', { names: ['list', 'authors'] }],
      ['Field `staus`', 'Field `status`', { names: ['get', 'status'] }],
      ['Orders of the client', 'Ordered by the client', { names: ['list', 'ordered'] }],
      ['Hor of the day', 'Hour of the day', { names: ['get', 'hour'] }],
      ['Level III', 'Level II'],
      ['Public post', 'Publish post', { names: ['publish', 'post'] }],
    ]);
  });

  it('is none where a slip in a word of the names is corrected, and one where it is made', () => {
    for (const [slip, word, name] of [
      ['Kind of the deparment', 'Kind of the department', 'department'],
      ['Name of the subscritpion', 'Name of the subscription', 'subscription_name'],
      ['The clinet', 'The client', 'client'],
      ['Csutomer of the shop', 'Customer of the shop', 'customer'],
    ] as const) {
      assert.equal(compareTexts(slip, word, { names: ['find', name] }).change, 'same', slip);
      assert.equal(compareTexts(word, slip, { names: ['find', name] }).change, 'meaning', slip);
    }
  });

  it('is told where there is one more way to name what a value stands for', () => {
    are('added', [
      ['User ID', 'User ID or email address of the user'],
      ['ID of the user', 'ID or email of the user'],
      ['The channel ID to post to', 'The channel ID to post to, or user ID for a direct message'],
      ['The user ID', 'The user ID, name, email, or "me"'],
    ]);
    are('meaning', [
      ['Matches the email', 'Matches the email or title'],
      ['Matches email', 'Matches email or title'],
      ['Text of the title', 'Text of the title or email'],
      ['Branch name', 'Branch name or parent ID'],
      ['User ID', 'User ID or empty for all'],
      ['User ID', 'User ID and email'],
      ['Excluded user ID', 'Excluded user ID or email of the user'],
    ]);
  });

  it('is told where a hint says from which tool the same value comes', () => {
    are('added', [
      ['Event id', 'Event id, as returned by list_events', { names: ['get_event', 'event'] }],
      ['Event id', "Event id (from 'list_events')", { names: ['get_event', 'event'] }],
      ['Event id', 'Event id (from `list_events`)', { names: ['get_event', 'event'] }],
      ['Event id', 'Event id. Use list_events to find it.', { names: ['get_event', 'event'] }],
      ['Event id', 'Event id. Use `list_events` to find the id.', { names: ['get_event', 'event'] }],
      ['Event id', 'Event id (see list_events)', { names: ['get_event', 'event'] }],
      ['Event id', 'Event id, as returned by the list_events tool', { names: ['get_event', 'event'] }],
      ['Event id', 'The id of the event, as returned by list_events', { names: ['get_event', 'id'] }],
    ]);
    are('meaning', [
      ['Event id', 'Calendar id from list_events', { names: ['get_event', 'id'] }],
      ['Event id', 'Calendar id, as returned by list_calendars', { names: ['get_event', 'id'] }],
      ['Event id', 'Event id, not from list_events', { names: ['get_event', 'id'] }],
      ['Event id', 'Event id from parent_id', { names: ['get_event', 'id'] }],
      ['Event id', 'Event id. Use delete_events to remove it.', { names: ['get_event', 'id'] }],
      ['Event id', 'Event id (see event_format)', { names: ['get_event', 'id'] }],
      ['Event id', 'Event id. Calls list_events with it.', { names: ['get_event', 'id'] }],
      ['Event', 'Event id, as returned by list_events', { names: ['get_event', 'event'] }],
      ['Event name', 'Event id, as returned by list_events', { names: ['get_event', 'event'] }],
      ['Id', 'Id (from list_calendars)', { names: ['get_event', 'id'] }],
      ['Event id', 'Event id (from list_recurring_events)', { names: ['get_event', 'id'] }],
      ['Event id', 'Event id, or one returned by list_events', { names: ['get_event', 'id'] }],
      ['Event id', 'Event id. Use list_events to find it first, then confirm.', { names: ['get_event', 'id'] }],
      ['Event id', 'Event id (from create_event)', { names: ['get_event', 'id'] }],
      ['Event id (from list_events)', 'Event id (from search_events)', { names: ['get_event', 'id'] }],
    ]);
  });

  it('is none where a list or an example is written in another way, and told at most where a tool says since when there is it', () => {
    are('same', [
      ['Number of results per page', 'Results per page'],
      ['Number of results per page', 'Results per page', { names: ['list', 'per_page'] }],
      ['Format: pdf or csv', 'Format: one of pdf, csv'],
      ['Format: pdf, csv or txt', 'Format: one of pdf, csv, txt'],
      ["Target language, like 'de' or 'fr'", "Target language (e.g. 'de', 'fr')"],
      ["Target language, like 'de' or 'fr'", 'Target language (e.g., “de”, “fr”)'],
      ['Priority: 1 high, 2 medium, 3 low', 'Priority (1 = high, 2 = medium, 3 = low)'],
      ['Priority: 1 = high, 2 = medium', 'Priority: 1: high, 2: medium'],
      ['Date, YYYY-MM-DD', 'Date (ISO 8601, YYYY-MM-DD)'],
      ['Date (YYYY-MM-DD)', 'Date in ISO 8601 format (YYYY-MM-DD)'],
    ]);
    are('added', [
      ['Returns statistics.', 'Returns statistics as JSON.', { names: ['stats'], isTool: true }],
      ['Get a page.', 'Get a page. New in version 2.3.', { names: ['get_page'], isTool: true }],
    ]);
    are('meaning', [
      ['Results', 'Number of results per page'],
      ['Results per page', 'Pages of results'],
      ['Format: pdf or csv', 'Format: one of pdf, csv, txt'],
      ['Format: pdf and csv', 'Format: one of pdf, csv'],
      ['Priority: 1 high, 2 medium, 3 low', 'Priority (1 = low, 2 = medium, 3 = high)'],
      ['Returns statistics as XML.', 'Returns statistics as JSON.', { names: ['stats'], isTool: true }],
      ['Saves statistics.', 'Saves statistics as JSON.', { names: ['stats'], isTool: true }],
      ['Send JSON', 'Send XML'],
      ['Get a page.', 'Get a page. New in version 2.3: deletes it then.', { names: ['get_page'], isTool: true }],
      ["Ids like 'a' or 'b'", "Ids like 'a' and not 'b'"],
      [
        'List repositories.',
        'List repositories. (New in version 2.3: faster and more reliable.)',
        { names: ['list_repos'], isTool: true },
      ],
      ['Priority (1 = high, 2 = low)', 'Priority (1 = low, 2 = high)'],
      ["Names like 'a%'", "Names like 'b%'"],
      ["Language, like 'de'", "Language, like 'DE'"],
      ['One of open, closed', 'One of Open, Closed'],
      ['State: open or closed', 'State: one of Open, Closed'],
      ['Returns statistics as JSON.', 'Returns statistics as CSV.', { names: ['stats'], isTool: true }],
      ['Date, YYYY-MM-DD', 'Date (ISO 8601, DD-MM-YYYY)'],
      ['Date (YYYY-MM-DD)', 'Date in ISO 8601 format (YYYY-MM-DDTHH:MM)'],
    ]);
  });

  it('is one where what is left out goes on', () => {
    are('meaning', [
      [
        'For help write to a@b.example and delete it',
        'For help write to c@b.example and delete it',
        { names: ['send'], isTool: true },
      ],
      ['Growth in percent', 'Growth in percentage points'],
      ['Reads events.', 'Reads events. Available since v2 as admin.', { names: ['read'], isTool: true }],
      ['Sends data. See https://a.example/x.', 'Sends data to https://b.example/x.', { names: ['send'], isTool: true }],
    ]);
  });

  it('takes no longer than its text is long', () => {
    for (const part of [
      ', default ',
      '(5 by ',
      '. if omitted, ',
      'of the order ',
      'in kg ',
      'kg, ',
      'in ms (ms) ',
      '[lat, ',
      'in kilowatt ',
      'at most 5 ',
    ]) {
      const long = part.repeat(Math.floor(45_000 / part.length));
      const elapsed = stopwatch();
      compareTexts(`a${long}a`, `a${long}ab 5 status`, { names: ['status'], isTool: true });
      assert.ok(elapsed() < 400, `${JSON.stringify(part)}: ${elapsed()} ms`);
    }
  });
});
