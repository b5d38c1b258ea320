import { type Args, type Command, type Io, type Options, type Outcome, usageError } from '../command/command.ts';
import { tilde } from '../command/tilde.ts';
import { defined, present } from '../contract/defined.ts';
import { withFileErrors } from '../install/errors.ts';
import { paintDiff } from '../install/preview.ts';
import { needNoAgent } from '../lock/need-person.ts';
import { askPerson, terminalOf } from '../lock/question.ts';
import { projectKey } from '../servers/folder.ts';
import { plainName, quoteName, quotePath } from '../text/quote.ts';
import { shellWord } from '../text/shell-word.ts';
import { visible } from '../text/visible.ts';
import { readSettings, WrongUse } from '../wrap/settings.ts';
import { type HostEntry, hostEntries } from '../wrap-hosts/entries.ts';
import { HOSTS, type HostId, SCOPES, type Scope } from '../wrap-hosts/hosts.ts';
import {
  type Adding,
  applyPlan,
  folderOf,
  isWrapped,
  mayNeedSignIn,
  planAdd,
  planRemove,
  type WantedEntry,
  type WrapPlan,
  whereOf,
} from '../wrap-hosts/plan.ts';
import { guardAll, needTerminal, teamNote, tomlLines, unguardAll, type WrapWay, wayOf } from './wrap-many.ts';

/** The version of the package, which the build fills in. */
declare const __version: string;

const oneOf = <T extends string>(option: string, value: unknown, known: readonly T[]): T | undefined => {
  if (value === undefined || known.includes(value as T)) return value as T | undefined;
  throw usageError('wrap', `--${option} is one of ${known.join(', ')}`);
};

const wantedOf = ({ values }: Args, name: string): WantedEntry => {
  const host = oneOf<HostId>('host', values.host, HOSTS);
  const scope = oneOf<Scope>('scope', values.scope, SCOPES);
  return { name, ...defined({ host, scope }) };
};

/** The options of wrap itself, which `--add` writes into the entry. */
const OWN: Options = {
  trust: { type: 'boolean' },
  'hot-swap': { type: 'boolean' },
  off: { type: 'boolean' },
  record: { type: 'string' },
  lock: { type: 'string' },
  invoker: { type: 'boolean' },
  tools: { type: 'string' },
  search: { type: 'boolean' },
  only: { type: 'string', multiple: true },
};

/** The options for wrap itself, as words. @throws CommandError if wrap would not start with them */
const ownWords = ({ values }: Args, env: NodeJS.ProcessEnv): string[] => {
  const words = Object.keys(OWN).flatMap((name) =>
    [values[name] ?? []].flat().map((value) => (value === true ? `--${name}` : `--${name}=${value}`)),
  );
  try {
    readSettings([...words, '--', 'program'], env);
    return words;
  } catch (error) {
    throw error instanceof WrongUse ? usageError('wrap', error.message) : error;
  }
};

const placeData = ({ name, place }: HostEntry) => ({ name, host: place.host, scope: place.scope, file: place.file });

const previewOf = ({ entry, diff, toml }: WrapPlan, colour: boolean): string => {
  if (toml !== undefined) return tomlLines(entry, toml).join('\n');
  return `${quoteName(entry.name)} (${whereOf(entry)}):\n${paintDiff(diff, colour)}`;
};

const nextOf = ({ entry, toml }: WrapPlan, isAdd: boolean): string[] => {
  const done = isAdd ? 'starts through wrap now' : 'starts without wrap now';
  const { title, host, scope } = entry.place;
  return present([
    !toml && `${quoteName(entry.name)} ${done}. ${title} reads it when it starts the server next.`,
    isAdd &&
      mayNeedSignIn(entry) &&
      `If ${title} signs in to this server itself, that does not reach it through wrap: undo this, and wrap \`npx mcp-remote URL\`.`,
    isAdd && scope === 'project' && teamNote([entry]),
    isAdd &&
      !toml &&
      `Undo: konnichiwagwan wrap --remove ${shellWord(visible(entry.name))} --host ${host} --scope ${scope}`,
  ]);
};

