import { isAhead } from '../../contract/iso-date.ts';
import { quoteText } from '../../text/quote.ts';
import { TEXTS } from '../texts.ts';
import type { VersionRule } from '../types.ts';

const tools: [] = [];

export const versionInTheFuture: VersionRule = {
  id: 'version-in-the-future',
  purpose:
    'SCHEMA_VERSION is the day of the last change, and no later one: a change before that day could only be bumped by going back. A day that some place on earth has already is not in the future.',
  at: 'versions',
  governance: TEXTS.bump,
  find: ({ after: { schemaVersion } }) =>
    schemaVersion !== undefined && isAhead(schemaVersion, Date.now())
      ? [{ path: '/schema_version', message: `SCHEMA_VERSION ${quoteText(schemaVersion, 60)} lies in the future` }]
      : [],
  examples: [
    {
      what: 'a day that is far off',
      tools: { schema_version: '2999-01-01', tools },
      gives: ['error version-in-the-future  /schema_version'],
    },
    {
      what: 'a time that is far off',
      tools: { schema_version: '2999-01-01T00:00Z', tools },
      gives: ['error version-in-the-future  /schema_version'],
    },
    { what: 'a day that is past', tools: { schema_version: '2026-04-10', tools }, gives: [] },
  ],
};
