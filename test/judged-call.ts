import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { type Judgement, judge } from '../scripts/judge/judge.ts';

/** The verdict of mode `guard` on a call, where the server has this tool alone, is not trusted, and nothing was told before. */
export const judgedCall = (believed: Contract, live: Contract, args: JsonObject): Judgement =>
  judge({
    believed,
    live,
    tools: [live],
    args,
    policy: { mode: 'guard', trusted: false },
    settled: () => false,
  });
