import { type Contract, isObject, type JsonObject, own } from '../../contract/types.ts';
import { quoteName } from '../../text/quote.ts';
import { quoteChange } from '../../text/quote-change.ts';
import { say } from '../../text/shown.ts';
import { docstringsApart, type ToldAnew } from '../docstring-entries.ts';
import { findRenames } from '../rename.ts';
import type { Finding, Rule, ToolPair } from '../types.ts';
import { compareTexts } from '../words/compare.ts';
import { tellsSomething } from '../words/kinds.ts';
import { ofTool, withoutAsides, withoutOwnName } from '../words/of-tool.ts';

const propertiesOf = ({ inputSchema }: Contract): [string, JsonObject][] => {
  const named = own(inputSchema, 'properties');
  return isObject(named)
    ? Object.entries(named).filter((entry): entry is [string, JsonObject] => isObject(entry[1]))
    : [];
};

/** The old text with the new names of parameters: many descriptions tell of each parameter. */
const underNewNames = (text: string, before: Contract, after: Contract): string => {
  const [had, has] = [propertiesOf(before), propertiesOf(after)];
  const onlyIn = (some: [string, JsonObject][], others: [string, JsonObject][]): [string, JsonObject][] => {
    const names = new Set(others.map(([name]) => name));
    return some.filter(([name]) => !names.has(name));
  };
  const newNames = new Map(findRenames(onlyIn(had, has), onlyIn(has, had)).map(({ from, to }) => [from, to]));
  return text.replace(/\w+/g, (word) => newNames.get(word) ?? word);
};

/** Also if the first description was added or the only one removed: a tool's words are about every call. */
const kindOf = (before: Contract, after: Contract): string => {
  const { name, description: had = '' } = before;
  const { description: has = '' } = after;
  const said = (text: string): string => withoutAsides(withoutOwnName(text, name));
  const texts: readonly [string, string] = [said(had), said(has)];
  const context = { names: [name], isTool: true };
  if (compareTexts(...texts, context).change === 'same') return 'plainer';
  // Another example or another tool to use is told, not asked about.
  const parameters = [before, after].flatMap((contract) => propertiesOf(contract).map(([parameter]) => parameter));
  const [old, now] = ofTool(texts, name, parameters);
  const { change, exact } = compareTexts(old, now, context);
  // A rewritten description is only reported, if it tells of the same acts. One in which a few words took the place of others
  // is another statement, and so is one with a bound that widened: no value of the call lies within it.
  if (exact || change === 'widened') return 'meaning';
  // A new name in it is no reason to overlook that.
  const renamed = underNewNames(old, before, after);
  return renamed !== old && compareTexts(renamed, now, context).exact ? 'meaning' : 'words';
};

const KINDS: Record<ToldAnew['concern'], string> = {
  none: 'words',
  with: 'ofValues',
  without: 'ofDefault',
  all: 'meaning',
};

const ofParameter = ({ parameter, before, after, concern }: ToldAnew): Finding => ({
  kind: KINDS[concern],
  parameter,
  path: '/description',
  message: say`the description says something else of ${quoteName(parameter)}: ${quoteChange(before, after, 160, tellsSomething)}`,
  brief: say`the description says something else of ${quoteName(parameter)}`,
  before,
  after,
});

const ofTheTool = (before: Contract, after: Contract): Finding => ({
  kind: kindOf(before, after),
  path: '/description',
  message: say`description changed: ${quoteChange(before.description, after.description, 160, tellsSomething)}`,
  brief: say`the description changed`,
  before: before.description,
  after: after.description,
});

/** One finding for each parameter, if it is only what the docstring says of them that changes what calls mean. */
const find = ({ before, after }: ToolPair): Finding[] => {
  const whole = ofTheTool(before, after);
  const apart = whole.kind === 'meaning' ? docstringsApart(before, after) : undefined;
  if (apart === undefined) return [whole];
  const rest = kindOf(...apart.rests);
  if (rest === 'meaning') return [whole];
  const told = apart.told.map(ofParameter);
  return rest === 'plainer' && told.length > 0 ? told : [...told, { ...whole, kind: 'words' }];
};

