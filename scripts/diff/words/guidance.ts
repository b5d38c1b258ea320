// Sentences of a tool's description that say nothing about what a call means or does.
import { kindOf } from './kinds.ts';
import type { Token } from './tokens.ts';

/** What is called or used: a tool. "Use cents" says in what form values are given. */
const A_TOOL = String.raw`(?:another|it|(?:this )?tool|this|\w+_\w+|\w+(?: \w+)? tool)`;

/** When to call the tool, where to read about it, and what calls need that are refused without it. */
const GUIDANCE = new RegExp(
  [
    String.raw`^(?:you )?(?:(?:can|do not|may|should) )?(?:call|prefer|try|use) (?:${A_TOOL} )?(?:before|for|if|in|instead|to|when\w*)\b`,
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

/** A call is not wrong because of how it is answered, unless the answer is taken for another amount. */
const ANSWERS = /^(?:outputs?|responses?|returns?)\b/;
const OF_AMOUNTS: ReadonlySet<string | undefined> = new Set(['base', 'quantity', 'time zone', 'unit']);

/** Words that tell where a call takes effect, or that it cannot be undone. */
const OF_PLACE = /^(?:care|caution|production|sandbox|staging|undone)$/;
/** Whether a verb says what happens, behind advice: "..., since it deletes others", "the others are cleared". */
const happens = (token: Token): boolean => kindOf(token) === 'effect' && /(?:s|ed|en)$/.test(token.word);

const asText = (tokens: readonly Token[]): string =>
  tokens.map(({ joining, word }) => [...joining, word].join(' ')).join(' ');

/** Whether a sentence tells when to use the tool, what it answers, or the like. */
export const isNoFact = (sentence: readonly Token[]): boolean => {
  const text = asText(sentence);
  if (ANSWERS.test(text)) return !sentence.some((token) => OF_AMOUNTS.has(kindOf(token)));
  const advises = ({ parted }: Token, at: number): boolean =>
    parted === true && ADVISES.test(asText(sentence.slice(at, at + 4)));
  const isGuidance = GUIDANCE.test(text) || (HAS_REASON.test(text) && sentence.some(advises));
  return isGuidance && !sentence.some((token) => OF_PLACE.test(token.word) || happens(token));
};
