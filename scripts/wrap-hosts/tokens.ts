import type { JsonChild, JsonNode } from '../install/json-text.ts';

/** One part of a text that is replaced. */
export interface Edit {
  start: number;
  end: number;
  by: string;
}

/** A text after edits that do not overlap, whose offsets are those of the text before. */
export const edited = (text: string, edits: readonly Edit[]): string =>
  [...edits]
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((result, { start, end, by }) => result.slice(0, start) + by + result.slice(end), text);

const STRING = /"(?:[^"\\]|\\.)*"/sy;

/** A string as it stands in the text, without its quotes: escapes stay what they are. */
export const rawAt = (text: string, start: number): string => {
  STRING.lastIndex = start;
  return STRING.exec(text)?.[0].slice(1, -1) ?? '';
};

/** What stands between a key and its value: a colon, and white space as its owner likes it. */
export const betweenOf = (text: string, { from, node }: JsonChild): string =>
  text.slice(from + rawAt(text, from).length + 2, node.start);

/** What to write between the children of a container, so that it looks like this one and what surrounds it. */
export const separatorIn = (text: string, container: JsonNode, child: JsonChild, around: string): string => {
  const previous = container.children[container.children.indexOf(child) - 1];
  const before = text.slice(previous?.node.end ?? container.start, child.from);
  const line = /\r?\n[ \t]*$/.exec(before)?.[0];
  if (line !== undefined) return `,${line}`;
  return /[":,]\s/.test(around) ? ', ' : ',';
};
