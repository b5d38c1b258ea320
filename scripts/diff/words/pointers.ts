// What a tool's description tells beside what a call does: pages of documentation, whom to write to, since when there is the
// tool, and in which form it returns what it returns.

const PAGE_WORDS =
  /^(?:also|and|api|are|at|be|can|details|docs?|documentation|examples|find|for|found|full|further|guides?|help|here|in|info|information|is|learn|manual|more|official|on|or|page|please|read|refer|reference|see|spec|specification|the|this|to|tool|visit)$/i;
const IS_PAGE = /\b(?:details|docs?|documentation|guides?|learn|manual|more|reference|see|spec|specification)\b/i;
const CONTACT_WORDS =
  /^(?:an?|and|any|at|author|bugs?|by|contact|e-?mail|feedback|for|help|issues?|mail|maintainers?|or|please|problems?|questions?|support|team|the|to|us|via|with|write)$/i;
const IS_CONTACT = /\b(?:author|bugs?|contact|feedback|help|issues?|maintainers?|problems?|questions?|support)\b/i;

/** A sentence, or what stands in brackets, that ends with an address. */
const POINTER =
  /(^|[.!?\n] {0,2}|\()((?:[a-z]{1,20}[,:]? ){0,7}[a-z]{1,20}[,:]?(?: |\n(?:[-*•] ?)?))(?:(https?:\/\/[^\s<>"'`)\]]{1,500})|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4})(\)|\.(?=\s|$)|(?=\s{0,9}$))/gim;

/** A tool's description without them. */
const withoutAddresses = (text: string): string =>
  text.replace(POINTER, (all, before: string, said: string, address: string | undefined, end: string) => {
    const [words, is] = address === undefined ? [CONTACT_WORDS, IS_CONTACT] : [PAGE_WORDS, IS_PAGE];
    const isPointer = is.test(said) && said.split(/[,:\s*•-]+/).every((word) => word === '' || words.test(word));
    const isClosed = (before === '(') === (end === ')');
    return isPointer && isClosed ? before.replace('(', '') : all;
  });

/** "New in version 2.3." What else is said there may matter. */
const SINCE =
  /(?<=^|[.!?\n] {0,2})\(?(?:added|available|introduced|new)(?: in| since)(?: version)? v?\d{1,4}(?:\.\d{1,4}){0,3}(?:\)\.?(?=\s|$)|\.(?=\s|$)|(?=\s{0,9}$))/gim;

/** Of a tool that only looks, the form of what it returns. */
const RESULT_FORM =
  /^(\s{0,9}(?:fetch|find|get|list|retrieve|return|search|show)(?:e?s)?\b[^.;,:()\n]{1,200}?) as (?:an? )?(?:csv|json|html|markdown|plain text|text|xml|yaml)(?: (?:array|document|list|object|string|table))?(?=\.?\s{0,9}$|\.\s)/i;

const addressesIn = (text: string): string => (text.match(/https?:\/\/\S{1,500}|\S{0,64}@\S{1,100}/g) ?? []).join(' ');

/**
 * Two descriptions of a tool without all that, unless other addresses differ, too: "Sends it. See A" is not "Sends it to B". A
 * form of the result that takes another's place counts.
 */
export const withoutRemarks = (texts: readonly [string, string]): readonly [string, string] => {
  const [old, now] = texts.map((text) => withoutAddresses(text).replace(SINCE, '')) as [string, string];
  if (addressesIn(old) !== addressesIn(now)) return texts;
  if (RESULT_FORM.test(old) === RESULT_FORM.test(now)) return [old, now];
  return [old.replace(RESULT_FORM, '$1'), now.replace(RESULT_FORM, '$1')];
};
