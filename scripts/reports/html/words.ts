import { html } from './escape.ts';

/** A rule's message as HTML, with names in backquotes as code. */
export const words = (message: string): string =>
  html(message, 2_000).replace(/`([^`<>]+)`/g, (_, name: string) => `<code>${name}</code>`);
