import { canonical } from '../../contract/canonical.ts';
import type { JsonObject } from '../../contract/types.ts';
import { quoteName, quoteValue } from '../../text/quote.ts';
import type { Finding, Rule, ToolPair } from '../types.ts';
import { pointer } from '../walk.ts';

/** What a hint says where it is absent (MCP, tool annotations), and which value is the dangerous one. */
const HINTS: Record<string, { absent: boolean; danger: boolean }> = {
  readOnlyHint: { absent: false, danger: false },
  destructiveHint: { absent: true, danger: true },
};

const find = ({ before, after }: ToolPair): Finding[] => {
  const had: JsonObject = before.annotations ?? {};
  const has: JsonObject = after.annotations ?? {};
  return [...new Set([...Object.keys(had), ...Object.keys(has)])].flatMap((name) => {
    if (canonical(had[name] ?? null) === canonical(has[name] ?? null)) return [];
    const hint = HINTS[name];
    const towardsDanger =
      hint !== undefined && (had[name] ?? hint.absent) !== hint.danger && (has[name] ?? hint.absent) === hint.danger;
    return [
      {
        kind: towardsDanger ? 'danger' : 'other',
        path: `/annotations${pointer(name)}`,
        message: `hint ${quoteName(name)} changed: ${quoteValue(had[name])} → ${quoteValue(has[name])}`,
        brief: towardsDanger
          ? `hint ${quoteName(name)} changed from ${had[name] ?? 'none'} to ${has[name] ?? 'none'}`
          : `hint ${quoteName(name)} changed`,
        before: had[name],
        after: has[name],
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
      what: 'read-only no more',
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
