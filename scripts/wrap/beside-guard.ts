// Works with the guard of Claude Code, which judges calls by what the model was shown; we cannot know that. We tell it where we
// are. It asks us what the server lists, and leaves a handoff for each call it judged; we check whether that still holds.

import { chmodSync, existsSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defined } from '../contract/defined.ts';
import { nextCursor } from '../contract/next-cursor.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { toJson } from '../contract/to-json.ts';
import { isObject } from '../contract/types.ts';
import type { WrapQuestion } from '../sources/wrapped.ts';
import { CLIENT_ID } from '../state/client-names.ts';
import { digestOf } from '../state/digest.ts';
import { makeFolder } from '../state/files.ts';
import type { Handoff, Logged } from '../state/handoff.ts';
import { recallHidden } from '../state/hidden.ts';
import { remove, removeFile } from '../state/in-use.ts';
import { livePath, sessionsPath, stateHome, wrapFolder } from '../state/paths.ts';
import { announceWrap, listedDigest, noteStopped, type RunningWrap, takeHandoff, wordsDigest } from '../state/wraps.ts';
import type { Listed } from './own-requests.ts';
import type { Upstream } from './relay.ts';
import type { HeldCall, Verdict } from './types.ts';

/** What the guard and wrap tell each other over one connection. */
export interface GuardLink {
  /** The guard's verdict on a call, and how the guard logged it; undefined if it has not judged the call. */
  judged(call: HeldCall, toolUseId: string): Promise<{ verdict: Verdict; guarded: Logged } | undefined>;
  /** We stopped a call, and said why. */
  stopped(toolUseId: string): void;
  /** Removes everything we wrote. */
  close(): void;
}

/** The longest address of a socket that systems accept, in bytes. */
const LONGEST_ADDRESS = 100;
const OWN_FOLDER = 'kwg-wrap-';
const MOST_CONNECTIONS = 16;
const LONGEST_QUESTION = 256 * 1024;
const MOST_PAGES = 64;
/** How long handoffs wait for their calls, in ms: a person may think about a question for hours. */
const LONGEST_KEPT = 24 * 3_600_000;
const TIDY_AFTER = 100;
/** How long we keep checking whether the guard is at work, in ms; after that, once per call. */
const LONGEST_WAIT = 30_000;

const PARTS = {
  prompts: { prompts: 'prompts/list' },
  resources: { resources: 'resources/list', resourceTemplates: 'resources/templates/list' },
} as const;

/** All pages of a list; undefined if the server does not know it. @throws an error that says what is wrong */
const pagesOf = async (upstream: Upstream, method: string, part: string): Promise<unknown[] | undefined> => {
  const items: unknown[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const { result, error } = await upstream.request(method, defined({ cursor }));
    if (isObject(error) && error.code === -32601) return undefined;
    if (!isObject(result)) throw new Error(error === undefined ? 'no answer in time' : 'it answered with an error');
    if (Array.isArray(result[part])) items.push(...(result[part] as unknown[]));
    cursor = nextCursor(result);
    if (cursor === undefined) return items;
  }
  throw new Error('the list does not end');
};

/** Where we stand between the host and the server. */
interface WrapPlace {
  project: string;
  /** The user's environment. */
  env: NodeJS.ProcessEnv;
  /** All variables of our process, which the server has, too. */
  given: NodeJS.ProcessEnv;
  /** The server's tool for each name that we gave to one. */
  standsFor: () => Record<string, string> | undefined;
  /** The stop of a call whose contract is not known to be approved, in the guard's mode; undefined if it is. */
  unapproved: (call: HeldCall, mode: Handoff['mode']) => Promise<Verdict | undefined>;
}

/** Our answer to the guard, as one line of JSON. */
const answerTo = async (
  question: WrapQuestion,
  upstream: Upstream,
  { given, standsFor }: Pick<WrapPlace, 'given' | 'standsFor'>,
): Promise<object> => {
  const isOther = Object.entries(question.env).some(([name, digest]) => digestOf(given[name] ?? '') !== digest);
  if (isOther) return { other: true };
  if (question.lists.includes('served')) return { tools: (await upstream.served()).map((text) => JSON.parse(text)) };
  const listed: Listed = question.lists.includes('tools') ? await upstream.look() : { tools: [], result: {} };
  if (listed.failed !== undefined) return { tools: [], failed: listed.failed };
  const lists: Record<string, unknown> = {};
  const unread: Record<string, string> = {};
  for (const kind of ['prompts', 'resources'] as const) {
    if (!question.lists.includes(kind)) continue;
    try {
      for (const [part, method] of Object.entries(PARTS[kind]))
        lists[part] = (await pagesOf(upstream, method, part)) ?? [];
    } catch (error) {
      unread[kind] = (error as Error).message;
    }
  }
  return { ...lists, tools: listed.tools, unread, ...defined({ standsFor: standsFor() }) };
};

const isQuestion = (value: unknown): value is WrapQuestion =>
  isObject(value) && isObject(value.env) && Array.isArray(value.lists);

const answerOn = (socket: Socket, upstream: Upstream, place: WrapPlace): void => {
  let text = '';
  socket.unref();
  socket.setEncoding('utf8');
  socket.on('error', () => socket.destroy());
  socket.on('data', (part: string) => {
    text += part;
    if (text.length > LONGEST_QUESTION) return void socket.destroy();
    if (!text.endsWith('\n')) return;
    const question = parsedJson(text);
    if (!isQuestion(question)) return void socket.destroy();
    answerTo(question, upstream, place).then(
      (answer) => socket.end(`${toJson(answer)}\n`),
      () => socket.destroy(),
    );
  });
};

