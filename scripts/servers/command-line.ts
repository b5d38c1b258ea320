/** The client's command-line options, as far as they change which servers there are. */
export interface ClientOptions {
  /** `--mcp-config`: files, or JSON text. */
  configs: string[];
  /** Only servers that `--mcp-config` names (`--strict-mcp-config`, and `--bare`). */
  strict: boolean;
  /** No server at all (`--safe-mode`). */
  none: boolean;
  pluginFolders: string[];
  /** `--settings`: a file, or JSON text. */
  settings?: string;
  /** `--setting-sources`: some of `user`, `project` and `local`; absent: all. */
  sources?: string[];
  /** There is no user to ask, or permissions are bypassed: then the client starts even unapproved servers. */
  unasked: boolean;
}

/** Options whose value is the next argument, even if it looks like an option: it may be the text of a prompt. */
const VALUED = new Set(
  (
    '--append-system-prompt --system-prompt --model --output-format --input-format --permission-mode ' +
    '--plugin-dir --plugin-url --resume --session-id --setting-sources --settings'
  ).split(' '),
);

/** The options as the client's own parser finds them: `--name value`, `--name=value`, and `--` ends the options. */
const optionsIn = (words: readonly string[]): [name: string, value: string | undefined][] => {
  const found: [string, string | undefined][] = [];
  for (let at = 1; at < words.length && words[at] !== '--'; at++) {
    const word = words[at] as string;
    const [, name, value] = /^(--[^=]*)=(.*)$/s.exec(word) ?? [];
    if (name !== undefined) found.push([name, value]);
    else if (word === '--mcp-config') {
      // It takes all arguments up to the next option.
      while (at + 1 < words.length && !words[at + 1]?.startsWith('-')) found.push([word, words[++at]]);
    } else if (VALUED.has(word) && !(word === '--resume' && words[at + 1]?.startsWith('-')))
      // `--resume` may have no value.
      found.push([word, words[++at]]);
    else if (word.startsWith('-')) found.push([word, undefined]);
  }
  return found;
};

/**
 * Reads the client's command line.
 * @param words all arguments, the program first
 */
export const readOptions = (words: readonly string[]): ClientOptions => {
  const found = optionsIn(words);
  const has = (...names: string[]): boolean => found.some(([name]) => names.includes(name));
  const valuesOf = (name: string): string[] =>
    found.flatMap(([one, value]) => (one === name && value !== undefined ? [value] : []));
  const settings = valuesOf('--settings').at(-1);
  const sources = valuesOf('--setting-sources').at(-1);
  return {
    configs: valuesOf('--mcp-config'),
    strict: has('--strict-mcp-config', '--bare'),
    none: has('--safe-mode'),
    pluginFolders: valuesOf('--plugin-dir'),
    unasked:
      has('-p', '--print', '--dangerously-skip-permissions') ||
      valuesOf('--permission-mode').includes('bypassPermissions'),
    ...(settings === undefined ? {} : { settings }),
    ...(sources === undefined ? {} : { sources: sources.split(',').map((source) => source.trim()) }),
  };
};
