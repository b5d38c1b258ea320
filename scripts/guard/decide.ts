// What the model believes about a tool, and what that makes of the call.
import { defined } from '../contract/defined.ts';
import { clientName } from '../contract/names.ts';
import type { Contract, JsonObject } from '../contract/types.ts';
import { looksLike, withView } from '../contract/view.ts';
import { type Belief, believe } from '../judge/believe.ts';
import { type Judgement, judge, type Mode, type Question } from '../judge/judge.ts';
import { compareOthers, type Described } from '../judge/others.ts';
import { carriedBy, siblingName } from '../judge/twin.ts';
import { firstLook } from '../state/markers.ts';
import type { Basis, Inquiry, Judged, SourceFacts, UncheckedCall } from './assessment.ts';
import { placeholders } from './invoker/skeleton.ts';
import { asTold, holds, keyIn, type Lesson, lessonOn } from './lesson.ts';
import { withValidTwin } from './twin-call.ts';

/** A tool that a source knows, and everything that is needed to judge the call. */
interface ToolToJudge {
  basis: Basis;
  answer: SourceFacts;
  name: string;
  /** It may be another server's tool of the same name. */
  namesake: boolean;
  inquiry: Inquiry;
}

const isStop = ({ decision }: Judgement): boolean => decision === 'deny' || decision === 'ask';

const beliefOf = ({ contract }: Lesson): Belief => ({
  contract,
  from: 'told',
  why: 'after a change, konnichiwagwan told the model to call the tool by this contract',
});

/** How much a decision says against a call. To stop it and to ask weigh the same: then what the client shows decides. */
const RANK: Record<Judgement['decision'], number> = { silence: 0, notice: 1, unchecked: 2, ask: 3, deny: 3 };

/** Whether what the model was told decides, and not what its client shows: it may go by either. */
const countsMore = (byLesson: Judgement, byBelief: Judgement): boolean =>
  RANK[byLesson.decision] > RANK[byBelief.decision];

const byName = (tools: readonly Contract[] | undefined, wanted: string): Contract | undefined =>
  tools?.find((tool) => tool.name === wanted);

/** What is known of a tool: what its source lists now, and what the model sees and believes. */
const examine = ({ basis, answer, name, namesake, inquiry }: ToolToJudge) => {
  const { input, search, around, views, hidden } = inquiry;
  const { named } = basis;
  const { live, source, atStart } = answer;
  const current = byName(live.tools, name) ?? null;
  const view = views.get(input.toolName);
  const [carried, started] = [byName(atStart?.carried, name), byName(atStart?.tools, name)];
  // After a /clear the client may go on with an older contract, whose hints it does not show.
  const isCarried =
    carried !== undefined &&
    (view === undefined || (looksLike(view, carried) && !(started !== undefined && looksLike(view, started))));
  const recorded = isCarried ? carried : started;
  const { session, agent } = input;
  const here = { session, agent, source: source.key, server: named.server, tool: name };
  const first = recorded === undefined && view === undefined ? firstLook(around.home, here) : undefined;
  const baseline = recorded
    ? { contract: recorded, late: atStart?.late ?? false, ...defined({ completed: atStart?.completed }) }
    : first && { contract: first, late: true };
  const shown = defined({ view, baseline });
  const others = (): Described[] =>
    live.tools.flatMap((tool) => {
      const seen = tool.name === name ? undefined : views.get(clientName(named.prefix, tool.name));
      return seen === undefined
        ? []
        : [{ view: seen, live: tool, ...defined({ atStart: byName(atStart?.tools, tool.name) }) }];
    });
  const belief: Belief =
    current === null
      ? {
          contract: view ?? recorded ?? { name, inputSchema: true },
          from: view ? 'model view' : 'baseline',
          why: 'the tool was there',
        }
      : believe({
          ...shown,
          hidden,
          live: current,
          past: new Set(Object.hasOwn(live.past, name) ? live.past[name] : []),
          gateway: search.all.gateways.includes(source),
          namesake,
          ...defined({ others: view && compareOthers({ view, live: current }, others()) }),
        });
  return { current, here, shown, belief };
};

/** The tool behind a twin, and what is known about it from before. */
const siblingOf = (
  twin: Contract,
  { live, atStart }: SourceFacts,
  prefix: string,
  views: Inquiry['views'],
): Question['sibling'] => {
  const wanted = siblingName(twin);
  const now = wanted === undefined ? undefined : byName(live.tools, wanted);
  if (now === undefined) return undefined;
  const seen = views.get(clientName(prefix, now.name));
  const before = byName(atStart?.tools, now.name) ?? (seen && withView(now, seen));
  return before && { believed: { ...before, name: now.name }, live: now };
};

