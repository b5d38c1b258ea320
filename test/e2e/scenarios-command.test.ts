// The headless scenarios, where the guard is a program for each call.
import { everywhere } from './forms.ts';
import { describeScenarios } from './scenarios.ts';

for (const one of everywhere.filter(({ form }) => form === 'command')) describeScenarios(one);
