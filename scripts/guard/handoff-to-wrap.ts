import { dirname } from 'node:path';
import type { Handoff } from '../state/handoff.ts';
import { type Stamped, stampOf } from '../state/stamp.ts';
import type { HookAnswer } from './answer.ts';
import type { Assessment } from './assessment.ts';
import type { ToolInput } from './input.ts';

/** What a call hands to the wrap that it goes through, and where that reads it. */
export interface HandoffToWrap {
  folder: string;
  about: Stamped;
  handoff: Handoff;
}

/**
 * The handoff to the wrap that a call goes through: the contract that the guard judged by, so that wrap judges again only
 * if the server has changed since. Undefined without wrap, or if the call could not be judged.
 */
export const handoffFor = (
  { session, toolName }: ToolInput,
  found: Assessment,
  decision: HookAnswer['decision'],
): HandoffToWrap | undefined => {
  const { all, named, facts, policy, verdict } = found;
  const source = all.servers.find(({ name, wrap }) => wrap !== undefined && name === named.server);
  const path = source?.wrap?.about();
  if (source === undefined || path === undefined) return undefined;
  const { mode } = policy;
  const told = { folder: dirname(path), about: { path, stamp: stampOf(path) } };
  const handoff = { mode, source: source.key, logged: { session, server: named.server, tool: toolName } };
  if (verdict === 'off') return { ...told, handoff };
  if (facts?.tool === undefined) return undefined;
  // A gateway may have spoken for the tool, while wrap looks at the server itself: that is just as good.
  if (facts.source !== source) return decision === 'ask' || mode === 'warn' ? { ...told, handoff } : undefined;
  // A call that a person is asked about counts as judged: a yes sends it.
  if (verdict === 'unchecked' && mode !== 'strict') return undefined;
  return { ...told, handoff: { ...handoff, listed: facts.live.listed?.[facts.tool.name] ?? null } };
};
