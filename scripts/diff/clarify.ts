// Whether new words only make plainer what the old ones said. Nobody can prove that of prose, so only what is surely
// harmless counts, in English alone, and every word that can carry a condition is left to people.

import type { Json } from '../contract/types.ts';

/** A longer text is no description that anybody polishes; in no other language the words below mean anything. */
const LONGEST = 5_000;
/** What is longer than any word is taken as it is, so that no text makes the expressions below slow. */
const LONGEST_WORD = 60;
const ENGLISH = /^[\t\n\r -~‘’“”–—…•]*$/;

/** `exact` holds for whatever is more than a word: numbers, names, values, code, formats, URLs, signs that stand alone. */
interface Token {
  text: string;
  /** It begins a sentence or a line: there alone, a capital letter says nothing. */
  begins: boolean;
  exact: boolean;
  /** A parenthesis begins before it or ends after it. */
  opens: boolean;
  closes: boolean;
  /** A sentence, a line or the text ends after it; or, softer, a comma, colon or dash follows. */
  ends: boolean;
  pauses: boolean;
}

const WORD = /^[(*]*([A-Za-z]+(?:['’-][A-Za-z]+)*)[)*]*[.,;:!?]*[)*]*[.,;:!?]*$/;
/** Names, abbreviations and single letters, which may be values. */
const UNUSUAL = /[a-z][A-Z]|^[A-Z]{2,}$|^.$/;
const ARTICLE = /^\(?(?:[Aa]n?|[Tt]he)$/;
/** What an article stands before: where another word follows, `a` may be a value. */
const NOUN = /^[A-Za-z]{2,}/;
const NO_NOUN = /^(?:or|and|to|is)\b/i;
const SENTENCE_END = /[.!?][)*]*$/;
const DASH = /^[-–—|]$/;

const tokenOf = (chunk: string, begins: boolean, endsLine: boolean): Token => {
  if (chunk.length > LONGEST_WORD)
    return { text: chunk, begins, exact: true, opens: false, closes: false, ends: endsLine, pauses: false };
  const word = WORD.exec(chunk)?.[1];
  const isWord = word !== undefined && !UNUSUAL.test(word);
  return {
    text: isWord ? word : chunk.replace(/(?<=[^.,;:!?(])[.,;:!?]+$/, ''),
    begins,
    exact: !isWord,
    opens: chunk.startsWith('('),
    closes: /\)[.,;:!?*]*$/.test(chunk),
    ends: endsLine || SENTENCE_END.test(chunk),
    pauses: /[,;:][)*]*$/.test(chunk) || DASH.test(chunk),
  };
};

/** The words of a text and everything else in it, without articles and the marks of lists. */
const tokensOf = (text: string): Token[] =>
  text.split('\n').flatMap((line) => {
    const all = line.replace(/^\s*[-*•]\s+/, '').match(/\S+/g) ?? [];
    const isArticle = (chunk: string, next = ''): boolean =>
      ARTICLE.test(chunk) && NOUN.test(next) && !NO_NOUN.test(next);
    const chunks = all.filter((chunk, index) => !isArticle(chunk, all[index + 1]));
    return chunks.map((chunk, index) =>
      tokenOf(
        chunk,
        index === 0 || SENTENCE_END.test((chunks[index - 1] as string).slice(-LONGEST_WORD)),
        index === chunks.length - 1,
      ),
    );
  });

/** Words that can add a condition, a bound, a unit, a default, an order, a form, a denial or another effect. */
const CARRYING: ReadonlySet<string> = new Set(
  `no not never none nor neither cannot without except excluding unless only just solely merely barely hardly
  must should shall need needs needed require requires required requirement mandatory always have has ought ensure
  if when whenever while until till unless whether where because since provided assuming otherwise else
  max min maximum minimum most least more less fewer over under above below between within beyond up limit limits
  limited cap capped exceed exceeds range ranges bound bounds length size count total number numeric amount per each
  every all any both either exactly precisely approximately about around zero one two three four five six seven eight
  nine ten hundred thousand million half double twice once first second third last next previous single multiple
  default defaults defaulted omitted omit omits unset unspecified missing absent empty blank null nil leave leaves left
  fallback falls
  deprecated deprecation obsolete legacy removed replaced replaces replacing replacement instead superseded retired
  unsupported discontinued formerly renamed now longer anymore no-longer experimental preview beta
  index indexed indices offset skip skips skipped start starts end ends begin begins cursor page pages base based
  inclusive exclusive
  order ordered ordering sort sorted ascending descending asc desc oldest newest latest recent reverse reversed rank
  ms millisecond milliseconds sec secs seconds minute minutes min mins hour hours day days week weeks month months year
  years byte bytes kb mb gb tb kib mib gib bit bits pixel pixels px percent percentage meter meters metre metres km mile
  miles degree degrees celsius fahrenheit dollar dollars cent cents euro euros usd eur unit units token tokens character
  characters char chars line lines row rows word words
  utc gmt timezone local iso date dates time times timestamp epoch unix
  json yaml xml csv html markdown text base64 hex binary ascii utf encoded encode decoded decode escaped escape quoted
  format formats formatted syntax pattern patterns regex regexp glob wildcard lowercase uppercase lower upper case
  sensitive insensitive relative absolute comma separated delimited space whitespace string integer boolean float
  decimal array object list
  add adds added adding append appends create creates created creating delete deletes deleted deleting destroy destroys
  drop drops remove removes removing erase erases wipe wipes clear clears clean cleans purge purges overwrite overwrites
  replace modify modifies modified modifying change changes changed changing update updates updated updating edit edits
  edited move moves moved rename renames write writes written writing save saves saved store stores stored send sends
  sent sending submit submits post posts publish publishes upload uploads download downloads transmit share shares
  execute executes executed executing run runs running install installs invoke invokes trigger triggers call calls
  called charge charges pay pays paid buy buys purchase order-ed book books reserve reserves transfer transfers approve
  approves merge merges close closes closed open opens opened lock locks disable disables enable enables reset resets
  revoke revokes grant grants commit commits push pushes log logs record records cache cached caches archive archives
  wait waits block blocks retry retries kill kills stop stops cancel cancels shut close
  then but however although though unlike before after prior afterwards first finally also too additionally and plus
  read reads include includes pass passes use uses used using ask asks tell tells show shows make makes ignore ignores
  ignored follow follows treat treats prefer prefers preferred
  secret secrets password passwords credential credentials key keys admin production staging sandbox dry
  parent child base head source target origin destination old new current`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Words that carry nothing of their own. */
const PLAIN: ReadonlySet<string> = new Set(
  `of for to in on by with from that which who whose this these those it its is are be as or
  optional parameter argument value values result results name names identifier tool given specified
  requested returned filter`.split(/\s+/),
);

/** Words that join what is added to the last word before it, so that it does not become a part of that word. */
const JOINING: ReadonlySet<string> = new Set([
  'of',
  'for',
  'to',
  'in',
  'on',
  'by',
  'with',
  'from',
  'that',
  'which',
  'or',
]);

const singular = (word: string): string => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word);

/** The words that names like `list_pullRequests` consist of. */
const wordsOfNames = (names: readonly string[]): string[] =>
  names.flatMap(
    (name) =>
      name
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .toLowerCase()
        .match(/[a-z]+/g) ?? [],
  );

/** What a text is about, by the words of its old contract. */
export interface About {
  /** Names of the tool and of the parameter: their words say in the text what they say in the name. */
  names: readonly string[];
  /** Of the text of a tool: its parameters, as text. Other words that a caller knows from there add nothing. */
  parameters?: string;
}

interface Vocabulary {
  names: ReadonlySet<string>;
  known: ReadonlySet<string>;
  isTool: boolean;
}

/** The words in one that hyphens and apostrophes join. */
const partsOf = ({ text }: Token): string[] => text.toLowerCase().split(/['’-]/);

const carries = (word: string, { names }: Vocabulary): boolean => CARRYING.has(word) && !names.has(singular(word));

const isHarmless = (token: Token, words: Vocabulary): boolean =>
  !token.exact &&
  partsOf(token).every((part) => !carries(part, words) && (PLAIN.has(part) || words.known.has(singular(part))));

/** One more thing that may be given, in a few words: what could be given before still can. A tool may do one more. */
const isAlternative = ([first, ...others]: readonly Token[], words: Vocabulary): boolean =>
  !words.isTool &&
  first?.text.toLowerCase() === 'or' &&
  others.length > 0 &&
  others.length <= LONGEST_ALTERNATIVE &&
  others.every((token) => !token.exact && !partsOf(token).some((part) => carries(part, words)));

/** Words that would warn as a label, and carry nothing in a sentence. */
const WARNING_LABEL =
  /^(?:alpha|caution|critical|danger|dangerous|enterprise|external|important|internal|limited|note|paid|premium|private|public|restricted|risky|unsafe|warning)$/i;

/** A name such as that of the service, which stands before the description of each of its tools. */
const isProperName = (token: Token, words: Vocabulary): boolean =>
  !token.exact &&
  /^[A-Z][a-z]+$/.test(token.text) &&
  !WARNING_LABEL.test(token.text) &&
  !carries(token.text.toLowerCase(), words);

const LONGEST_ALTERNATIVE = 5;
const LONGEST_LABEL = 2;

/** Whether words that came at one place, after `before`, say nothing new there. */
const addsNothing = (came: readonly Token[], before: Token | undefined, words: Vocabulary): boolean => {
  const [first, last] = [came[0], came.at(-1)];
  if (first === undefined || last === undefined) return true;
  if (before === undefined) {
    const isMarked = last.text === '|';
    const label = isMarked ? came.slice(0, -1) : last.pauses ? came : [];
    const says = (token: Token): boolean =>
      !isHarmless(token, words) && !(isMarked && words.isTool && isProperName(token, words));
    return label.length > 0 && label.length <= LONGEST_LABEL && !label.some(says);
  }
  if (before.ends && isAlternative(came, words)) return true;
  if (!came.every((token) => isHarmless(token, words))) return false;
  // Elsewhere they would become a part of what was said.
  return (first.opens && last.closes) || (before.ends && JOINING.has(first.text.toLowerCase()));
};

/** Says that something should not be used any more, or is to be used otherwise. */
const WARNING =
  /\b(?:deprecat|obsolete|legacy|retire|remove|replace|unsupported|instead|no longer|do not|don['’]t|never)/i;

/** Whether a title, which the model is not shown, came with a warning in it. */
export const warns = (before: Json | undefined, after: Json | undefined): boolean =>
  typeof after === 'string' &&
  WARNING.test(after.slice(0, LONGEST)) &&
  !(typeof before === 'string' && WARNING.test(before));

/** What generators put below a description: how the server answers a call that was wrong anyway, in the words of HTTP. */
const STATUS =
  /^[45]\d\d: (?:[45]\d\d|bad request|unauthorized|forbidden|not found|conflict|gone|unprocessable (?:entity|content)|too many requests|internal (?:server )?error|service unavailable)$/i;

const withoutStatuses = (text: string): string => {
  const lines = text.split('\n');
  const heading = lines.lastIndexOf('Error Responses:');
  const below = heading > 0 ? lines.slice(heading + 1).filter((line) => line.trim() !== '') : [];
  return below.length > 0 && below.every((line) => STATUS.test(line.trim()))
    ? lines.slice(0, heading).join('\n')
    : text;
};

const same = (a: Token, b: Token): boolean =>
  a.exact === b.exact &&
  (a.text === b.text || (!a.exact && (a.begins || b.begins) && a.text.toLowerCase() === b.text.toLowerCase()));

/**
 * Whether a new text says what the old one said and adds nothing that a caller could have got wrong: all old words are
 * there, in their order, and those that came stand in parentheses, at the end of a sentence or in a label before it all,
 * and none of them carries a value, a condition, a unit or an effect. `false` also means: nobody can tell.
 */
export const clarifies = (said: string, says: string, { names, parameters }: About): boolean => {
  if (said.length > LONGEST || says.length > LONGEST) return false;
  const [before, after] = [said, says].map(withoutStatuses) as [string, string];
  if (before.replace(/\s+/g, ' ').trim() === after.replace(/\s+/g, ' ').trim()) return true;
  if (!ENGLISH.test(before) || !ENGLISH.test(after)) return false;
  const [old, now] = [tokensOf(before), tokensOf(after)];
  if (old.length === 0) return false;
  const own = wordsOfNames(names).map(singular);
  const told = [
    ...old.flatMap(({ text, exact }) => (exact ? [] : [text.toLowerCase()])),
    ...wordsOfNames([parameters ?? '']),
  ];
  const words: Vocabulary = {
    names: new Set(own),
    known: new Set([...own, ...told.map(singular)]),
    isTool: parameters !== undefined,
  };
  let at = 0;
  for (let index = 0; index <= old.length; index++) {
    const wanted = old[index];
    const from = at;
    while (at < now.length && !(wanted && same(wanted, now[at] as Token))) at++;
    if (wanted && at === now.length) return false;
    if (!addsNothing(now.slice(from, at), old[index - 1], words)) return false;
    at++;
  }
  return true;
};
