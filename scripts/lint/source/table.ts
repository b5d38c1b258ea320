import { sourceHandlerPicks } from './rules/source-handler-picks.ts';
import { sourceRouteUnvalidated } from './rules/source-route-unvalidated.ts';
import { sourceTwinMissing } from './rules/source-twin-missing.ts';
import { sourceTwinPicks } from './rules/source-twin-picks.ts';
import type { SourceRule } from './types.ts';

export const SOURCE_RULES: readonly SourceRule[] = [
  sourceTwinMissing,
  sourceTwinPicks,
  sourceHandlerPicks,
  sourceRouteUnvalidated,
];
