// Texts in a language whose words are not known.
import { differing } from './differing.ts';
import { spaced, type WordsChange } from './words-change.ts';

/** Letters and signs of English text. In other languages, no word is known: any change is one of meaning. */
const ENGLISH = /^[\t\n\r -~\u00a0\u2007\u202f‘’“”–—\u2212…•→←⇒×±≤≥≠≈°²³·µ¢£€¥½∞\u2011\u03bc]*$/;
/** A word with letters that English has only in names and loans: "São", "café". */
const BORROWED = /(?<!\p{L})\p{L}{0,30}[\u00c0-\u024f]\p{L}{0,30}/gu;
/** More of them are no exception. */
const MOST_BORROWED = 2;
/** Words that other languages do not have. */
const ENGLISH_WORD = /\b(?:and|by|for|from|is|of|that|the|this|to|with)\b/g;
const LEAST_ENGLISH = 2;

/** A text without its borrowed words, if the words around them are English. */
const withoutBorrowed = (text: string): string =>
  (text.match(BORROWED) ?? []).length <= MOST_BORROWED && (text.match(ENGLISH_WORD) ?? []).length >= LEAST_ENGLISH
    ? text.replace(BORROWED, '')
    : text;

/** They belong to no language. */
const PICTURES = /\p{Extended_Pictographic}\ufe0f?|\p{RI}{2}/gu;
/** Words that give away another language in a text of plain letters: English does not have them. */
const FOREIGN =
  /\b(?:le|la|les|du|une|des|par|pour|avec|dans|est|sont|nombre|maximal|el|los|las|una|con|número|numero|der|das|und|mit|von|ist|eine|einer|nicht|oder|auf|il|lo|gli|della|che|het|een|voor|niet|do|da|dos|para|uma|não|nao|kein|keine|keinen|keiner|nie|nur|ohne|netto|brutto|gramm|sekunden|stunden|pas|jamais|hors|ttc|secondes|heures|nunca|iva|segundos|horas|senza|och|inte|ikke|utan|lub|oraz|dla|tylko|bez|tidak|bukan|jangan|yang|untuk|dengan|tanpa|hanya|olan|olmayan|geen|wordt|worden|naar|alleen|zonder|que|nella|dei|delle|archivos?|arquivos?|aufgaben|benutzer|carpetas?|cartella|cartelle|datei|dateien|dosyalar|fecha|fechas|fichiers?|filer|kun|neuer|neues|nombre|ordner|precio|precios|preis|preise|prezzo|prix|sadece|sans|seite|seiten|sem|treffer|usuarios?|utente|utenti|utilisateurs?)\b/i;
/** Articles, in small letters before a word: English has them in names, and "le" beside other comparisons. */
const FOREIGN_ARTICLE = /\b(?:el|los|las|un|de(?! (?:facto|jure|minimis|novo)\b)) (?=[a-z])/;
const FRENCH_ARTICLE = /\ble (?=[a-z])/;
const COMPARISON = /\b(?:eq|ge|gt|lt)\b/;
/** English has these as well: alone they tell nothing. */
const ALSO_ENGLISH = /^(?:do|da|la|los|las|con|el|die|lo|le|est)$/i;

export const isEnglish = (text: string): boolean => {
  if (!ENGLISH.test(withoutBorrowed(text.replace(PICTURES, ''))) || FOREIGN_ARTICLE.test(text)) return false;
  if (FRENCH_ARTICLE.test(text) && !COMPARISON.test(text)) return false;
  const found = text.match(new RegExp(FOREIGN, 'gi')) ?? [];
  // In capitals they are names: "MIT", "DOS", "PEM or DER".
  const isName = (word: string): boolean => /^\p{Lu}{2,}$/u.test(word) && /\p{Ll}{2}/u.test(text);
  return !found.some((word) => !ALSO_ENGLISH.test(word) && !isName(word));
};

/** Where no space parts words, each character counts. */
const UNSPACED = String.raw`(?!\p{P})[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Script=Thai}]`;
const IS_UNSPACED = new RegExp(UNSPACED, 'u');
/** Parts of a text in a language of which we know no words: words, numbers and signs, or characters. */
const FOREIGN_PART = new RegExp(
  String.raw`${UNSPACED}|(?:(?!${UNSPACED})[\p{L}\p{M}])+|\p{N}+(?:[.,]\p{N}+)*|[^\s\p{P}]|[-%'"&*/#@\\]`,
  'gu',
);
/** Longer edits are rewordings, in words that came or went. */
const SHORT_FOREIGN_EDIT = 24;
/** How many words a character stands for, where each one counts. */
const WORDS_A_CHARACTER = 0.4;

/** Compares texts in a language of which no word is known: any other word or number counts, but not a full stop at the end. */
export const compareForeign = (before: string, after: string): WordsChange => {
  // A raised digit behind a number is an exponent, and no digit of it.
  const flat = (text: string): string => text.replace(/(?<=\d)[⁰¹²³⁴-⁹]/g, '^$&').normalize('NFKC');
  const said = (text: string): string => spaced(flat(text)).replace(/ ?[.。]{1,3}$/u, '');
  const [old, now] = [said(before), said(after)];
  if (old === now) return { change: 'same' };
  const partsOf = (text: string) => (text.match(FOREIGN_PART) ?? []).map((part) => ({ text: part }));
  const [had, has] = [partsOf(old), partsOf(now)];
  const numbers = (parts: typeof had): string =>
    parts.flatMap(({ text }) => (/^\p{N}/u.test(text) ? [text] : [])).join(' ');
  const { lost, came } = differing(had, has);
  const words = [...lost, ...came].reduce((sum, { text }) => sum + (IS_UNSPACED.test(text) ? WORDS_A_CHARACTER : 1), 0);
  const isShort = had.length > 0 && has.length > 0 && words <= SHORT_FOREIGN_EDIT;
  return { change: 'meaning', ...(isShort || numbers(had) !== numbers(has) ? { exact: true } : {}) };
};
