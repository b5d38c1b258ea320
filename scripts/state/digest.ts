import type Crypto from 'node:crypto';

/** SHA-256 of a text, in lower-case hex. The module is loaded on first use, since most hooks end without it. */
export const digestOf = (text: string): string =>
  (require('node:crypto') as typeof Crypto).createHash('sha256').update(text).digest('hex');
