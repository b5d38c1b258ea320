// What is known about one call, and what it was learned from.
import type { SessionBaseline, SourceBaseline } from '../baseline/sessions.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { NamedTool } from '../contract/names.ts';
import type { Contract } from '../contract/types.ts';
import type { Invalid } from '../contract/validate.ts';
import type { Belief } from '../judge/believe.ts';
import type { Judgement, Policy } from '../judge/judge.ts';
import type { ProgramFile } from '../servers/program.ts';
import type { AllSources } from '../sources/all.ts';
import type { Live } from '../sources/live.ts';
import type { Source } from '../sources/source.ts';
import type { Circumstances } from '../state/circumstances.ts';
import type { Stamped } from '../state/stamp.ts';
import type { ModelView } from '../transcript/model-view.ts';
import type { TranscriptIndex } from '../transcript/transcript-index.ts';
import type { CallPlace } from './fast-path.ts';
import type { ToolInput } from './input.ts';
import type { OuterCall } from './invoker/outer-call.ts';
import type { LockDoubt } from './trust.ts';

/** What an assessment needs besides the hook's input. */
export interface CallContext extends CallPlace {
  /** How far the transcript was read before. */
  index?: TranscriptIndex | undefined;
  /** The same for the main conversation, where a subagent makes the call. */
  parent?: TranscriptIndex | undefined;
  /**
   * Whether a reason was told, or asked about and granted, under the same circumstances: then it is not repeated.
   * @param request the one that the call follows, if that is known: what was told since was not read before it
   */
  settled(reason: Circumstances, request?: number): boolean;
  /** Ask the source even if its last answer still counts as live. */
  force?: boolean | undefined;
}

/** A tool that its source knows, and what this conversation knows of it. */
export interface ExaminedTool {
  name: string;
  view?: Contract;
  /** See `BeliefEvidence`. */
  baseline?: { contract: Contract; late: boolean; completed?: boolean };
  belief: Belief;
  /** What we told the model of the tool after a change is not live any longer: its next call may go by that. */
  isOutdated?: true;
}

/** The source that speaks for the tool, and what it answered. */
export interface SourceFacts {
  source: Source;
  live: Live;
  /** When it was asked for that, in ms since 1970. */
  checkedAt: number;
  /** What it answered when the session started. */
  atStart?: SourceBaseline;
  /** Absent if the called name can mean several tools of the source. */
  tool?: ExaminedTool;
}

/** A source that was consulted, and its answer. */
export interface Consulted {
  key: string;
  digest: string;
  /** Whether the verdict holds only while this answer is live; otherwise it may be a minute old. */
  fresh: boolean;
}

/** What every assessment is based on, for the answer, the memo and `explain`. */
export interface Basis {
  config: LoadedConfig;
  all: AllSources;
  policy: Policy;
  named: NamedTool;
  index: TranscriptIndex | null;
  consulted: Consulted[];
  /** The settings files that it depends on. */
  settings: Stamped[];
  /** Absent if no source that knows the tool answered. */
  facts?: SourceFacts;
  /** What the lockfile says against the tool, if anything. */
  trust?: LockDoubt;
  /** For a tool that is called through an invoker. */
  through?: OuterCall;
}

export interface Judged extends Basis {
  verdict: 'judged';
  judgement: Judgement;
  why?: string;
}

export interface UncheckedCall extends Basis {
  verdict: 'unchecked';
  why: string;
  /** Nothing here can be repaired: the server answers only Claude Code, or is not approved. */
  unaskable?: boolean;
  /** The server itself answered, and the tool is not in its list. */
  unlisted?: true;
  /** This source is still being asked for the session's baseline. */
  pending?: boolean;
  /** The client does not record which contracts it shows the model. That holds for every call of the conversation. */
  hidden?: boolean;
  /** What is known although the call could not be checked. */
  judgement?: Judgement;
}

export interface NotCovered extends Basis {
  verdict: 'not-covered';
  why: string;
  /** The program of a server that cannot be asked, and which of its files changed since the session started. */
  program?: { files: ProgramFile[]; rebuilt: string[] };
}

interface Off extends Basis {
  verdict: 'off';
  why: string;
}

/** Everything that is known about one call, and the verdict that follows from it. */
export type Assessment = Judged | UncheckedCall | NotCovered | Off;

/** The judgement of a call; undefined if it could not be judged. */
export const judgementOf = (found: Assessment): Judgement | undefined =>
  found.verdict === 'judged' || found.verdict === 'unchecked' ? found.judgement : undefined;

/** The tool's live contract; undefined if its source did not answer, or no longer has the tool. */
export const liveContract = ({ facts }: Assessment): Contract | undefined =>
  facts?.live.tools.find(({ name }) => name === facts.tool?.name);

/** Which tool is judged, under which policy, and where it is looked for. */
export interface Search {
  config: LoadedConfig;
  all: AllSources;
  settings: Stamped[];
  named: NamedTool;
  /** The configured server that the name means, if there is one. */
  owner?: string | undefined;
  ways: NamedTool[];
  rounds: { sources: Source[]; ways: NamedTool[] }[];
  policyOf(way: NamedTool): Policy;
  /** Set if the call goes to another server of this name than the configured one: why that one is not asked. */
  elsewhere?: string;
  /** See `Question.wrong`: for a tool whose contract the client does not show to the model. */
  wrong?: readonly Invalid[];
}

/** A call, and what is known of its conversation before any source is asked. */
export interface Inquiry {
  input: ToolInput;
  search: Search;
  around: CallContext;
  policy: Policy;
  /** The session's baseline. */
  started: SessionBaseline | undefined;
  index: TranscriptIndex | null;
  /** What the model sees; by the client's names of the tools. */
  views: ModelView['tools'];
  /** See `ModelView`. */
  hidden: boolean;
  /** It is a subagent that was forked off the main conversation, and knows what was told there. */
  forked: boolean;
}
