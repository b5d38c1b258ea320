// Reads the subset of regular expressions that describes regular languages: no back-references, no look-around, and anchors
// only if they hold for a whole alternative.

/** Ranges of code points, both ends included; sorted and disjoint. */
export type CodePoints = readonly (readonly [from: number, to: number])[];

export type PatternNode =
  | { kind: 'one'; of: CodePoints }
  | { kind: 'all'; parts: readonly PatternNode[] }
  | { kind: 'any'; branches: readonly PatternNode[] }
  | { kind: 'repeat'; node: PatternNode; least: number; most: number };

export const LAST = 0x10ffff;
export const EVERY: PatternNode = { kind: 'one', of: [[0, LAST]] };
/** Any text. */
const ANYTHING: PatternNode = { kind: 'repeat', node: EVERY, least: 0, most: Number.POSITIVE_INFINITY };

/** Thrown for anything that is not read here. */
class UnreadPattern extends Error {}

const merged = (ranges: readonly (readonly [number, number])[]): CodePoints => {
  const found: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else found.push([from, to]);
  }
  return found;
};

const inverted = (ranges: CodePoints): CodePoints => {
  const found: [number, number][] = [];
  let next = 0;
  for (const [from, to] of ranges) {
    if (from > next) found.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST) found.push([next, LAST]);
  return found;
};

const at = (...characters: (number | [number, number])[]): CodePoints =>
  merged(characters.map((one) => (typeof one === 'number' ? [one, one] : one)));

const DIGITS = at([0x30, 0x39]);
const WORD = at([0x30, 0x39], [0x41, 0x5a], 0x5f, [0x61, 0x7a]);
const SPACE = at([9, 13], 0x20, 0xa0, 0x1680, [0x2000, 0x200a], 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff);
const NO_LINE_END = inverted(at(10, 13, 0x2028, 0x2029));
const CLASSES: Record<string, CodePoints> = {
  d: DIGITS,
  D: inverted(DIGITS),
  w: WORD,
  W: inverted(WORD),
  s: SPACE,
  S: inverted(SPACE),
};
const CONTROLS: Record<string, number> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

/** How deep groups may be nested, and the largest number in a repetition. */
const MOST = { depth: 30, times: 1_000 };

class PatternReader {
  private at = 0;
  private readonly text: string[];

  constructor(pattern: string) {
    this.text = Array.from(pattern);
  }

  /** The whole pattern, as the texts that contain a match. */
  read(): PatternNode {
    const branches: PatternNode[] = [];
    do {
      const isFromStart = this.takes('^');
      const parts = this.parts(0, true);
      const isToEnd = this.takes('$');
      branches.push({
        kind: 'all',
        parts: [...(isFromStart ? [] : [ANYTHING]), ...parts, ...(isToEnd ? [] : [ANYTHING])],
      });
    } while (this.takes('|'));
    if (this.at < this.text.length) throw new UnreadPattern();
    return { kind: 'any', branches };
  }

