import { isoTime } from '../../contract/iso-date.ts';
import { quoteText } from '../../text/quote.ts';
import { TEXTS } from '../texts.ts';
import type { VersionRule } from '../types.ts';

const tools: [] = [];

export const versionNotADate: VersionRule = {
  id: 'version-not-a-date',
  purpose: 'SCHEMA_VERSION is an ISO date, such as 2026-04-10, or a date with a time where one day sees two edits.',
  at: 'versions',
  governance: TEXTS.bump,
  find: ({ after: { schemaVersion } }) =>
    schemaVersion === undefined || isoTime(schemaVersion) !== undefined
      ? []
      : [{ path: '/schema_version', message: `SCHEMA_VERSION ${quoteText(schemaVersion, 60)} is not an ISO date` }],
  examples: [
    { what: 'a date', tools: { schema_version: '2026-04-10', tools }, gives: [] },
    { what: 'a date with a time', tools: { schema_version: '2026-04-10T12:30:00Z', tools }, gives: [] },
    {
      what: 'a number of its own',
      tools: { schema_version: '1.2.3', tools },
      gives: ['error version-not-a-date  /schema_version'],
    },
    {
      what: 'a day that no month has',
      tools: { schema_version: '2026-02-31', tools },
      gives: ['error version-not-a-date  /schema_version'],
    },
  ],
};
