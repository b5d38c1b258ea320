import { isObject, own } from '../contract/types.ts';
import { glob } from '../text/glob.ts';
import { quotePath } from '../text/quote.ts';
import { type ClientSettings, names, settingOf } from './settings.ts';
import type { Launch, Server } from './types.ts';

/** A URL as scheme and host, in lower case, and the rest; null for anything else. */
const parts = (url: string): { host: string; rest: string } | null => {
  const found = /^([^:/?#]+:\/\/[^/?#]*)(.*)$/s.exec(url.trim());
  return found === null ? null : { host: (found[1] as string).toLowerCase(), rest: found[2] as string };
};

const matchesUrl = (pattern: string, url: string, bare: string): boolean => {
  const [wanted, found] = [parts(pattern), parts(URL.canParse(url) ? new URL(url).href : url)];
  // Compared separately, so that a `*` in the host does not match into the path.
  return (
    wanted !== null && found !== null && glob(wanted.host, found.host) && glob(wanted.rest || bare, found.rest || '/')
  );
};

interface PolicyRule {
  file: string;
  name?: string;
  command?: string[];
  url?: string;
}

const rules = (settings: readonly ClientSettings[], key: string): PolicyRule[] =>
  settingOf(settings, key).flatMap(({ from, value }) => {
    if (!Array.isArray(value)) return [];
    return value.filter(isObject).flatMap((rule) => {
      const [name, command, url] = [own(rule, 'serverName'), own(rule, 'serverCommand'), own(rule, 'serverUrl')];
      // The client ignores an entry with two of them, and one that allows a name with other letters, as a plugin's server has.
      if ([name, command, url].filter((one) => one !== undefined).length !== 1) return [];
      if (key === 'allowedMcpServers' && typeof name === 'string' && !/^[\w-]+$/.test(name)) return [];
      return [
        {
          file: from.file,
          ...(typeof name === 'string' && { name }),
          ...(Array.isArray(command) && { command: names(command) }),
          ...(typeof url === 'string' && { url }),
        },
      ];
    });
  });

const words = (launch: Launch): string[] => (launch.type === 'stdio' ? [launch.command, ...launch.args] : []);
const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, at) => word === b[at]);

/**
 * What `deniedMcpServers` and `allowedMcpServers` say. A server in any list of the first kind is forbidden; if there is a
 * list of the second kind, so is a server that is not in it. If that list has commands, it allows local servers by command
 * only; if it has URLs, remote ones by URL only.
 * @returns a function that says why the client leaves a server out; undefined if it does not
 */
export const policy = (settings: readonly ClientSettings[]) => {
  const denied = rules(settings, 'deniedMcpServers');
  const managed = settings.filter(({ author }) => author === 'managed');
  const managedOnly = settingOf(managed, 'allowManagedMcpServersOnly').some(({ value }) => value === true);
  const allowing = settingOf(managedOnly ? managed : settings, 'allowedMcpServers').filter(({ value }) =>
    Array.isArray(value),
  );
  const allowed = rules(
    allowing.map(({ from }) => from),
    'allowedMcpServers',
  );

  const isDenied = (rule: PolicyRule, { name, launch, configured }: Server): boolean => {
    if (rule.name === name) return true;
    if (rule.command !== undefined && launch.type === 'stdio')
      return [launch, configured].some((one) => same(rule.command ?? [], words(one)));
    const { url } = rule;
    if (url === undefined || (launch.type !== 'http' && launch.type !== 'sse')) return false;
    return [launch, configured].some((one) => 'url' in one && matchesUrl(url, one.url, '*'));
  };
  const isAllowed = ({ name, launch }: Server): boolean => {
    const commands = allowed.flatMap(({ command }) => (command === undefined ? [] : [command]));
    if (launch.type === 'stdio' && commands.length > 0) return commands.some((command) => same(command, words(launch)));
    const urls = allowed.flatMap(({ url }) => (url === undefined ? [] : [url]));
    if ((launch.type === 'http' || launch.type === 'sse') && urls.length > 0)
      return urls.some((url) => matchesUrl(url, launch.url, '/'));
    return allowed.some((rule) => rule.name === name);
  };

  return (server: Server): string | undefined => {
    const rule = denied.find((one) => isDenied(one, server));
    if (rule !== undefined) return `deniedMcpServers in ${quotePath(rule.file)} forbids it`;
    // An organization's own server is always allowed, unless a user's variable decides what it is.
    const fixed = server.scope === 'managed' && !JSON.stringify(server.configured).includes('${');
    if (allowing.length === 0 || fixed || isAllowed(server)) return undefined;
    return `allowedMcpServers in ${allowing.map(({ from }) => quotePath(from.file)).join(' and ')} does not list it`;
  };
};
