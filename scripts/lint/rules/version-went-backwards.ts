import { isoTime } from '../../contract/iso-date.ts';
import { TEXTS } from '../texts.ts';
import type { VersionRule } from '../types.ts';

const at = (schema_version: string) => ({ schema_version, tools: [] });

export const versionWentBackwards: VersionRule = {
  id: 'version-went-backwards',
  purpose: 'SCHEMA_VERSION never goes back: a session that saw the later one would take the older one for a change.',
  at: 'versions',
  governance: TEXTS.bump,
  find: ({ before, after }) => {
    const [was, is] = [isoTime(before?.schemaVersion ?? ''), isoTime(after.schemaVersion ?? '')];
    return was === undefined || is === undefined || is >= was
      ? []
      : [
          {
            path: '/schema_version',
            message: `SCHEMA_VERSION went from ${before?.schemaVersion} back to ${after.schemaVersion}`,
          },
        ];
  },
  examples: [
    {
      what: 'a day back',
      before: at('2026-04-10'),
      tools: at('2026-04-09'),
      gives: ['error version-went-backwards  /schema_version'],
    },
    { what: 'a year on', before: at('2024-12-31'), tools: at('2025-01-01'), gives: [] },
  ],
};
