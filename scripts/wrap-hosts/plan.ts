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

/** What wrap gets to know about a server: its name, for pins and trust, and what the user wants. */
const told = (name: string, options: readonly string[]): string[] => [
  ...(name.startsWith('-') ? [`--name=${name}`] : ['--name', name]),
  ...options,
];

/** Whether an entry starts its server through wrap. */
export const isWrapped = ({ value, place }: HostEntry): boolean =>
  readWrap(wordsOf(value, place.form) ?? []) !== undefined;

/** A text with one of its entries changed; for one in TOML, the steps for a person; or why that entry cannot be. */
type Changed = { text: string } | { toml: TomlChange } | { why: string; hint?: string };

/** A change of one entry in the text of its file, as changed so far. */
type EntryChange = (text: string, entry: HostEntry) => Changed;

/** How servers start through wrap. */
export interface Adding {
  version: string;
  /** Of wrap itself, as `--trust`. */
  options: readonly string[];
  /** How our program will be started, where it is not installed yet. */
  start?: readonly string[];
}

/** The words that start wrap itself, before its options. @throws CommandError if nothing is installed */
export const programWords = (io: Here, { place }: HostEntry, { version, start }: Adding): string[] =>
  start ? [...start, 'wrap'] : startWords(io, place, version);

/** Puts wrap before a server. An entry that could not be put back is left alone. @throws CommandError if nothing is installed */
const adding =
  (io: Here, how: Adding): EntryChange =>
  (text, entry) => {
    const { form } = entry.place;
    const why = whyNotWrapped(entry, folderOf(entry) ?? io.cwd);
    if (why !== undefined) return { why };
    const words = [...programWords(io, entry, how), ...told(entry.name, how.options)];
    if (entry.child === undefined) return { toml: codexAdd(entry, words) };
    const after = wrapEntry(text, nodeIn(text, entry), form, words);
    const back = unwrapEntry(after, nodeIn(after, entry), form);
    return 'text' in back && back.text === text
      ? { text: after }
      : { why: 'is laid out in a way that could not be put back', hint: 'Wrap it by hand. ' };
  };

/** Takes wrap away from a server. */
const removing: EntryChange = (text, entry) => {
  if (!isWrapped(entry)) return { why: 'is not wrapped' };
  if (entry.child === undefined) return { toml: codexRemove(entry) };
  const back = unwrapEntry(text, nodeIn(text, entry), entry.place.form);
  return 'text' in back ? back : { why: `cannot be put back: ${back.why}`, hint: 'Change it by hand. ' };
};

const planOne = (entry: HostEntry, change: EntryChange): WrapPlan => {
  const { text } = entry.file;
  const changed = change(text, entry);
  if ('why' in changed)
    throw new CommandError(
      'not-wrapped',
      `${quoteName(entry.name)} ${changed.why} (${whereOf(entry)})`,
      `${changed.hint ?? ''}${NOTHING}`,
    );
  return 'toml' in changed
    ? { entry, toml: changed.toml, diff: [] }
    : { entry, text: changed.text, diff: diffOf(entry, text, changed.text) };
};

/** Plans to put wrap before a server; writes nothing. @throws CommandError if it cannot be done */
export const planAdd = (io: Here, wanted: WantedEntry, how: Adding): WrapPlan =>
  planOne(
    findEntry(io, wanted, () => true),
    adding(io, how),
  );

/** Plans to take wrap away from a server; writes nothing. @throws CommandError if it cannot be done */
export const planRemove = (io: Here, wanted: WantedEntry): WrapPlan =>
  planOne(findEntry(io, wanted, isWrapped), removing);

/** Changes of many entries, before they are made. */
export interface ManyPlan {
  /** Each file once, with its whole text as it will be, and the changes of its entries in their order. */
  files: { file: SettingsFile; text: string; changes: { entry: HostEntry; diff: string[] }[] }[];
  /** Entries that stay as they are; for one in TOML, the steps for a person. */
  left: { entry: HostEntry; why: string; toml?: TomlChange }[];
}

/** Plans the same change for many entries; writes nothing. */
const planMany = (entries: readonly HostEntry[], change: EntryChange): ManyPlan => {
  const plan: ManyPlan = { files: [], left: [] };
  for (const file of new Set(entries.map((entry) => entry.file))) {
    const own = entries.filter((entry) => entry.file === file);
    const changes: ManyPlan['files'][number]['changes'] = [];
    let { text } = file;
    // From the last one backwards, so that earlier offsets stay valid.
    for (const entry of own.toSorted((a, b) => (b.child?.from ?? 0) - (a.child?.from ?? 0))) {
      const changed = change(text, entry);
      if ('why' in changed) plan.left.push({ entry, why: changed.why });
      else if ('toml' in changed)
        plan.left.push({ entry, why: 'stands in TOML, which is not rewritten', toml: changed.toml });
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

/** Plans to put wrap before many servers; writes nothing. @throws CommandError if nothing is installed */
export const planAddMany = (io: Here, entries: readonly HostEntry[], how: Adding): ManyPlan =>
  planMany(entries, adding(io, how));

/** Plans to take wrap away from many servers; writes nothing. */
export const planRemoveMany = (entries: readonly HostEntry[]): ManyPlan => planMany(entries, removing);

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
