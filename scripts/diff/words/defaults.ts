// Ways to say which value a parameter has by default: "50 by default", "Default is 50.", "If omitted, 50 is used."

const VALUE = String.raw`-?\d{1,15}(?:\.\d{1,9})?%?|\x60[^\x60\n]{1,60}\x60|"[^"\n]{1,60}"|'[^'\n]{1,60}'|[A-Z]?[a-z]{1,20}`;
const LEFT_OUT = `(?:omitted|unset|unspecified|absent|left (?:out|blank|empty)|not (?:be )?(?:given|passed|present|provided|set|specified|supplied))`;
/** "If it is omitted", "when none is given", "without it". */
export const IF_LEFT_OUT = `(?:(?:if|when)(?: (?:it|this)(?: is)?)? ${LEFT_OUT}|(?:if|when) (?:none|nothing) is (?:given|passed|provided|set|specified|supplied)|(?:if|when) (?:you )?(?:leave|left) (?:it|this) (?:out|blank|empty)|without it(?=,|$))`;
const FORMS = [
  `(?:the )?default(?:s|ed)?(?: value)?(?: (?:is|of|to))? ?[:=]? ?(${VALUE})`,
  `(${VALUE}) by default`,
  `(${VALUE})(?: is (?:assumed|used))? ${IF_LEFT_OUT}`,
  `${IF_LEFT_OUT},? (?:(?:it )?(?:default(?:s|ing)? to|is|uses) )?(${VALUE})(?: is (?:assumed|used))?`,
];
/** Only what says nothing else: "50 results by default" may be about something else. */
const DEFAULT = new RegExp(String.raw`( ?[,;(.]|(?<=\S) -) ?(?:${FORMS.join('|')})(\)?)(?= {0,2}(?:$|[.,;)\n]))`, 'gi');

/** A text with each default in one form: "(default 50)". */
export const withDefaults = (text: string): string =>
  /default|omitted|unset|unspecified|absent|left|leave|not |none|nothing|without it/i.test(text)
    ? text.replace(DEFAULT, (_all, pause: string, ...rest: string[]) => {
        const value = rest.slice(0, FORMS.length).find((one) => one !== undefined);
        const end = pause.includes('(') ? '' : rest[FORMS.length];
        return ` (default ${value})${end}`;
      })
    : text;
