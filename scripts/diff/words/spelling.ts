// One spelling for what people write in several ways.
import { withDefaults } from './defaults.ts';
import { withoutSlip } from './slips.ts';
import { withUnitsAsWords } from './units.ts';

/** With this, a text begins to say what a switch does. */
export const SWITCH =
  /^\s*(?:wh?ether (?:or not )?to |(?:if|when)(?: (?:it|this) is)?(?: set to)? true, ?|set(?: (?:it|this))? to true to )(?=\S)/i;

/** Verbs by what is done with them, for a passive that says the same: "the text to be sent". */
const DONE: ReadonlyMap<string, string> = new Map(
  `added:add applied:apply archived:archive changed:change checked:check copied:copy created:create deleted:delete
  displayed:display downloaded:download enabled:enable excluded:exclude fetched:fetch filtered:filter followed:follow
  ignored:ignore included:include listed:list loaded:load moved:move opened:open processed:process read:read removed:remove
  replaced:replace returned:return saved:save searched:search sent:send shown:show sorted:sort translated:translate
  updated:update uploaded:upload used:use written:write`
    .split(/\s+/)
    .map((entry) => entry.split(':') as [string, string]),
);
const IS_DONE = `(${[...DONE.keys()].join('|')})\\b`;
/** "Whether drafts should be included" */
const SWITCHED = new RegExp(String.raw`^\s*wh?ether (?:the )?((?:[a-z]+ ){1,4}?)(?:should|will) be ${IS_DONE}`, 'i');
/** "The text to be sent", "the text that should be sent". Who is to be followed does not follow. */
const TO_BE_DONE = new RegExp(
  String.raw`\b(?:(?<!\b(?:are|has|have|is|needs?) )to be|(?:that|which) (?:is to|are to|should) be) ${IS_DONE}`,
  'gi',
);
const baseOf = (done: string): string => DONE.get(done.toLowerCase()) ?? done;

/** A text in the active voice, where a word of it is done. */
const inActive = (text: string): string =>
  text
    .replace(SWITCHED, (_all, what: string, done: string) => `whether to ${baseOf(done)} ${what.trim()}`)
    .replace(TO_BE_DONE, (_all, done: string) => `to ${baseOf(done)}`);

/** A pattern for words of prose. In code and quoted values, another spelling is another value. */
const prose = (pattern: string): RegExp =>
  new RegExp(String.raw`(?<![\w\x60'"./$-])(?:${pattern})(?![\w\x60'"/$-]|\.\w)`, 'g');

/** Whose email it is, so that it is no text to be sent. */
const PERSON =
  '(?:account|assignee|attendee|author|contact|customer|guest|invitee|member|owner|person|recipient|sender|user)';

