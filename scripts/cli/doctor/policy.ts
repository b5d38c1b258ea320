import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Io } from '../../command/command.ts';
import { loadConfig } from '../../config/config.ts';
import { present } from '../../contract/defined.ts';
import { isObject, own } from '../../contract/types.ts';
import { NAME } from '../../install/layout.ts';
import { readOptions } from '../../servers/command-line.ts';
import { type Device, type DevicePolicy, devicePolicies, thisDevice } from '../../servers/device-policy.ts';
import { discoverServers } from '../../servers/discover.ts';
import { policy as serverPolicy } from '../../servers/policy.ts';
import { type ClientSettings, isManaged, loadSettings, managedPath, names } from '../../servers/settings.ts';
import { thisSystem } from '../../servers/system.ts';
import type { ClientPlace, Server, ServerProblem } from '../../servers/types.ts';
import { unwrapped } from '../../servers/wrapped.ts';
import { isOurs } from '../../sources/all.ts';
import { claudeHome, homeOf, stateHome } from '../../state/paths.ts';
import { quoteName, quotePath, quoteText } from '../../text/quote.ts';
import type { Shown } from '../../text/shown.ts';
import { visible } from '../../text/visible.ts';
import { type Check, note, ok, wrong } from './check.ts';
import type { HookForm } from './forms.ts';

/** What holds for us among managed settings: the client uses the strongest of several places, or all of them. */
interface ManagedPolicy {
  /** The weakest first. */
  used: ClientSettings[];
  /** Places with settings that the client does not use, because a stronger one has some. */
  unused: string[];
}

const isTrue = (policy: ManagedPolicy, key: string): ClientSettings | undefined =>
  policy.used.find(({ value }) => own(value, key) === true);

/** The value of the strongest settings that have it. */
const strongest = ({ used }: ManagedPolicy, key: string): { file: string; value: unknown } | undefined => {
  const found = used.findLast(({ value }) => Object.hasOwn(value, key));
  return found && { file: found.file, value: own(found.value, key) };
};

/** Puts the places in their order: a settings server, device management, files, and what the user can write. */
const composed = (files: readonly ClientSettings[], device: readonly DevicePolicy[]): ManagedPolicy => {
  const ofDevice = device.flatMap((one) =>
    one.status === 'read' ? [{ author: 'managed' as const, file: one.file, value: one.value, weak: one.weak }] : [],
  );
  const isRemote = ({ file }: ClientSettings): boolean => basename(file) === 'remote-settings.json';
  const tiers = [
    files.filter(isRemote),
    ofDevice.filter(({ weak }) => !weak).slice(0, 1),
    files.filter((one) => !isRemote(one)),
    ofDevice.filter(({ weak }) => weak),
  ].map((tier) => tier.filter(({ value }) => Object.keys(value).length > 0));
  const [first = [], ...others] = tiers.filter((tier) => tier.length > 0);
  const merges = first.some(({ value }) => own(value, 'managedSourcesBehavior') === 'merge');
  const counts = (tier: readonly ClientSettings[]): boolean => tier === first || (merges && tier !== tiers[3]);
  const [used, unused] = [[first, ...others].filter(counts), others.filter((tier) => !counts(tier))];
  return { used: used.reverse().flat(), unused: unused.flat().map(({ file }) => file) };
};

/** Whether `hooks` has the form that the client demands. It leaves out events that have not; older clients, the file. */
const hasValidHooks = (hooks: unknown): boolean =>
  isObject(hooks) &&
  Object.values(hooks).every(
    (groups) =>
      Array.isArray(groups) &&
      groups.every((group) => {
        const list = own(group, 'hooks');
        return Array.isArray(list) && list.every((hook) => typeof own(hook, 'type') === 'string');
      }),
  );

const fileChecks = ({ used, unused }: ManagedPolicy, problems: readonly ServerProblem[]): Check[] => {
  const name = 'policy file';
  const invalid = used.filter(({ value }) => Object.hasOwn(value, 'hooks') && !hasValidHooks(value.hooks));
  return present([
    ...problems.map((one) => wrong(name, `${one.name} ${one.why}: Claude Code does not use it`, 'correct the file')),
    ...invalid.map(({ file }) =>
      wrong(
        name,
        `the hooks in ${file} are not valid: Claude Code does not run them, and can leave out the whole file`,
        'each event has a list of { "hooks": [{ "type": … }] }',
      ),
    ),
    unused.length > 0 &&
      note(
        name,
        `${unused.join(', ')} is not used: ${used.at(-1)?.file} goes before it`,
        'put all settings in one place, or set "managedSourcesBehavior": "merge" in the strongest',
      ),
  ]);
};

