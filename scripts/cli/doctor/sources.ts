import { isAbsolute } from 'node:path';
import type { Io } from '../../command/command.ts';
import { type LoadedConfig, loadConfig } from '../../config/config.ts';
import { defined } from '../../contract/defined.ts';
import { type Guarded, guardedOf, howOff } from '../../session/guarded.ts';
import { type AllSources, allSources } from '../../sources/all.ts';
import type { Source } from '../../sources/source.ts';
import { plural } from '../../text/plural.ts';
import { quoteName } from '../../text/quote.ts';
import { type Check, made } from './check.ts';

/** What is wrong with the settings, or keeps a server from being asked. */
const settingsChecks = (config: LoadedConfig, { problems, configured }: AllSources): Check[] => [
  ...config.problems.map((detail): Check => ({ name: 'settings', state: 'wrong', detail, hint: 'correct the file' })),
  ...problems.map(
    ({ kind = 'source', name, why }): Check =>
      isAbsolute(name)
        ? { name: 'settings', state: 'wrong', detail: `${name} ${why}`, hint: 'correct the file' }
        : made(
            `${kind} ${quoteName(name)}`,
            'wrong',
            why,
            name !== 'GATEWAY_URL' && why.includes(' url ')
              ? 'correct its entry'
              : 'set it where Claude Code is started',
          ),
  ),
  ...configured
    .filter(({ scope, state }) => scope === 'project' && state === 'unapproved')
    .map(({ name, why = '' }): Check => ({ name: `server ${quoteName(name)}`, state: 'note', detail: why })),
];

/** Asks every source, and reports which servers are guarded. */
export const checkSources = async (
  io: Io,
  home: string,
  project: string,
): Promise<{ checks: Check[]; guarded: Guarded }> => {
  const config = loadConfig(home, project, io.env);
  const all = allSources(config, project, io.env);
  const { gateways, servers, configured } = all;
  const off = new Set(configured.filter((server) => howOff(config, server) !== undefined).map(({ name }) => name));
  const wrong = settingsChecks(config, all);
  const whyUnaskable = new Map<string, string>();
  const ask =
    (kind: 'gateway' | 'server') =>
    async (source: Source): Promise<Check | undefined> => {
      const name = `${kind} ${quoteName(source.name)}`;
      const answer = await source.ask(undefined, 10_000);
      if (answer.status === 'answered')
        return { name, state: 'ok', detail: `${source.where}: ${plural(answer.list.tools.length, 'tool')}` };
      if (source.wrap !== undefined && answer.status === 'unaskable')
        return {
          name,
          state: 'ok',
          detail: 'guarded by konnichiwagwan wrap while a session runs',
          startsWrapped: true,
        };
      if (answer.status === 'unaskable') {
        whyUnaskable.set(source.name, answer.why);
        if (kind === 'server') return undefined;
      }
      const detail = answer.status === 'same' ? 'answered 304 to a plain question' : `${answer.status}: ${answer.why}`;
      const hint =
        kind === 'gateway'
          ? 'is it running, and does it answer GET /api/tools/list?'
          : 'is it running? claude mcp list';
      return { name, state: 'wrong', detail: `${source.where} ${detail}`, hint };
    };
  const judged = servers.filter(({ name }) => !off.has(name));
  const asked = await Promise.all([...gateways.map(ask('gateway')), ...judged.map(ask('server'))]);
  const guarded = guardedOf(config, configured, (name) => whyUnaskable.get(name));
  const checks = [
    ...wrong,
    ...asked.filter((check) => check !== undefined),
    ...guarded.others
      // If all are switched off at once, one line says so.
      .filter(({ isOff }) => !isOff || config.user.mode !== 'off')
      .map(
        ({ server, why, command, isOff }): Check => ({
          name: `server ${quoteName(server.name)}`,
          state: isOff ? 'wrong' : 'note',
          detail: isOff ? `${why}: its calls are not checked` : why,
          ...defined({ hint: isOff ? 'take that out' : command }),
        }),
      ),
  ];
  if (checks.length > 0) return { checks, guarded };
  const hint = 'add an MCP server to Claude Code, set GATEWAY_URL where it is started, or "gateways" in config.json';
  return { checks: [{ name: 'sources', state: 'note', detail: 'none: no call can be checked', hint }], guarded };
};
