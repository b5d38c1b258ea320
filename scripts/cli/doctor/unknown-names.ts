// Names of servers in our settings that no server has: what is said under them counts for nothing.
import type { LoadedConfig } from '../../config/config.ts';
import { spelled } from '../../contract/names.ts';
import type { AllSources } from '../../sources/all.ts';
import { quoteName } from '../../text/quote.ts';
import { type Check, note } from './check.ts';

/** Equal for names that differ in case and signs alone. */
const folded = (name: string): string => spelled(name).toLowerCase().replaceAll('-', '_');

/**
 * A note for each name that is probably misspelled: no server has it, and one has a name like it. Any other may be that of
 * another project's server.
 */
export const unknownNames = ({ user, project }: LoadedConfig, { configured, problems, ours }: AllSources): Check[] => {
  // A file that cannot be read may have a server of that name.
  if (problems.some(({ kind }) => kind === undefined)) return [];
  const known = new Set([...configured.map(({ name }) => name), ...ours]);
  const likeIt = (name: string): string | undefined =>
    known.has(name) ? undefined : configured.find((one) => folded(one.name) === folded(name))?.name;
  const check = (where: string, names: readonly string[]): Check[] =>
    names.flatMap((name) => {
      const meant = likeIt(name);
      const detail = `names ${quoteName(name)}, which is not configured here`;
      return meant === undefined ? [] : [note(where, detail, `if ${quoteName(meant)} is meant, write it like that`)];
    });
  const named = [...new Set([user, project].flatMap(({ servers }) => Object.keys(servers)))];
  return [
    ...Object.entries(user.gateways).flatMap(([name, { servers = [] }]) =>
      check(`gateway ${quoteName(name)}`, [...new Set(servers)]),
    ),
    ...check('servers in settings', named),
  ];
};