  private takes(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private next(): string {
    const character = this.text[this.at++];
    if (character === undefined) throw new UnreadPattern();
    return character;
  }

  private parts(depth: number, isOuter = false): PatternNode[] {
    const found: PatternNode[] = [];
    for (let one = this.text[this.at]; one !== undefined && one !== '|' && one !== ')'; one = this.text[this.at]) {
      if (one === '$' && isOuter) break;
      found.push(this.repeated(this.atom(depth)));
    }
    return found;
  }

  private group(depth: number): PatternNode {
    if (depth >= MOST.depth) throw new UnreadPattern();
    if (this.takes('?')) {
      const kind = this.next();
      if (kind === '<' && /[A-Za-z_$]/.test(this.text[this.at] ?? '')) while (this.next() !== '>');
      else if (kind !== ':') throw new UnreadPattern();
    }
    const branches: PatternNode[] = [];
    do branches.push({ kind: 'all', parts: this.parts(depth + 1) });
    while (this.takes('|'));
    if (!this.takes(')')) throw new UnreadPattern();
    return { kind: 'any', branches };
  }

  private atom(depth: number): PatternNode {
    const one = this.next();
    if (one === '(') return this.group(depth);
    if (one === '[') return { kind: 'one', of: this.list() };
    if (one === '.') return { kind: 'one', of: NO_LINE_END };
    if (one === '\\') return { kind: 'one', of: this.escaped() };
    if ('^$*+?{}])'.includes(one)) throw new UnreadPattern();
    return { kind: 'one', of: at(one.codePointAt(0) as number) };
  }

  private hex(digits: number): number {
    const text = Array.from({ length: digits }, () => this.next()).join('');
    if (!/^[0-9A-Fa-f]+$/.test(text)) throw new UnreadPattern();
    return Number.parseInt(text, 16);
  }

  private escaped(inList = false): CodePoints {
    const one = this.next();
    const known = CLASSES[one];
    if (known !== undefined) return known;
    if (inList && one === 'b') return at(8);
    if (one === '0' && /\d/.test(this.text[this.at] ?? '')) throw new UnreadPattern();
    const control = CONTROLS[one];
    if (control !== undefined) return at(control);
    if (one === 'x') return at(this.hex(2));
    if (one === 'u') {
      if (!this.takes('{')) {
        const unit = this.hex(4);
        // Two surrogates may be one character.
        if (unit >= 0xd800 && unit <= 0xdfff) throw new UnreadPattern();
        return at(unit);
      }
      let text = '';
      for (let digit = this.next(); digit !== '}'; digit = this.next()) text += digit;
      const point = /^[0-9A-Fa-f]{1,6}$/.test(text) ? Number.parseInt(text, 16) : LAST + 1;
      if (point > LAST) throw new UnreadPattern();
      return at(point);
    }
    if (/[A-Za-z0-9]/.test(one)) throw new UnreadPattern();
    return at(one.codePointAt(0) as number);
  }

  private member(): CodePoints {
    return this.takes('\\') ? this.escaped(true) : at(this.next().codePointAt(0) as number);
  }

  private list(): CodePoints {
    const isInverted = this.takes('^');
    const found: (readonly [number, number])[] = [];
    while (!this.takes(']')) {
      const one = this.member();
      const [from, isSingle] = [one[0]?.[0], one.length === 1 && one[0]?.[0] === one[0]?.[1]];
      if (this.text[this.at] !== '-' || this.text[this.at + 1] === ']') {
        found.push(...one);
        continue;
      }
      this.at++;
      const to = this.member();
      const last = to[0]?.[1];
      if (
        from === undefined ||
        last === undefined ||
        !isSingle ||
        to.length !== 1 ||
        to[0]?.[0] !== last ||
        last < from
      )
        throw new UnreadPattern();
      found.push([from, last]);
    }
    return isInverted ? inverted(merged(found)) : merged(found);
  }

  private repeated(node: PatternNode): PatternNode {
    const one = this.text[this.at];
    const bounds: Record<string, [number, number]> = {
      '*': [0, Number.POSITIVE_INFINITY],
      '+': [1, Number.POSITIVE_INFINITY],
      '?': [0, 1],
    };
    let [least, most] = bounds[one ?? ''] ?? [1, 1];
    if (one === '{') {
      const counted = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(this.text.slice(this.at, this.at + 12).join(''));
      if (counted === null) throw new UnreadPattern();
      this.at += counted[0].length;
      least = Number(counted[1]);
      most = counted[2] === undefined ? least : counted[3] === '' ? Number.POSITIVE_INFINITY : Number(counted[3]);
      if (most < least || least > MOST.times || (Number.isFinite(most) && most > MOST.times)) throw new UnreadPattern();
    } else if (one === '*' || one === '+' || one === '?') this.at++;
    else return node;
    // Lazy matching does not change which texts match.
    this.takes('?');
    if ('*+?{'.includes(this.text[this.at] ?? ' ')) throw new UnreadPattern();
    return { kind: 'repeat', node, least, most };
  }
}

/** The texts that contain a match of a pattern; undefined if it is not read here. */
export const readPattern = (pattern: string): PatternNode | undefined => {
  try {
    // Without unicode mode the same text can mean something else.
    new RegExp(pattern, 'u');
    return new PatternReader(pattern).read();
  } catch {
    return undefined;
  }
};
