// Sentences of a tool's description that say nothing about what a call means or does.
import { kindOf, VALUE } from './kinds.ts';
import type { Token } from './tokens.ts';

const asText = (tokens: readonly Token[]): string =>
  tokens.map(({ joining, word }) => [...joining, word].join(' ')).join(' ');

/** What is called or used: a tool. "Use cents" says in what form values are given. */
const A_TOOL = String.raw`(?:another|it|(?:this )?tool|this|\w+_\w+|\w+(?: \w+)? tool)`;

/** When to call the tool, where to read about it, and what calls need that are refused without it. */
const GUIDANCE = new RegExp(
  [
    String.raw`^(?:you )?(?:(?:can|do not|may|should) )?(?:call|prefer|try|use) (?:${A_TOOL} )?(?:before|for|if|in|instead|to|when\w*)\b`,
    // Which tool to call before this one.
    String.raw`^(?:first (?:call|run|use) (?:\w+_\w+|another tool)|(?:call|run|use) (?:\w+_\w+|another tool) first)(?:$| to (?:find|get|learn|look|see)\b)`,
    String.raw`^(?:best|great|ideal|perfect|useful) (?:as|for|if|in|to|when)\b`,
    String.raw`^(?:docs?|documentation)(?: (?:at|https?|on)\b|$)|^(?:browse|see|thanks)\b|^(?:learn|read) (?:about|how|more)\b`,
    String.raw`^rate[- ]limit|^(?:can|may) take\b|^(?:only )?available (?:for|in|on|to|with)\b`,
    String.raw`^(?:deprecated|experimental)(?: (?:in favou?r|see|since|use)\b|$)`,
    String.raw`^(?:note )?requires? (?:\w+ ){0,3}?(?:api keys?|auth(?:entication|orization)?|credentials?|oauth\d?|scopes?|subscriptions?)$`,
    // With a dot or colon it is no value of a parameter.
    String.raw`^requires? (?:oauth )?scope \w+(?:[.:]\w+)+$`,
    String.raw`^(?:does not (?:need|require)|needs no|requires no)\b(?!.*\b(?:approv|confirm|consent|permission|review|without))`,
  ].join('|'),
);
/** In a sentence that begins with its reason, a pause tells where the advice begins: "To see one, use get_row". */
const HAS_REASON = /^(?:for|if|to|when)\b/;
const ADVISES = new RegExp(String.raw`^(?:(?:call|try|use) ${A_TOOL}\b|(?:prefer|see)\b)`);

/** What a sentence of praise begins with, before the praise. */
const ABOUT_IT = '(?:(?:also|be|even|far|generally|it|much|now|often|this|tool|usually) ){0,5}';
const BETTER =
  '(?:better|cheaper|easier|faster|lighter|quicker|simpler|more (?:accurate|convenient|efficient|powerful|precise|reliable|robust))';
const SPENT = '(?:bandwidth|calls|context|effort|memory|requests|resources|steps|time|tokens)';

/** Why to prefer the tool to others, and when it is of use. */
const PRAISE = new RegExp(
  [
    String.raw`^(?:choose|prefer|use) (?:${A_TOOL} )?(?:over|rather than)\b`,
    String.raw`^${ABOUT_IT}(?:best|good|great|handy|helpful|ideal|perfect|useful) (?:after|before|while|(?:first )?(?:choice|step))\b`,
    String.raw`^${ABOUT_IT}${BETTER}(?: and ${BETTER})?(?: than\b|$)`,
    String.raw`^${ABOUT_IT}(?:consume|cost|need|take|use)s? (?:far |much )?(?:fewer|less) ${SPENT}(?: than\b|$)`,
  ].join('|'),
);
/** What it is made of. */
const MADE_OF = new RegExp(String.raw`^${ABOUT_IT}(?:built|developed|maintained|powered) (?:by|on|with)\b`);
/** There, these tell how old or how real its answers are. */
const OF_DATA =
  /^(?:cach(?:ed?|es)|copy|delayed|demo|fake|mock(?:ed|s)?|offline|samples?|snapshots?|stale|synthetic|test)$/;
/** Kinds of words that say nothing of the tool behind praise: "faster than the old one", "powered by a new model". */
const OF_OTHERS: ReadonlySet<string | undefined> = new Set([undefined, VALUE, 'direction', 'order']);
/** Words behind which a sentence says more than that. */
const SAYS_MORE = /^(?:as|because|but|by|since|so|though|which|with)$/;

/** Whether a verb says what happens, behind advice: "..., since it deletes others", "the others are cleared". */
const happens = (token: Token): boolean => kindOf(token) === 'effect' && /(?:s|ed|en)$/.test(token.word);

/** The tokens behind the first characters of a sentence. */
const behind = (sentence: readonly Token[], length: number): readonly Token[] => {
  let at = 0;
  for (let end = 0; at < sentence.length && end < length; at++) end += asText(sentence.slice(at, at + 1)).length + 1;
  return sentence.slice(at);
};

/** Whether a sentence only praises the tool, or tells what it is made of. */
const isPraise = (sentence: readonly Token[], text: string): boolean => {
  const made = MADE_OF.exec(text);
  const [beginning] = made ?? PRAISE.exec(text) ?? [];
  const isOfOthers = (token: Token): boolean => {
    const kind = kindOf(token);
    if (made !== null && (kind === 'number' || OF_DATA.test(token.word))) return kind === 'number';
    return !(token.parted || SAYS_MORE.test(token.word)) && (OF_OTHERS.has(kind) || token.word === 'one');
  };
  return beginning !== undefined && behind(sentence, beginning.length).every(isOfOthers);
};

/** A call is not wrong because of how it is answered, unless the answer is taken for another amount. */
const ANSWERS = /^(?:outputs?|responses?|returns?)\b/;
const OF_AMOUNTS: ReadonlySet<string | undefined> = new Set(['base', 'quantity', 'time zone', 'unit']);

/** Words that tell where a call takes effect, or that it cannot be undone. */
const OF_PLACE = /^(?:care|caution|production|sandbox|staging|undone)$/;

/** Whether a sentence tells when to use the tool, what it answers, or the like. */
export const isNoFact = (sentence: readonly Token[]): boolean => {
  const text = asText(sentence);
  if (ANSWERS.test(text)) return !sentence.some((token) => OF_AMOUNTS.has(kindOf(token)));
  const advises = ({ parted }: Token, at: number): boolean =>
    parted === true && ADVISES.test(asText(sentence.slice(at, at + 4)));
  const isGuidance = GUIDANCE.test(text) || (HAS_REASON.test(text) && sentence.some(advises));
  if (sentence.some((token) => OF_PLACE.test(token.word) || happens(token))) return false;
  return isGuidance || isPraise(sentence, text);
};
