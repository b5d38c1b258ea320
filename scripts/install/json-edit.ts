import { childOf, type JsonChild, type JsonNode, readJsonText } from './json-text.ts';

/** How a file is laid out, so that what we add looks as if its owner had added it. */
interface Style {
  indent: string;
  eol: string;
  /** False for a file on one line, which stays on one line. */
  spread: boolean;
  spaced: boolean;
}

const styleOf = (text: string): Style => {
  const root = readJsonText(text);
  const first = root.children[0];
  const lead = first && /\n([ \t]+)$/.exec(text.slice(root.start, first.from))?.[1];
  return {
    indent: lead ?? '  ',
    eol: /\r?\n/.exec(text)?.[0] ?? '\n',
    spread: first === undefined || text.slice(root.start, root.end).includes('\n'),
    spaced: /"\s*: /.test(text.slice(root.start, root.end)),
  };
};

/** The white space that the line of this offset begins with. */
const leadOf = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1).replace(/^\ufeff/, ''))?.[0] ?? '';

const spread = (value: unknown, style: Style, lead: string): string =>
  JSON.stringify(value, null, style.indent).replaceAll('\n', style.eol + lead);

/** JSON on one line, with spaces if the file has them. Strings hold no raw line feeds, so only layout is replaced. */
const inline = (value: unknown, style: Style): string =>
  style.spaced ? JSON.stringify(value, null, 1).replace(/\n */g, ' ') : JSON.stringify(value);

const splice = (text: string, from: number, to: number, by: string): string =>
  text.slice(0, from) + by + text.slice(to);

/** Adds a member (with a key) or an item (without) behind the last child of an object or array. */
export const appendChild = (text: string, into: JsonNode, value: unknown, key?: string): string => {
  const style = styleOf(text);
  const colon = style.spaced || style.spread ? ': ' : ':';
  const name = key === undefined ? '' : JSON.stringify(key) + colon;
  const last = into.children.at(-1);
  if (last === undefined) {
    const outer = leadOf(text, into.start);
    const lead = outer + style.indent;
    const body = style.spread
      ? style.eol + lead + name + spread(value, style, lead) + style.eol + outer
      : name + inline(value, style);
    return splice(text, into.start + 1, into.end - 1, body);
  }
  const previousEnd = into.children.at(-2)?.node.end ?? into.start;
  if (!text.slice(previousEnd, last.from).includes('\n')) {
    return splice(text, last.node.end, last.node.end, (style.spaced ? ', ' : ',') + name + inline(value, style));
  }
  const lead = leadOf(text, last.from);
  return splice(text, last.node.end, last.node.end, `,${style.eol}${lead}${name}${spread(value, style, lead)}`);
};

/** Removes a child with its comma; for the last child the exact inverse of `appendChild`. */
export const removeChild = (text: string, from: JsonNode, index: number): string => {
  const child = from.children[index];
  const previous = from.children[index - 1];
  const next = from.children[index + 1];
  if (child === undefined) return text;
  if (previous) return splice(text, previous.node.end, child.node.end, '');
  if (next) return splice(text, child.from, next.from, '');
  return splice(text, from.start + 1, from.end - 1, '');
};

/** Removes the member under a key; of duplicates the last, which counts. */
export const removeMember = (text: string, from: JsonNode, key: string): string =>
  removeChild(text, from, from.children.indexOf(childOf(from, key) as JsonChild));

/** Replaces a value; on one line if the old one was on one. */
export const replaceNode = (text: string, node: JsonNode, value: unknown): string => {
  const style = styleOf(text);
  const old = text.slice(node.start, node.end);
  const body = old.includes('\n') ? spread(value, style, leadOf(text, node.start)) : inline(value, style);
  return splice(text, node.start, node.end, body);
};
