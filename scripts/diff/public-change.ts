import { defined } from '../contract/defined.ts';
import type { Change, FoundChange } from './types.ts';

/** A change as users and programs see it: without the fields that only the judge needs. */
export const publicChange = ({ tool, path, rule, level, message, before, after }: FoundChange): Change => ({
  tool,
  path,
  rule,
  level,
  message,
  ...defined({ before, after }),
});
