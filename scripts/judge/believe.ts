import { viewHash, withView } from '../contract/meaning.ts';
import type { Contract } from '../contract/types.ts';

export interface BeliefEvidence {
  /** The contract as this conversation's model sees it; absent where the transcript does not tell. */
  view?: Contract;
  /**
   * What the source answered when the session started. `late`: recorded after the conversation had begun; `completed`:
   * some seconds after it had started, by when the server could have changed.
   */
  baseline?: { contract: Contract; late: boolean; completed?: boolean };
  live: Contract;
  /** View hashes of everything this source ever answered for the tool. */
  past: ReadonlySet<string>;
  /** Whether a gateway is asked, which speaks for the server in its own words. */
  gateway?: boolean;
  /** How the source describes other tools of the server; absent where nobody looked. */
  others?: Others;
}

/**
 * How the source describes the other tools that the model sees: `alike`: at least one just as the model sees it;
 * `otherwise`: none, all of them in the same way, and so since the session started; `unknown`: neither can be said.
 */
export type Others = 'alike' | 'otherwise' | 'unknown';

export interface Belief {
  /** What the model believes; absent where that cannot be known. */
  contract?: Contract;
  from: 'model view' | 'baseline' | 'unknown';
  /** Why, in words for `explain` and for "could not check". */
  why: string;
  /**
   * What the model sees, where it is set aside because the source seems to describe the tool in another way: a call that
   * does not fit this either cannot be called fresh.
   */
  doubt?: Contract;
}

/** The model sees a description and an input schema; of the rest, what the session started with is the best knowledge. */
const withUnseen = (view: Contract, others: Contract, live: Contract): Contract => {
  // The client cuts long descriptions: equal as shown is equal.
  const uncut = { ...live, inputSchema: view.inputSchema };
  return { ...withView(others, viewHash(uncut) === viewHash(view) ? uncut : view), name: live.name };
};

/**
 * Whether it can be that what the source says was never what the client is told. A gateway may describe tools in its own
 * words unless another tool shows that it does not; a server that is asked itself needs other tools as evidence.
 */
const describesOtherwise = (others: Others, isGateway: boolean): boolean =>
  others === 'otherwise' || (isGateway && others === 'unknown');

/**
 * What the model believes about a tool. The model's view decides wherever there is one. Where the source describes the
 * tool in another way than the client shows it, its own earlier answer is what can be compared; that it is the same as the
 * live one proves nothing by itself, since the first look may have come after the model's.
 */
export const believe = ({
  view,
  baseline,
  live,
  past,
  gateway = false,
  others = 'unknown',
}: BeliefEvidence): Belief => {
  if (view === undefined) {
    if (baseline === undefined)
      return {
        from: 'unknown',
        why: 'neither the transcript nor the start of the session tells what the model was shown',
      };
    if (baseline.late && viewHash(baseline.contract) === viewHash(live)) {
      return { from: 'unknown', why: 'no model view, and the baseline was recorded after the conversation began' };
    }
    return { contract: baseline.contract, from: 'baseline', why: 'the transcript does not show the tool' };
  }
  const seen = viewHash(view);
  const shown = withUnseen(view, baseline?.contract ?? live, live);
  const byView = (why: string): Belief => ({ contract: shown, from: 'model view', why });
  if (seen === viewHash(live)) return byView('the model sees what the server runs');
  if (past.has(seen) || (baseline && seen === viewHash(baseline.contract)))
    return byView('the model sees an earlier contract');
  if (baseline && !baseline.late && !baseline.completed && describesOtherwise(others, gateway)) {
    return {
      contract: baseline.contract,
      from: 'baseline',
      why: 'the source describes the tool in other words than the server: only its own answers can be compared',
      doubt: shown,
    };
  }
  if (others === 'otherwise') {
    return {
      from: 'unknown',
      why: 'the source describes the tool in other words than the server, and has no baseline',
    };
  }
  return byView('the model sees another contract');
};