/** What is known to be wrong with the arguments, whatever the model believes. */
const wrongIn = ({ inquiry: { input, search } }: ToolToJudge, current: Contract | null): Question['wrong'] => {
  // A payload that was offered is a text, and valid as such, whatever is still to be filled in.
  const isTwin = current !== null && siblingName(current) !== undefined;
  const unfilled = isTwin ? placeholders(carriedBy(current, input.arguments as JsonObject)) : [];
  return unfilled.length > 0 ? unfilled : search.wrong;
};

/** Judges the call, as often as there are contracts by which the model may have made it. */
const judgeBy = (
  { basis: { named, policy }, answer, name, inquiry }: ToolToJudge,
  current: Contract | null,
  known: Pick<Question, 'wrong' | 'settled'>,
): ((contract: Contract, now?: Contract | null, mode?: Mode) => Judgement) => {
  const { live, atStart } = answer;
  const args = inquiry.input.arguments as JsonObject;
  const sibling = current === null ? undefined : siblingOf(current, answer, named.prefix, inquiry.views);
  const earlier = byName(atStart?.tools, name) && new Set(atStart?.tools.map((tool) => tool.name));
  const call = { ...known, tools: live.tools, earlier, args, sibling };
  return (contract, now = current, mode = policy.mode) => {
    const believed = { ...contract, name };
    const judgement = judge({ ...call, believed, live: now, policy: { ...policy, mode } });
    return withValidTwin(judgement, now ?? believed, args);
  };
};

/** Judges the call of a tool by what the model believes of it and what its source answers now. Writes nothing. */
export const decide = (asked: ToolToJudge): Judged | UncheckedCall => {
  const { basis, answer, name, namesake, inquiry } = asked;
  const { around, hidden, index } = inquiry;
  const { mode, trusted } = basis.policy;
  const { current, here, shown, belief } = examine(asked);
  const inherited = inquiry.forked ? lessonOn(around.home, { ...here, agent: undefined }, shown) : undefined;
  const lesson = lessonOn(around.home, here, shown) ?? inherited;
  const isOutdated = lesson !== undefined && current !== null && !holds(lesson, current);
  const knownBy = (by: Belief) => {
    const tool = { name, ...shown, belief: by, ...(isOutdated && { isOutdated }) };
    return { ...basis, facts: { ...answer, tool } };
  };
  const known = knownBy(belief);
  if (current === null && namesake) {
    const why = 'the gateway no longer lists a tool of this name, but that may have been the tool of another server';
    return { ...known, verdict: 'unchecked', why };
  }
  // What was granted for one tool of one server is not granted for another; and what was told counts until something else
  // is told.
  const isSettled = (about: string): boolean => around.settled({ ...here, about }, index?.request);
  const settled = (about: string): boolean =>
    isSettled(about) || (lesson !== undefined && !isOutdated && isSettled(keyIn(lesson, about)));
  const wrong = wrongIn(asked, current);
  const judged = judgeBy(asked, current, { wrong, settled });
  // The server may be back at what the client shows. Then a call by that goes through even in mode strict, which would stop
  // it for any difference from what the model was told.
  const softer = mode === 'strict' ? 'guard' : mode;
  const byLesson = isOutdated && {
    ...knownBy(beliefOf(lesson)),
    judgement: judged(asTold(lesson.contract, trusted), asTold(current, trusted), softer),
  };
  if (belief.contract === undefined) {
    if (byLesson && isStop(byLesson.judgement)) return { ...byLesson, verdict: 'judged' };
    // Arguments that the tool does not accept are wrong, whatever the model believes.
    const judgement = wrong !== undefined && current !== null ? judged(current) : undefined;
    return judgement !== undefined && judgement.reasons.length > 0
      ? { ...known, judgement, verdict: 'judged' }
      : { ...known, verdict: 'unchecked', why: belief.why, ...(hidden && { hidden }) };
  }
  const byBelief = { ...known, judgement: judged(belief.contract) };
  if (belief.doubt && !isStop(byBelief.judgement) && isStop(judged(belief.doubt)))
    return { ...known, verdict: 'unchecked', why: `${belief.why}, and this call does not fit both` };
  const found = byLesson && countsMore(byLesson.judgement, byBelief.judgement) ? byLesson : byBelief;
  const { decision, why } = found.judgement;
  return decision === 'unchecked'
    ? { ...found, verdict: 'unchecked', why: why ?? 'unknown' }
    : { ...found, verdict: 'judged', ...defined({ why }) };
};
