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

/**
 * Reads a command line as the client's own parser does: `--name value`, `--name=value`, and `--` ends the options.
 * @param words all arguments, the program first
 */
export const readOptions = (words: readonly string[]): ClientOptions => {
  const options: ClientOptions = { configs: [], strict: false, none: false, pluginFolders: [], unasked: false };
  const take = (name: string, value: string): void => {
    if (name === '--mcp-config') options.configs.push(value);
    else if (name === '--plugin-dir') options.pluginFolders.push(value);
    else if (name === '--settings') options.settings = value;
    else if (name === '--setting-sources') options.sources = value.split(',').map((source) => source.trim());
    else if (name === '--permission-mode' && value === 'bypassPermissions') options.unasked = true;
  };
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') break;
    if (!word.startsWith('-')) continue;
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const name = equals < 0 ? word : word.slice(0, equals);
    if (name === '--strict-mcp-config' || name === '--bare') options.strict = true;
    else if (name === '--safe-mode') options.none = true;
    else if (name === '-p' || name === '--print' || name === '--dangerously-skip-permissions') options.unasked = true;
    else if (equals >= 0) take(name, word.slice(equals + 1));
    else if (name === '--mcp-config') {
      // It takes all arguments up to the next option.
      while (at + 1 < words.length && !words[at + 1]?.startsWith('-')) take(name, words[++at] ?? '');
    } else if (VALUED.has(name) && at + 1 < words.length) {
      // `--resume` may have no value.
      if (name !== '--resume' || !words[at + 1]?.startsWith('-')) take(name, words[++at] ?? '');
    }
  }
  return options;
};
