/** The name of a tool, as nothing but code is written. */
const NAME = String.raw`(?:\x60[\w./-]{1,80}\x60|[a-z][a-z\d]{0,60}_\w{1,80})`;
const SEE_ALSO = new RegExp(
  String.raw`(?<=^|[.\n][ \t]{0,9})(?:see also|related(?: tools)?):?[ \t]+${NAME}(?:,?[ \t](?:(?:and|or)[ \t])?${NAME}){0,30}(?:\.(?=\s|$)|(?=[ \t]{0,9}(?:\n|$)))`,
  'gi',
);

/** A description without names of other tools that may be of interest: these say nothing of this one. */
export const withoutSeeAlso = (text: string): string => text.replace(SEE_ALSO, '');