/** Our plugin's ids in managed `enabledPlugins`, and whether each is switched on. Only `true` switches one on. */
const forcedIn = (policy: ManagedPolicy): Map<string, boolean> => {
  const ids = new Map<string, boolean>();
  for (const { value } of policy.used) {
    const enabled = own(value, 'enabledPlugins');
    for (const [id, on] of isObject(enabled) ? Object.entries(enabled) : [])
      if (id.startsWith(`${NAME}@`)) ids.set(id, on === true);
  }
  return ids;
};

const isFolder = ({ name }: HookForm): boolean => name.endsWith('@skills-dir');
const idOf = ({ name }: HookForm): string => name.replace(/^plugin /, '');

/** Whether an entry of a list of marketplaces allows a source. Entries with patterns are taken to do so. */
const allowsSource = (entry: unknown, source: unknown): boolean => {
  const [kind, repo] = [own(entry, 'source'), own(entry, 'repo')];
  if (isDeepStrictEqual(entry, source) || /Pattern$/.test(String(kind))) return true;
  const isOwner =
    kind === 'github' && own(source, 'source') === kind && typeof repo === 'string' && repo.endsWith('/*');
  return isOwner && String(own(source, 'repo')).startsWith(repo.slice(0, -1));
};

const pluginChecks = (policy: ManagedPolicy, forms: readonly HookForm[]): Check[] => {
  const name = 'policy plugin';
  const extra = strongest(policy, 'extraKnownMarketplaces')?.value;
  const allowed = strongest(policy, 'strictKnownMarketplaces') ?? strongest(policy, 'allowedMarketplaces');
  const list = allowed && Array.isArray(allowed.value) ? allowed.value : undefined;
  const ofId = ([id, on]: [string, boolean]): Check => {
    if (!on) return wrong(name, `managed settings switch ${quoteName(id)} off`, 'set it to true');
    const market = own(extra, id.slice(NAME.length + 1));
    const source = own(market, 'source');
    if (list !== undefined && source !== undefined && !list.some((one) => allowsSource(one, source)))
      return wrong(
        name,
        `strictKnownMarketplaces in ${allowed?.file} does not list the marketplace of ${quoteName(id)}`,
        'add the same source there',
      );
    if (forms.some((form) => idOf(form) === id)) return ok(name, `managed settings force ${quoteName(id)}`);
    return note(
      name,
      `managed settings force ${quoteName(id)}, and it is not installed here${market === undefined ? ': they do not say where its marketplace is' : ' yet'}`,
      market === undefined ? 'add it to extraKnownMarketplaces' : 'start Claude Code once',
    );
  };
  const noFolder =
    list !== undefined && !list.some((one) => own(one, 'source') === 'skills-dir')
      ? `strictKnownMarketplaces in ${allowed?.file}`
      : undefined;
  const shut = noFolder === undefined ? [] : forms.filter(isFolder);
  const hint = 'add {"source":"skills-dir"} there, or force the plugin';
  return [
    ...[...forcedIn(policy)].map(ofId),
    ...shut.map(({ place }) => wrong(name, `${noFolder} keeps Claude Code from loading ${place}`, hint)),
  ];
};

/** Why the client does not run the hooks of a form; undefined if it does. */
const whyDropped = (form: HookForm, policy: ManagedPolicy, others: readonly ClientSettings[]): string | undefined => {
  const all = isTrue(policy, 'disableAllHooks');
  if (all) return `disableAllHooks in ${all.file}`;
  if (form.kind === 'plugin' && forcedIn(policy).get(idOf(form)) === true) return undefined;
  const managedOnly = isTrue(policy, 'allowManagedHooksOnly');
  if (managedOnly) return `allowManagedHooksOnly in ${managedOnly.file}`;
  const theirs = others.find(({ value }) => own(value, 'disableAllHooks') === true);
  if (theirs) return `disableAllHooks in ${theirs.file}`;
  const closed = policy.used.find(({ value }) => {
    const what = own(value, 'strictPluginOnlyCustomization');
    return what === true || names(what).includes('hooks');
  });
  return closed && form.kind === 'settings' ? `strictPluginOnlyCustomization in ${closed.file}` : undefined;
};

