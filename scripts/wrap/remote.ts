import type { ServerSide } from './server-side.ts';
import type { RemoteTarget } from './settings.ts';

export const reachRemote = (_target: RemoteTarget): ServerSide => {
  throw new Error('not yet');
};
