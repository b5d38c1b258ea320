// A server behind `konnichiwagwan wrap` as a source: no second copy is started; the wrap that the client started asks its
// own.
import { statSync } from 'node:fs';
import type Net from 'node:net';
import { LONGEST_ANSWER } from '../contract/limits.ts';
import { isObject, type OfferKind, own, type ToolList } from '../contract/types.ts';
import type { Server } from '../servers/types.ts';
import { readWrap, unwrapped } from '../servers/wrapped.ts';
import { recall } from '../state/circumstances.ts';
import { digestOf } from '../state/digest.ts';
import { sessionPath, stateHome } from '../state/paths.ts';
import { aboutWrap, listedDigest, type RunningWrap, runningWraps, wordsDigest } from '../state/wraps.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { readAnswer } from './answer.ts';
import { type Deadline, within } from './deadline.ts';
import { keyOf, mcpSource, speaksFor } from './mcp/mcp.ts';
import type { OfferedAnswer, Source, SourceAnswer } from './source.ts';

/** How often to look for a wrap while waiting for it to start, in ms. */
const PAUSE = 40;

/** Where such a source is asked. */
export const THROUGH_WRAP = 'its own program, through wrap';

/** Outside a session that is normal. */
const NOT_NOW = {
  status: 'unaskable',
  why: 'not running now; konnichiwagwan probe --spawn starts a copy for a moment',
} as const;
const NOT_THERE = {
  status: 'unreachable',
  why: 'konnichiwagwan wrap does not run for it, or cannot write its state',
} as const;

/** The question to wrap: see scripts/wrap/beside-guard.ts. */
export interface WrapQuestion {
  /** Digests of the variables of the configured entry: of two entries with one command line, only one is meant. */
  env: { [name: string]: string };
  /** `served`: the tools that the client was last given, instead of the current ones. */
  lists: ('tools' | 'served' | OfferKind)[];
}

/** What wrap answers besides what every source does. */
type SaidByWrap = Record<string, unknown> & { tools: unknown[] };

/** Sends one line, and returns the line that comes back; undefined if nothing listens there. */
const exchangeLines = (socket: string, line: string, { over }: Deadline): Promise<string | undefined> =>
  new Promise((resolve) => {
    const connection = (require('node:net') as typeof Net).connect(socket);
    const parts: Buffer[] = [];
    let length = 0;
    const end = (answer: string | undefined): void => {
      connection.destroy();
      resolve(answer);
    };
    over.addEventListener('abort', () => end(undefined), { once: true });
    connection.on('error', () => end(undefined));
    connection.on('close', () => end(undefined));
    connection.on('data', (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length > LONGEST_ANSWER) end(undefined);
      else if (part.at(-1) === 10) end(Buffer.concat(parts).toString('utf8'));
    });
    connection.write(`${line}\n`);
  });

/** The process id of the client of a session, as its start noted it. */
const clientOf = (home: string, session: string): unknown => recall(sessionPath(home, session), { session })?.client;

/**
 * The wraps that may stand between this client and the server, likeliest first. Without a session, as in a terminal: those
 * of the project.
 */
const candidates = (home: string, words: string, project: string, env: NodeJS.ProcessEnv): RunningWrap[] => {
  const all = runningWraps(home).filter((wrap) => wrap.words === words);
  const [client, session] = [Number(env.CLAUDE_PID) || 0, env.CLAUDE_CODE_SESSION_ID];
  const started = all.filter(({ parent }) => parent === client);
  if (started.length > 0) return started;
  const sameSession = all.filter((wrap) => session !== undefined && wrap.session === session);
  if (sameSession.length > 0) return sameSession;
  // After a `/clear` its session has another id, and a program in between may have started it.
  const known = all.filter((wrap) => client > 0 && clientOf(home, wrap.session) === client);
  if (known.length > 0 || session !== undefined) return known;
  return all.filter((wrap) => wrap.project === project);
};

/**
 * The configured server as a source if it is behind wrap; undefined for any other.
 * @param spawn whether a copy of its program may be started where no wrap runs
 */
