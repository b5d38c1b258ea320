// Secrets in what we keep: a server may repeat in a contract what it was given. In files a digest stands for a secret, and it is
// put back when the file is read by a process that knows the secret, too. For any other it stays: equal digests are equal texts.
import { type Circumstances, type Moment, recall, sealed } from './circumstances.ts';
import { digestOf } from './digest.ts';
import { writeAtomic } from './files.ts';

/** Shorter values may be ordinary words, which stand anywhere. */
export const SHORTEST_SECRET = 8;
const MARK = 'konnichiwagwan-hidden-';
const MARKS = new RegExp(`${MARK}([0-9a-f]{16})`, 'g');

/** As they stand in JSON, by their digests; the longest first, since one may be part of another. */
let known = new Map<string, string>();

const digest = (secret: string): string => digestOf(secret).slice(0, 16);

/** From now on these values stand in no file that is written with `keepHidden`. */
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

/** The same text with those secrets that are known here. */
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
