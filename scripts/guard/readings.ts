// A tool's name can mean tools of several servers: which they are, and one verdict for all of them.
import type { LoadedConfig } from '../config/config.ts';
import { defined } from '../contract/defined.ts';
import { type NamedTool, spelled, waysToRead } from '../contract/names.ts';
import type { AllSources } from '../sources/all.ts';
import { quoteName } from '../text/quote.ts';
import { type Assessment, judgementOf } from './assessment.ts';
import type { ToolInput } from './input.ts';
import type { LockDoubt } from './trust.ts';

/**
 * The servers that a tool's name can mean: older clients do not tell the server, and two names can have one spelling.
 * @param others further names of servers, from our own settings
 */
export const readingsOf = (
  toolName: string,
  server: string | undefined,
  configured: readonly { name: string }[],
  others: readonly string[],
): { owner?: string; ways: NamedTool[] }[] => {
  const ways = waysToRead(toolName, server);
  const exact = configured.some(({ name }) => name === server) ? server : undefined;
  const owners = new Map<string, NamedTool[]>();
  const unowned: NamedTool[] = [];
  for (const way of ways) {
    const alike = configured.filter(({ name }) => spelled(name) === spelled(way.server));
    const named = exact === undefined ? alike : [{ name: exact }];
    for (const { name } of named) owners.set(name, [...(owners.get(name) ?? []), { ...way, server: name }]);
    if (named.length > 0) continue;
    const meant = way.server === server ? [] : others.filter((name) => spelled(name) === way.server);
    for (const name of new Set([...meant, way.server])) unowned.push({ ...way, server: name });
  }
  // Configured servers come first; a gateway may know one that is not configured.
  const known = [...owners].map(([owner, own]) => ({ owner, ways: own.concat(owners.size === 1 ? unowned : []) }));
  return known.length > 0 ? known : [{ ways: unowned }];
};

/** The servers that the settings name. */
export const namedServers = ({ user, project }: LoadedConfig): string[] => [
  ...new Set([
    ...[user.servers, project.servers].flatMap((servers) => Object.keys(servers)),
    ...Object.values(user.gateways).flatMap(({ servers = [] }) => servers),
  ]),
];

/** Scopes whose servers stand in no settings: a server of that name in the settings is another one. */
const ELSEWHERE: ReadonlySet<string | undefined> = new Set(['agent', 'claudeai', 'sdk']);

/**
 * Says so if a call goes to another server of the name than the one that would be asked: the client keeps its connection when
 * an entry of nearer scope appears.
 */
export const otherScope = (
  { scope }: ToolInput,
  owner: string | undefined,
  configured: AllSources['configured'],
): string | undefined => {
  const nearest = configured.find(({ name }) => name === owner);
  if (nearest !== undefined && nearest.launch.type !== 'other' && ELSEWHERE.has(scope))
    return `the call goes to the server of this name of scope ${quoteName(scope ?? '')}, not to that of scope ${quoteName(nearest.scope)}`;
  if (nearest?.hides?.some((one) => one === scope) !== true) return undefined;
  return `the call goes to the server of this name of scope ${quoteName(scope ?? '')}, and one of scope ${quoteName(nearest.scope)} came since: restart Claude Code to use it`;
};

/** How much a doubt weighs against a call. */
export const weightOf = (trust: LockDoubt | undefined): number =>
  [undefined, 'notice', 'ask', 'deny'].indexOf(trust?.verdict);

/** One verdict for a name that can mean several servers; unchecked if their verdicts differ. */
export const agreed = (found: Assessment[]): Assessment => {
  // A server that answers without the tool cannot be meant.
  const listing = found.filter((one) => one.verdict !== 'unchecked' || !one.unlisted);
  // What a person has not approved of one of them is not approved for the name.
  const possible = listing.sort((a, b) => weightOf(b.trust) - weightOf(a.trust));
  const [first = found[0] as Assessment, ...others] = possible;
  const verdictOf = (one: Assessment) => `${one.verdict} ${judgementOf(one)?.decision}`;
  const consulted = found.flatMap((one) => one.consulted);
  if (others.every((one) => verdictOf(one) === verdictOf(first))) return { ...first, consulted };
  const servers = found.map(({ named }) => quoteName(named.server)).join(' and ');
  const why = `${servers} are spelled alike in the name of this tool, and differ: the name does not tell which one is called`;
  const { config, all, policy, named, index, settings, facts, trust, through } = first;
  const basis = { config, all, policy, named, index, settings, ...defined({ facts, trust, through }) };
  const pending = first.verdict === 'unchecked' && first.pending;
  return { ...basis, consulted, verdict: 'unchecked', why, unaskable: true, ...(pending && { pending }) };
};
