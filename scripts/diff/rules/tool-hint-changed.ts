import { pointer } from '../../contract/json-pointer.ts';
import { sameJson } from '../../contract/same.ts';
import { type Json, type JsonObject, own } from '../../contract/types.ts';
import { quoteName, quoteValue } from '../../text/quote.ts';
import { type Shown, say } from '../../text/shown.ts';
import type { Finding, Rule, ToolPair } from '../types.ts';
import { warns } from '../words/warns.ts';

/**
 * The value of an absent hint (MCP, tool annotations), which value is the safer one, and whether we ask a person about a
 * tool that now has the other one.
 */
const HINTS: Record<string, { absent: boolean; safer: boolean; asks: boolean }> = {
  readOnlyHint: { absent: false, safer: true, asks: true },
  destructiveHint: { absent: true, safer: false, asks: true },
  idempotentHint: { absent: false, safer: true, asks: false },
  openWorldHint: { absent: true, safer: false, asks: false },
};

/** A hint's value for a message. Hints are booleans; anything else is quoted, since it is the server's own text. */
const plain = (value: Json | undefined): 'none' | 'true' | 'false' | 'something else' =>
  value === undefined || value === null ? 'none' : typeof value === 'boolean' ? `${value}` : 'something else';

/** Hints that mean nothing of a tool that only reads (MCP, tool annotations). */
const OF_WRITING: ReadonlySet<string> = new Set(['destructiveHint', 'idempotentHint']);

const kindOf = (name: string, old: Json | undefined, now: Json | undefined, reads: boolean): string => {
  const hint = Object.hasOwn(HINTS, name) ? HINTS[name] : undefined;
  if (hint === undefined) return name === 'title' && !warns(old, now) ? 'name' : 'other';
  // One that says more than that it only reads contradicts itself.
  if (reads && OF_WRITING.has(name) && (now ?? hint.safer) === hint.safer) return 'idle';
  const [had, has] = [old ?? hint.absent, now ?? hint.absent];
  if (had === has) return 'usual';
  if (has === hint.safer) return 'safer';
  // Of a value that is neither, nothing is known.
  return hint.asks ? 'danger' : 'other';
};

/** Why a change of a hint is none of what it says. */
const WHY_NOT: ReadonlyMap<string, Shown> = new Map([
  ['usual', say` (no hint means the same)`],
  ['idle', say` (of a tool that only reads, it says nothing)`],
]);

const find = ({ before, after }: ToolPair): Finding[] => {
  const had: JsonObject = before.annotations ?? {};
  const has: JsonObject = after.annotations ?? {};
  return [...new Set([...Object.keys(had), ...Object.keys(has)])].flatMap((name) => {
    if (sameJson(own(had, name) ?? null, own(has, name) ?? null)) return [];
    const [old, now] = [own(had, name), own(has, name)];
    const kind = kindOf(name, old, now, own(has, 'readOnlyHint') === true);
    const why = WHY_NOT.get(kind) ?? say``;
    return [
      {
        kind,
        path: `/annotations${pointer(name)}`,
        message: say`hint ${quoteName(name)} changed: ${quoteValue(old)} → ${quoteValue(now)}${why}`,
        brief:
          kind === 'danger'
            ? say`hint ${quoteName(name)} changed from ${plain(old)} to ${plain(now)}`
            : say`hint ${quoteName(name)} changed`,
        before: old,
        after: now,
      },
    ];
  });
};

export const toolHintChanged: Rule<ToolPair> = {
  id: 'tool-hint-changed',
  purpose: 'What the tool says about its effects changed: an annotation flipped, came or went.',
  at: 'tool',
  keywords: ['annotations'],
  find,
  examples: [
    {
      what: 'no longer read-only',
      before: { name: 'a', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
      after: { name: 'a', inputSchema: { type: 'object' }, annotations: { readOnlyHint: false } },
      gives: ['semantic tool-hint-changed /annotations/readOnlyHint, ask'],
    },
    {
      what: 'a value that is neither true nor false: what the tool does is unknown',
      before: { name: 'a', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
      after: { name: 'a', inputSchema: { type: 'object' }, annotations: { readOnlyHint: 'seldom' } },
      gives: ['semantic tool-hint-changed /annotations/readOnlyHint, ask'],
    },
    {
      what: 'such a value, of a tool that only reads',
      before: { name: 'a', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
      after: {
        name: 'a',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true, destructiveHint: 'seldom' },
      },
      gives: ['semantic tool-hint-changed /annotations/destructiveHint, ask'],
    },
    {
      what: 'null is no hint, as libraries write it',
      before: { name: 'a', inputSchema: { type: 'object' }, annotations: { openWorldHint: null, title: 'A' } },
      after: { name: 'a', inputSchema: { type: 'object' }, annotations: { title: 'A' } },
      gives: [],
    },
    {
      what: 'what a client takes it for where nothing is said',
      before: { name: 'a', inputSchema: { type: 'object' } },
      after: { name: 'a', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
      gives: ['compatible tool-hint-changed /annotations/destructiveHint, quiet'],
    },
    {
      what: 'what is said of the writing of a tool that only reads',
      before: {
        name: 'a',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true, destructiveHint: false },
      },
      after: { name: 'a', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
      gives: ['compatible tool-hint-changed /annotations/destructiveHint, quiet'],
    },
    {
      what: 'read-only, and destructive all the same',
      before: {
        name: 'a',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true, destructiveHint: false },
      },
      after: { name: 'a', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true, destructiveHint: true } },
      gives: ['semantic tool-hint-changed /annotations/destructiveHint, ask'],
    },
    {
      what: 'read-only, as it says now',
      before: { name: 'a', inputSchema: { type: 'object' } },
      after: { name: 'a', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
      gives: ['semantic tool-hint-changed /annotations/readOnlyHint, quiet'],
    },
    {
      what: 'a call that is repeated does more than one',
      before: { name: 'a', inputSchema: { type: 'object' }, annotations: { idempotentHint: true } },
      after: { name: 'a', inputSchema: { type: 'object' }, annotations: { idempotentHint: false } },
      gives: ['semantic tool-hint-changed /annotations/idempotentHint'],
    },
    {
      what: 'a hint that only names the tool',
      before: { name: 'a', inputSchema: { type: 'object' }, annotations: { title: 'A' } },
      after: { name: 'a', inputSchema: { type: 'object' }, annotations: { title: 'B' } },
      gives: ['semantic tool-hint-changed /annotations/title, quiet'],
    },
  ],
};