/** Asks whether to go on. @throws CommandError if there is no terminal to ask at */
const agreed = async (plan: WrapPlan, way: WrapWay, io: Io): Promise<boolean> => {
  needTerminal('this file', io);
  const terminal = terminalOf(io, way.json);
  terminal.output.write(`${previewOf(plan, io.colour)}\n`);
  return (await askPerson('Change it?', terminal)) === 'yes';
};

const changeOne = async (wanted: WantedEntry, how: Adding | undefined, way: WrapWay, io: Io): Promise<Outcome> => {
  const plan = withFileErrors(() => (how ? planAdd(io, wanted, how) : planRemove(io, wanted)));
  const { toml, diff, entry } = plan;
  const isOffered = toml !== undefined || way.dry;
  const isChanged = !isOffered && (way.yes || (await agreed(plan, way, io)));
  if (isChanged) withFileErrors(() => applyPlan(plan, io));
  return {
    exit: 0,
    data: {
      action: how ? 'add' : 'remove',
      ...placeData(entry),
      dry_run: way.dry,
      changed: isChanged,
      diff,
      toml: toml ? { table: toml.table, take_out: toml.takeOut, put_in: toml.putIn } : null,
    },
    text: present([
      (way.yes || isOffered) && previewOf(plan, io.colour),
      ...(isChanged || toml ? nextOf(plan, how !== undefined) : []),
      !isChanged && 'Nothing was written.',
    ]).join('\n'),
  };
};

const changeAll = async (wanted: WantedEntry, how: Adding | undefined, way: WrapWay, io: Io): Promise<Outcome> => {
  const { data, lines, isMade, isPartial } = await (how ? guardAll(wanted, how, way, io) : unguardAll(wanted, way, io));
  const host = wanted.host === undefined ? '' : ` --host ${wanted.host}`;
  const scope = wanted.scope === 'project' ? ' --scope project' : '';
  const undo = isMade ? [`Undo: konnichiwagwan wrap --remove --all${host}${scope}`] : [];
  return { exit: isPartial ? 2 : 0, data, text: [...lines, ...undo].join('\n') };
};

const change = (args: Args, io: Io): Promise<Outcome> => {
  const { add, remove, all } = args.values;
  const wanted = wantedOf(args, String(add ?? remove));
  const options = ownWords(args, io.env);
  const way = wayOf(args);
  const [made, what] = all === true ? [changeAll, 'servers'] : [changeOne, 'a server'];
  if (add !== undefined) return made(wanted, { version: __version, options }, way, io);
  if (options.length > 0) throw usageError('wrap', `${options[0]?.split('=')[0]} is for --add`);
  // Removing wrap weakens the guard, so only a person may do that. An agent may add it.
  if (!way.dry) needNoAgent(`take wrap away from ${what}`, io.env);
  return made(wanted, undefined, way, io);
};

/** Gives `--add` and `--remove` an empty value if `--all` stands in for it. */
const readable = (words: string[]): string[] =>
  words.includes('--all') ? words.map((word) => (/^--(add|remove)$/.test(word) ? `${word}=` : word)) : words;

/** Terminals of fewer columns get two lines for each server. */
const NARROW = 80;

