// Where to get a value: "Event id, as returned by list_events". Without that, it is the same value.
import { nameWords } from '../name-words.ts';
import { stem } from './opposites.ts';

/** The name of a tool that finds something. */
const FINDER =
  '(?:browse|fetch|find|get|list|lookup|query|resolve|search)(?:(?:_[a-z]{1,30}){1,5}|(?:[A-Z][a-z]{1,30}){1,5})';
const NAME = String.raw`(?:the )?["'\x60]?${FINDER}["'\x60]?(?:\(\))?(?: tool)?(?!\w)`;
const GOT = '(?:as )?(?:found|given|listed|obtained|provided|returned) (?:by|from|in|via|with)';
const WHAT = '(?:available ones|ids|it|one|the ids?|them|valid ids|valid ones)';
const HINT = new RegExp(
  [
    String.raw` \((?:${GOT}|from|[Gg]et ${WHAT} (?:from|with)|[Ss]ee|[Uu]se) ${NAME}\)`,
    String.raw`,? (?:${GOT}|from) ${NAME}(?=\.?\s{0,3}(?:$|[,;)\n]))`,
    String.raw`(?<=[.;] )(?:(?:[Cc]all|[Uu]se) ${NAME} to (?:find|get|look up|obtain|see) ${WHAT}|(?:[Gg]et ${WHAT} (?:from|with)|[Ss]ee) ${NAME})(?:\.|(?=\s{0,3}$))`,
  ].join('|'),
  'g',
);

/** A sentence that says what a caller must be allowed, and nothing else: without it, the call is refused. */
const PERMISSION = new RegExp(
  [
    String.raw`(?<=[.!?]\s{1,2}|\n\s{0,9})(?:(?:you )?need|needs|requires?) (?:(?:an?|the) )?(?:["'\x60]?[\w:.-]{1,40}["'\x60]? ){1,3}(?:access|permissions?|plan|role|scopes?|subscription)(?: (?:for|on|to) the [a-z]{1,20})?(?:\.|(?=\s{0,9}$))`,
    String.raw`(?<=[.!?]\s{1,2}|\n\s{0,9})(?:requires? (?:the )?(?:oauth )?|(?:required|needed) (?:oauth )?)(?:permissions?|roles?|scopes?):? (?:["'\x60][\w:./-]{1,40}["'\x60]|[\w/-]{1,40}[:.][\w:./-]{1,40}\w)(?:(?:,| and| or) ["'\x60]?[\w:./-]{1,40}\w["'\x60]?){0,9}(?:\.|(?=\s{0,9}$))`,
  ].join('|'),
  'gi',
);
/** What is asked for with a call is no permission. */
const OF_CALL = /\b(?:approval|confirm\w*|consent|delet\w*|explicit|human|user's|written)\b/i;
export const withoutPermissions = (text: string): string => {
  const rest = text.replace(PERMISSION, (said) => (OF_CALL.test(said) ? said : ''));
  return rest === text ? text : rest.trimEnd();
};

/** A word in the singular. */
const one = (word: string): string => stem(word.replace(/ies$/, 'y'));

const hintsOf = (text: string): string => (text.match(HINT) ?? []).join();

/**
 * Two texts without hints that only one of them has, and that name nothing else than the text and the names do: an ID from
 * `list_calendars` is none of an event.
 */
export const withoutHints = (given: readonly [string, string], names: readonly string[]): readonly [string, string] => {
  const texts = given.map(withoutPermissions) as [string, string];
  const hints = texts.map(hintsOf);
  if (hints.every((hint) => hint === '') || !hints.includes('')) return texts;
  const named = names.flatMap(nameWords);
  return texts.map((text) => {
    const rest = text.replace(HINT, '');
    const known = new Set([...named, ...(rest.toLowerCase().match(/[a-z]+/g) ?? [])].map(one));
    const isKnown = (hint: string): boolean =>
      nameWords(new RegExp(FINDER).exec(hint)?.[0] ?? '')
        .slice(1)
        .every((word) => known.has(one(word)));
    return text.replace(HINT, (hint) => (isKnown(hint) ? '' : hint));
  }) as unknown as readonly [string, string];
};
