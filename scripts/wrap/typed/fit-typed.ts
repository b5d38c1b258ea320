// Checks the arguments of a typed tool. Otherwise the hub would call the inner tool with them, and its error would sound
// as if the tool were broken.
import type { JsonObject } from '../../contract/types.ts';
import { placeholders } from '../../guard/invoker/skeleton.ts';
import { say } from '../../text/shown.ts';
import { logCall } from '../call-log.ts';
import { type JudgeSettings, liveContract } from '../judge-served.ts';
import { policyOf } from '../policy.ts';
import type { HeldCall, Verdict } from '../types.ts';
import { decide } from '../verdict.ts';
import { type CallSubject, misfitLine, uncheckedDenial, uncheckedTelling } from '../words.ts';

/** The verdict on a call of a typed tool that would be passed on. */
export const fitTyped = (
  { name, args: given, unread, listed, host, guarded }: HeldCall,
  judging: JudgeSettings,
): Verdict => {
  const { name: server, env, memory, secrets } = judging;
  const { policy } = policyOf(judging);
  const live = policy.mode === 'off' || listed.failed !== undefined ? undefined : liveContract(listed.tools, name);
  // Calls of tools that are gone or cannot be read were judged before.
  if (live === undefined || live === null) return { pass: true };
  const args = given as JsonObject;
  const about: CallSubject = { tool: name, server, args, trusted: policy.trusted, host };
  const wrong = unread === undefined ? placeholders(args) : [{ text: say`the arguments must be a JSON object` }];
  const { told } = memory;
  const { decided } = decide({ believed: [live], live, tools: [], earlier: new Set(), policy, about, told, wrong });
  const refused = (text: string): Verdict => {
    logCall(env, server, { name: secrets.text(name), guarded }, { verdict: 'deny' });
    return { pass: false, text };
  };
  if (decided.verdict === 'deny') return refused(decided.text);
  if (decided.verdict === 'notice') return { pass: true, told: misfitLine(decided.judgement, about) };
  if (decided.verdict === 'silence') return { pass: true };
  if (policy.mode === 'strict') return refused(uncheckedDenial(decided.why, about));
  return { pass: true, told: uncheckedTelling(decided.why, about) };
};
