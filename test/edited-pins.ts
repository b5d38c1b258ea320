import { editedPin } from '../scripts/lock/seal.ts';
import type { Lock } from '../scripts/lock/types.ts';

/** All pins of a lock that were edited by hand, with the reason to say so. */
export const editedPins = (lock: Lock): { server: string; tool: string; why: string }[] =>
  [...lock].flatMap(([server, pins]) =>
    [...pins].flatMap(([tool, pin]) => {
      const why = editedPin(server, tool, pin);
      return why === undefined ? [] : [{ server, tool, why }];
    }),
  );
