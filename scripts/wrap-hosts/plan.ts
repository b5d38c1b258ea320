import { CommandError, type Here } from '../command/command.ts';
import { nearNames } from '../contract/near-name.ts';
import { isObject, own } from '../contract/types.ts';
import { childOf, type JsonNode, memberOf, readJsonText } from '../install/json-text.ts';
import { diffText } from '../install/preview.ts';
import type { SettingsFile } from '../install/settings-file.ts';
import { readWrap } from '../servers/wrapped.ts';
import { quoteName, quoteNames, quotePath, quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';
import { codexAdd, codexRemove, type TomlChange } from './codex.ts';
import { type HostEntry, hostEntries } from './entries.ts';
import { isPlainUrl, unwrapEntry, wordsOf, wrapEntry } from './entry-text.ts';
import type { HostId, Scope } from './hosts.ts';
import { whyNotWrapped } from './refusal.ts';
import { type Rewritten, writeRewritten } from './rewritten.ts';
import { startWords } from './start-words.ts';
import { type Edit, edited } from './tokens.ts';

/** Which entry is meant. */
export interface WantedEntry {
  name: string;
  host?: HostId;
  scope?: Scope;
}

/** One change of one entry, before it is made. */
export interface WrapPlan {
  entry: HostEntry;
  /** The whole text of the file as it will be; undefined for TOML. */
  text?: string;
  /** The steps for a person instead. */
  toml?: TomlChange;
  /** The entry before and after, line by line, without values that may be secrets. */
  diff: string[];
}

const NOTHING = 'Nothing was changed.';

/** The folder that an entry belongs to, in a file with entries for several folders. */
export const folderOf = ({ place }: HostEntry): string | undefined =>
  place.scope === 'local' ? place.path[1] : undefined;

/** Where an entry stands, in words. */
export const whereOf = ({ place }: HostEntry): string => `${place.title}, ${place.scope}, ${quotePath(place.file)}`;

/** The first of those that a host finds in one place: the nearer file comes first. */
const nearest = (entries: readonly HostEntry[]): HostEntry[] =>
  entries.filter(
    ({ place }, at) =>
      entries.findIndex((one) => one.place.host === place.host && one.place.scope === place.scope) === at,
  );

/**
 * Finds the one entry that the user means. `isFit` excludes entries that cannot be meant.
 * @throws CommandError if there is none, or if there are several
 */
const findEntry = (io: Here, { name, host, scope }: WantedEntry, isFit: (entry: HostEntry) => boolean): HostEntry => {
  const { entries, problems } = hostEntries(io);
  const there = entries.filter(
    ({ place }) => (host === undefined || place.host === host) && (scope === undefined || place.scope === scope),
  );
  const named = there.filter((entry) => entry.name === name);
  const fit = named.filter(isFit);
  const found = nearest(fit.length > 0 ? fit : named);
  if (found.length === 1) return found[0] as HostEntry;
  if (found.length > 1) {
    const options = (one: HostEntry): string => `--host ${one.place.host} --scope ${one.place.scope}`;
    throw new CommandError(
      'several-servers',
      `${quoteText(name, 60)} stands in several places:\n${found.map((one) => `  ${options(one)}: ${quotePath(one.place.file)}`).join('\n')}`,
      `Say which. ${NOTHING}`,
    );
  }
  const names = [...new Set(there.map((entry) => entry.name))].sort();
  const near = nearNames(name, names);
  const unread = problems.map((problem) => `\n  not read: ${visible(problem, { max: 400 })}`).join('');
  throw new CommandError(
    'no-such-server',
    `no ${host || scope ? 'such ' : ''}configuration has a server ${quoteText(name, 60)}${unread}`,
    near.length > 0
      ? `did you mean ${near.map((one) => quoteName(one)).join(' or ')}?`
      : names.length > 0
        ? `there are: ${quoteNames(names, 20)}`
        : 'no server is configured there: konnichiwagwan wrap --list',
  );
};

/** The entry in a text of its file. */
const nodeIn = (text: string, { place, name }: HostEntry): JsonNode =>
  [...place.path, name].reduce<JsonNode | undefined>(memberOf, readJsonText(text, true)) as JsonNode;

/** Whether a value, in its quotes, names a variable and holds nothing else but the kind of a credential. */
const isPlaceholder = (token: string): boolean => /^"([A-Za-z]{1,10} )?\$?\{[\w:.]+\}"$/.test(token);

/** An entry as people may see it: its values that may be secrets are left out, as are those of an address. */
const shownEntry = (text: string, { place, child }: HostEntry, node: JsonNode): string => {
  const edits: Edit[] = [];
  for (const key of [place.form.env, 'headers'])
    for (const { node: value } of childOf(node, key)?.node.children ?? [])
      if (!isPlaceholder(text.slice(value.start, value.end)))
        edits.push({ start: value.start, end: value.end, by: '"…"' });
  for (const key of place.form.urls) {
    const url = childOf(node, key)?.node;
    if (url && !isPlainUrl(text.slice(url.start + 1, url.end - 1)) && !isPlaceholder(text.slice(url.start, url.end)))
      edits.push({ start: url.start, end: url.end, by: '"…"' });
  }
  const from = child?.from ?? node.start;
  const lead = /[ \t]*$/.exec(text.slice(0, from))?.[0] ?? '';
  const shifted = edits.map(({ start, end, by }) => ({ start: start - from, end: end - from, by }));
  return lead + edited(text.slice(from, node.end), shifted);
};

/** One entry before and after, line by line, in texts that differ in nothing else. */
const diffOf = (entry: HostEntry, before: string, after: string): string[] =>
  diffText(
    shownEntry(before, entry, nodeIn(before, entry)),
    shownEntry(after, entry, nodeIn(after, entry)),
    Number.POSITIVE_INFINITY,
  );

const planned = (entry: HostEntry, text: string): WrapPlan => ({
  entry,
  text,
  diff: diffOf(entry, entry.file.text, text),
});

const refused = (entry: HostEntry, why: string, hint = NOTHING): CommandError =>
  new CommandError('not-wrapped', `${quoteName(entry.name)} ${why} (${whereOf(entry)})`, hint);

/** What wrap gets to know about a server: its name, for pins and trust, and what the user wants. */
const told = (name: string, options: readonly string[]): string[] => [
  ...(name.startsWith('-') ? [`--name=${name}`] : ['--name', name]),
  ...options,
];

/** A text with one of its entries changed; or why that entry cannot be. */
export type Changed = { text: string } | { why: string };

/** The words of an entry's start through wrap. @throws CommandError if nothing is installed */
const startOf = (io: Here, entry: HostEntry, version: string, options: readonly string[]): string[] => [
  ...startWords(io, entry.place, version),
  ...told(entry.name, options),
];

/** A text with wrap before the server of one entry. An entry that could not be put back is left alone. */
const withWrap = (text: string, entry: HostEntry, start: readonly string[]): Changed => {
  const { form } = entry.place;
  const after = wrapEntry(text, nodeIn(text, entry), form, start);
  const back = unwrapEntry(after, nodeIn(after, entry), form);
  return 'text' in back && back.text === text
    ? { text: after }
    : { why: 'is laid out in a way that could not be put back' };
};

/** A text without wrap before the server of one entry. */
const withoutWrap = (text: string, entry: HostEntry): Changed => {
  const back = unwrapEntry(text, nodeIn(text, entry), entry.place.form);
  return 'text' in back ? back : { why: `cannot be put back: ${back.why}` };
};

/**
 * Plans to put wrap before a server; writes nothing.
 * @param options of wrap itself, as `--trust`
 * @throws CommandError if it cannot be done
 */
export const planAdd = (io: Here, wanted: WantedEntry, version: string, options: readonly string[]): WrapPlan => {
  const entry = findEntry(io, wanted, () => true);
  const why = whyNotWrapped(entry, io.cwd);
  if (why !== undefined) throw refused(entry, why);
  const start = startOf(io, entry, version, options);
  if (entry.child === undefined) return { entry, toml: codexAdd(entry, start), diff: [] };
  const changed = withWrap(entry.file.text, entry, start);
  if ('why' in changed) throw refused(entry, changed.why, `Wrap it by hand. ${NOTHING}`);
  return planned(entry, changed.text);
};

/** Whether an entry starts its server through wrap. */
export const isWrapped = ({ value, place }: HostEntry): boolean =>
  readWrap(wordsOf(value, place.form) ?? []) !== undefined;

/** Plans to take wrap away from a server; writes nothing. @throws CommandError if it cannot be done */
export const planRemove = (io: Here, wanted: WantedEntry): WrapPlan => {
  const entry = findEntry(io, wanted, isWrapped);
  if (!isWrapped(entry)) throw refused(entry, 'is not wrapped');
  if (entry.child === undefined) return { entry, toml: codexRemove(entry), diff: [] };
  const changed = withoutWrap(entry.file.text, entry);
  if ('why' in changed) throw refused(entry, changed.why, `Change it by hand. ${NOTHING}`);
  return planned(entry, changed.text);
};

/** Changes of many entries, before they are made. */
export interface ManyPlan {
  /** Each file once, with its whole text as it will be, and the changes of its entries in their order. */
  files: { file: SettingsFile; text: string; changes: { entry: HostEntry; diff: string[] }[] }[];
  /** Entries that stay as they are; for one in TOML, the steps for a person. */
  left: { entry: HostEntry; why: string; toml?: TomlChange }[];
}

/** Plans the same change for many entries; writes nothing. `change` gets the text of the file as changed so far. */
const planMany = (
  entries: readonly HostEntry[],
  change: (text: string, entry: HostEntry) => Changed,
  inToml: (entry: HostEntry) => TomlChange,
): ManyPlan => {
  const plan: ManyPlan = { files: [], left: [] };
  for (const file of new Set(entries.map((entry) => entry.file))) {
    const own = entries.filter((entry) => entry.file === file);
    const changes: ManyPlan['files'][number]['changes'] = [];
    let { text } = file;
    // From the last one backwards, so that earlier offsets stay valid.
    for (const entry of own.toSorted((a, b) => (b.child?.from ?? 0) - (a.child?.from ?? 0))) {
      if (entry.child === undefined) {
        plan.left.push({ entry, why: 'stands in TOML, which is not rewritten', toml: inToml(entry) });
        continue;
      }
      const changed = change(text, entry);
      if ('why' in changed) plan.left.push({ entry, why: changed.why });
      else {
        changes.unshift({ entry, diff: diffOf(entry, text, changed.text) });
        text = changed.text;
      }
    }
    if (changes.length > 0) plan.files.push({ file, text, changes });
  }
  plan.left.reverse();
  return plan;
};

/**
 * Plans to put wrap before many servers; writes nothing.
 * @param start how our program will be started, where it is not installed yet
 * @throws CommandError if nothing is installed
 */
export const planAddMany = (
  io: Here,
  entries: readonly HostEntry[],
  version: string,
  options: readonly string[],
  start?: readonly string[],
): ManyPlan => {
  const startFor = (entry: HostEntry): string[] =>
    start ? [...start, 'wrap', ...told(entry.name, options)] : startOf(io, entry, version, options);
  return planMany(
    entries,
    (text, entry) => {
      const why = whyNotWrapped(entry, folderOf(entry) ?? io.cwd);
      return why === undefined ? withWrap(text, entry, startFor(entry)) : { why };
    },
    (entry) => codexAdd(entry, startFor(entry)),
  );
};

/** Plans to take wrap away from many servers; writes nothing. */
export const planRemoveMany = (entries: readonly HostEntry[]): ManyPlan => planMany(entries, withoutWrap, codexRemove);

/** Makes a planned change. @throws CommandError if the file was changed since it was read */
export const applyPlan = ({ entry, text }: WrapPlan, io: Here): void => {
  if (text === undefined) return;
  writeRewritten([{ file: entry.file, text }], io);
};

/** Makes planned changes, file by file. @throws CommandError if a file was changed since it was read */
export const applyMany = ({ files }: ManyPlan, io: Here): Rewritten[] => writeRewritten(files, io);

/** Whether the server of an entry is behind a URL and no header signs in: then the host may have signed in itself. */
export const mayNeedSignIn = ({ value, place }: HostEntry): boolean => {
  if (!place.form.urls.some((key) => typeof own(value, key) === 'string')) return false;
  const headers = { ...(own(value, 'headers') as object), ...(own(value, 'http_headers') as object) };
  const known = [...Object.keys(headers), ...Object.keys((own(value, 'env_http_headers') as object) ?? {})];
  return own(value, 'bearer_token_env_var') === undefined && isObject(value) && known.length === 0;
};
