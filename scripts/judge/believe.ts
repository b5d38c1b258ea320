import { viewHash } from '../contract/meaning.ts';
import type { Contract } from '../contract/types.ts';

export interface Evidence {
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
  /** Whether other tools of the server look to the model as this source answers them; absent if none can be compared. */
  askerAgrees?: boolean;
}

export interface Belief {
  /** What the model believes; absent where that cannot be known. */
  contract?: Contract;
  from: 'model view' | 'baseline' | 'unknown';
  /** Why, in words for `explain` and for "could not check". */
  why: string;
}

/** The model sees a description and an input schema; of the rest, what the session started with is the best knowledge. */
const withUnseen = (view: Contract, others: Contract, live: Contract): Contract => ({
  ...others,
  name: live.name,
  inputSchema: view.inputSchema,
  // The client cuts long descriptions: equal as shown is equal.
  description:
    viewHash({ ...live, inputSchema: view.inputSchema }) === viewHash(view) ? live.description : view.description,
});

/**
 * What the model believes about a tool. The model's view decides where it can be compared with the source; where the
 * source shows the tool in another way than the server does, its own earlier answer is what can be compared.
 */
export const believe = ({ view, baseline, live, past, askerAgrees }: Evidence): Belief => {
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
  const unseen = baseline?.contract ?? live;
  if (seen === viewHash(live)) {
    return { contract: withUnseen(view, unseen, live), from: 'model view', why: 'the model sees what the server runs' };
  }
  if (past.has(seen) || (baseline && seen === viewHash(baseline.contract))) {
    return { contract: withUnseen(view, unseen, live), from: 'model view', why: 'the model sees an earlier contract' };
  }
  if (baseline && !baseline.late && !baseline.completed) {
    return {
      contract: baseline.contract,
      from: 'baseline',
      why: 'the source describes the tool in other words than the server: only its own answers can be compared',
    };
  }
  if (askerAgrees === false) {
    return {
      from: 'unknown',
      why: 'the source describes the tool in other words than the server, and has no baseline',
    };
  }
  return { contract: withUnseen(view, unseen, live), from: 'model view', why: 'the model sees another contract' };
};
