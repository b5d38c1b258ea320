import { basename, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { CommandError } from '../command/command.ts';
import { defined } from '../contract/defined.ts';
import { type HookRegistration, pathOf, scriptOf } from './hooks.ts';
import { removeChild, removeMember, replaceNode } from './json-edit.ts';
import { type JsonNode, JsonTextError, memberOf, positionOf, readJsonText, valueAt } from './json-text.ts';
import { addItem } from './lists.ts';

/** One of our hooks in the text of a settings file. */
interface FoundHook {
  event: string;
  script: string;
  groups: JsonNode;
  group: number;
  hooks: JsonNode;
  hook: number;
}

const items = (node: JsonNode | undefined): JsonNode[] =>
  node?.kind === 'array' ? node.children.map((child) => child.node) : [];

const isBlank = (text: string): boolean => /^\ufeff?\s*$/.test(text);

/** The text, or `{}` if it is blank: Claude Code also takes that for an empty object. */
export const filled = (text: string): string =>
  isBlank(text) ? `${text.startsWith('\ufeff') ? '\ufeff' : ''}{}\n` : text;

const find = (text: string): FoundHook[] => {
  const events = memberOf(readJsonText(text), 'hooks');
  const found: FoundHook[] = [];
  for (const event of new Set(events?.kind === 'object' ? events.children.map((child) => child.key as string) : [])) {
    const groups = memberOf(events, event) as JsonNode;
    for (const [group, node] of items(groups).entries()) {
      const hooks = memberOf(node, 'hooks') as JsonNode;
      for (const [hook, entry] of items(hooks).entries()) {
        const script = scriptOf(valueAt(text, entry));
        if (script) found.push({ event, script, groups, group, hooks, hook });
      }
    }
  }
  return found;
};

const refusal = (code: string, file: string, text: string, offset: number, problem: string): CommandError =>
  new CommandError(
    code,
    `${file}, ${positionOf(text, offset)}: ${problem}`,
    'Fix it by hand (Claude Code ignores the hooks of such a file as well), then try again. Nothing was changed.',
  );

/** The root of the settings. @throws CommandError with the place of what is not JSON */
export const parseSettings = (text: string, file: string): JsonNode => {
  try {
    return readJsonText(filled(text));
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw refusal('settings-invalid', file, text, error.offset, `not valid JSON: ${error.problem}.`);
  }
};

/** Makes sure that Claude Code would accept these settings' hooks and rules. @throws CommandError if not */
export const checkSettings = (text: string, file: string, events: readonly string[]): void => {
  const wrong = (node: JsonNode, problem: string): never => {
    throw refusal('settings-shape', file, text, node.start, problem);
  };
  /** A node that is there must be of this kind. */
  const must = (kind: 'object' | 'array', node: JsonNode | undefined, what: string): void => {
    if (node !== undefined && node.kind !== kind) wrong(node, `${what} not an ${kind}.`);
  };
  const checkGroup = (group: JsonNode, event: string): void => {
    must('object', group, `\`${event}\` holds something that is`);
    const matcher = memberOf(group, 'matcher');
    if (matcher && typeof valueAt(text, matcher) !== 'string') wrong(matcher, 'this `matcher` is not a string.');
    const hooks = memberOf(group, 'hooks') ?? wrong(group, `this group of \`${event}\` has no \`hooks\`.`);
    must('array', hooks, `these \`hooks\` of \`${event}\` are`);
    for (const hook of items(hooks)) must('object', hook, `this hook of \`${event}\` is`);
  };
  const root = parseSettings(text, file);
  must('object', root, 'the settings are');
  const permissions = memberOf(root, 'permissions');
  must('object', permissions, '`permissions` is');
  // If one of these is no list, Claude Code ignores the whole file; what is in a list does not matter.
  for (const name of ['allow', 'ask', 'deny']) must('array', memberOf(permissions, name), `\`permissions.${name}\` is`);
  const hooks = memberOf(root, 'hooks');
  must('object', hooks, '`hooks` is');
  for (const { key, node: groups } of hooks?.children ?? []) {
    // Claude Code tolerates other values for events that are not ours.
    if (events.includes(key as string)) must('array', groups, `\`hooks.${key}\` is`);
    // A single bad group, in any event, and Claude Code runs none of the file's hooks.
    for (const group of items(groups)) checkGroup(group, `hooks.${key}`);
  }
};

/** Removes one of our hooks, and with it the group, event and `hooks` that hold nothing else and are ours. */
const drop = (text: string, found: FoundHook, isOurs: (container: string) => boolean): string => {
  if (found.hooks.children.length > 1) return removeChild(text, found.hooks, found.hook);
  if (found.groups.children.length > 1 || !isOurs(`/hooks/${found.event}`)) {
    return removeChild(text, found.groups, found.group);
  }
  const root = readJsonText(text);
  const events = memberOf(root, 'hooks') as JsonNode;
  const holder = events.children.length > 1 || !isOurs('/hooks') ? events : root;
  return removeMember(text, holder, holder === root ? 'hooks' : found.event);
};

const add = (text: string, { event, matcher, hook }: HookRegistration): string =>
  addItem(text, ['hooks', event], { ...defined({ matcher }), hooks: [hook] });

const matches = (text: string, { groups, group }: FoundHook, { matcher }: HookRegistration): boolean => {
  const node = memberOf(items(groups)[group], 'matcher');
  return (node ? valueAt(text, node) : '') === (matcher ?? '');
};

/** Registers a hook exactly once: keeps it if it is right, else replaces an older registration, else adds it. */
const settle = (text: string, wanted: HookRegistration): string => {
  const mine = find(text).filter((one) => one.event === wanted.event && one.script === wanted.script);
  const node = (one: FoundHook): JsonNode => items(one.hooks)[one.hook] as JsonNode;
  const fitting = mine.filter((one) => matches(text, one, wanted));
  const exact = fitting.find((one) => isDeepStrictEqual(valueAt(text, node(one)), wanted.hook));
  const kept = exact ?? fitting[0] ?? mine.find((one) => one.hooks.children.length === 1);
  const surplus = mine.findLast((one) => one !== kept);
  if (surplus)
    return settle(
      drop(text, surplus, () => true),
      wanted,
    );
  if (exact) return text;
  if (!kept) return add(text, wanted);
  if (fitting.length > 0) return replaceNode(text, node(kept), wanted.hook);
  const { matcher, hook } = wanted;
  return replaceNode(text, items(kept.groups)[kept.group] as JsonNode, { matcher, hooks: [hook] });
};

/** JSON Pointers of `hooks` and of its events. */
export const containers = (text: string): string[] => {
  const hooks = memberOf(readJsonText(filled(text)), 'hooks');
  return hooks ? ['/hooks', ...hooks.children.map((child) => `/hooks/${child.key}`)] : [];
};

/** Adds our hooks. Gives the text, unchanged if they were there, and JSON Pointers of the containers that were made. */
export const register = (text: string, wanted: readonly HookRegistration[]): { text: string; made: string[] } => {
  const stray = (now: string): FoundHook | undefined =>
    find(now).find((one) => !wanted.some(({ event, script }) => event === one.event && script === one.script));
  let now = filled(text);
  for (let one = stray(now); one; one = stray(now)) now = drop(now, one, () => true);
  for (const registration of wanted) now = settle(now, registration);
  const before = containers(text);
  return { text: now, made: containers(now).filter((pointer) => !before.includes(pointer)) };
};

/** Whether any of our hooks runs a program of a folder with this name. */
export const namesFolder = (text: string, name: string): boolean =>
  !isBlank(text) &&
  find(text).some(({ hooks, hook }) => {
    const path = pathOf(valueAt(text, items(hooks)[hook] as JsonNode));
    return path !== undefined && basename(dirname(path)) === name;
  });

/** Whether the text holds any of our hooks. */
export const isRegistered = (text: string): boolean => !isBlank(text) && find(text).length > 0;

/**
 * Removes our hooks, and containers that are empty then.
 * @param made JSON Pointers of those that were made for our hooks; if undefined, all empty ones are removed
 */
export const unregister = (text: string, made?: readonly string[]): string => {
  let now = text;
  for (let one = isBlank(now) ? undefined : find(now).at(-1); one; one = find(now).at(-1)) {
    now = drop(now, one, (pointer) => made?.includes(pointer) ?? true);
  }
  return now;
};

/** Whether the settings are an empty object, or blank. */
export const isEmptyObject = (text: string): boolean => readJsonText(filled(text)).children.length === 0;

/** Whether the settings turn off all hooks, and so ours. */
export const hooksDisabled = (text: string): boolean => {
  const node = memberOf(readJsonText(filled(text)), 'disableAllHooks');
  return node !== undefined && valueAt(text, node) === true;
};
