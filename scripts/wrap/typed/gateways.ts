// Asks the user's gateways about a tool behind an invoker that the hub does not list.
import type { LoadedConfig } from '../../config/config.ts';
import type { InnerCall } from '../../guard/invoker/types.ts';
import { waysTo } from '../../guard/invoker/ways.ts';
import { withoutRepository } from '../../servers/environment.ts';
import { gatewaySource } from '../../sources/gateway.ts';
import { askSource } from '../../sources/live.ts';
import { speakersFor } from '../../sources/speakers.ts';
import { thisMoment } from '../../state/circumstances.ts';
import { stateHome } from '../../state/paths.ts';
import type { InnerTool } from './inner-tools.ts';

/** How long gateways may take, in ms: the call waits. */
const PATIENCE = 2_000;

/** The tool under each contract that a gateway lists for it. */
export const askGateways = async (
  { user }: LoadedConfig,
  project: string,
  env: NodeJS.ProcessEnv,
  { server, tool }: InnerCall,
): Promise<InnerTool[]> => {
  const { qualified, plain } = waysTo({ ...(server === undefined ? {} : { server }), tool }, '', []);
  const names = new Set([...qualified, ...plain].map(({ spelling }) => spelling));
  const users = withoutRepository(env, project);
  const gateways = Object.entries(user.gateways)
    .map(([name, gateway]) => gatewaySource(name, gateway, users))
    .flatMap((source) => ('key' in source ? [source] : []));
  const sources = speakersFor(user, gateways, [server]);
  const answers = await Promise.all(
    // Each answer is asked for now. A gateway that has just failed is not asked for a while.
    sources.map((source) =>
      askSource(stateHome(env), source, { freshFor: 0, deadline: PATIENCE, since: thisMoment() }),
    ),
  );
  return answers
    .flatMap((answer) => (answer.status === 'live' ? answer.live.tools : []))
    .filter(({ name }) => names.has(name))
    .map((contract) => ({
      ...(server === undefined ? {} : { server }),
      name: tool,
      listed: { ...contract, name: tool } as unknown as InnerTool['listed'],
    }));
};
