import { shorten, visible } from '../../text/visible.ts';
import { xml } from '../escape.ts';

/** Text for an element or a quoted attribute: nothing in it is markup, and nothing is invisible. */
export const html = (text: string, max = 10_000): string => xml(visible(text, { max }));

/** The same with line breaks. In the source they are tags: no text of a server begins a line there, either. */
export const htmlLines = (text: string, max = 40_000): string =>
  shorten(text, max)
    .split('\n')
    .map((line) => html(line, max))
    .join('<br>');
