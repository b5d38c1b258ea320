import { isAbsolute } from 'node:path';
import type { Io } from '../../command/command.ts';
import { type LoadedConfig, loadConfig } from '../../config/config.ts';
import { type Guarded, guardedOf, howOff, withoutHooks } from '../../session/guarded.ts';
import { type AllSources, allSources } from '../../sources/all.ts';
import type { Source } from '../../sources/source.ts';
import { plural } from '../../text/plural.ts';
import { quoteName } from '../../text/quote.ts';
import { type Check, note, ok, wrong } from './check.ts';
import { unknownNames } from './unknown-names.ts';

/** What is wrong with the settings, or keeps a server from being asked. */
const settingsChecks = (config: LoadedConfig, { problems, configured }: AllSources): Check[] => [
  ...config.problems.map((detail) => wrong('settings', detail, 'correct the file')),
  ...problems.map(({ kind = 'source', name, why }) =>
    isAbsolute(name)
      ? wrong('settings', `${name} ${why}`, 'correct the file')
      : wrong(
          `${kind} ${quoteName(name)}`,
          why,
          name !== 'GATEWAY_URL' && why.includes(' url ') ? 'correct its entry' : 'set it where Claude Code is started',
        ),
  ),
  ...configured
    .filter(({ scope, state }) => scope === 'project' && state === 'unapproved')
    .map(({ name, why = '' }) => note(`server ${quoteName(name)}`, why)),
];

/** Asks every source, and reports which servers are guarded. @param isHooked whether a hook judges calls */
export const checkSources = async (
  io: Io,
  home: string,
  project: string,
  isHooked: boolean,
): Promise<{ checks: Check[]; guarded: Guarded }> => {
  const config = loadConfig(home, project, io.env);
  const all = allSources(config, project, io.env);
  const { gateways, servers, configured } = all;
  const off = new Set(configured.filter((server) => howOff(config, server) !== undefined).map(({ name }) => name));
  const whyUnaskable = new Map<string, string>();
  const ask =
    (kind: 'gateway' | 'server') =>
    async (source: Source): Promise<Check | undefined> => {
      const name = `${kind} ${quoteName(source.name)}`;
      const answer = await source.ask(undefined, 10_000);
      if (answer.status === 'answered') return ok(name, `${source.where}: ${plural(answer.list.tools.length, 'tool')}`);
      if (source.wrap !== undefined && answer.status === 'unaskable')
        return { ...ok(name, 'guarded by konnichiwagwan wrap while a session runs'), startsWrapped: true };
      if (answer.status === 'unaskable') {
        whyUnaskable.set(source.name, answer.why);
        if (kind === 'server') return undefined;
      }
      const detail = answer.status === 'same' ? 'answered 304 to a plain question' : `${answer.status}: ${answer.why}`;
      const hint =
        kind === 'gateway'
          ? 'is it running, and does it answer GET /api/tools/list?'
          : 'is it running? claude mcp list';
      return wrong(name, `${source.where} ${detail}`, hint);
    };
  const judged = servers.filter(({ name }) => !off.has(name));
  const asked = await Promise.all([...gateways.map(ask('gateway')), ...judged.map(ask('server'))]);
  const guarded = guardedOf(config, configured, all.problems, (name) => whyUnaskable.get(name));
  const checks = [
    ...settingsChecks(config, all),
    ...unknownNames(config, all),
    ...asked.filter((check) => check !== undefined),
    ...guarded.others
      // If all are switched off at once, one line says so.
      .filter(({ isOff, isBroken }) => !isBroken && (!isOff || config.user.mode !== 'off'))
      .map(({ server, why, command, isOff }) => {
        const name = `server ${quoteName(server.name)}`;
        return isOff ? wrong(name, `${why}: its calls are not checked`, 'take that out') : note(name, why, command);
      }),
  ];
  if (checks.length > 0) return { checks, guarded: isHooked ? guarded : withoutHooks(guarded, configured) };
  const hint = 'add an MCP server to Claude Code, set GATEWAY_URL where it is started, or "gateways" in config.json';
  return { checks: [note('sources', 'none: no call can be checked', hint)], guarded };
};
