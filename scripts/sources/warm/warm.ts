// Lets a process that lives as long as a conversation know its sources ahead of calls: it keeps their connections, hears of
// changes from servers that announce them, and asks the others while the model thinks.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Moment } from '../../state/circumstances.ts';
import type { Head } from '../head.ts';
import { type AskOptions, askSource } from '../live.ts';
import { keptTunnels } from '../proxy.ts';
import type { Repeated } from '../revalidate.ts';
import type { Source } from '../source.ts';
import { Clocks } from './clocks.ts';
import { type AskOutcome, type SourceStanding, WarmSource } from './warm-source.ts';

/** Keeps the answers of one conversation's sources warm. Knows no calls or verdicts. Keeps no process alive. */
export interface WarmSources {
  /** From now on this source's answer is kept warm; known ones are left alone. Starts no program. */
  keep(source: Source): void;
  /** Why the last answer of this source counts as live now; undefined if nothing is known. */
  standing(key: string): SourceStanding | undefined;
  /** The sources whose servers announce changes, and announced none since their last answers. */
  subscribed(): string[];
  /** The sources whose servers announced a change since their last answers, and when. */
  announced(): [key: string, at: Moment][];
  /** When this source's server announced a change that came after it gave this answer; undefined if it announced none. */
  announcedSince(key: string, head: Head): Moment | undefined;
  /**
   * Asks over the kept connection whether the last answer is still the same; stores nothing. Undefined: the source is not
   * kept, or one small request cannot tell.
   */
  again(key: string, head: Head, deadline: number): Promise<Repeated> | undefined;
  /** As `again`, for a call. */
  againForCall(key: string, head: Head, deadline: number): Promise<Repeated> | undefined;
  /** Keeps a source warm that was asked for a call; what it answered is stored. */
  asked(source: Source, outcome: AskOutcome): void;
  /**
   * Notes that a call was judged by this source's answer: that earns one question in the background. `reads`: for the next
   * such call an answer from before it is enough, so we ask at once.
   */
  called(key: string, reads: boolean): void;
  /**
   * Notes that a person said something: sources that announce nothing are asked again, in the background, for coming calls.
   * Earns each of them one question, if it was called since the last time. Settles when they have answered; never rejects.
   */
  refresh(): Promise<void>;
  /** Ends all streams, connections and sessions. */
  close(): Promise<void>;
}

export interface WarmSettings {
  home: string;
  /** Seconds for which an answer counts as live if its source does not say. */
  freshFor: number;
  /** The conversation; see `Source.personal`. */
  session?: string | undefined;
  /** How often we check a source that announces changes, in ms, before jitter. */
  lookEvery?: number;
  /** Asks a source in full; absent: in this thread. */
  ask?: (source: Source, options: AskOptions) => Promise<AskOutcome>;
}

const LOOK_EVERY = 60_000;
const TICK = 1_000;
/** How long a kept connection is idle before the system asks whether the other side is still there, in ms. */
const PROBE_AFTER = 15_000;

export const warmSources = ({ lookEvery = LOOK_EVERY, home, freshFor, session, ask }: WarmSettings): WarmSources => {
  const kept = new Map<string, WarmSource>();
  const again = (key: string, head: Head, deadline: number): Promise<Repeated> | undefined =>
    kept.get(key)?.again(head, deadline);
  const keeping = { keepAlive: true, keepAliveMsecs: PROBE_AFTER, maxFreeSockets: 2 };
  const agents = [new HttpAgent(keeping), new HttpsAgent(keeping)] as const;
  /** Connections through a proxy, by the origin that they lead to. */
  const tunnels = new Map<string, HttpsAgent | undefined>();
  const tunnelsTo = (url: URL): HttpsAgent | undefined => {
    if (!tunnels.has(url.origin)) tunnels.set(url.origin, keptTunnels(url));
    return tunnels.get(url.origin);
  };
  const allAgents = (): HttpAgent[] => [...agents, ...tunnels.values()].filter((agent) => agent !== undefined);
  const clocks = new Clocks();
  /** If time did not pass normally, the other side may be gone. */
  const dropIdle = (): void => {
    for (const { freeSockets } of allAgents())
      for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
  };
  const around = {
    home,
    freshFor,
    session,
    lookEvery,
    ask: ask ?? ((source: Source, options: AskOptions) => askSource(home, source, { ...options, again })),
    clocks,
    agentFor: (url: string) => {
      if (!clocks.isSteady()) dropIdle();
      return tunnelsTo(new URL(url)) ?? agents[url.startsWith('https:') ? 1 : 0];
    },
  };
  const ticking = setInterval(() => {
    const wasSteady = clocks.tick();
    if (!wasSteady) dropIdle();
    for (const source of kept.values()) {
      if (!wasSteady) source.renew();
      source.tend();
    }
  }, TICK).unref();
  let isClosed = false;
  const keep = (source: Source): void => {
    if (!isClosed && !kept.has(source.key)) kept.set(source.key, new WarmSource(source, around));
  };
  return {
    keep,
    standing: (key) => kept.get(key)?.standing(),
    subscribed: () => [...kept].filter(([, source]) => source.standing()?.kind === 'subscribed').map(([key]) => key),
    announced: () =>
      [...kept].flatMap(([key, source]) => {
        const at = source.announced();
        return at === undefined ? [] : [[key, at] as [string, Moment]];
      }),
    announcedSince: (key, head) => kept.get(key)?.announcedSince(head),
    again,
    againForCall: (key, head, deadline) => kept.get(key)?.againForCall(head, deadline),
    asked: (source, outcome) => {
      keep(source);
      kept.get(source.key)?.askedForCall(outcome);
    },
    called: (key, reads) => void kept.get(key)?.called(reads),
    refresh: async () => {
      await Promise.all([...kept.values()].map((source) => source.prompted()));
    },
    close: async () => {
      isClosed = true;
      clearInterval(ticking);
      await Promise.all([...kept.values()].map((source) => source.close()));
      for (const agent of allAgents()) agent.destroy();
    },
  };
};