/** The socket's path: in our folder, or in a temporary one if that path is too long. */
const addressIn = (folder: string): string => {
  if (process.platform === 'win32')
    return `\\\\.\\pipe\\konnichiwagwan-${process.pid}-${digestOf(folder).slice(0, 16)}`;
  const near = join(folder, 's');
  return Buffer.byteLength(near) <= LONGEST_ADDRESS ? near : join(mkdtempSync(join(tmpdir(), OWN_FOLDER)), 's');
};

/** Removes handoffs whose calls never came. */
const tidy = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (/\.(handoff|stopped)$/.test(name) && Date.now() - statSync(path).mtimeMs > LONGEST_KEPT) removeFile(path);
  }
};

/**
 * Begins to work with the guard, where Claude Code started us; undefined for any other host. Writes nothing but into a folder of our own in the state folder, and that only where the guard has been at work.
 * @param words what follows `wrap` in our command line
 * @param judge judges a call by what is given as served
 */
export const besideGuard = (
  words: string[],
  upstream: Upstream,
  judge: (call: HeldCall) => Promise<Verdict>,
  place: WrapPlace,
): GuardLink | undefined => {
  const { project, env, given } = place;
  const session = given.CLAUDE_CODE_SESSION_ID ?? '';
  if (!CLIENT_ID.test(session)) return undefined;
  const home = stateHome(env);
  const folder = wrapFolder(home, process.pid);
  let server: Server | undefined;
  let wrap: RunningWrap | undefined;

  const close = (): void => {
    process.off('exit', close);
    try {
      server?.close();
      remove(folder);
      const aside = wrap && dirname(wrap.socket);
      if (aside?.startsWith(join(tmpdir(), OWN_FOLDER))) remove(aside);
    } catch {
      // The next session's start removes it.
    }
  };
  const publish = (): void => {
    if (wrap !== undefined || !existsSync(sessionsPath(home))) return;
    try {
      // Left by a process that had our id before.
      remove(folder);
      makeFolder(folder);
      const socket = addressIn(folder);
      server ??= createServer((connection) => answerOn(connection, upstream, place));
      server.maxConnections = MOST_CONNECTIONS;
      server.on('error', () => {});
      const about = {
        pid: process.pid,
        parent: process.ppid,
        session,
        project,
        words: wordsDigest(words),
        socket,
        began: Date.now(),
      };
      wrap = about;
      server.listen(socket, () => {
        try {
          if (process.platform !== 'win32') chmodSync(socket, 0o600);
          announceWrap(home, about);
        } catch {
          // See below.
        }
      });
      server.unref();
      process.once('exit', close);
    } catch {
      // The folder is not writable: judge as if there were no guard.
    }
  };
  /** In its first session, the guard may begin after us. */
  const publishSoon = (ms: number): void => {
    publish();
    if (wrap === undefined && ms < LONGEST_WAIT) setTimeout(() => publishSoon(ms * 2), ms).unref();
  };
  publishSoon(50);

  /** Makes the guard ask us before it judges the next call. */
  const sayWrap = (): void => {
    try {
      if (wrap !== undefined && existsSync(folder)) announceWrap(home, wrap);
    } catch {
      // See above.
    }
  };

  /** The contract that the guard judged by, as JSON. */
  const judgedBy = ({ name, served }: HeldCall, { listed, source }: Handoff): string | undefined => {
    const known = served.find((text) => listedDigest(JSON.parse(text)) === listed);
    if (known !== undefined) return known;
    const live = recallHidden(livePath(home, source), { source });
    if (!isObject(live?.listed) || live.listed[name] !== listed || !Array.isArray(live.tools)) return undefined;
    const contract = live.tools.find((tool) => isObject(tool) && tool.name === name);
    return contract && toJson(contract);
  };

  let calls = 0;
  return {
    judged: async (call, toolUseId) => {
      publish();
      if (wrap === undefined) return undefined;
      const handoff = takeHandoff(home, wrap, toolUseId);
      if (++calls % TIDY_AFTER === 0 && existsSync(folder)) tidy(folder);
      const { listed } = call;
      if (handoff === undefined || listed.failed !== undefined) return undefined;
      const { logged: guarded } = handoff;
      const pass = { verdict: { pass: true }, guarded } as const;
      if (handoff.mode === 'off' || handoff.listed === undefined) return pass;
      const sameName = listed.tools.filter((tool) => isObject(tool) && tool.name === call.name);
      const now = [...new Set(sameName.map(listedDigest))];
      // Of several contracts, it is unknown which one the call reaches.
      if (now.length < 2 && handoff.listed === (now[0] ?? null)) return pass;
      sayWrap();
      // In this mode the guard stops nothing, and mentions the change at the next call.
      if (handoff.mode === 'warn') return pass;
      const stop = await place.unapproved({ ...call, guarded }, handoff.mode);
      if (stop !== undefined) return { verdict: stop, guarded };
      const believed = judgedBy(call, handoff);
      if (believed === undefined) return undefined;
      return { verdict: await judge({ ...call, served: [believed], guarded }), guarded };
    },
    stopped: (toolUseId) => {
      if (wrap !== undefined) noteStopped(home, wrap, toolUseId);
    },
    close,
  };
};
