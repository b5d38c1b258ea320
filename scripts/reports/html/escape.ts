import { shorten, visible } from '../../text/visible.ts';
import { xml } from '../escape.ts';

/** Text for an element or a quoted attribute: at most `max` UTF-16 units, no markup, nothing invisible. */
export const html = (text: string, max = 10_000): string => xml(visible(text, { max }));

/** The same with line feeds as `<br>`: so a server's text begins no line in the source of the page, either. */
export const htmlLines = (text: string, max = 40_000): string =>
  shorten(text, max)
    .split('\n')
    .map((line) => html(line, max))
    .join('<br>');

/** A rule's message as HTML, with names in backquotes as code. */
export const words = (message: string): string =>
  html(message, 2_000).replace(/`([^`<>]+)`/g, (_, name: string) => `<code>${name}</code>`);
