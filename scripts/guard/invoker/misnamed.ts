import { defined } from '../../contract/defined.ts';
import { nearNames } from '../../contract/near-name.ts';
import { signature } from '../../contract/signature.ts';
import type { Contract, JsonObject } from '../../contract/types.ts';
import { readLive } from '../../sources/live.ts';
import type { Assessment, CallContext, Judged, NotCovered, Search } from '../assessment.ts';
import type { ToolInput } from '../input.ts';
import { meant } from './meant.ts';
import type { OuterCall } from './outer-call.ts';
import { fillIn } from './skeleton.ts';

/** Names are the server's own text, and a call contains them unquoted. */
const PLAIN_NAME = /^[\w.-]{1,64}$/;
/** With more near names than this, none is proposed: they would be no hint. */
const MOST = 3;

type NamedSearch = Search & { name: string };

/** All sources answered, and none has the tool. */
export const isUnknown = (found: Assessment): found is NotCovered =>
  found.verdict === 'not-covered' && found.consulted.length > 0;

/** The tools that may be meant by a name that no list has, under the names that the call would have for them. */
export const toolsMeant = (home: string, { rounds, name }: NamedSearch): Contract[] => {
  const found = new Map<string, Contract>();
  for (const { sources, ways } of rounds) {
    const starts = ways.flatMap(({ spelling }) => (spelling === name ? [] : [spelling.slice(0, -name.length)]));
    const isPlain = ways.some(({ spelling }) => spelling === name);
    for (const tool of sources.flatMap(({ key }) => readLive(home, key)?.tools ?? [])) {
      const start = starts.find((one) => tool.name.startsWith(one)) ?? (isPlain ? '' : undefined);
      const own = start === undefined ? '' : tool.name.slice(start.length);
      if (PLAIN_NAME.test(own) && !found.has(own)) found.set(own, { ...tool, name: own });
    }
  }
  const near = nearNames(name, [...found.keys()]);
  return near.length > MOST ? [] : near.map((one) => found.get(one) as Contract);
};

/**
 * Judges a name that no list has, and that is nearly a listed one: the call is stopped once. A caller who repeats it may
 * know a tool that no server lists. Undefined if no name is near, or the model was told.
 */
export const misnamed = (
  { session, agent, arguments: args }: ToolInput,
  { named, ...found }: NotCovered,
  through: OuterCall,
  search: NamedSearch,
  { home, settled }: CallContext,
): (Judged & { through: OuterCall }) | undefined => {
  const tools = toolsMeant(home, search);
  const near = tools.map(({ name }) => name);
  const key = `near ${JSON.stringify([search.name, near])}`;
  const place = { session, agent, source: undefined, server: named.server, tool: undefined };
  if (tools.length === 0 || settled({ ...place, about: key }, found.index?.request)) return undefined;
  const [only] = tools.length === 1 ? tools : [];
  const filled = only && fillIn(only, args as JsonObject);
  const { program: _program, why: _why, ...basis } = found;
  return {
    ...basis,
    named,
    verdict: 'judged',
    judgement: {
      decision: found.policy.mode === 'warn' ? 'notice' : 'deny',
      changes: [],
      reasons: [{ key, verdict: 'deny', invalid: { text: meant(near) } }],
      ...defined({ signature: only && signature(only) }),
    },
    through: { ...through, near, ...defined({ skeleton: filled && only && through.call(only.name, filled) }) },
  };
};
