import { pointer } from '../../contract/json-pointer.ts';
import { sameJson } from '../../contract/same.ts';
import { type Json, type JsonObject, own } from '../../contract/types.ts';
import { quoteName, quoteValue } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Finding, Rule, ToolPair } from '../types.ts';

/** The value that a hint has if it is absent (MCP, tool annotations), and which value is the dangerous one. */
const HINTS: Record<string, { absent: boolean; danger: boolean }> = {
  readOnlyHint: { absent: false, danger: false },
  destructiveHint: { absent: true, danger: true },
};

/** A hint's value for a message. Hints are booleans; anything else is quoted, since it is the server's own text. */
const plain = (value: Json | undefined): 'none' | 'true' | 'false' | 'something else' =>
  value === undefined ? 'none' : typeof value === 'boolean' ? `${value}` : 'something else';

const find = ({ before, after }: ToolPair): Finding[] => {
  const had: JsonObject = before.annotations ?? {};
  const has: JsonObject = after.annotations ?? {};
  return [...new Set([...Object.keys(had), ...Object.keys(has)])].flatMap((name) => {
    if (sameJson(own(had, name) ?? null, own(has, name) ?? null)) return [];
    const hint = Object.hasOwn(HINTS, name) ? HINTS[name] : undefined;
    const [old, now] = [own(had, name), own(has, name)];
    const towardsDanger =
      hint !== undefined && (old ?? hint.absent) !== hint.danger && (now ?? hint.absent) === hint.danger;
    return [
      {
        kind: towardsDanger ? 'danger' : 'other',
        path: `/annotations${pointer(name)}`,
        message: say`hint ${quoteName(name)} changed: ${quoteValue(old)} → ${quoteValue(now)}`,
        brief: towardsDanger
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
      gives: ['tool-hint-changed /annotations/readOnlyHint'],
    },
    {
      what: 'a hint that only names the tool',
      before: { name: 'a', inputSchema: { type: 'object' }, annotations: { title: 'A' } },
      after: { name: 'a', inputSchema: { type: 'object' }, annotations: { title: 'B' } },
      gives: ['tool-hint-changed /annotations/title'],
    },
  ],
};