export const wrappedSource = (
  server: Server,
  project: string,
  env: NodeJS.ProcessEnv,
  spawn: boolean,
): Source | undefined => {
  const { name, launch } = server;
  const behind = unwrapped(launch);
  if (behind === undefined || launch.type !== 'stdio' || server.state !== 'ready') return undefined;
  const home = stateHome(env);
  const line = [launch.command, ...launch.args];
  const words = wordsDigest(line.slice(readWrap(line)?.begin));
  const { CLAUDE_PROJECT_DIR: _project, ...given } = launch.env;
  const asked = { env: Object.fromEntries(Object.entries(given).map(([name, value]) => [name, digestOf(value)])) };
  const direct = spawn ? mcpSource({ ...server, launch: behind }, project, true) : undefined;
  const copy = direct !== undefined && 'key' in direct ? direct : undefined;
  const find = (): RunningWrap[] => candidates(home, words, project, env);
  /** The one that answered. */
  let known: RunningWrap | undefined;

  const question = (ms: number, lists: WrapQuestion['lists']): Promise<SourceAnswer> =>
    within(ms, async (deadline) => {
      for (const wrap of find()) {
        const text = await exchangeLines(
          wrap.socket,
          JSON.stringify({ ...asked, lists } satisfies WrapQuestion),
          deadline,
        );
        if (text === undefined || text.startsWith('{"other":')) continue;
        known = wrap;
        const answer = readAnswer(text, undefined);
        if (answer.status !== 'answered') return answer;
        const said = JSON.parse(text) as SaidByWrap;
        if (typeof said.failed === 'string') return { status: 'unreachable', why: visible(said.failed, { max: 160 }) };
        return { status: 'answered', list: { ...answer.list, ...besides(said) } };
      }
      return env.CLAUDE_CODE_SESSION_ID === undefined && !(Number(env.CLAUDE_PID) > 0) ? NOT_NOW : NOT_THERE;
    });

  return {
    key: keyOf({ ...server, launch: behind }, project),
    name,
    where: THROUGH_WRAP,
    personal: true,
    covers: speaksFor(name),
    changedAt: () => {
      const wrap = known ?? find()[0];
      return wrap && statSync(aboutWrap(home, wrap), { throwIfNoEntry: false })?.mtimeMs;
    },
    wrap: {
      about: () => {
        const wrap = known ?? find()[0];
        return wrap && aboutWrap(home, wrap);
      },
      appears: async (until) => {
        while (find().length === 0 && Date.now() < until) await new Promise((wait) => setTimeout(wait, PAUSE));
      },
      served: async (ms) => {
        const answer = await question(ms, ['served']);
        return answer.status === 'answered' ? answer.list.tools : undefined;
      },
    },
    ask: (etag, ms, everything = false, keeper) =>
      copy !== undefined && find().length === 0
        ? copy.ask(etag, ms, everything, keeper)
        : question(ms, everything ? ['tools', 'prompts', 'resources'] : ['tools']),
    offered: async (kind, ms): Promise<OfferedAnswer> => {
      const answer = await question(ms, [kind]);
      if (answer.status === 'same') return NOT_THERE;
      if (answer.status !== 'answered') return answer;
      const why = answer.list.unread?.[kind];
      return why === undefined ? { status: 'offered', offers: answer.list.offers ?? [] } : { status: 'invalid', why };
    },
  };
};

/** The parts of an answer that only wrap gives. */
const besides = ({ tools, unread, standsFor }: SaidByWrap): Pick<ToolList, 'listed' | 'standsFor' | 'unread'> => {
  const named = tools.filter((tool) => isObject(tool) && typeof tool.name === 'string') as { name: string }[];
  const kinds = (['prompts', 'resources'] as const).filter((kind) => typeof own(unread, kind) === 'string');
  const why = (kind: OfferKind): Shown => visible(String(own(unread, kind)), { max: 300 });
  return {
    listed: Object.fromEntries(named.map((tool) => [tool.name, listedDigest(tool)])),
    ...(isObject(standsFor) ? { standsFor: standsFor as Record<string, string> } : {}),
    ...(kinds.length > 0
      ? { unread: Object.fromEntries(kinds.map((kind) => [kind, say`its ${kind} could not be read (${why(kind)})`])) }
      : {}),
  };
};
