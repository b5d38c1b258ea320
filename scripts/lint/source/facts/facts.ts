import type { Code } from '../code.ts';
import type { Facts } from '../types.ts';
import { handlersOf } from './handlers.ts';
import { registrationsOf } from './registrations.ts';
import { routesOf } from './routes.ts';
import { declaredShapes } from './shape.ts';

/** All facts about a file that the rules need. Its tree is not kept, since there may be thousands of files. */
export const factsOf = (code: Code): Facts => {
  const { registrations, open } = registrationsOf(code);
  return {
    registrations: registrations.map(({ handler: _, forward: _forward, ...rest }) => rest),
    open,
    handlers: handlersOf(code, registrations),
    ...routesOf(code),
    shapes: declaredShapes(code),
  };
};
