// Whether two names are of the same thing: only then may a value that was meant for one be given to the other.
import { letters, nameWords } from './name-words.ts';

/** Short forms, and the words that they stand for. To add one, put it here. */
const SHORT_FORMS = new Map(
  `addr:address amt:amount attr:attribute cfg:configuration config:configuration db:database dept:department
  desc:description dest:destination dir:directory doc:document dst:destination env:environment ext:extension fmt:format
  img:image lang:language lat:latitude len:length lng:longitude lon:longitude mail:email max:maximum min:minimum
  msg:message num:number org:organization organisation:organization param:parameter passwd:password pkg:package
  pr:pullrequest proj:project pwd:password q:query qty:quantity ref:reference repo:repository src:source tel:telephone
  tmpl:template tz:timezone usr:user val:value`
    .split(/\s+/)
    .map((pair) => pair.split(':') as [string, string]),
);

const singular = (word: string): string => word.replace(/(?<=..)(?<!s)s$/, '');

/** A word, in full and of one thing: "repos" is "repository". */
const inFull = (word: string): string => SHORT_FORMS.get(singular(word)) ?? singular(word);

/** Words that say nothing more of a value, behind its name and before that of a switch. */
const AFTER = new Set(['arg', 'argument', 'parameter', 'value']);
const BEFORE = new Set(['is', 'should']);

/** A name without what says nothing, in one spelling. */
const plainName = (name: string): string => {
  const words = nameWords(name).map(inFull);
  while (words.length > 1 && AFTER.has(words.at(-1) as string)) words.pop();
  if (words.length > 1 && BEFORE.has(words[0] as string)) words.shift();
  return words.join('');
};

/** In each row, whole names that people use for the same parameter. As parts of other names, they may be other things. */
const SAME = `
  query search term keyword search_query search_string search_term search_text query_string query_text
  city location place town
  limit max maximum count top first page_size per_page max_results max_items max_count num_results result_limit
    results_per_page items_per_page page_limit
  to recipient
  message text body content
  file path filename file_path
  user username login
  directory folder
  link uri url
  cursor page_token next_page_token next_token
  page page_number page_no
  phone phone_number telephone telephone_number
  email email_address
  order_by sort_by
  begin start
  end finish`
  .trim()
  .split(/\n {2}(?! )/)
  .map((row) => new Set(row.trim().split(/\s+/).map(plainName)));

/** Whether a name has words, and nothing beside them: no other letters, and no sign. */
export const isPlain = (name: string): boolean => /[a-z]/i.test(name) && nameWords(name).join('') === letters(name);

/** Whether two words are one, or one stands for the other. */
export const areSameWord = (one: string, other: string): boolean => inFull(one) === inFull(other);

/** Whether two names are of the same thing: `repo` and `repository`, `city` and `location`, `path` and `file_path`. */
export const meanSame = (from: string, to: string): boolean => {
  if (!isPlain(from) || !isPlain(to)) return false;
  const [one, other] = [plainName(from), plainName(to)];
  return one === other || SAME.some((row) => row.has(one) && row.has(other));
};
