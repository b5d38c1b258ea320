// Whether two names are of different things: a value that was meant for one must not be given to the other.
import { areTrialAndWork } from './consent.ts';
import { nameWords } from './name-words.ts';
import { kindOf } from './words/kinds.ts';
import { areComplements, areOpposite, stem } from './words/opposites.ts';

/** In each row, every word names something else. Words that people use for the same stand in no row together. */
const UNLIKE = `
  code email id name number path phone slug url
  depth height length width
  column row
  from to
  since until
  lat lon
  begin end
  begin finish
  end start
  finish start
  item page
  limit offset
  offset page
  page row
  csv html json markdown text xml yaml
  group organization person project team user workspace
  assignee author owner reporter
  approver assignee author owner requester
  amount currency
  beneficiary from
  from payee
  payer to
  customer invoice price product subscription
  base head
  billing shipping
  directory file
  bcc cc subject to
  bcc cc recipient subject
  closed created deleted merged modified
  closed created deleted merged updated
  due start
  day hour minute month second week year
  city country region street`
  .trim()
  .split('\n')
  .map((row) => new Set(row.trim().split(' ').map(stem)));

/** Kinds of words that tell one value from another, wherever they stand. */
const DECISIVE: ReadonlySet<string | undefined> = new Set(['unit', 'negation', 'time zone']);
/** Negations among names, which are none in a sentence. */
const EXCEPTING = /^(?:blocked|denied|excluded|excluding|forbidden|omitted)$/;
/** Those that do alone if only the type is evidence; else where both names have one: `preview` and `publish`. */
const ACTING: ReadonlySet<string | undefined> = new Set(['effect']);
/**
 * Those that do beside another of them: `source` and `target`. Without other evidence, they do beside words that stay, too:
 * `id` and `parent_id`.
 */
const TELLING: ReadonlySet<string | undefined> = new Set(['order', 'direction', 'base', 'format']);
/** What a value is given by: that of `channel` may be a name, but `channel_id` takes no name. */
const GIVEN_BY = /^(?:email|id|key|name|phone|slug|url|uuid)$/;
/** Languages: what was written in another one is no text of these. */
const WRITTEN_IN = /^(?:cql|cypher|graphql|jql|kql|lucene|promql|regex|soql|sql|xpath)$/;
/** Words of limits, which tell no unit: `per_page` and `page_size`, `max_tokens` and `token_limit`. */
const COUNTING = /^(?:per|each|lines?|tokens?|char(?:acter)?s?)$/;

/** Short forms of words begin like them: "repo", "dest". */
const LEAST_SHORT = 3;
const isShortFor = (one: string, other: string): boolean =>
  one.length >= LEAST_SHORT && other.length > one.length && other.startsWith(one);

/** The words of one name that the other one has not, in any form. */
const withoutForms = (words: readonly string[], others: readonly string[]): string[] =>
  words.filter(
    (word) => !others.some((other) => stem(other) === stem(word) || isShortFor(word, other) || isShortFor(other, word)),
  );

/**
 * Whether two names differ in words that make them names of different things: `timeout_s` and `timeout_ms`, `keep` and `delete`,
 * `user_id` and `user_email`.
 * @param told what is said of each; a unit that the words told from the first is no other one
 * @param isSame something besides the names shows that it is the same
 */
export const areUnlike = (
  [from, to]: readonly [string, string],
  told: readonly [string, string] = ['', ''],
  isSame = false,
): boolean => {
  const [had, has] = [nameWords(from), nameWords(to)];
  if (had.join('') === has.join('')) return false;
  const [lost, came] = [withoutForms(had, has), withoutForms(has, had)];
  const [before, after] = told.map((text) => new Set(text.toLowerCase().match(/\p{L}+/gu)));
  const [untoldLost, untoldCame] = [
    lost.filter((word) => !after?.has(word)),
    came.filter((word) => !before?.has(word)),
  ];
  // As text, a name with a digit would be code: "base64".
  const hasOf = (kinds: ReadonlySet<string | undefined>) =>
    [untoldLost, untoldCame].filter((side) =>
      side.some((word) => !COUNTING.test(word) && kinds.has(kindOf({ text: '', word }))),
    );
  const stays = lost.length < had.length;
  if (hasOf(DECISIVE).length > 0 || hasOf(ACTING).length > (isSame ? 1 : 0)) return true;
  if (hasOf(TELLING).length > (stays && !isSame ? 0 : 1)) return true;
  if ([untoldLost, untoldCame].some((side) => side.some((word) => EXCEPTING.test(word)))) return true;
  if (!isSame && untoldCame.some((word) => WRITTEN_IN.test(word))) return true;
  if (!isSame && stays && untoldCame.some((word) => GIVEN_BY.test(word))) return true;
  return lost.some((old) =>
    came.some(
      (now) =>
        areOpposite(old, now) ||
        UNLIKE.some((row) => row.has(stem(old)) && row.has(stem(now)) && stem(old) !== stem(now)),
    ),
  );
};

/** What a switch is called by, beside what it is about: "is_public", "enable_cache", "https_only". */
const OF_SWITCH = /^(?:allow|be|do|enable|flag|include|is|mode|only|send|should|show|use|with)(?:s|d|ed)?$/;
const NEGATIVE =
  /^(?:avoid|deny|disable|disallow|dont|exclude|forbid|hide|ignore|never|no|non|not|omit|prevent|skip|suppress|without)(?:s|d|ed)?$/;

/** What the name of a switch is about, and whether it is on where that is not so. */
const senseOf = (name: string): { about: string[]; isNegative: boolean } => {
  const words = nameWords(name);
  const about = words.filter((word) => !OF_SWITCH.test(word) && !NEGATIVE.test(word));
  return {
    about: about.length > 0 ? about : words,
    isNegative: about.length > 0 && words.filter((word) => NEGATIVE.test(word)).length % 2 === 1,
  };
};

/** Names in one word, of switches whose words do not show that one is the opposite of the other. */
const INVERSE = [
  [/^(?:allow|use)http$/, /^(?:(?:force|require|use)https|https(?:only|required))$/],
  [/^(?:is)?readonly$/, /^(?:allow|can|is|enable)?(?:edits?|writable|writes?|writing)$/],
  [/^(?:check|validate|verify)(?:cert(?:ificate)?s?|ssl|tls)$/, /^(?:allow)?insecure$/],
] as const;

const areListedInverse = (one: string, other: string): boolean =>
  INVERSE.some(([name, inverse]) => name.test(one) && inverse.test(other));

/** Whether one of two switches is on where the other is off, by their names: `public` and `private`, `draft` and `publish`. */
export const areInverse = (from: string, to: string): boolean => {
  const [name, inverse] = [nameWords(from).join(''), nameWords(to).join('')];
  if (areListedInverse(name, inverse) || areListedInverse(inverse, name)) return true;
  const [had, has] = [senseOf(from), senseOf(to)];
  const [lost, came] = [withoutForms(had.about, has.about), withoutForms(has.about, had.about)];
  if (lost.length + came.length === 0) return had.isNegative !== has.isNegative;
  if (had.isNegative !== has.isNegative) return false;
  const [old = '', now = ''] = lost.length === 1 && came.length === 1 ? [...lost, ...came] : [];
  return areComplements(old, now) || areTrialAndWork(had.about.join(''), has.about.join(''));
};
