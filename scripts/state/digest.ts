import type Crypto from 'node:crypto';

/** SHA-256 of a text, in lower-case hex. Loaded when it is called: most calls end before they need it. */
export const digestOf = (text: string): string =>
  (require('node:crypto') as typeof Crypto).createHash('sha256').update(text).digest('hex');