/** Ways in which people write something, and the one in which it is compared. */
const SAME_FORMS: readonly [RegExp, string][] = [
  [/\b(are|could|did|do|does|had|has|have|is|must|should|was|were|would)n't\b/gi, '$1 not'],
  [/\b(?:can't|cannot)\b/gi, 'can not'],
  [/\bwon't\b/gi, 'will not'],
  [/\b(default|max(?:imum)?|min(?:imum)?) value(?=:| (?:is|of)\b)/gi, '$1'],
  [/\bdefaults? (?:to|is)\b/gi, 'default'],
  [/\be-mail/gi, 'email'],
  [new RegExp(String.raw`\b(${PERSON}(?:'s)? email)(?=\s*(?:$|[.,;:()]))`, 'gi'), '$1 address'],
  [new RegExp(String.raw`\b(email)(?= of (?:an? |the )?${PERSON}\b)`, 'gi'), '$1 address'],
  [/ -- (?=[a-z])/gi, ' - '],
  // A new sentence without a blank: "of the node.A depth of 1". Of a name in code, both texts get the blank.
  [/(?<=[a-z]{3})\.(?=[A-Z][a-z]* [a-z])/g, '. '],
  [/\b(?:formatted as|in the form(?:at)?(?: of)?)\b/gi, 'in'],
  [/(?<=[\w,:] )either (?=\w+ or \w+(?:[.,;)]|$))/gi, ''],
  [/^\s*(?:this (?:command|function|tool)|use this (?:command|function|tool) to|an? tool (?:that|to)) (?=[a-z])/i, ''],
  // A label. What it says of the tool or the value, it says as a sentence of its own.
  [/^\s*[[(]deprecated[\])][:.]?\s+(?=\S)/i, 'deprecated. '],
  [/^(\s*search(?:es)?) for\b/i, '$1'],
  [
    /\b(?:an? |the )?(?!(?:he|here|how|it|let|she|that|there|what|where|who)')([a-z]+)'s ((?:[a-z]+ )?[a-z]+)(?=\s*(?:[.,;:()]|$))/gi,
    '$2 of the $1',
  ],
  // "(asc/desc)"; not "(km/h)", nor the form of one value: "(owner/repo)".
  [
    /(?<=\((?!(?:[a-z]{1,15}\/){0,5}(?:day|group|height|hour|host|lat|latitude|lon|longitude|minute|month|name|namespace|org|organization|owner|path|port|project|repo|repository|team|user|width|workspace|year)\b)(?:[a-z]{3,15}\/){0,4}[a-z]{3,15})\/(?=[a-z]{3,15}(?:\/[a-z]{3,15}){0,4}\))/g,
    ' or ',
  ],
  // Of a switch, "If true, include drafts" says what "Include drafts" does.
  [SWITCH, ''],
  [/^\s*(?:wh?ether (?:or not )?|(?:is )?true (?:if|when) )(?=\S)/i, 'whether '],
  [/^\s*how many\b/i, 'number of'],
  [/^\s*(?:please )?(?:provide|specif(?:y|ies))(?= (?:the|an?) [a-z])/i, ''],
  [/^\s*only (get|include|list|return|show)(?= [a-z])/i, '$1 only'],
  [/^\s*must be (?=between \d)/i, ''],
  [/\bnot? more than(?= \d)/gi, 'at most'],
  [/(?<=\d) ?percent\b/gi, '%'],
  // Of a list, only the order counts. In an object, they are keys.
  [
    /(?<=(?<!\b(?:columns?|fields?|keys?|properties) )\[\s?(?:(?:lon|lng|longitude), ?)?)lat(?=(?:, ?(?:lon|lng|longitude))?\s?\])/gi,
    'latitude',
  ],
  [
    /(?<=(?<!\b(?:columns?|fields?|keys?|properties) )\[\s?(?:(?:lat|latitude), ?)?)(?:lon|lng)(?=(?:, ?(?:lat|latitude))?\s?\])/gi,
    'longitude',
  ],
  [/\b(ISO|RFC)(?=\d)/g, '$1 '],
  [/\bISO 8601(?: date)?(?: format)?,? (?=YYYY-MM-DD\b)/g, ''],
  [/\b(?:in )?ISO 8601(?: date)?(?: format)? (?=\(YYYY-MM-DD\))/g, ''],
  [/\bnumber of (?=[a-z]+ per [a-z]+)/gi, ''],
  [/(?<=[a-z]) & (?=[a-z])/gi, ' and '],
  [/\bnot? (?:fewer|less) than(?= \d)/gi, 'at least'],
  [/\b(max|min)(?:imum)?:? (?=\d)/gi, '$1 '],
  [/\b(?:between (\d+(?:\.\d+)?) and|from (\d+(?:\.\d+)?) to) (?=\d)/gi, '$1$2-'],
  [/\bunique (id|identifier) for (?=the\b|an?\b)/gi, 'unique $1 of '],
  [prose('[Rr]egular expression(s?)(?: pattern)?|[Rr]egex(?:p| pattern)'), 'regex$1'],
  [prose('[Kk]ey/value'), 'key-value'],
  // "ISO 4217 currency code", and "Currency code (ISO 4217)".
  [/^\s*((?:ISO|RFC)(?: \d[\d-]*)?) ([a-z]+(?: [a-z]+){0,3})(?=\s*$)/, '$2 ($1)'],
  [prose('(?:[Bb]ase|BASE)64(?:[ -]encoded)?'), 'base64'],
  // "0-based row index", and "Row index, 0-based".
  [
    /^\s*(base64|(?:[01]|one|zero)-(?:based|indexed))(?!(?: [a-z]+){0,5} (?:and|but|if|not|or|unless)\b) ([a-z]+(?: [a-z]+){0,5})(?=\.?\s*$)/i,
    '$2 ($1)',
  ],
  [prose('([Tt]ime)[ -](stamps?)'), '$1$2'],
  [prose('([Dd]ata)[ -](bases?|sets?)'), '$1$2'],
  [prose('([Tt]ime)(zones?)'), '$1 $2'],
  [prose('([Ff]ile|[Hh]ost|[Uu]ser)(names?)'), '$1 $2'],
  [prose('([Ww]eb)(pages?|sites?)'), '$1 $2'],
  [prose('([Ss]ub)(director(?:y|ies)|folders?)'), '$1 $2'],
  [/\bteh\b/g, 'the'],
];

/** British spellings, and the American ones that say the same. */
const SPELLINGS: readonly [RegExp, string][] = [
  [/(?<=^\p{L}{4,30})is(?=(?:e[sdr]?|ers|ing|ations?)$)/u, 'iz'],
  [/^(col|behavi|fav|flav|neighb|hon|lab|harb|endeav)our/, '$1or'],
  [/^((?:cancel|label|model|travel|level|signal|channel))l(?=(?:ed|ing)$)/, '$1'],
  [/^((?:centi|kilo|milli)?met|cent|lit|theat)re(?=s?$)/, '$1er'],
  [/^(ana|cata|para)lys(?=(?:e[sdr]?|ers|ing)$)/, '$1lyz'],
  [/^catalogue(?=s?$)/, 'catalog'],
  [/^licence(?=s?$)/, 'license'],
  [/^grey(?=s?$)/, 'gray'],
];

/** One spelling for each word. In lower case. */
const inOneSpelling = (word: string): string =>
  SPELLINGS.reduce((said, [british, american]) => said.replace(british, american), withoutSlip(word));

/** A text in one of the forms in which people write the same. */
export const inOneForm = (text: string): string =>
  SAME_FORMS.reduce(
    (said, [written, compared]) => said.replace(written, compared),
    inActive(withDefaults(withUnitsAsWords(text))),
  );

/** Words that say the same as others. */
const SAME: ReadonlyMap<string, string> = new Map([
  ['app', 'application'],
  ['apps', 'applications'],
  ['arg', 'argument'],
  ['args', 'arguments'],
  ['char', 'character'],
  ['chars', 'characters'],
  ['config', 'configuration'],
  ['db', 'database'],
  ['defaults', 'default'],
  ['docs', 'documentation'],
  ['execute', 'run'],
  ['executes', 'runs'],
  ['folder', 'directory'],
  ['folders', 'directories'],
  ['hrs', 'hours'],
  ['identifier', 'id'],
  ['identifiers', 'ids'],
  ['info', 'information'],
  ['maximum', 'max'],
  ['millisecond', 'ms'],
  ['milliseconds', 'ms'],
  ['mins', 'minutes'],
  ['msec', 'ms'],
  ['param', 'parameter'],
  ['params', 'parameters'],
  ['repo', 'repository'],
  ['repos', 'repositories'],
  ['sec', 'seconds'],
  ['secs', 'seconds'],
  ['specified', 'given'],
  ['zero', '0'],
  ['two', '2'],
  ['three', '3'],
  ['four', '4'],
  ['five', '5'],
  ['six', '6'],
  ['seven', '7'],
  ['eight', '8'],
  ['nine', '9'],
  ['ten', '10'],
]);

/** One word for those that say the same. In lower case. */
export const inOneWord = (word: string): string => SAME.get(word) ?? inOneSpelling(word);
