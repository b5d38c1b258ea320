import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Json } from '../contract/types.ts';
import { fits } from '../proof/sizes.ts';

type Definition = string | RegExp | ((text: string) => boolean) | { validate?: unknown } | boolean;

/** Longer texts are not looked at where a check may take long: nothing is known of their form. In characters. */
const LONGEST = 2_000;

/** Whether a text provably has a format of those that JSON Schema or OpenAPI name. */
const hasKnown = (text: string, format: string): boolean => {
  if (text.length > LONGEST || !Object.hasOwn(fullFormats, format)) return false;
  const known = fullFormats[format as keyof typeof fullFormats] as Definition;
  const test = typeof known === 'object' && !(known instanceof RegExp) ? known.validate : known;
  if (test instanceof RegExp) return test.test(text);
  return typeof test === 'function' ? test(text) === true : test === true;
};

type FormatCheck = (text: string) => boolean;

const matches =
  (form: RegExp): FormatCheck =>
  (text) =>
    form.test(text);
const any: FormatCheck = () => true;

/** How many characters of an encoded text are looked at for what it holds: whole groups of four. */
const SHOWN = 64;
/** What was encoded is plain text, at least as far as it is shown. */
const PLAIN = /^[\t\n\r\x20-\x7e]{4,}$/;
/** From this length on, a text with letters of both cases and digits is no word, and no number in hexadecimal. */
const MIXED = 24;

/** Whether a text is surely an encoding, and has not the form of one by chance, as words have. */
const isEncoded =
  (form: RegExp, isLength: (length: number) => boolean): FormatCheck =>
  (text) => {
    if (!form.test(text) || !isLength(text.length)) return false;
    if (text === '' || text.endsWith('=')) return true;
    const start = text.slice(0, SHOWN);
    const isMixed = text.length >= MIXED && [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(start));
    return isMixed || PLAIN.test(Buffer.from(start, 'base64url').toString('latin1'));
  };

/** An address of a network, with the length of its prefix. */
const isNetwork =
  (version: 'ipv4' | 'ipv6', longest: number): FormatCheck =>
  (text) => {
    const [address = '', prefix = '', ...more] = text.split('/', 3);
    const isLength = /^(?:0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= longest;
    return more.length === 0 && isLength && hasKnown(address, version);
  };
const isAddress: FormatCheck = (text) => hasKnown(text, 'ipv4') || hasKnown(text, 'ipv6');
const [isNetwork4, isNetwork6] = [isNetwork('ipv4', 32), isNetwork('ipv6', 128)];
const isAnyNetwork: FormatCheck = (text) => isAddress(text) || isNetwork4(text) || isNetwork6(text);

/** The names of CSS 2, which the first format of colors took. */
const COLOR =
  /^(?:aqua|black|blue|fuchsia|gr[ae]y|green|lime|maroon|navy|olive|orange|purple|red|silver|teal|white|yellow|#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})|(?:rgb|hsl)a?\([\d\s.,%/]+\))$/i;

/** A text that is read as JSON now: a number or a word would be something else, too. */
const isStructure: FormatCheck = (text) => {
  if (text.length > LONGEST || !/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const UUID = matches(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i);

/** The formats that zod 4, pydantic and the makers of forms write. Each check takes time in proportion to the text at most. */
const OF_LIBRARIES: Readonly<Record<string, FormatCheck>> = {
  // Any text has these: they say where it leads to, or how a form shows it.
  ...Object.fromEntries(
    `directory-path file-path markdown multi-line multiline password path string textarea`
      .split(' ')
      .map((format) => [format, any]),
  ),
  base64: isEncoded(/^[\dA-Za-z+/]*={0,2}$/, (length) => length % 4 === 0),
  base64url: isEncoded(/^[\w-]*$/, (length) => length % 4 !== 1),
  cidrv4: isNetwork4,
  cidrv6: isNetwork6,
  color: matches(COLOR),
  cuid: matches(/^c[0-9a-z]{6,}$/i),
  cuid2: matches(/^[0-9a-z]+$/),
  e164: matches(/^\+[1-9]\d{6,14}$/),
  emoji: matches(/^(?=.*[^\d#*])[\p{Extended_Pictographic}\p{Emoji_Component}]+$/u),
  guid: UUID,
  ipv4network: isNetwork4,
  ipv6network: isNetwork6,
  ipvanyaddress: isAddress,
  ipvanyinterface: isAnyNetwork,
  ipvanynetwork: isAnyNetwork,
  'json-string': isStructure,
  jwt: matches(/^eyJ[\w-]*\.[\w-]+\.[\w-]*$/),
  ksuid: matches(/^[0-9A-Za-z]{27}$/),
  lowercase: matches(/^[^A-Z]*$/),
  mac: matches(/^(?:[\da-f]{2}:){5}[\da-f]{2}$/i),
  nanoid: matches(/^[\w-]{21}$/),
  ulid: matches(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/i),
  uppercase: matches(/^[^a-z]*$/),
  ...Object.fromEntries([1, 3, 4, 5, 6, 7, 8].map((version) => [`uuid${version}`, UUID])),
  xid: matches(/^[0-9a-v]{20}$/i),
};

/** Text in these says what it is the encoding of: no text has them by its form. */
const ENCODINGS: ReadonlySet<string> = new Set(['byte', 'binary']);

/** Whether a text provably has a format. */
export const hasFormat = (text: string, format: string): boolean => {
  if (ENCODINGS.has(format)) return false;
  return Object.hasOwn(OF_LIBRARIES, format) ? OF_LIBRARIES[format]?.(text) === true : hasKnown(text, format);
};

/** Whether a value is a text that is not known to have a format, or a number that it cannot store. */
export const lacksFormat = (value: Json, format: string): boolean =>
  typeof value === 'number' ? !fits(value, format) : typeof value === 'string' && !hasFormat(value, format);
