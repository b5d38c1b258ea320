// Signs that only shape a text: typographic ones, and Markdown's.

/** A text with plain quotation marks and comparisons. */
export const withPlainQuotes = (text: string): string =>
  text
    .replace(/[‘’]/g, "'")
    .replace(/[“”„]/g, '"')
    .replace(/«([^«»\n]{1,80})»/g, '"$1"')
    .replace(/≥/g, '>=')
    .replace(/≤/g, '<=')
    .replace(/\u00b5/g, '\u03bc');

/** A text with plain signs in place of typographic ones that say the same. */
const typed = (text: string): string =>
  withPlainQuotes(text.normalize('NFC'))
    .replace(/[\u00a0\u2007\u202f]/g, ' ')
    .replace(/…/g, '...')
    .replace(/[\u2011\u2212]/g, '-')
    .replace(/\ufe0f/g, '')
    // A picture that a text begins with is an ornament, unless it warns, or is one of several.
    .replace(/^\s*(?![⚠⛔❌🚫])\p{Extended_Pictographic}\s+(?=\p{L}\P{Extended_Pictographic}*$)/u, '')
    // Before a later sentence, one that warns only draws the eye to what that says.
    .replace(/(?<=[.!?]\s{1,2})(?![⛔❌🚫✅✔])\p{Extended_Pictographic}\s+(?=\p{Lu}\P{Extended_Pictographic}*$)/u, '')
    // Between digits a dash is a sign; elsewhere it is a pause.
    .replace(/(?<=\d)\s*[–—]\s*(?=\d)/g, '-')
    .replace(/[–—]/g, ' - ');

/** Code and quoted values. */
export const QUOTED = [
  String.raw`\x60[^\x60\n]{1,200}\x60`,
  String.raw`(?<![\w'])'[^'\n]{0,80}'(?!\w)`,
  String.raw`"[^"\n]{0,80}"`,
] as const;

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&apos;': "'",
  '&gt;': '>',
  '&lt;': '<',
  '&nbsp;': ' ',
  '&quot;': '"',
  '&#34;': '"',
  '&#39;': "'",
};
/** What HTML marks in prose. In code and quoted values it stands for itself, and so it does in a text about HTML. */
const MARKUP = new RegExp(
  [
    ...QUOTED,
    String.raw`<code>(?<code>[^<>\x60\n]{1,200})</code>`,
    '(?<tag></?(?:b|br|em|i|li|p|strong|ul)(?: ?/)?>)',
    ...Object.keys(ENTITIES),
  ].join('|'),
  'g',
);
const OF_MARKUP = /\b(?:html|xml|markup|tags?|entit(?:y|ies)|escap\w{1,5}|encod\w{1,5})\b/i;

/** A text without the marks of HTML that only shape it. */
const withoutMarkup = (text: string): string =>
  !/<\w|&[#\w]/.test(text) || OF_MARKUP.test(text)
    ? text
    : text.replace(MARKUP, (all: string, ...rest: unknown[]) => {
        const { code, tag } = rest.at(-1) as Record<string, string | undefined>;
        if (code !== undefined) return `\`${code}\``;
        if (tag !== undefined) return /^<\/?(?:br|li|p|ul)\b/.test(tag) ? '\n' : '';
        return ENTITIES[all] ?? all;
      });

/** Lines that only shape a text: the rule of a table, and the fence around code. */
const SHAPING_LINE =
  /^[ \t]{0,9}(?:(?=[|: \t]{0,9}-)(?=[^\n]{0,200}\|)[|: \t-]{3,200}|(?:\x60{3}|~{3})[\w+-]{0,20}[ \t]*)$/gm;

/** What is emphasized, and is no part of a name. */
const EMPHASIZED = String.raw`(?:(?:not|no|never|only|always|must|should|may|can|all|any|every|each|both|either|before|after|and|or|if|is|are|will)(?!\w)|(?:note|important|warning|caution):|\((?:optional|required|deprecated|default)(?!\w))`;
/** What Markdown sets in bold, or emphasizes. In code and quoted values, every sign is a sign. */
const MARKED = new RegExp(
  [
    ...QUOTED,
    // Not `src/**`, `2**n` or `**kwargs`.
    String.raw`(?<![\w*/\\])\*\*(?=[^\s*/.\\])(?<bold>[^*\n]{1,200}?)(?<=[^\s*/\\])\*\*(?!\w|[*/\\]|\.\w)`,
    // Not `__init__`.
    String.raw`(?<!\w)__(?=[^\s_])(?<bolder>[^_\n]{1,200}?)(?<=\S)__(?!\w)`,
    // Not `*name*`, which may stand for any text with that name in it.
    String.raw`(?<![\w*/\\]|[:=] ?)\*(?<emphasis>${EMPHASIZED}[^*\n]{0,200}?)(?<=\S)\*(?!\w|[*/\\]|\.\w)`,
  ].join('|'),
  'gi',
);

/** Says that a sign may stand for any text. */
export const PATTERNS =
  /\b(?:globs?|globbing|wildcards?|patterns?|match(?:es|ed|ing)?|regex(?:es|ps?)?|regular expressions?|like|named)\b/i;

const unmarked = (text: string): string => {
  const isOfPatterns = PATTERNS.test(text);
  return text.replace(MARKED, (all: string, ...rest: unknown[]) => {
    const { bold, bolder, emphasis } = rest.at(-1) as Record<string, string | undefined>;
    if (bolder !== undefined && /[^\p{L}\p{N}]/u.test(bolder)) return bolder;
    return bold ?? (isOfPatterns ? undefined : emphasis) ?? all;
  });
};

/** What makes a line an item, a title or a quotation. Before a number, or as what is spoken of, it is a sign. */
const LINE_MARK =
  /^[ \t]*(?:-(?![ \t]+[-+.$€£¥]*\d)|[*•]|#{1,6}|>(?=[ \t]+(?:(?!Max|Min|Limit|Threshold)[A-Z][a-z]|A[ \t]|\[!)))[ \t]+(?![ \t]|(?:is|are|means?|stands|matches)\b)/gm;

/** A text without signs that only shape it: typographic ones, and Markdown's. */
export const withoutMarks = (text: string): string =>
  unmarked(
    withoutMarkup(/^[\0-\x7f]*$/.test(text) ? text : typed(text))
      .replace(/\r\n?/g, '\n')
      .replace(SHAPING_LINE, '')
      .replace(/\[([^[\]\n]{1,200})\]\((\S{1,500}?)\)/g, '$1 $2'),
  ).replace(LINE_MARK, '');
