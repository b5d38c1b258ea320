import { defined } from '../contract/defined.ts';
import { isObject, own } from '../contract/types.ts';
import { childOf, type JsonChild, type JsonNode, lenientValueAt } from '../install/json-text.ts';
import { formerOf, headersIn, readWrap, type WrapWords } from '../servers/wrapped.ts';
import type { EntryForm } from './hosts.ts';
import { betweenOf, type Edit, edited, rawAt, separatorIn } from './tokens.ts';

// An entry is rewritten in place: strings that stay keep their exact spelling, and so does the text between them. `--was`
// holds what the wrapped entry alone would not show: an entry must be put back on any machine, also where its file was
// copied to, or given another layout in between.

/** The words of an entry that starts a program, the program first. */
export const wordsOf = (value: unknown, { isList }: EntryForm): string[] | undefined => {
  const command = own(value, 'command');
  const given = own(value, 'args');
  // Some encoders write null for an empty list. No words can be put into that, so it is not read as one.
  const args = given === undefined ? [] : Array.isArray(given) ? given : [undefined];
  const words = isList ? command : [command, ...args];
  return Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string') && words[0] !== ''
    ? words
    : undefined;
};

/** The member of an entry that holds its URL; undefined for a program. */
export const urlKeyOf = (value: unknown, { urls }: EntryForm): string | undefined =>
  urls.find((key) => typeof own(value, key) === 'string');

/** Whether a URL may stand in a command line, which all processes can read: without anything that could be a secret. */
export const isPlainUrl = (url: string): boolean =>
  /^https?:\/\/[\w.-]+(:\d+)?(\/[\w.~-]{0,24}){0,8}$/.test(url) &&
  !/(?=[\w.~-]*\d)[\w~-]{16,}(\/|$)/.test(url.slice(8));

const URL_VARIABLE = 'KWG_URL';
const headerVariable = (index: number): string => `KWG_HEADER_${index + 1}`;

