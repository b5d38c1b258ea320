import { appendChild, removeChild, removeMember } from './json-edit.ts';
import { type JsonNode, memberOf, readJsonText, valueAt } from './json-text.ts';

/** The path of a list of strings in settings: `['permissions', 'deny']`. */
export type ListPath = readonly [string, ...string[]];

/** The rules that deny things to the agent. */
export const DENY: ListPath = ['permissions', 'deny'];
/** The servers of `.mcp.json` that the project itself approves, for those who trust its folder. */
export const ENABLED: ListPath = ['enabledMcpjsonServers'];

const nodeAt = (text: string, path: readonly string[]): JsonNode | undefined =>
  path.reduce(memberOf, readJsonText(text) as JsonNode | undefined);

const itemsOf = (text: string, node: JsonNode | undefined): unknown[] =>
  node?.kind === 'array' ? node.children.map((child) => valueAt(text, child.node)) : [];

const pointersOf = (path: ListPath): string[] => path.map((_, at) => `/${path.slice(0, at + 1).join('/')}`);

/** Which of these items are in the list. */
export const listed = (text: string, path: ListPath, items: readonly string[]): string[] => {
  const there = itemsOf(text, nodeAt(text, path));
  return items.filter((item) => there.includes(item));
};

/** Adds an item to a list; makes the list, and the objects around it, where they are missing. */
export const addItem = (text: string, path: ListPath, item: unknown): string => {
  const list = nodeAt(text, path);
  return list === undefined ? addMember(text, path, [item]) : appendChild(text, list, item);
};

/** Adds a member that is missing; makes the objects around it that are missing, too. */
export const addMember = (text: string, path: ListPath, value: unknown): string => {
  const known = path.findLastIndex((_, at) => nodeAt(text, path.slice(0, at)) !== undefined);
  const inside = path.slice(known + 1).reduceRight((inner, key) => ({ [key]: inner }), value);
  return appendChild(text, nodeAt(text, path.slice(0, known)) as JsonNode, inside, path[known]);
};

/** Adds items that are missing. Gives the text, these items, and JSON Pointers of the containers that were made. */
export const addItems = (
  text: string,
  path: ListPath,
  items: readonly string[],
): { text: string; added: string[]; made: string[] } => {
  const there = listed(text, path, items);
  const added = items.filter((item) => !there.includes(item));
  if (added.length === 0) return { text, added, made: [] };
  const made = pointersOf(path).filter((_, at) => nodeAt(text, path.slice(0, at + 1)) === undefined);
  return { text: added.reduce((now, item) => addItem(now, path, item), text), added, made };
};

/** Removes an item once: if the user added it, too, it is there twice. */
const removeItem = (text: string, path: ListPath, item: string): string => {
  const list = nodeAt(text, path);
  const index = itemsOf(text, list).lastIndexOf(item);
  return list && index >= 0 ? removeChild(text, list, index) : text;
};

/** The inverse of `addItems`: also removes the containers that were made for the items, if they are empty now. */
export const removeItems = (
  text: string,
  path: ListPath,
  items: readonly string[],
  made: readonly string[],
): string => {
  const left = items.toReversed().reduce((now, item) => removeItem(now, path, item), text);
  if (left === text) return text;
  const pointers = pointersOf(path);
  return path.reduceRight((now, key, at) => {
    const isEmpty = nodeAt(now, path.slice(0, at + 1))?.children.length === 0;
    return isEmpty && made.includes(pointers[at] as string)
      ? removeMember(now, nodeAt(now, path.slice(0, at)) as JsonNode, key)
      : now;
  }, left);
};
