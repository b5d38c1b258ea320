// A contract that changed between the guard's check of a call and its sending: an approval that the guard found was for the old
// one.
import type { JsonObject } from '../contract/types.ts';
import { trustOf } from '../guard/trust.ts';
import type { Policy } from '../judge/judge.ts';
import { stateHome } from '../state/paths.ts';
import { logCall } from './call-log.ts';
import { type JudgeSettings, liveContract } from './judge-served.ts';
import { policyOf } from './policy.ts';
import type { HeldCall, Verdict } from './types.ts';
import { unapprovedSince } from './words.ts';

/** Whether the guard, in its mode, has nothing against what is listed now. If it cannot tell, it has. */
const isApproved = ({ name, listed, guarded }: HeldCall, mode: Policy['mode'], judging: JudgeSettings): boolean => {
  try {
    const { name: server = '', env, project } = judging;
    const live = listed.failed === undefined ? liveContract(listed.tools, name) : undefined;
    // What is not listed, or cannot be read, is judged as such.
    if (live === undefined || live === null) return true;
    const { config, policy } = policyOf(judging);
    const known = { server: guarded?.server ?? server, name, live };
    const shared = { settings: config.user.shared, env };
    const doubt = trustOf(stateHome(env), project, { ...policy, mode }, known, shared);
    return doubt === undefined || doubt.verdict === 'notice';
  } catch {
    return false;
  }
};

/**
 * Stops a call that the guard let through, if the contract that is listed now is not known to be approved: repeated, it is
 * checked by that one. Undefined if nothing stands against it.
 */
export const stopUnapproved = (call: HeldCall, mode: Policy['mode'], judging: JudgeSettings): Verdict | undefined => {
  if (isApproved(call, mode, judging)) return undefined;
  const { name, args, host, guarded } = call;
  const { name: server, env, trusted, secrets } = judging;
  logCall(env, server, { name: secrets.text(name), guarded }, { verdict: 'deny', mode });
  return { pass: false, text: unapprovedSince({ tool: name, server, args: args as JsonObject, trusted, host }) };
};
