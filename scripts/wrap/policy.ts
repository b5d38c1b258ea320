// The settings, and the policy for calls of the wrapped server.
import { type LoadedConfig, loadConfig, policyFor } from '../config/config.ts';
import type { Policy } from '../judge/judge.ts';
import { stateHome } from '../state/paths.ts';
import { whenChanged } from '../state/stamp.ts';
import type { JudgeSettings } from './judge-served.ts';

/** Reads the settings once, and again when one of their files has changed. */
export const policyOf = (judging: JudgeSettings): { config: LoadedConfig; policy: Policy } => {
  const { name, trusted, env, project, memory } = judging;
  memory.config ??= whenChanged(() => loadConfig(stateHome(env), project, env));
  const config = memory.config();
  const set = policyFor(config, name ?? '');
  return { config, policy: { mode: set.mode, trusted: set.trusted || trusted } };
};
