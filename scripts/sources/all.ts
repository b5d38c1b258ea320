import type { LoadedConfig } from '../state/config.ts';
import { gatewaySource } from './gateway.ts';
import type { Source, SourceProblem } from './source.ts';

/** Every source that the settings name, in their order, and what is wrong with those that cannot be asked. */
export const allSources = (
  config: LoadedConfig,
  project: string,
  env: NodeJS.ProcessEnv,
): { sources: Source[]; problems: SourceProblem[] } => {
  const made = Object.entries(config.user.gateways).map(([name, gateway]) =>
    gatewaySource(name, gateway, project, env),
  );
  return {
    sources: made.filter((source): source is Source => 'key' in source),
    problems: made.filter((source): source is SourceProblem => !('key' in source)),
  };
};
