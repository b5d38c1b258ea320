// Escaping for each format. Invisible and control characters must already have been spelled out, by `visible`.

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for an element or a quoted attribute of XML 1.0 or HTML. */
export const xml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string);

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
/** A file's name may hold control characters, which no runner decodes: they must not reach a terminal. */
const property = (text: string): string =>
  data(text)
    .replaceAll(':', '%3A')
    .replaceAll(',', '%2C')
    .replace(/\p{Cc}/gu, '\u{FFFD}');

/**
 * Text for Markdown: every character that could mean something there or in HTML becomes an entity, and `@name` mentions
 * no one.
 */
export const markdownText = (text: string): string =>
  text.replace(/[^\p{L}\p{N} ,]/gu, (char) => `&#${char.codePointAt(0)};`).replaceAll('&#64;', '&#64;<!-- -->');

/** How severe a finding is: the word of SARIF. */
export type Severity = 'error' | 'warning' | 'note';

/** A workflow command of GitHub Actions: `::error file=…,line=…::message`. */
export const workflowCommand = (
  severity: Severity,
  properties: Record<string, string | number>,
  message: string,
): string => {
  const name = severity === 'note' ? 'notice' : severity;
  const given = Object.entries(properties).map(([key, value]) => `${key}=${property(String(value))}`);
  return `::${name}${given.length > 0 ? ` ${given.join(',')}` : ''}::${data(message)}`;
};

/** A SARIF message in which text cannot become a link, `[text](target)`, or a placeholder, `{0}`. */
export const sarifMessage = (text: string): { text: string } => ({
  text: text.replaceAll('](', '] (').replace(/\{(\d+)\}/g, '{ $1 }'),
});

/** A line without `##[…]` and `##vso[…]`, which CI systems read as commands anywhere in a line of a log. */
export const withoutCommands = (line: string): string => line.replace(/##(?=\w*\[)/g, '# #');
