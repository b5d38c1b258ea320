import { nextVersion } from '../../contract/iso-date.ts';
import { countText } from '../../reports/changes.ts';
import { quoteNames, quoteText } from '../../text/quote.ts';
import { TEXTS } from '../texts.ts';
import type { VersionRule } from '../types.ts';

const MOST_NAMED = 5;
const answer = (schema_version: string, description: string) => ({
  schema_version,
  tools: [{ name: 'save', description, inputSchema: { type: 'object' } }],
});

export const versionNotBumped: VersionRule = {
  id: 'version-not-bumped',
  purpose:
    'Whenever a contract changes, SCHEMA_VERSION changes with it: without that, the warning of stale sessions never comes. What means nothing (`$schema`, the order of keys and lists) is no change.',
  at: 'versions',
  governance: TEXTS.bump,
  find: ({ before, after, changes }) => {
    if (before === undefined || changes.length === 0) return [];
    const [was, is] = [before.schemaVersion, after.schemaVersion];
    const unversioned = was === undefined && is === undefined;
    if (!unversioned && is !== undefined && was !== is) return [];
    const names = quoteNames([...new Set(changes.map(({ tool }) => tool))], MOST_NAMED);
    const what = `contracts changed (${countText(changes)}: ${names})`;
    const paste = `: SCHEMA_VERSION = "${nextVersion(is ?? was, Date.now())}"`;
    if (unversioned)
      return [{ kind: 'none', path: '/schema_version', message: `${what}, and there is no SCHEMA_VERSION${paste}` }];
    const version =
      is === undefined ? 'SCHEMA_VERSION is gone' : `SCHEMA_VERSION is still ${quoteText(is, 60).replaceAll('"', '')}`;
    return [{ path: '/schema_version', message: `${what}, and ${version}${paste}` }];
  },
  examples: [
    {
      what: 'other words, the same version',
      before: answer('2026-04-09', 'Saves.'),
      tools: answer('2026-04-09', 'Saves a note.'),
      gives: ['error version-not-bumped  /schema_version'],
    },
    {
      what: 'bumped',
      before: answer('2026-04-09', 'Saves.'),
      tools: answer('2026-04-10', 'Saves a note.'),
      gives: [],
    },
    {
      what: 'noise alone',
      before: answer('2026-04-09', 'Saves.'),
      tools: {
        schema_version: '2026-04-09',
        tools: [{ inputSchema: { required: [], type: 'object' }, description: 'Saves.', name: 'save' }],
      },
      gives: [],
    },
    {
      what: 'no version before or after',
      before: { tools: [{ name: 'save', inputSchema: { type: 'object' } }] },
      tools: { tools: [] },
      gives: ['note version-not-bumped  /schema_version'],
    },
  ],
};
