// Lines of the activity log as events. Only the fields named here ever leave this machine.
import { createHash } from 'node:crypto';
import { defined } from '../contract/defined.ts';
import { spelled } from '../contract/names.ts';
import type { LoggedCall } from '../state/activity-log.ts';

/** An event, before it is encoded. */
export interface TelemetryEvent {
  name: 'konnichiwagwan.verdict' | 'konnichiwagwan.calls';
  /** Milliseconds since 1970: of the call, or the beginning of the hour. */
  at: number;
  isWarning: boolean;
  attributes: Record<string, string | number | boolean>;
}

export const HOUR = 3_600_000;

/** Silent calls, which are only counted. */
const COUNTED = new Set(['silence', 'not-covered']);
export const isCounted = ({ verdict }: Pick<LoggedCall, 'verdict'>): boolean => COUNTED.has(verdict);
const VERDICTS = new Set(['notice', 'ask', 'deny', 'unchecked', 'failed']);
export const isVerdict = ({ verdict }: Pick<LoggedCall, 'verdict'>): boolean => VERDICTS.has(verdict);
const WARNINGS = new Set(['ask', 'deny', 'unchecked']);

const digest = (...parts: string[]): string => createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);

/** A name that could be a path or an address is replaced by its hash. */
const PLAIN = /^[\w .:-]{1,64}$/;
const serverName = (server: string): string => (PLAIN.test(server) ? server : `sha256:${digest(server)}`);

/** The client's name of a tool, without the name of a server that is not sent. */
const toolName = (tool: string, server: string | undefined): string => {
  if (server === undefined || PLAIN.test(server)) return tool;
  const prefix = `mcp__${spelled(server)}__`;
  return tool.startsWith(prefix)
    ? `mcp__${digest(server)}__${tool.slice(prefix.length)}`
    : `mcp__${digest(server)}__${digest(tool)}`;
};

const subject = ({ tool, server, inner, verdict }: Pick<LoggedCall, 'tool' | 'server' | 'inner' | 'verdict'>) =>
  defined({
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': toolName(tool, server),
    'konnichiwagwan.server': server && serverName(server),
    'konnichiwagwan.verdict': verdict,
    'konnichiwagwan.inner.server': inner?.server && serverName(inner.server),
    'konnichiwagwan.inner.tool': inner?.tool && toolName(inner.tool, inner.server),
  });

const own = (machine: string, isNamed: boolean, id: string): Record<string, string> => ({
  'konnichiwagwan.event.id': id,
  ...(isNamed ? { 'konnichiwagwan.machine': machine } : {}),
});

/** Where events come from. */
export interface Origin {
  /** The id of this machine; part of every event's id. */
  machine: string;
  /** Whether events hold the machine's id itself, too. */
  isNamed: boolean;
}

/** The event of one verdict. @param line as it stands in the log: the same line at the same place has the same id */
export const verdictEvent = (
  call: LoggedCall,
  line: Buffer,
  { day, offset }: { day: string; offset: number },
  { machine, isNamed }: Origin,
): TelemetryEvent => ({
  name: 'konnichiwagwan.verdict',
  at: call.at,
  isWarning: WARNINGS.has(call.verdict),
  attributes: {
    ...subject(call),
    ...defined({
      'konnichiwagwan.level': call.level,
      'konnichiwagwan.rule': call.rule,
      'konnichiwagwan.mode': call.mode,
      'konnichiwagwan.contract.believed': call.from,
      'konnichiwagwan.contract.live': call.to,
      'konnichiwagwan.contract.pinned': call.pinned,
      'konnichiwagwan.replaces': call.again,
    }),
    'konnichiwagwan.client': call.session.startsWith('wrap-') ? 'wrap' : 'claude-code',
    ...own(machine, isNamed, digest(machine, day, String(offset), line.toString('latin1'))),
  },
});

/** The silent calls of one hour, by tool. */
export class Counts {
  readonly #found = new Map<string, { at: number; call: LoggedCall; count: number }>();

  get size(): number {
    return this.#found.size;
  }

  add(call: LoggedCall): void {
    const at = Math.floor(call.at / HOUR) * HOUR;
    const key = JSON.stringify([at, call.tool, call.server, call.inner?.server, call.inner?.tool, call.verdict]);
    const found = this.#found.get(key);
    if (found === undefined) this.#found.set(key, { at, call, count: 1 });
    else found.count += 1;
  }

  /** @param from where the part of the log begins that was counted */
  events(from: { day: string; offset: number }, { machine, isNamed }: Origin): TelemetryEvent[] {
    return [...this.#found].map(([key, { at, call, count }]) => ({
      name: 'konnichiwagwan.calls',
      at,
      isWarning: false,
      attributes: {
        ...subject(call),
        'konnichiwagwan.count': count,
        // The first call tells two computers with one machine id apart: a clone copies the file that holds it.
        ...own(machine, isNamed, digest(machine, from.day, String(from.offset), key, call.session, String(call.at))),
      },
    }));
  }
}
