import type { LoadedConfig } from '../config/config.ts';
import type { Source } from './source.ts';

/** Whether it is a gateway whose settings name servers: it speaks for these, and for no other. */
export const isNaming = (source: Source, gateways: readonly Source[]): boolean =>
  gateways.includes(source) && !source.covers(undefined);

/**
 * The gateways that speak for servers: those that name one of them, whether they answer or not; if no settings name any of
 * them, those that name no servers at all.
 * @param servers undefined stands for one that is not known
 */
export const speakersFor = (
  { gateways: settings }: Pick<LoadedConfig['user'], 'gateways'>,
  gateways: readonly Source[],
  servers: readonly (string | undefined)[],
): Source[] => {
  const isMeant = (name: string): boolean => servers.includes(name);
  // One that cannot be asked is no source, and yet no other one speaks in its place.
  const isNamed = Object.values(settings).some((one) => one.servers?.some(isMeant));
  return gateways.filter(({ covers }) => covers(undefined) !== isNamed && servers.some(covers));
};
