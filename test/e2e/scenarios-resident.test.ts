// The headless scenarios, where the guard stays.
import { everywhere } from './forms.ts';
import { describeScenarios } from './scenarios.ts';

for (const one of everywhere.filter(({ form }) => form === 'resident')) describeScenarios(one);