const quoted = (words: readonly string[]): string[] => words.map((word) => JSON.stringify(word));
const commaIn = (around: string): string => (/[":,]\s/.test(around) || !around.includes(',') ? ', ' : ',');

/** Puts tokens before the first item of an array. */
const insertFirst = (text: string, array: JsonNode, tokens: readonly string[]): Edit => {
  const first = array.children[0];
  const around = text.slice(array.start, array.end);
  if (first === undefined) {
    return { start: array.start + 1, end: array.start + 1, by: tokens.join(', ') };
  }
  const separator = separatorIn(text, array, first, array.children.length > 1 ? around : '": ');
  return { start: first.from, end: first.from, by: tokens.map((token) => token + separator).join('') };
};

/** Removes the first items of an array: the inverse of `insertFirst`. */
const removeFirst = (array: JsonNode, count: number): Edit[] => {
  const [first, last, next] = [array.children[0], array.children[count - 1], array.children[count]];
  // In an array that was empty, `insertFirst` leaves no space before the first item, so a person changed the layout.
  if (first && last && !next && first.from > array.start + 1)
    return [{ start: array.start + 1, end: array.end - 1, by: '' }];
  return first && last ? [{ start: first.from, end: next?.from ?? last.node.end, by: '' }] : [];
};

/** A member gets another key. */
const renamed = (text: string, { from }: JsonChild, key: string): Edit => ({
  start: from,
  end: from + rawAt(text, from).length + 2,
  by: `"${key}"`,
});

const wrapProgram = (text: string, entry: JsonNode, form: EntryForm, start: readonly string[]): Edit[] => {
  const command = childOf(entry, 'command') as JsonChild;
  if (form.isList) return [insertFirst(text, command.node, quoted([...start, '--']))];
  const [program = '', ...words] = start;
  const args = childOf(entry, 'args');
  const original = `"${rawAt(text, command.node.start)}"`;
  const replaced = { start: command.node.start, end: command.node.end, by: JSON.stringify(program) };
  if (args) return [replaced, insertFirst(text, args.node, [...quoted([...words, '--']), original])];
  const around = text.slice(entry.start, entry.end);
  const tokens = [...quoted([...words, '--was', 'no-args', '--']), original].join(commaIn(around));
  const member = `${separatorIn(text, entry, command, around)}"args"${betweenOf(text, command)}[${tokens}]`;
  return [{ ...replaced, by: replaced.by + member }];
};

const wrapUrl = (text: string, entry: JsonNode, form: EntryForm, start: readonly string[], key: string): Edit[] => {
  const [program = '', ...words] = start;
  const url = childOf(entry, key) as JsonChild;
  const type = childOf(entry, 'type');
  const headers = childOf(entry, 'headers');
  const around = text.slice(entry.start, entry.end);
  const rawUrl = rawAt(text, url.node.start);
  const isPlain = isPlainUrl(rawUrl);
  const rawKey = rawAt(text, url.from);
  const edits: Edit[] = [];
  const tokens = quoted(words);
  const was = (what: string): void => {
    tokens.push('"--was"', `"${what}"`);
  };
  if (type) {
    was(`type=${rawAt(text, type.node.start)}`);
    edits.push({ start: type.node.start, end: type.node.end, by: JSON.stringify(form.program) });
  }
  if (rawKey !== form.urls[0]) was(`url=${rawKey}`);
  if (!headers && !isPlain) was('no-headers');
  tokens.push(...(isPlain ? ['"--url"', `"${rawUrl}"`] : ['"--url-env"', `"${URL_VARIABLE}"`]));
  for (const [index, header] of (headers?.node.children ?? []).entries()) {
    const raw = rawAt(text, header.from);
    tokens.push('"--header-env"', `"${raw}=${headerVariable(index)}"`);
    edits.push(renamed(text, header, headerVariable(index)));
  }
  const between = betweenOf(text, url);
  const colon = /^\s*:[ \t]*$/.test(between) ? between : ': ';
  const separator = separatorIn(text, entry, url, around);
  const comma = commaIn(around);
  const variable = `"${URL_VARIABLE}"${colon}"${rawUrl}"`;
  if (headers) {
    const raw = rawAt(text, headers.from);
    if (raw !== 'headers') was(`headers=${raw}`);
    edits.push(renamed(text, headers, form.env));
    if (!isPlain) edits.push(insertFirst(text, headers.node, [variable]));
  }
  const list = form.isList
    ? `"command"${between}[${[JSON.stringify(program), ...tokens].join(comma)}]`
    : `"command"${between}${JSON.stringify(program)}${separator}"args"${colon}[${tokens.join(comma)}]`;
  const env = headers || isPlain ? '' : `${separator}"${form.env}"${colon}{${variable}}`;
  edits.push({ start: url.from, end: url.node.end, by: list + env });
  return edits;
};

/** The text after the entry at this node was changed so that it starts through `start`, the words of our program. */
export const wrapEntry = (text: string, entry: JsonNode, form: EntryForm, start: readonly string[]): string => {
  const key = urlKeyOf(lenientValueAt(text, entry), form);
  return edited(
    text,
    key === undefined ? wrapProgram(text, entry, form, start) : wrapUrl(text, entry, form, start, key),
  );
};

const unwrapProgram = (text: string, entry: JsonNode, form: EntryForm, wrap: WrapWords): Edit[] => {
  const command = childOf(entry, 'command') as JsonChild;
  const program = wrap.program as number;
  if (form.isList) return removeFirst(command.node, program);
  const args = childOf(entry, 'args') as JsonChild;
  const original = args.node.children[program - 1] as JsonChild;
  const { start, end } = command.node;
  const by = `"${rawAt(text, original.from)}"`;
  const hadNone = formerOf(wrap)['no-args'] !== undefined && args.node.children.length === program;
  if (hadNone && isBeside(entry, command, args)) return [{ start, end: args.node.end, by }];
  return [{ start, end, by }, ...removeFirst(args.node, program)];
};

const isBeside = (entry: JsonNode, one: JsonChild, next: JsonChild): boolean =>
  entry.children.indexOf(next) === entry.children.indexOf(one) + 1;

/** The word of an option's value as it stands in the text. */
const rawOption = (
  text: string,
  entry: JsonNode,
  form: EntryForm,
  { name, at }: WrapWords['options'][number],
): string => {
  const array = childOf(entry, form.isList ? 'command' : 'args')?.node;
  const item = array?.children[form.isList ? at : at - 1];
  const raw = item === undefined ? '' : rawAt(text, item.from);
  return raw.startsWith(`--${name}=`) ? raw.slice(name.length + 3) : raw;
};

/**
 * The members that `wrapUrl` writes, if they stand as it leaves them: from `command` to `last`, they took the place of the
 * URL. `headers` were there before, and hold variables now.
 */
const membersOf = (
  entry: JsonNode,
  form: EntryForm,
  former: Record<string, string>,
): { command: JsonChild; last: JsonChild; env?: JsonChild; headers?: JsonChild; type?: JsonChild } | undefined => {
  const command = childOf(entry, 'command') as JsonChild;
  const args = form.isList ? command : childOf(entry, 'args');
  const [env, type] = [childOf(entry, form.env), childOf(entry, 'type')];
  if (!args || (args !== command && !isBeside(entry, command, args))) return undefined;
  if ((type === undefined) !== (former.type === undefined)) return undefined;
  if (former['no-headers'] === undefined) return { command, last: args, ...defined({ env, headers: env, type }) };
  return env && isBeside(entry, args, env) ? { command, last: env, env, ...defined({ type }) } : undefined;
};

/** Variables become headers again; undefined if others than these names, or not all of them, are there. */
const headersAgain = (
  text: string,
  variables: readonly JsonChild[],
  names: Map<string, string>,
): Edit[] | undefined => {
  const keys = new Set(variables.map(({ key }) => key as string));
  if (keys.size < variables.length || keys.size < names.size) return undefined;
  if (![...keys].every((key) => names.has(key))) return undefined;
  return variables.map((child) => renamed(text, child, names.get(child.key as string) as string));
};

/** Puts an entry with a URL back, string by string; undefined if it is not laid out as `wrapUrl` leaves it. */
const unwrapUrl = (text: string, entry: JsonNode, form: EntryForm, wrap: WrapWords): Edit[] | undefined => {
  const members = membersOf(entry, form, formerOf(wrap));
  if (members === undefined) return undefined;
  const { command, last, env, headers, type } = members;
  const raw = (name: string): string[] =>
    wrap.options.flatMap((one) => (one.name === name ? [rawOption(text, entry, form, one)] : []));
  const was = new Map(raw('was').map((text) => [text.split('=', 1)[0], text.replace(/^[^=]*=?/, '')]));
  const given = raw('header-env');
  const names = new Map(given.map((text) => [text.replace(/^[^=]*=/, ''), text.split('=', 1)[0] as string]));
  // The text of one variable cannot be moved into two headers.
  if (names.size < given.length) return undefined;
  const [variable] = raw('url-env');
  const holder = variable === undefined ? undefined : env && childOf(env.node, variable);
  const url = holder ? rawAt(text, holder.node.start) : raw('url')[0];
  const variables = env?.node.children ?? [];
  if (url === undefined || raw('header').length > 0 || (holder && variables[0] !== holder)) return undefined;
  const renames = headersAgain(text, holder ? variables.slice(1) : variables, names);
  if (renames === undefined || (!headers && renames.length > 0)) return undefined;
  const key = was.get('url') ?? form.urls[0];
  return [
    ...renames,
    { start: command.from, end: last.node.end, by: `"${key}"${betweenOf(text, command)}"${url}"` },
    ...(headers && holder ? removeFirst(headers.node, 1) : []),
    ...(headers ? [renamed(text, headers, was.get('headers') ?? 'headers')] : []),
    ...(type ? [{ start: type.node.start, end: type.node.end, by: `"${was.get('type')}"` }] : []),
  ];
};

/** An entry with a URL as a value, where we did not write the text or its layout; a text says why there is none. */
const unwrappedValue = (value: Record<string, unknown>, form: EntryForm, wrap: WrapWords): object | string => {
  const env = own(value, form.env);
  const unused = new Set(isObject(env) ? Object.keys(env) : []);
  const taken = (name: string): string => {
    const found = own(env, name);
    unused.delete(name);
    return typeof found === 'string' ? found : `\${${name}}`;
  };
  const former = formerOf(wrap);
  let url = '';
  const headers: Record<string, string> = {};
  for (const { name, value: given } of wrap.options) {
    if (name === 'url') url = given;
    if (name === 'url-env') url = taken(given);
  }
  for (const { header, text, isVariable } of headersIn(wrap)) headers[header] = isVariable ? taken(text) : text;
  const [left] = unused;
  if (left !== undefined) return `its ${form.env} also holds ${left}, which an entry with a URL cannot hold`;
  const type = former.type ?? form.remote;
  const gone = new Set(['type', 'command', 'args', form.env]);
  return {
    ...(type === undefined ? {} : { type }),
    [former.url ?? (form.urls[0] as string)]: url,
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...Object.fromEntries(Object.entries(value).filter(([key]) => !gone.has(key))),
  };
};

/** An entry's value as JSON text that looks like what it replaces. */
const laidOut = (text: string, entry: JsonNode, value: object): string => {
  const old = text.slice(entry.start, entry.end);
  const lead = /\n([ \t]*)\S[^\n]*$/.exec(`\n${text.slice(0, entry.start)}`)?.[1] ?? '';
  const inner = /\n([ \t]+)"/.exec(old)?.[1];
  if (inner === undefined) return JSON.stringify(value, null, 1).replace(/\n */g, ' ');
  const indent = inner.startsWith(lead) && inner.length > lead.length ? inner.slice(lead.length) : '  ';
  const eol = /\r?\n/.exec(old)?.[0] ?? '\n';
  return JSON.stringify(value, null, indent).replaceAll('\n', eol + lead);
};

/** The text after the wrapped entry at this node was put back; or why it cannot be. @throws never */
export const unwrapEntry = (text: string, entry: JsonNode, form: EntryForm): { text: string } | { why: string } => {
  const value = lenientValueAt(text, entry) as Record<string, unknown>;
  const wrap = readWrap(wordsOf(value, form) ?? []);
  if (wrap === undefined) return { why: 'it does not start through wrap' };
  if (wrap.program !== undefined) return { text: edited(text, unwrapProgram(text, entry, form, wrap)) };
  const edits = unwrapUrl(text, entry, form, wrap);
  if (edits) return { text: edited(text, edits) };
  const former = unwrappedValue(value, form, wrap);
  if (typeof former === 'string') return { why: former };
  return { text: edited(text, [{ start: entry.start, end: entry.end, by: laidOut(text, entry, former) }]) };
};
