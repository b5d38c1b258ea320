import type { Circumstances } from '../state/circumstances.ts';
import { type About, mark, readMarker, wasMarked } from '../state/markers.ts';
import { wasGranted } from '../transcript/model-view.ts';

/**
 * The reason for the message about a server that does not answer. It is told once until the server answers again, for
 * whatever it was asked.
 */
export const OUTAGE = 'it did not answer';

/** A person's yes holds for every conversation of the session: the person is one and the same. */
export const ofPerson = ({ agent: _agent, ...about }: About): About => about;

/**
 * Whether a reason need not be given again: telling it was enough, or a person was asked and said yes.
 * @param ran whether a call is known to have run, before the transcript says so
 */
export const settledIn =
  (home: string, session: string, ran?: (toolUseId: string) => boolean) =>
  (reason: Circumstances): boolean => {
    const told = { ...reason, session };
    const granted = ofPerson(told);
    if (wasMarked(home, 'told', told) || wasMarked(home, 'granted', granted)) return true;
    const asked = readMarker(home, 'asked', granted);
    if (asked === undefined) return false;
    const { path, from, toolUseId } = asked;
    if (typeof path !== 'string' || typeof from !== 'number' || typeof toolUseId !== 'string') return false;
    if (!ran?.(toolUseId) && !wasGranted(path, from, toolUseId)) return false;
    mark(home, 'granted', granted);
    return true;
  };
