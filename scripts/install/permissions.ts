import { appendChild, removeChild } from './json-edit.ts';
import { type JsonNode, memberOf, readJsonText, valueAt } from './json-text.ts';

const PERMISSIONS = '/permissions';
const DENY = '/permissions/deny';

const denyNode = (text: string): JsonNode | undefined => memberOf(memberOf(readJsonText(text), 'permissions'), 'deny');

const itemsOf = (text: string, node: JsonNode | undefined): unknown[] =>
  node?.kind === 'array' ? node.children.map((child) => valueAt(text, child.node)) : [];

/** Which of these rules are in `permissions.deny` of the settings. */
export const deniedOf = (text: string, rules: readonly string[]): string[] => {
  const denied = itemsOf(text, denyNode(text));
  return rules.filter((rule) => denied.includes(rule));
};

const addRule = (text: string, rule: string): string => {
  const root = readJsonText(text);
  const permissions = memberOf(root, 'permissions');
  if (!permissions) return appendChild(text, root, { deny: [rule] }, 'permissions');
  const deny = memberOf(permissions, 'deny');
  return deny ? appendChild(text, deny, rule) : appendChild(text, permissions, [rule], 'deny');
};

const removeKey = (text: string, holder: JsonNode, key: string): string =>
  removeChild(
    text,
    holder,
    holder.children.findLastIndex((child) => child.key === key),
  );

/** Removes a rule once: if somebody else has added it, too, it is there twice. */
const removeRule = (text: string, rule: string): string => {
  const deny = denyNode(text);
  const index = itemsOf(text, deny).lastIndexOf(rule);
  return deny && index >= 0 ? removeChild(text, deny, index) : text;
};

/** Adds rules to `permissions.deny`. Gives the text, the rules that were missing, and the containers that were made. */
export const addRules = (text: string, rules: readonly string[]): { text: string; added: string[]; made: string[] } => {
  const there = deniedOf(text, rules);
  const added = rules.filter((rule) => !there.includes(rule));
  if (added.length === 0) return { text, added, made: [] };
  const made = memberOf(readJsonText(text), 'permissions') ? [] : [PERMISSIONS];
  if (!denyNode(text)) made.push(DENY);
  return { text: added.reduce(addRule, text), added, made };
};

/** The inverse of `addRules`: also removes the containers that were made for the rules, if they are empty now. */
export const removeRules = (text: string, rules: readonly string[], made: readonly string[]): string => {
  const left = rules.toReversed().reduce(removeRule, text);
  if (left === text) return text;
  const root = readJsonText(left);
  const permissions = memberOf(root, 'permissions');
  const deny = memberOf(permissions, 'deny');
  if (!permissions || deny?.children.length !== 0 || !made.includes(DENY)) return left;
  const whole = permissions.children.length === 1 && made.includes(PERMISSIONS);
  return whole ? removeKey(left, root, 'permissions') : removeKey(left, permissions, 'deny');
};
