import { defined } from '../contract/defined.ts';
import type { Contract } from '../contract/types.ts';
import { looksLike, lookupHash, viewHash, withView } from '../contract/view.ts';

export interface BeliefEvidence {
  /** The model view in this conversation; absent if the transcript does not tell. */
  view?: Contract;
  /** The client does not record which contracts it shows the model. */
  hidden?: boolean;
  /**
   * What the source answered when the session started. `late`: recorded after the conversation had begun. `completed`:
   * recorded some seconds after the session's start, so that the server could have changed meanwhile.
   */
  baseline?: { contract: Contract; late: boolean; completed?: boolean };
  live: Contract;
  /** Hashes (`knownHashes`) of all contracts that this source is known to have answered for the tool. */
  past: ReadonlySet<string>;
  /** Whether the source is a gateway, which may describe the server's tools in its own words. */
  gateway?: boolean;
  /** The source is a gateway that may list another server's tool of this name. */
  namesake?: boolean;
  /** How the source describes other tools of the server; absent if they were not compared. */
  others?: Others;
}

/**
 * How the source describes the other tools that the model sees. `alike`: at least one exactly as the model sees it.
 * `otherwise`: none of them; all differ in the same way, and have done so since the session started. `unknown`: neither.
 */
export type Others = 'alike' | 'otherwise' | 'unknown';

export interface Belief {
  /** What the model believes; absent if that is not known. */
  contract?: Contract;
  /** `told`: the guard itself told the model, after the tool had changed. */
  from: 'model view' | 'baseline' | 'told' | 'unknown';
  /** The reason, as shown by `explain` and in "could not check" messages. */
  why: string;
  /**
   * The model view, if it was set aside because the source seems to describe tools in other words. A call that does not
   * fit this view either is never called fresh.
   */
  doubt?: Contract;
}

/**
 * The model view, completed: it holds a description and an input schema only.
 * @param known the contract that its other fields come from
 * @param isWhole see `looksLike`
 * @param texts see `looksLike`
 */
const withUnseen = (
  view: Contract,
  { schemaless, description: _description, ...known }: Contract,
  live: Contract,
  isWhole: boolean,
  texts: Contract,
): Contract => {
  const rest = { ...known, ...defined({ description: live.description }), name: live.name };
  const shown = withView(rest, view, isWhole, texts);
  // A source that does not list what the tool takes does not contradict what the model sees of it.
  return live.schemaless ? { ...shown, inputSchema: live.inputSchema, ...defined({ schemaless }) } : shown;
};

/**
 * Whether the source may always have described the tool in other words than the client gets. A gateway may, unless another
 * tool shows that it does not; for a server asked directly, other tools must show that it does.
 */
const describesOtherwise = (others: Others, isGateway: boolean): boolean =>
  others === 'otherwise' || (isGateway && others === 'unknown');

/**
 * What the model believes about a tool: the model view, if there is one. If the source describes tools in other words than
 * the client shows, only the source's own earlier answer can be compared with the live one. That takes evidence: a baseline
 * that equals live proves nothing by itself, since it may have been recorded after the model saw the tool.
 */
export const believe = ({
  view,
  hidden = false,
  baseline,
  live,
  past,
  gateway = false,
  namesake = false,
  others = 'unknown',
}: BeliefEvidence): Belief => {
  if (view === undefined) {
    if (baseline === undefined)
      return {
        from: 'unknown',
        why: 'neither the transcript nor the start of the session tells what the model was shown',
      };
    const isSame = viewHash(baseline.contract) === viewHash(live);
    // A baseline that differs is worth judging by. One that equals live proves nothing about what was shown.
    if (hidden && isSame)
      return { from: 'unknown', why: 'the client does not record which contracts it showed the model' };
    if (baseline.late && isSame) {
      return { from: 'unknown', why: 'no model view, and the baseline was recorded after the conversation began' };
    }
    return { contract: baseline.contract, from: 'baseline', why: 'the transcript does not show the tool' };
  }
  // A description that ends with the client's mark in the source's own answer was not cut by the client.
  const isWhole = baseline !== undefined && baseline.contract.description === view.description;
  const isOfStart = baseline !== undefined && looksLike(view, baseline.contract, isWhole);
  // Live may differ from the baseline by what the client does not show, and the server still take other values.
  const texts = isOfStart && viewHash(view) !== viewHash(live) ? baseline.contract : live;
  const shown = withUnseen(view, baseline?.contract ?? live, live, isWhole, texts);
  const byView = (why: string): Belief => ({ contract: shown, from: 'model view', why });
  if (looksLike(view, live, isWhole, texts))
    return byView(gateway ? 'the model sees what the gateway lists' : 'the model sees what the server runs');
  if (isOfStart || past.has(lookupHash(view))) return byView('the model sees an earlier contract');
  if (namesake && others === 'unknown') {
    return {
      from: 'unknown',
      why: 'the gateway lists a tool of this name, but not the one that the model sees: "servers" in its settings can say whose it is',
    };
  }
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
