// A unit's symbol and its name say the same: "in kg" and "in kilograms".

/**
 * The symbol of each unit, and its names. A capital letter makes another symbol. What is short for several things is missing:
 * "m", "min", "t".
 */
const UNITS: readonly (readonly [symbol: string, names: string])[] = [
  ['ns', 'nanoseconds?'],
  ['ms', 'milliseconds?|msecs?'],
  ['s', 'seconds|secs?'],
  ['h', 'hours|hrs'],
  ['mm', 'millimet(?:er|re)s?'],
  ['cm', 'centimet(?:er|re)s?'],
  ['km', 'kilomet(?:er|re)s?'],
  ['km/h', '(?:km|kilomet(?:er|re)s?) per hour|kph|kmh'],
  ['mph', 'miles per hour'],
  ['ft', 'feet'],
  ['mg', 'milligrams?'],
  ['g', 'grams'],
  ['kg', 'kilograms?'],
  ['ml', 'millilit(?:er|re)s?'],
  ['lb', 'lbs|pounds'],
  ['px', 'pixels?'],
  ['deg', 'degrees|°'],
  ['Celsius', '(?:degrees? |deg )celsius|° ?C'],
  ['Fahrenheit', '(?:degrees? |deg )fahrenheit|° ?F'],
  ['KB', 'kilobytes?'],
  ['MB', 'megabytes?'],
  ['GB', 'gigabytes?'],
  ['TB', 'terabytes?'],
  ['KiB', 'kibibytes?'],
  ['MiB', 'mebibytes?'],
  ['GiB', 'gibibytes?'],
  ['Hz', 'hertz'],
  ['kHz', 'kilohertz'],
  ['MHz', 'megahertz'],
  ['GHz', 'gigahertz'],
  ['V', 'volts'],
  ['W', 'watts'],
  ['mW', 'milliwatts?'],
  ['kW', 'kilowatts?'],
  ['MW', 'megawatts?'],
  ['kWh', 'kilowatt[- ]hours?'],
  ['dB', 'decibels?'],
  ['rpm', 'revolutions per minute'],
  ['fps', 'frames per second'],
  ['USD', 'us[- ]dollars?'],
  ['EUR', 'euros?'],
  ['%', 'percent'],
];

const SYMBOLS: ReadonlySet<string> = new Set(UNITS.map(([symbol]) => symbol));
const NAMED: readonly (readonly [symbol: string, form: RegExp])[] = UNITS.map(([symbol, names]) => [
  symbol,
  new RegExp(`^(?:${names})$`, 'i'),
]);
/** Longer ones first: "kilowatt hours" is no "kilowatt". */
const ANY = UNITS.flat()
  .sort((one, other) => other.length - one.length)
  .join('|');
const MENTION = new RegExp(
  String.raw`(?<![\p{L}\p{N}_'"\x60$./\\^-])(?:${ANY})(?![\p{L}\p{N}_'"\x60$/\\^²³-]|\.\p{L})`,
  'giu',
);
/** Pounds are a currency as well. */
const OF_WEIGHT = /\b(?:weigh\w{0,5}|mass|load)\b/i;

/** What stands before the unit of a value: "in kg", "(kg)", "Number of kg", "at most 5 kg". */
const GIVES = /(?:\b(?:in|of)|[([,]|\s-|\b(?:most|least|up to|than|within|after|for) \d[\d.]{0,9})\s?$/i;
/** Units beside each other may be values: "kg or lb". */
const LISTS = /^\s?(?:[,/|]|,? ?\b(?:or|and)\b)\s?$/i;
/** Speaks of units as values, or of how they are written. */
const OF_UNITS =
  /\b(?:units?|uom|suffix(?:es)?|symbols?|abbreviat\w{1,9}|followed by|append\w{0,3}|end(?:s|ing)? (?:in|with))\b/i;
const NAME_OF_UNIT = /unit|uom|suffix|symbol/i;

const symbolOf = (mention: string, text: string): string | undefined => {
  if (SYMBOLS.has(mention)) return mention;
  if (/^pounds$/i.test(mention) && !OF_WEIGHT.test(text)) return undefined;
  return NAMED.find(([, form]) => form.test(mention))?.[0];
};

/** A text with symbols in place of the names of units. */
const inSymbols = (written: string): string => {
  const text = written.replace(/\b(?:as an?|in) percentages?\b(?! points?\b)/gi, 'in percent');
  const mentions = [...text.matchAll(MENTION)].map(({ 0: mention, index: from }) => ({
    from,
    to: from + mention.length,
    symbol: symbolOf(mention, text),
  }));
  let [said, end] = ['', 0];
  for (const [at, { from, to, symbol }] of mentions.entries()) {
    const [previous, next] = [mentions[at - 1], mentions[at + 1]];
    const isListed =
      (previous !== undefined && LISTS.test(text.slice(previous.to, from))) ||
      (next !== undefined && LISTS.test(text.slice(to, next.from)));
    if (symbol === undefined || isListed || !GIVES.test(text.slice(Math.max(0, from - 24), from))) continue;
    // "milliseconds (ms)"
    const isAgain = previous?.symbol === symbol && text[to] === ')' && text.slice(previous.to, from) === ' (';
    said += isAgain ? text.slice(end, previous.to) : text.slice(end, from) + symbol;
    end = isAgain ? to + 1 : to;
  }
  return said + text.slice(end);
};

/** Two texts with one form of each unit, unless they are about how units are written. */
export const withSameUnits = (
  texts: readonly [string, string],
  names: readonly string[],
): readonly [string, string] => {
  if (texts.some((text) => OF_UNITS.test(text)) || names.some((name) => NAME_OF_UNIT.test(name))) return texts;
  return [inSymbols(texts[0]), inSymbols(texts[1])];
};

/** Whether words give a value in a unit, by its symbol or its name. */
export const givesIn = (text: string, unit: string): boolean =>
  inSymbols(text)
    .split(/[^\p{L}\p{N}%°/]+/u)
    .includes(inSymbols(`in ${unit}`).slice(3));

/** A "whole unit" may be a flat, and not money. */
const OF_MONEY =
  /\b(?:(minor|major|atomic|smallest|lowest)[- ](?:(?:currency|monetary|money)[- ])?(?:units?|denominations?)|(whole|base|fractional)[- ](?:currency[- ])?units|sub-units?)\b/gi;
/** Other units of several words. */
const IN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bbasis[- ]points?\b/gi, 'basis_points'],
  [/(?<=\(|\bin )(?:(?:board|round|standard|whole) )?lots\b(?! of)/gi, 'trade_lots'],
];

/** "Cents (minor units)" says the same twice. */
const CENTS = /\bcents?\b/i;
const MINOR_TOO = /\s{0,9}[(,]\s{0,9}(?:in )?(?:the )?(?:minor|smallest) (?:currency )?units?\)?/gi;

/** A text with one word for each unit of money and each unit of several words: "in the smallest currency unit". */
export const withUnitsAsWords = (text: string): string => {
  const once = CENTS.test(text) ? text.replace(MINOR_TOO, '') : text;
  const inMoney = once.replace(OF_MONEY, (_all, one?: string, other?: string) => {
    const which = (one ?? other ?? 'minor').toLowerCase();
    const unit = /^(?:small|low)est$/.test(which) ? 'minor' : which;
    return `${unit}_units`;
  });
  return IN_WORDS.reduce((said, [written, unit]) => said.replace(written, unit), inMoney);
};
