// The headless scenarios, where the guard stays.
import { describe } from 'node:test';
import { everywhere, titleOf } from './forms.ts';
import { testScenarios } from './scenarios.ts';

for (const one of everywhere.filter(({ form }) => form === 'resident')) {
  // Described here, so that its time counts for this file.
  describe(titleOf(one), () => testScenarios(one));
}