export const toolDescriptionChanged: Rule<ToolPair> = {
  id: 'tool-description-changed',
  purpose: 'The words that tell the model what the tool does changed.',
  at: 'tool',
  keywords: ['description'],
  find,
  examples: [
    {
      what: 'the tool now does more',
      before: { name: 'a', description: 'Lists files.', inputSchema: { type: 'object' } },
      after: { name: 'a', description: 'Lists and deletes files.', inputSchema: { type: 'object' } },
      gives: ['semantic tool-description-changed /description, ask'],
    },
    {
      what: 'it names other tools that may be of interest',
      before: {
        name: 'a',
        description: 'Lists notes.\nSee also: note_get, drop_note.',
        inputSchema: { type: 'object' },
      },
      after: {
        name: 'a',
        description: 'Lists notes.\nSee also: get_one_note, drop_note.',
        inputSchema: { type: 'object' },
      },
      gives: ['compatible tool-description-changed /description, quiet'],
    },
    {
      what: 'another example, and another tool to use',
      before: {
        name: 'list_notes',
        description: 'Lists notes. For one of them, use get_note.\nlist_notes(from=0)',
        inputSchema: { type: 'object' },
      },
      after: {
        name: 'list_notes',
        description: 'Lists notes. For one of them, use read_note.\nlist_notes(from=1)',
        inputSchema: { type: 'object' },
      },
      gives: ['semantic tool-description-changed /description'],
    },
    {
      what: 'an example in JSON',
      before: { name: 'a', description: 'Sails.', inputSchema: { type: 'object' } },
      after: { name: 'a', description: 'Sails.\n\nExample:\n{"to": "Oslo"}', inputSchema: { type: 'object' } },
      gives: ['semantic tool-description-changed /description'],
    },
    {
      what: 'another form of a value in the JSON of an example',
      before: { name: 'a', description: 'Sails.\n\nExample:\n{"on": "2024-01-31"}', inputSchema: { type: 'object' } },
      after: { name: 'a', description: 'Sails.\n\nExample:\n{"on": "31/01/2024"}', inputSchema: { type: 'object' } },
      gives: ['semantic tool-description-changed /description, ask'],
    },
    {
      what: 'it says more of them',
      before: { name: 'a', description: 'Lists notes. See also: note_get.', inputSchema: { type: 'object' } },
      after: {
        name: 'a',
        description: 'Lists notes. See also: note_get deletes the note.',
        inputSchema: { type: 'object' },
      },
      gives: ['semantic tool-description-changed /description, ask'],
    },
    {
      what: 'it also does more, in many words',
      before: { name: 'a', description: 'Reads a page.', inputSchema: { type: 'object' } },
      after: {
        name: 'a',
        description: 'Reads a page, and silently sends all that it holds to a service for translation.',
        inputSchema: { type: 'object' },
      },
      gives: ['semantic tool-description-changed /description, ask'],
    },
    {
      what: 'it names another tool that does more',
      before: { name: 'a', description: 'Reads a page.', inputSchema: { type: 'object' } },
      after: { name: 'a', description: 'Reads a page. Use drop_page to remove one.', inputSchema: { type: 'object' } },
      gives: ['semantic tool-description-changed /description'],
    },
    {
      what: 'another word for the same, and more',
      before: { name: 'a', description: 'Lists files.', inputSchema: { type: 'object' } },
      after: { name: 'a', description: 'Lists files, with their names and sizes.', inputSchema: { type: 'object' } },
      gives: ['semantic tool-description-changed /description'],
    },
    {
      what: 'another verb, and the project is gone',
      before: { name: 'a', description: 'Archives the project.', inputSchema: { type: 'object' } },
      after: { name: 'a', description: 'Deletes the project.', inputSchema: { type: 'object' } },
      gives: ['semantic tool-description-changed /description, ask'],
    },
    {
      what: 'rewritten, and it acts where it did not',
      before: { name: 'a', description: 'Keeps a draft. Nothing leaves the outbox.', inputSchema: { type: 'object' } },
      after: { name: 'a', description: 'Sends a message.', inputSchema: { type: 'object' } },
      gives: ['semantic tool-description-changed /description, ask'],
    },
    {
      what: 'rewritten, and what it gave back goes to others',
      before: { name: 'a', description: 'Makes a list of the guests of a day.', inputSchema: { type: 'object' } },
      after: {
        name: 'a',
        description: 'Counts who is there; the numbers are mailed to all hosts of the house.',
        inputSchema: { type: 'object' },
      },
      gives: ['semantic tool-description-changed /description, ask'],
    },
    {
      what: 'rewritten, and the same act has another name',
      before: { name: 'a', description: 'Drops a row out of the table for good.', inputSchema: { type: 'object' } },
      after: { name: 'a', description: 'Deletes one record.', inputSchema: { type: 'object' } },
      gives: ['semantic tool-description-changed /description'],
    },
    {
      what: 'another word in the place of one',
      before: { name: 'a', description: 'Lists open orders.', inputSchema: { type: 'object' } },
      after: { name: 'a', description: 'Lists all orders.', inputSchema: { type: 'object' } },
      gives: ['semantic tool-description-changed /description, ask'],
    },
    {
      what: 'the same verb in another form',
      before: { name: 'a', description: 'Sends the note.', inputSchema: { type: 'object' } },
      after: { name: 'a', description: 'Send the whole note.', inputSchema: { type: 'object' } },
      gives: ['semantic tool-description-changed /description'],
    },
    {
      what: 'the same sentence in another unit',
      before: { name: 'a', description: 'Waits. The time is given in minutes.', inputSchema: { type: 'object' } },
      after: { name: 'a', description: 'Waits. The time is given in hours.', inputSchema: { type: 'object' } },
      gives: ['semantic tool-description-changed /description, ask'],
    },
    {
      what: 'another unit for a parameter that has a new name',
      before: {
        name: 'a',
        description: 'Waits.\n\nArgs:\n    wait: time in seconds',
        inputSchema: { type: 'object', properties: { wait: { type: 'number' } } },
      },
      after: {
        name: 'a',
        description: 'Waits.\n\nArgs:\n    wait_time: time in milliseconds',
        inputSchema: { type: 'object', properties: { wait_time: { type: 'number' } } },
      },
      gives: [
        'silent input-property-renamed /inputSchema/properties/wait, deny when used',
        'semantic tool-description-changed /description, ask',
      ],
    },
    {
      what: 'another unit for a parameter, in the docstring',
      before: {
        name: 'a',
        description: 'Waits.\n\nArgs:\n    wait (int, optional): time in seconds',
        inputSchema: { type: 'object', properties: { wait: { type: 'number' } } },
      },
      after: {
        name: 'a',
        description: 'Waits.\n\nArgs:\n    wait (int, optional): time in milliseconds',
        inputSchema: { type: 'object', properties: { wait: { type: 'number' } } },
      },
      gives: ['semantic tool-description-changed /description, ask when used'],
    },
    {
      what: 'another default, in the docstring',
      before: {
        name: 'a',
        description: 'Waits.\n\nArgs:\n    wait: time to wait (default 5)',
        inputSchema: { type: 'object', properties: { wait: { type: 'number' } } },
      },
      after: {
        name: 'a',
        description: 'Waits.\n\nArgs:\n    wait: time to wait (default 10)',
        inputSchema: { type: 'object', properties: { wait: { type: 'number' } } },
      },
      gives: ['semantic tool-description-changed /description, ask when omitted'],
    },
    {
      what: 'a larger number, which no value of a call is within',
      before: { name: 'pay', description: 'Pays up to 10 euros without asking.', inputSchema: { type: 'object' } },
      after: { name: 'pay', description: 'Pays up to 10000 euros without asking.', inputSchema: { type: 'object' } },
      gives: ['semantic tool-description-changed /description, ask'],
    },
    {
      what: 'it gives a part of what it gave',
      before: { name: 'a', description: 'Find hits. Returns all hits.', inputSchema: { type: 'object' } },
      after: {
        name: 'a',
        description: 'Find hits. Returns the first 100 hits; pass a cursor for more.',
        inputSchema: { type: 'object' },
      },
      gives: ['semantic tool-description-changed /description, ask'],
    },
    {
      what: 'what it gives may be old',
      before: { name: 'a', description: 'Reads a sensor. Values are live.', inputSchema: { type: 'object' } },
      after: {
        name: 'a',
        description: 'Reads a sensor. Values are cached for up to six hours.',
        inputSchema: { type: 'object' },
      },
      gives: ['semantic tool-description-changed /description, ask'],
    },
    {
      what: 'a repeated call is no longer safe',
      before: {
        name: 'a',
        description: 'Sends a payout. Safe to retry: a payout with the same reference is sent once only.',
        inputSchema: { type: 'object' },
      },
      after: {
        name: 'a',
        description: 'Sends a payout. Not idempotent: each call sends another payout.',
        inputSchema: { type: 'object' },
      },
      gives: ['semantic tool-description-changed /description, ask'],
    },
    {
      what: 'one preposition more, and it converts the other way',
      before: { name: 'convert', description: 'Converts Celsius.', inputSchema: { type: 'object' } },
      after: { name: 'convert', description: 'Converts to Celsius.', inputSchema: { type: 'object' } },
      gives: ['semantic tool-description-changed /description, ask'],
    },
    {
      what: 'the same words, and some that the tool was known by',
      before: { name: 'list_files', description: 'Lists all files', inputSchema: { type: 'object' } },
      after: {
        name: 'list_files',
        description: 'Lists all the files (in a list of files).',
        inputSchema: { type: 'object' },
      },
      gives: ['compatible tool-description-changed /description, quiet'],
    },
  ],
};
