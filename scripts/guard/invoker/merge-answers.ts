import { defined } from '../../contract/defined.ts';
import { joined, type Shown } from '../../text/shown.ts';
import type { HookAnswer } from '../answer.ts';

const STRENGTH = [undefined, 'ask', 'deny'];

const both = (...texts: (Shown | undefined)[]): Shown | undefined => {
  const said = [...new Set(texts.filter((text) => text !== undefined))];
  return said.length === 0 ? undefined : joined(said, '\n\n');
};

/** One answer for a call and its inner call: the stricter decision of both, with its reasons. */
export const mergeAnswers = (outer: HookAnswer, inner: HookAnswer): HookAnswer => {
  const decision =
    STRENGTH.indexOf(outer.decision) > STRENGTH.indexOf(inner.decision) ? outer.decision : inner.decision;
  const deciding = [outer, inner].filter((answer) => answer.decision === decision);
  return defined({
    systemMessage: both(outer.systemMessage, inner.systemMessage),
    decision,
    reason: both(...deciding.map(({ reason }) => reason)),
    context: both(outer.context, inner.context),
  });
};