const list = (args: Args, io: Io): Outcome => {
  const { host, scope } = wantedOf(args, '');
  const { entries, problems } = withFileErrors(() => hostEntries(io, true));
  const here = projectKey(io.cwd);
  // Entries for other folders are listed only if wrapped: the user may want to restore those.
  const isShown = (entry: HostEntry): boolean => (folderOf(entry) ?? here) === here || isWrapped(entry);
  const found = entries.filter(
    (entry) =>
      (host === undefined || entry.place.host === host) &&
      (scope === undefined || entry.place.scope === scope) &&
      isShown(entry),
  );
  const width = Math.min(48, Math.max(0, ...found.map(({ name }) => plainName(name).length)));
  const line = (entry: HostEntry): string => {
    const { title, scope, file } = entry.place;
    const folder = folderOf(entry);
    const where = folder === undefined ? '' : ` (${quotePath(folder)})`;
    const name = plainName(entry.name).padEnd(width);
    const first = `  ${isWrapped(entry) ? 'wrapped' : '-      '}  ${name}  `;
    const place = `${title}, ${scope}${where}: ${quotePath(tilde(file, io))}`;
    // On a narrow terminal the place goes below the name.
    return first.length + place.length > io.columns && io.columns < NARROW
      ? `${first.trimEnd()}\n             ${place}`
      : first + place;
  };
  return {
    exit: 0,
    data: {
      servers: found.map((entry) => ({
        ...placeData(entry),
        ...defined({ folder: folderOf(entry) }),
        wrapped: isWrapped(entry),
      })),
    },
    text:
      found.length === 0
        ? 'No server is configured where konnichiwagwan looks: konnichiwagwan wrap --help'
        : present([...found.map(line), !found.every(isWrapped) && LEGEND]).join('\n'),
    warnings: problems,
  };
};

const LEGEND = 'A - marks servers without wrap. In Claude Code those with a URL need none: the guard asks them itself.';

export const wrap: Command = {
  name: 'wrap',
  usage: '[OPTION…] -- COMMAND ARGS… | [OPTION…] --url URL | --add NAME | --remove NAME | --add --all | --list',
  options: {
    add: { type: 'string' },
    remove: { type: 'string' },
    list: { type: 'boolean' },
    all: { type: 'boolean' },
    host: { type: 'string' },
    scope: { type: 'string' },
    'dry-run': { type: 'boolean' },
    yes: { type: 'boolean' },
    ...OWN,
  },
  help: [
    'Stands between a host and a server, and judges each call: docs/wrap.md. These options put it there:',
    '',
    '  --add NAME     rewrite the entry of one server, so that its host starts it through wrap',
    '  --remove NAME  put the entry back, byte for byte',
    '  --add --all    the same for every local server of Claude Code, or of --host, except in files that a team shares;',
    '                 --remove --all puts all entries back',
    '  --list         the servers of all hosts, and which of them are wrapped',
    `  --host HOST    ${HOSTS.join(', ')}`,
    '                 where several have a server of that name; for codex, the lines to change are printed',
    `  --scope SCOPE  ${SCOPES.join(', ')}: all your projects, you in this one, all who work in it`,
    '  --dry-run      show the change and write nothing',
    '  --yes          do not ask',
    '',
    'The change is shown, and made after a yes. Nothing else in the file changes, and secrets stay in the entry.',
    '',
    'What wrap itself takes, on its own command line, or with --add, which writes it into the entry:',
    '',
    `  --url URL, --header 'Name: value'  a server over HTTP; $\{NAME} is taken from the environment`,
    '  --url-env VAR, --header-env NAME=VAR',
    '                 the same from variables, for what no command line should hold',
    '  --name NAME    what the server is called in config.json and in messages',
    '  --trust        new descriptions of this server may reach the model',
    '  --lock FILE    a contract that is not approved in this lockfile is refused',
    '  --record FILE  keeps what was served and when, for diff',
    '  --hot-swap     a tool whose contract broke is offered under a new name, too',
    '  --off          calls are not checked; that is said on standard error',
    '  --invoker      the tools behind a generic invoker become tools of their own',
    '  --tools FROM, --only PATTERN, --search',
    '                 of --invoker: where they are listed, which of them, or only after a search',
    '',
    'Example: konnichiwagwan wrap --add github --host claude --dry-run',
  ].join('\n'),
  readable,
  async run(args, io): Promise<Outcome> {
    const given = ['add', 'remove', 'list'].filter((name) => args.values[name] !== undefined);
    if (given.length !== 1) throw usageError('wrap', 'give one of --add NAME, --remove NAME, --list, or -- COMMAND');
    const { add = '', remove = '', all } = args.values;
    if (all === true && (given[0] === 'list' || add !== '' || remove !== ''))
      throw usageError('wrap', '--all is for --add and --remove, in place of a name');
    if (given[0] === 'list') return list(args, io);
    return change(args, io);
  },
};
