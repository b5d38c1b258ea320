import { type LoadedConfig, policyFor } from '../../config/config.ts';
import { MODES } from '../../config/settings.ts';
import { spelled } from '../../contract/names.ts';
import type { Policy } from '../../judge/judge.ts';
import type { AllSources } from '../../sources/all.ts';

/**
 * The policy for a tool behind an invoker: that of its own server if the user knows one of this name, else that of the
 * invoker. A project's file does not make a server known, or else it could replace the invoker's policy by a laxer one.
 * @param server the inner tool's server; undefined if it is not named
 * @param outer the policy for the invoker
 */
export const policyInside = (
  config: LoadedConfig,
  { configured }: Pick<AllSources, 'configured'>,
  server: string | undefined,
  outer: Policy,
): Policy => {
  if (server === undefined) return outer;
  const { user, project } = config;
  const known = configured.find(({ name, state }) => state === 'ready' && spelled(name) === spelled(server))?.name;
  const isNamed =
    Object.hasOwn(user.servers, server) ||
    Object.values(user.gateways).some(({ servers }) => servers?.includes(server));
  const policy = known === undefined && !isNamed ? outer : policyFor(config, isNamed ? server : (known ?? server));
  const projects = (Object.hasOwn(project.servers, server) ? project.servers[server]?.mode : undefined) ?? 'off';
  return MODES.indexOf(projects) > MODES.indexOf(policy.mode) ? { ...policy, mode: projects } : policy;
};
