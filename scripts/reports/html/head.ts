import { createHash } from 'node:crypto';

/** A policy that allows only a page's own style: no script and no request, even if an escape were missed. */
export const pagePolicy = (style: string): string => {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
};

/** The heads of a table's columns; the name of a column of numbers begins with `#`. */
export const columns = (...names: string[]): string =>
  names
    .map((name) => `<th scope="col"${name.startsWith('#') ? ' class="n"' : ''}>${name.replace('#', '')}</th>`)
    .join('');

/** A part of a page under a heading; empty without content. @param title HTML */
export const section = (id: string, title: string, content: string): string =>
  content === '' ? '' : `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;

/**
 * The head of a page.
 * @param title HTML
 * @param style CSS of the whole page, which the policy names by its hash
 */
export const pageHead = (title: string, style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${pagePolicy(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>`;
