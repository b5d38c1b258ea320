// What a call's verdict is where something differs. Loaded then and not before.

import { readToolList } from '../contract/read.ts';
import type { JsonObject } from '../contract/types.ts';
import { answerFor } from '../guard/messages.ts';
import { judge } from '../judge/judge.ts';
import type { HeldCall, Verdict } from './relay.ts';

export const judgeServed = ({ name, args, served, listed }: HeldCall, told: Set<string>): Verdict => {
  if (listed.failed !== undefined || served.length === 0) return { pass: true };
  const { tools } = readToolList({ tools: listed.tools } as never);
  const live = tools.find((tool) => tool.name === name) ?? null;
  for (const text of [...served].reverse()) {
    const [believed] = readToolList({ tools: [JSON.parse(text)] }).tools;
    if (believed === undefined) continue;
    const judgement = judge({
      believed,
      live,
      tools,
      args: args as JsonObject,
      policy: { mode: 'guard', trusted: false },
      settled: (key) => told.has(key),
    });
    if (judgement.decision !== 'deny' && judgement.decision !== 'ask') continue;
    for (const { key, change } of judgement.reasons) if (change?.effect?.verdict === 'ask') told.add(key);
    const about = {
      tool: name,
      server: 'server',
      prefix: '',
      args: args as JsonObject,
      trusted: false,
      attended: false,
    };
    const { reason } = answerFor(judgement, about);
    return { pass: false, text: String(reason) };
  }
  return { pass: true };
};
