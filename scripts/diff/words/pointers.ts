// What a tool's description points a reader to: pages of documentation, and whom to write to. A call does not depend on it.

const PAGE_WORDS =
  /^(?:also|and|api|are|at|details|docs?|documentation|examples|find|for|full|further|guides?|help|here|in|info|information|is|learn|manual|more|official|on|or|page|please|read|refer|reference|see|spec|specification|the|this|to|tool|visit)$/i;
const IS_PAGE = /\b(?:details|docs?|documentation|guides?|learn|manual|more|reference|see|spec|specification)\b/i;
const CONTACT_WORDS =
  /^(?:an?|and|any|at|author|bugs?|by|contact|e-?mail|feedback|for|help|issues?|mail|maintainers?|or|please|problems?|questions?|support|team|the|to|us|via|with|write)$/i;
const IS_CONTACT = /\b(?:author|bugs?|contact|feedback|help|issues?|maintainers?|problems?|questions?|support)\b/i;

/** A sentence, or what stands in brackets, that ends with an address. */
const POINTER =
  /(^|[.!?\n] {0,2}|\()((?:[a-z]{1,20}[,:]? ){1,8})(?:(https?:\/\/[^\s<>"'`)\]]{1,500})|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4})(\)|(?=\s|$)|\.(?=\s|$))/gim;

/** A tool's description without them. */
export const withoutPointers = (text: string): string =>
  text.replace(POINTER, (all, before: string, said: string, address: string | undefined, end: string) => {
    const [words, is] = address === undefined ? [CONTACT_WORDS, IS_CONTACT] : [PAGE_WORDS, IS_PAGE];
    const isPointer = is.test(said) && said.split(/[,: ]+/).every((word) => word === '' || words.test(word));
    const isClosed = (before === '(') === (end === ')');
    return isPointer && isClosed ? before.replace('(', '') : all;
  });