const hookChecks = (policy: ManagedPolicy, others: readonly ClientSettings[], forms: readonly HookForm[]): Check[] =>
  forms.flatMap((form): Check[] => {
    const why = whyDropped(form, policy, others);
    if (why === undefined) return [];
    const hint = why.startsWith('disable')
      ? 'take it out'
      : `force the plugin: "enabledPlugins": { "${NAME}@MARKETPLACE": true } in the managed settings`;
    return [wrong('policy hooks', `${why}: the hooks of ${form.name} do not run`, hint)];
  });

/** A server's command line as a list of servers has to name it: with variables filled in, since these are compared. */
const commandOf = ({ launch }: Server): Shown =>
  visible(JSON.stringify(launch.type === 'stdio' ? [launch.command, ...launch.args] : []), { max: 600 });

/**
 * Our guard, and servers that are left out because they start through wrap.
 * @param forbids says why lists of servers leave a server out
 */
const serverChecks = (servers: readonly Server[], forbids: (server: Server) => string | undefined): Check[] =>
  servers
    .filter(({ state, why = '' }) => state === 'disabled' && /McpServers in /.test(why))
    .flatMap((server): Check[] => {
      const detail = `${quoteName(server.name)} is not started: ${server.why}`;
      const name = 'policy servers';
      if (isOurs(server)) {
        const hint = `let allowedMcpServers list { "serverCommand": ${commandOf(server)} }, and no list deny it`;
        return [wrong(name, `${detail}. Without it, every call of an MCP tool is stopped`, hint)];
      }
      const [launch, configured] = [unwrapped(server.launch), unwrapped(server.configured)];
      if (launch === undefined || configured === undefined) return [];
      if (forbids({ ...server, launch, configured }) !== undefined) return [];
      return [wrong(name, `${detail}, since it starts through wrap`, 'list the command with wrap in front')];
    });

/** Our own file among managed settings: what it says, and whether the user could change it. */
const ownChecks = (io: Io, project: string): Check[] => {
  if (!isManaged()) return [];
  const file = managedPath();
  const { user, problems } = loadConfig(stateHome(io.env), project, io.env);
  const said = problems.some((problem) => problem.startsWith(`${quotePath(file)}: `))
    ? wrong('managed', `${file} is not valid: mode strict applies`, 'correct the file')
    : ok('managed', `${file} holds; the mode is ${user.mode} or stricter`);
  if (process.platform === 'win32') return [said];
  const loose = [file, dirname(file)].find((path) => {
    const { uid, mode } = lstatSync(path);
    return uid !== 0 || (mode & 0o022) !== 0;
  });
  if (loose === undefined) return [said];
  return [
    said,
    note(
      'managed owner',
      `${loose} can be changed by others than root: what it says is no policy`,
      `chown root ${quoteText(loose, 200)} && chmod go-w ${quoteText(loose, 200)}`,
    ),
  ];
};

/** What managed settings of the client mean for us, and our own file beside them. Nothing if there are none. */
export const checkPolicy = (
  io: Io,
  project: string,
  forms: readonly HookForm[],
  device: Device = thisDevice(),
): Check[] => {
  const place: ClientPlace = { project, home: homeOf(io.env), claudeHome: claudeHome(io.env), env: io.env };
  const problems: ServerProblem[] = [];
  const settings = loadSettings(place, readOptions([]), thisSystem, problems);
  const devices = devicePolicies(device);
  const bad = [
    ...problems.filter(({ name }) => name.startsWith(thisSystem.managed) || basename(name) === 'remote-settings.json'),
    ...devices.flatMap((one) => (one.status === 'bad' ? [{ name: one.file, why: one.why }] : [])),
  ];
  const isPolicy = ({ author }: ClientSettings): boolean => author === 'managed';
  const policy = composed(settings.filter(isPolicy), devices);
  const others = settings.filter((one) => !isPolicy(one));
  return [
    ...fileChecks(policy, bad),
    ...pluginChecks(policy, forms),
    ...hookChecks(policy, others, forms),
    ...serverChecks(discoverServers(place).servers, serverPolicy(settings)),
    ...ownChecks(io, project),
  ];
};
