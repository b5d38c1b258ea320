// Secrets in what we keep: a server may repeat in a contract what it was given. In files a digest replaces a secret. A
// process that knows the secret puts it back when it reads the file; for others the digest stays: equal digests are equal
// texts.
import { type Circumstances, type Moment, recall, sealed } from './circumstances.ts';
import { digestOf } from './digest.ts';
import { writeAtomic } from './files.ts';

/** Shorter values may be ordinary words, which occur anywhere. */
export const SHORTEST_SECRET = 8;
const MARK = 'konnichiwagwan-hidden-';
const MARKS = new RegExp(`${MARK}([0-9a-f]{16})`, 'g');

/** Secrets as JSON writes them, by their digests; longest first, since one may be part of another. */
let known = new Map<string, string>();

const digest = (secret: string): string => digestOf(secret).slice(0, 16);

/** From now on `keepHidden` writes these values to no file. */
export const hideFromNowOn = (secrets: Iterable<string>): void => {
  const all = new Map(known);
  for (const secret of secrets)
    if (secret.length >= SHORTEST_SECRET) all.set(digest(secret), JSON.stringify(secret).slice(1, -1));
  if (all.size > known.size) known = new Map([...all].sort(([, a], [, b]) => b.length - a.length));
};

/** JSON text without known secrets. */
export const hidden = (text: string): string => {
  let plain = text;
  for (const [name, secret] of known) if (plain.includes(secret)) plain = plain.split(secret).join(MARK + name);
  return plain;
};

/** The same text with the secrets that this process knows. */
const revealed = (text: string): string =>
  text.includes(MARK) ? text.replaceAll(MARKS, (mark, name: string) => known.get(name) ?? mark) : text;

/** `sealed`, for what may hold secrets. */
export const sealedHidden = (circumstances: Circumstances, value: object): string =>
  sealed(circumstances, value, hidden);

/** Writes a value that `recallHidden` reads back, without known secrets. @throws if the file cannot be written */
export const keepHidden = (path: string, circumstances: Circumstances, value: object): void =>
  writeAtomic(path, sealedHidden(circumstances, value));

/** What `keepHidden` has kept. */
export const recallHidden = (path: string, about: Circumstances): (Record<string, unknown> & Moment) | undefined =>
  recall(path, about, revealed);
