import { type Args, CommandError, type Io, type Options, timeoutOf, usageError } from '../command/command.ts';
import { whereabouts } from '../command/session.ts';
import { loadConfig } from '../config/config.ts';
import { defined } from '../contract/defined.ts';
import { readLabel } from '../contract/label.ts';
import { allSources } from '../sources/all.ts';
import { quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';
import { formerOf, pathTo, type WhoseLock } from './folder.ts';
import type { Former } from './former.ts';
import { needNoAgent } from './need-person.ts';
import { type AskContext, askOffers, type Offer } from './offers.ts';
import { readLock } from './read.ts';
import { rememberLock } from './record.ts';
import { type FoundLock, LOCKFILE } from './types.ts';

export const SPAWN: Options = { spawn: { type: 'boolean' }, timeout: { type: 'string' } };

export const SPAWN_HELP = `  --spawn  start servers that talk over stdio, to ask them. Without it they are not checked: a second copy of a
           server can have effects of its own
  --timeout SECONDS  how long servers may take to answer: 10, with --spawn 60, if absent`;

/**
 * The project's lockfile, if there is one.
 * @throws CommandError if the file is not a lockfile
 */
export const findLock = (whose: WhoseLock): Exclude<FoundLock, { status: 'unreadable' }> => {
  const { home, project } = whose;
  const found = readLock(project);
  if (found.status === 'lock') rememberLock(home, project, found.text);
  if (found.status !== 'unreadable') return found;
  throw new CommandError(
    'unreadable-lockfile',
    `${pathTo(whose)} ${found.why}`,
    'nothing counts as pinned or approved until it is put right: update konnichiwagwan if a newer one wrote it, else bring back the last good one from version control',
  );
};

/** The sentence about a missing lockfile that existed before. */
export const goneText = (whose: WhoseLock, from: string): string =>
  `${pathTo(whose)} is gone${whose.way === undefined ? ' from this folder' : ''} (${from})`;

/** The error about it. */
export const lockIsGone = (whose: WhoseLock, { from, restore }: Former): CommandError => {
  const there = whose.way === undefined ? '' : `cd ${whose.way} && `;
  return new CommandError(
    'lockfile-gone',
    goneText(whose, from),
    `${restore === undefined ? 'restore it; ' : `restore it: ${restore}\n  `}if it was deleted on purpose, a person says so at a terminal: ${there}konnichiwagwan approve`,
  );
};

/** The project's lockfile. @throws CommandError if there is none, or the file is not one */
export const needLock = (whose: WhoseLock): Extract<FoundLock, { status: 'lock' }> => {
  const found = findLock(whose);
  if (found.status === 'lock') return found;
  const former = formerOf(whose, true);
  if (former) throw lockIsGone(whose, former);
  throw new CommandError(
    'no-lockfile',
    `there is no ${LOCKFILE} in this folder`,
    'create it in the folder of your project: konnichiwagwan pin',
  );
};

/** The server names that a user gave; a slash in a name is written `~1`. @throws CommandError if one is a tool's */
export const serverNames = (command: string, { positionals }: Args): string[] =>
  positionals.map((word) => {
    const { server, tool } = readLabel(word);
    if (tool === undefined && server !== '') return server;
    throw usageError(command, `${command} takes names of servers, not ${quoteText(word, 60)}`);
  });

/** Where a server is, without the rest of its URL: paths can hold tokens, too. */
const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'a URL with variables');

/**
 * Reads `--approve-project-servers`, and names the servers that it approves before one is started.
 * @throws CommandError if an agent runs this
 */
export const approvesProject = ({ values }: Args, io: Io, { home, project }: AskContext): boolean => {
  if (values['approve-project-servers'] !== true) return false;
  needNoAgent('approve servers', io.env);
  const { configured } = allSources(loadConfig(home, project, io.env), project, io.env, { approvesProject: true });
  const named = configured
    .filter(({ scope, state }) => scope === 'project' && state === 'ready')
    .map(({ name, configured: { type, ...how } }) => {
      const reached = 'command' in how ? how.command : 'url' in how ? originOf(how.url) : type;
      return `${quoteText(name, 60)} (${visible(reached, { max: 100 })})`;
    });
  io.tell(`approved for this run: ${named.length > 0 ? named.join(', ') : 'no server'}`);
  return true;
};

/** What is needed to ask servers, from a command's arguments. `only`: names of servers. */
export const around = (command: string, args: Args, io: Io, only?: AskContext['only']): AskContext => {
  const { home, project } = whereabouts(args, io);
  const deadline = timeoutOf(command, args);
  return { home, project, env: io.env, spawn: args.values.spawn === true, ...defined({ only, deadline }) };
};

/** The option of commands that run in CI: the person who wrote the workflow approves what `.mcp.json` names. */
export const APPROVE_PROJECT: Options = { 'approve-project-servers': { type: 'boolean' } };

export const APPROVE_PROJECT_HELP = `  --approve-project-servers  for CI: ask also the servers of this repository's .mcp.json that are not approved in Claude Code
           (with --spawn: start them). They are named first. No agent can use it`;

/** Asks the servers, with a line of progress if that takes longer than a second. */
export const askWithProgress = async (asking: AskContext, io: Io): Promise<Map<string, Offer>> => {
  const timer = setTimeout(() => io.progress('asking the servers …'), 1_000);
  try {
    return await askOffers(asking);
  } finally {
    clearTimeout(timer);
  }
};

/** Why a server was not checked, for people. */
export const notChecked = ({ why, hint }: { why: string; hint?: string | undefined }): string =>
  `could not be checked: ${why}${hint === undefined ? '' : ` (${hint})`}`;
