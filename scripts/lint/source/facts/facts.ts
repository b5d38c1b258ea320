import type { Code } from '../code.ts';
import type { Facts } from '../types.ts';
import { handlersOf } from './handlers.ts';
import { registrationsOf } from './registrations.ts';
import { routesOf } from './routes.ts';
import { declaredShapes } from './shape.ts';

/** All that the rules need to know of a file. The tree itself is not kept: there may be thousands. */
export const factsOf = (code: Code): Facts => {
  const { registrations, open } = registrationsOf(code);
  return {
    registrations: registrations.map(({ handler: _, ...rest }) => rest),
    open,
    handlers: handlersOf(code, registrations),
    ...routesOf(code),
    shapes: declaredShapes(code),
  };
};
