import type { HookAnswer } from '../hook/answer.ts';

const STRENGTH = [undefined, 'ask', 'deny'];

const joined = (...texts: (string | undefined)[]): string | undefined => {
  const said = [...new Set(texts.filter((text) => text !== undefined))];
  return said.length === 0 ? undefined : said.join('\n\n');
};

/** One answer about a call and the call inside it: the stricter of both decides, and its reasons are given. */
export const together = (outer: HookAnswer, inner: HookAnswer): HookAnswer => {
  const decision =
    STRENGTH.indexOf(outer.decision) > STRENGTH.indexOf(inner.decision) ? outer.decision : inner.decision;
  const deciding = [outer, inner].filter((answer) => answer.decision === decision);
  const found: HookAnswer = {
    systemMessage: joined(outer.systemMessage, inner.systemMessage),
    decision,
    reason: joined(...deciding.map(({ reason }) => reason)),
    context: joined(outer.context, inner.context),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
};
