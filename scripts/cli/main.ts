#!/usr/bin/env node
import { cacheCompiled } from '../state/compile-cache.ts';
import { printSegment } from './statusline.ts';

const [first, ...others] = process.argv.slice(2);
// The status line runs all the time and has to be quick: it loads nothing else, and sets up none of Node's streams.
if (first === 'statusline' && others.length === 0) printSegment(process.env);
// The same goes for `wrap` between a host and its server.
else if (first === 'wrap' && others.some((word) => /^--(url(-env)?(=.*)?)?$/s.test(word)))
  import('../wrap/wrap-server.ts').then(({ start }) => start(others));
else {
  cacheCompiled();
  import('./run.ts').then(({ start }) => start());
}
