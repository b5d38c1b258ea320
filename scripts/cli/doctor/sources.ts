import type { Io } from '../../command/command.ts';
import { loadConfig } from '../../config/config.ts';
import { allSources } from '../../sources/all.ts';
import type { Source } from '../../sources/source.ts';
import { plural } from '../../text/plural.ts';
import { quoteName } from '../../text/quote.ts';
import type { Check } from './check.ts';

/** Checks the settings, and asks every source. */
export const checkSources = async (io: Io, home: string, project: string): Promise<Check[]> => {
  const config = loadConfig(home, project, io.env);
  const { gateways, servers, problems, unaskable, configured } = allSources(config, project, io.env);
  const wrong = [
    ...config.problems.map((detail): Check => ({ name: 'settings', state: 'wrong', detail, hint: 'correct the file' })),
    ...problems.map(
      ({ kind = 'source', name, why }): Check => ({
        name: `${kind} ${quoteName(name)}`,
        state: 'wrong',
        detail: why,
        hint: 'set it where Claude Code is started',
      }),
    ),
    ...configured
      .filter(({ scope, state }) => scope === 'project' && state === 'unapproved')
      .map(({ name, why = '' }): Check => ({ name: `server ${quoteName(name)}`, state: 'note', detail: why })),
    ...unaskable.map(
      ({ name, why }): Check => ({
        name: `server ${quoteName(name)}`,
        state: 'note',
        detail: why,
        hint: 'its files are watched instead; konnichiwagwan probe --spawn asks a second copy of it',
      }),
    ),
  ];
  if (gateways.length + servers.length + wrong.length === 0) {
    const hint = 'add an MCP server to Claude Code, set GATEWAY_URL where it is started, or "gateways" in config.json';
    return [{ name: 'sources', state: 'note', detail: 'none: no call can be checked', hint }];
  }
  const ask =
    (kind: 'gateway' | 'server') =>
    async (source: Source): Promise<Check> => {
      const name = `${kind} ${quoteName(source.name)}`;
      const answer = await source.ask(undefined, 10_000);
      if (answer.status === 'answered')
        return { name, state: 'ok', detail: `${source.where}: ${plural(answer.list.tools.length, 'tool')}` };
      const detail = answer.status === 'same' ? 'answered 304 to a plain question' : `${answer.status}: ${answer.why}`;
      return {
        name,
        state: answer.status === 'unaskable' ? 'note' : 'wrong',
        detail: `${source.where} ${detail}`,
        hint:
          kind === 'gateway'
            ? 'is it running, and does it answer GET /api/tools/list?'
            : 'is it running? claude mcp list',
      };
    };
  const asked = await Promise.all([...gateways.map(ask('gateway')), ...servers.map(ask('server'))]);
  return [...wrong, ...asked];
};
