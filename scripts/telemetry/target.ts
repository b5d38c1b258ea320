import type { TelemetryConfig } from '../config/settings.ts';
import { filledAddress } from '../sources/credentials.ts';

/** Where events are sent, and with which headers. */
export interface CollectorTarget {
  url: URL;
  headers: Record<string, string>;
}

/**
 * What the settings say, with variables filled in; or what is wrong with it.
 * @param env without what a repository set
 */
export const targetOf = (config: TelemetryConfig, env: NodeJS.ProcessEnv): CollectorTarget | { why: string } =>
  filledAddress('endpoint', config.endpoint, config.headers, env);
